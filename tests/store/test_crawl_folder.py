"""Is this a crawl's folder, and may we use it? If not, one clear sentence."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.errors import FolderError
from shoal.files import UNFINISHED
from shoal.model import Term, Topic
from shoal.settings import Budget, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store

SETTINGS = Settings(
    topic=Topic(name="电网", terms=(Term(text="power grid", weight=0.5),)),
    seeds=("http://a.test/",),
    budget=Budget(max_pages=7),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS)
    return tmp_path / "crawl"


def test_a_new_folder_holds_a_crawl_with_its_settings(folder: Path) -> None:
    assert folders.exists(folder)
    database = folders.connect(folder)
    assert folders.read_settings(folder, database) == SETTINGS
    database.close()


def test_a_folder_without_a_crawl_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"There is no crawl in .*shoal crawl"):
        folders.connect(tmp_path)
    assert list(tmp_path.iterdir()) == [], "looking leaves nothing behind"


def test_a_second_crawl_in_the_same_folder_is_refused_before_it_destroys_the_first(folder: Path) -> None:
    with pytest.raises(FolderError, match=r"already.*shoal resume"):
        folders.create(folder, SETTINGS)


def test_an_unfinished_folder_is_none_and_can_be_made_again(tmp_path: Path) -> None:
    left = tmp_path / f"{UNFINISHED}0123456789ab"
    left.write_bytes(b"half a database")
    assert not folders.exists(tmp_path)
    folders.create(tmp_path, SETTINGS)
    assert sorted(path.name for path in tmp_path.iterdir()) == [left.name, folders.DATABASE]


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("99", r"by a newer shoal \(format 99, .* update shoal"),
        ('"5.0"', r"by a newer shoal \(format 5\.0, "),
        ("2", r"too old for this one \(format 2, .* reads 3 to 4\): open it with"),
        ("null", r"too old for this one \(format 0, "),
    ],
)
def test_a_folder_of_another_version_is_refused(folder: Path, version: str, sentence: str) -> None:
    with sqlite3.connect(folder / folders.DATABASE) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'version'", (version,))
    database.close()
    with pytest.raises(FolderError, match=sentence):
        folders.connect(folder)


@pytest.mark.parametrize("content", [b"this is no database, but long enough to look at" * 50, b""])
def test_a_file_that_is_no_crawl_database_is_refused(folder: Path, content: bytes) -> None:
    (folder / folders.DATABASE).write_bytes(content)
    with pytest.raises(FolderError, match="damaged or not one of shoal's"):
        folders.connect(folder)


def test_settings_that_cannot_be_read_are_told(folder: Path) -> None:
    database = folders.connect(folder)
    database.execute("UPDATE meta SET value = '{\"topic\": 1}' WHERE key = 'settings'")
    with pytest.raises(FolderError, match="settings kept in"):
        folders.read_settings(folder, database)
    database.close()


@pytest.mark.parametrize("where", ["file/crawl", "/proc/shoal-crawl"])
def test_a_place_where_nothing_can_be_written_is_refused(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(FolderError, match="cannot be used"):
        folders.create(tmp_path / where, SETTINGS)


HOLD = """
import sys, time
from pathlib import Path
from shoal.store import crawl_folder as folders
with folders.lock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_a_folder_in_use_by_another_process_is_refused_until_that_dies(folder: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        assert folders.is_running(folder)
        with (
            pytest.raises(FolderError, match=f"Another crawl \\(process {other.pid}\\) is running"),
            open_store(folder),
        ):
            pytest.fail("two crawls in one folder")
        other.send_signal(signal.SIGKILL)
    assert not folders.is_running(folder)
    with open_store(folder):
        assert folders.is_running(folder)
        assert (folder / "lock").read_text() == str(os.getpid())
    assert not folders.is_running(folder)
