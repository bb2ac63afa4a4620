"""One crawl's memory: what was committed stays, whatever happens; copies are found and stored once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import asyncpg
import pytest
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from shoal.errors import DatabaseDamaged, StorageFull
from shoal.model import State
from shoal.model.stored import Changes, PatternCount, RobotsRecord, Totals
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_status import FailedSeed
from shoal.store.crawl_store import open_store
from shoal.store.warc import read_body
from tests.store.pages import SETTINGS, TEXT, batch, entry, page, rows, warc_file, warc_types


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=cluster)
    return tmp_path / "crawl"


# --- what was committed comes back -----------------------------------------------------------------------------------


async def test_a_batch_is_there_in_the_next_run(folder: Path) -> None:
    robots = RobotsRecord(origin="http://a.test", text="User-agent: *", status=200, fetched_at=1.0, expires_at=2.0)
    pattern = PatternCount(host="a.test", pattern="/#", pages=3, repeats=1, relevant=2)
    with open_store(folder) as store:
        assert (store.totals(), list(store.patterns()), store.robots("http://a.test")) == (Totals(), [], None)
        first_id = store.crawl_id
        changes = batch(page(1, b"one"), page(2, b"three", relevant=False))
        await store.commit(replace(changes, robots=(robots,), patterns=(pattern,), elapsed=12.5))
    with open_store(folder) as store:
        assert store.totals() == Totals(pages=2, relevant=1, bytes=8, last_order=2, elapsed=12.5)
        assert (store.robots("http://a.test"), list(store.patterns())) == (robots, [pattern])
        assert (store.crawl_id, store.settings) == (first_id, SETTINGS)
        assert [host.pages for host in store.url_index.hosts()] == [2]


async def test_a_page_keeps_its_body_its_score_and_its_words(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, "电网".encode())))
    ((title, score, relevant, why, file, offset),) = rows(
        folder, "SELECT title, score, relevant, why, warc_file, warc_offset FROM pages"
    )
    assert (title, score, relevant, why) == ("Page 1 电网", 0.8, 1, '[{"what":"grid","amount":0.8}]')
    assert read_body(folder, str(file), int(str(offset))) == "电网".encode()


async def test_what_is_under_way_is_kept_for_those_who_ask(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(Changes(added=(entry(1), entry(2)), fetching=("http://a.test/1",)))
    assert rows(folder, "SELECT value FROM meta WHERE key = 'fetching'") == [('["http://a.test/1"]',)]


async def test_seeds_that_failed_say_why(folder: Path) -> None:
    failed = replace(entry(1, State.FAILED), detail="No such name.")
    with open_store(folder) as store:
        await store.commit(Changes(added=(failed, entry(2), replace(entry(3, State.FAILED), parent=2))))
        assert store.failed_seeds() == (FailedSeed(url="http://a.test/1", why="No such name"),)


# --- when things go wrong --------------------------------------------------------------------------------------------


def state_of_disk(folder: Path) -> tuple[list[tuple[object, ...]], list[str]]:
    with open_store(folder):
        pass
    return rows(folder, "SELECT id, state FROM urls JOIN pages USING (id) ORDER BY id"), warc_types(folder)


@pytest.mark.parametrize("cluster", [Cluster()], ids=["sqlite"])
async def test_a_full_disk_below_the_database_loses_nothing_that_was_committed(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"kept")))
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageFull, match=r"disk is full.*shoal resume"):
            await store.commit(batch(*(page(id, bytes([id]) * 500, text=TEXT) for id in range(2, 60))))
    assert state_of_disk(folder) == ([(1, State.DONE)], ["warcinfo", "response"])


async def test_a_full_disk_below_the_page_file_loses_nothing_that_was_committed(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"kept")))
        with _full_from_now_on("00001.warc.gz"), pytest.raises(StorageFull):
            await store.commit(batch(page(2, b"no room for this")))
    assert state_of_disk(folder) == ([(1, State.DONE)], ["warcinfo", "response"])
    with open_store(folder) as store:
        await store.commit(batch(page(2, b"room again")))
    assert state_of_disk(folder) == ([(1, State.DONE), (2, State.DONE)], ["warcinfo", "response", "response"])


class _full_from_now_on:
    """What this process writes to an open file goes to a device that is always full."""

    def __init__(self, name: str) -> None:
        links = {
            int(number): os.readlink(f"/proc/self/fd/{number}")
            for number in os.listdir("/proc/self/fd")
            if _is_open(number)
        }
        (self.handle,) = [number for number, target in links.items() if target.endswith(name)]

    def __enter__(self) -> None:
        self.before = os.dup(self.handle)
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, self.handle)
        os.close(full)

    def __exit__(self, *error: object) -> None:
        os.dup2(self.before, self.handle)
        os.close(self.before)


def _is_open(number: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{number}")


async def test_a_batch_that_cannot_be_written_leaves_no_part_of_itself(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(Changes(added=(entry(1),), tally=((State.WAITING, None, 1),)))
        with pytest.raises(
            (sqlite3.IntegrityError, asyncpg.UniqueViolationError)
        ):  # a bug, not a trouble of the user's
            await store.commit(Changes(added=(entry(2), entry(1)), tally=((State.WAITING, None, 2),)))
    assert rows(folder, "SELECT id FROM urls") == [(1,)]
    assert rows(folder, "SELECT state, urls FROM tally") == [(0, 1)]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from shoal.store.crawl_store import open_store
from tests.store.pages import batch, page
with open_store(Path(sys.argv[1])) as store:
    asyncio.run(store.commit(batch(page(1, b"kept"))))
    store._warc.sync = lambda: os.kill(os.getpid(), signal.SIGKILL)
    asyncio.run(store.commit(batch(page(2, b"lost"))))
"""


@pytest.mark.slow
def test_a_process_killed_within_a_commit_leaves_the_last_whole_one(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGKILL
    with warc_file(folder).open("rb") as file:
        assert len(list(ArchiveIterator(file))) == 3, "the body was written"
    assert state_of_disk(folder) == ([(1, State.DONE)], ["warcinfo", "response"])


def test_one_that_cannot_be_opened_leaves_nothing_open(tmp_path: Path) -> None:
    folders.create(tmp_path / "crawl", SETTINGS)
    with folders.reading(tmp_path / "crawl") as database:
        folders.write_meta(database, "settings", "none")
    with (
        pytest.raises(DatabaseDamaged) as caught,
        open_store(tmp_path / "crawl"),
    ):  # what is caught holds what it was about
        pytest.fail("it was opened")
    handles = [os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.exists()]
    assert str(caught.value).startswith(f"The settings kept in {tmp_path / 'crawl'} cannot be read")
    assert [handle for handle in handles if handle.startswith(str(tmp_path))] == []
