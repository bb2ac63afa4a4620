"""The ledger on disk: several crawls, kills, and a file that is not what it should be."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal.errors import FolderError
from shoal.installation.sqlite_ledger import POLL, SqliteLedger

NOW = 1_800_000_000.0
OpenAt = Callable[..., SqliteLedger]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "hosts.sqlite"


@pytest.fixture
def open_at(path: Path) -> Iterator[OpenAt]:
    opened: list[SqliteLedger] = []

    def open_at(owner: str, now: float = NOW) -> SqliteLedger:
        opened.append(SqliteLedger(path, owner, lambda: now))
        return opened[-1]

    yield open_at
    for ledger in opened:
        ledger.close()


def test_clocks_outlive_the_process(open_at: OpenAt) -> None:
    first = open_at("a")
    first.claim("example.org", NOW, NOW + 60)
    first.release("example.org", NOW + 300)
    first.close()
    assert open_at("b").claim("example.org", NOW + 10, NOW + 70) == NOW + 300


def test_a_killed_crawl_gets_its_hosts_back_after_a_pause(open_at: OpenAt) -> None:
    killed = open_at("a")
    killed.claim("example.org", NOW, NOW + 60)
    killed.flush()
    again = open_at("a")
    again.recover(NOW + 3, pause=2.0)
    assert again.claim("example.org", NOW + 4.9, NOW + 64) == NOW + 5
    assert again.claim("example.org", NOW + 5, NOW + 65) == 0


def test_recovery_leaves_other_hosts_and_other_crawls_alone(open_at: OpenAt) -> None:
    mine, other = open_at("a"), open_at("b")
    other.claim("theirs.example", NOW, NOW + 60)
    other.flush()
    mine.claim("over.example", NOW, NOW + 60)
    mine.release("over.example", NOW + 1)
    mine.recover(NOW + 3, pause=20.0)
    assert mine.claim("over.example", NOW + 3, NOW + 63) == 0
    assert mine.claim("theirs.example", NOW + 3, NOW + 63) > NOW + 3


def test_a_host_held_by_another_crawl_is_looked_at_again_soon(open_at: OpenAt) -> None:
    first = open_at("a")
    first.claim("example.org", NOW, NOW + 60)
    first.flush()
    assert NOW < open_at("b").claim("example.org", NOW, NOW + 60) < NOW + 1


def test_what_was_released_is_told_with_the_next_claim_or_by_flushing(open_at: OpenAt) -> None:
    first, second = open_at("a"), open_at("b")
    for host in ("one.example", "two.example"):
        first.claim(host, NOW, NOW + 60)
    first.flush()
    first.release("one.example", NOW + 2)
    assert second.claim("one.example", NOW + 1, NOW + 61) == NOW + 1 + POLL, "nobody was told"
    second.flush()
    first.claim("three.example", NOW + 1, NOW + 61)
    first.flush()
    assert second.claim("one.example", NOW + 1, NOW + 61) == NOW + 2
    second.flush()
    first.release("two.example", NOW + 3)
    first.flush()
    assert second.claim("two.example", NOW + 1, NOW + 61) == NOW + 3


def test_old_clocks_are_forgotten_and_impossible_ones_too(open_at: OpenAt, path: Path) -> None:
    ledger = open_at("a")
    day = 24 * 3600.0
    for key, next_at in [("old", NOW), ("fresh", NOW + day), ("wrong", NOW + 400 * day)]:
        ledger.release(key, next_at)
    ledger.close()
    open_at("a", now=NOW + day + 1)
    with sqlite3.connect(path) as connection:
        keys = connection.execute("SELECT key FROM clocks").fetchall()
    connection.close()
    assert keys == [("fresh",)]


def test_a_damaged_file_is_set_aside(open_at: OpenAt, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 1000)
    assert open_at("a").claim("example.org", NOW, NOW + 60) == 0
    (aside,) = path.parent.glob("hosts.sqlite.damaged-*")
    assert aside.read_bytes().startswith(b"this is no database")


def test_a_file_with_a_damaged_page_is_set_aside(open_at: OpenAt, path: Path) -> None:
    ledger = open_at("a")
    for number in range(2000):
        ledger.release(f"host{number}.example", NOW)
    ledger.close()
    with path.open("r+b") as file:
        file.seek(1024)
        file.write(b"\xff" * 20_000)
    assert open_at("a").claim("host1999.example", NOW, NOW + 60) == 0
    assert [*path.parent.glob("hosts.sqlite.damaged-*")]


def test_the_file_of_another_version_is_set_aside(open_at: OpenAt, path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE clocks (other TEXT); PRAGMA user_version = 99")
    connection.close()
    assert open_at("a").claim("example.org", NOW, NOW + 60) == 0


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match=r"/file, cannot be made: a file is in its way\. Say with SHOAL_HOME"):
        SqliteLedger(tmp_path / "file" / "hosts.sqlite", "a", lambda: NOW)
    (tmp_path / "hosts.sqlite").mkdir()
    with pytest.raises(FolderError, match=r"hosts\.sqlite cannot be used"):
        SqliteLedger(tmp_path / "hosts.sqlite", "a", lambda: NOW)


CLAIMER = """
import sys
from pathlib import Path
from shoal.installation.sqlite_ledger import SqliteLedger

ledger = SqliteLedger(Path(sys.argv[1]), sys.argv[2], lambda: 1_800_000_000.0)
def claim(number):
    granted = ledger.claim(f"host{number}.example", 1_800_000_000.0, 1_800_000_060.0) == 0
    if number % 3:  # some claims alone, some together
        ledger.flush()
    return granted

print("ready", flush=True)
sys.stdin.readline()
print(sum(map(claim, range(300))))
"""


def test_two_processes_never_get_the_same_host(path: Path) -> None:
    def start(owner: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", CLAIMER, os.fspath(path), owner]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    with start("a") as first, start("b") as second:
        for process in (first, second):
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in (first, second):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        granted = [int(process.communicate(timeout=30)[0]) for process in (first, second)]
    assert sum(granted) == 300


def test_a_home_that_it_makes_is_its_users_alone(tmp_path: Path) -> None:
    SqliteLedger(tmp_path / "home" / "hosts.sqlite", "one", lambda: 0.0).close()
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700
