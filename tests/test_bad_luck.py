"""Whatever happens to the place where a crawl is kept: one sentence, and all that was there before."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal import indexer, services
from shoal.errors import FolderError, InputError, ShoalError, StorageFull
from shoal.files import written
from shoal.model import Mark
from shoal.store import backup, mark_log
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.bad_luck import contents, largest_file, no_folders, read_only, small_disk
from tests.store.pages import SETTINGS, batch, page


def silent(done: int, total: int) -> None:
    assert done <= total


def a_crawl(folder: Path) -> None:
    folders.create(folder, SETTINGS)
    with open_store(folder) as store:
        asyncio.run(store.commit(batch(page(1, b"one", text="words of the first page"))))


def saved(tmp_path: Path) -> Path:
    a_crawl(tmp_path / "small")
    backup.save(tmp_path / "small", tmp_path / "saved.tar", silent)
    return tmp_path / "saved.tar"


# --- places that are no folders --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("place", range(4), ids=["a file", "below a file", "a link to a file", "a link to nothing"])
def test_what_is_no_folder_is_refused_and_stays(tmp_path: Path, place: int) -> None:
    where, archive = no_folders(tmp_path / "x")[place], saved(tmp_path)
    before = {name: os.path.lexists(tmp_path / "x" / name) for name in os.listdir(tmp_path / "x")}
    for act in (
        lambda: folders.create(where, SETTINGS),
        lambda: backup.bring_back(archive, where, "", silent),
    ):
        with pytest.raises(ShoalError, match="cannot be used"):
            act()
    assert {name: os.path.lexists(tmp_path / "x" / name) for name in os.listdir(tmp_path / "x")} == before
    assert (tmp_path / "x" / "file").read_text() == "mine"


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    made = folders.create(tmp_path / "link", SETTINGS)
    assert folders.exists(tmp_path / "real")
    folders.remove(made)
    assert contents(tmp_path / "real") == {}
    assert (tmp_path / "link").is_symlink(), "it was there before"


# --- a disk that takes nothing ---------------------------------------------------------------------------------------


def _resume(folder: Path) -> object:
    with open_store(folder) as store:
        return store


ACTS: dict[str, Callable[[Path], object]] = {
    "begin": lambda place: folders.create(place / "new", SETTINGS),
    "go on": lambda place: _resume(place / "c"),
    "change": lambda place: services.crawls.change_settings(place / "c", {"max_pages": 3}),
    "mark": lambda place: mark_log.add(place / "c", [Mark(url="http://a.test/1", relevant=True, at=1.0)]),
    "index": lambda place: indexer.rebuild(place / "c"),
    "save": lambda place: backup.save(place / "c", place / "saved.tar", silent),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_disk_that_cannot_be_written_is_one_sentence(tmp_path: Path, act: str) -> None:
    def fill(place: Path) -> None:
        a_crawl(place / "c")

    with read_only(tmp_path / "disk", fill) as place:
        before = contents(place)
        with pytest.raises((FolderError, InputError), match=r"Read-only|readonly|cannot be used"):
            ACTS[act](place)
        assert contents(place) == before


# --- a disk that is full ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 100, 5_000])
def test_a_crawl_that_does_not_fit_leaves_nothing(tmp_path: Path, size: int) -> None:
    with largest_file(size), pytest.raises((StorageFull, FolderError)):
        folders.create(tmp_path / "x" / "c", SETTINGS, b"a model")
    assert contents(tmp_path) == {}


def test_a_backup_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    archive = saved(tmp_path)
    with largest_file(5_000), pytest.raises(StorageFull):
        backup.bring_back(archive, tmp_path / "x" / "c", "", silent)
    assert not (tmp_path / "x").exists()


def test_a_disk_that_is_full_where_the_backup_goes_is_not_said_to_be_the_crawls(tmp_path: Path) -> None:
    a_crawl(tmp_path / "c")
    with small_disk(tmp_path / "disk", "64k") as disk:
        with pytest.raises(StorageFull, match=rf"^There is no room left to write {disk / 'saved.tar'}\.$"):
            backup.save(tmp_path / "c", disk / "saved.tar", silent)
        assert contents(disk) == {}


def test_an_answer_that_does_not_fit_leaves_the_older_one(tmp_path: Path) -> None:
    out = tmp_path / "gallery.html"
    out.write_text("older")
    with largest_file(1_000), pytest.raises(StorageFull), written(out) as stream:
        stream.write(bytes(50_000))
    assert contents(tmp_path) == {"gallery.html": b"older"}


def test_what_a_crash_left_is_not_lost_for_want_of_room(tmp_path: Path) -> None:
    """The end of a page file cannot be set aside on a full disk: then it stays where it is, and the user is told."""
    with small_disk(tmp_path / "disk", "2m") as place:
        a_crawl(place / "c")
        with (place / "c" / "pages-00001.warc.gz").open("ab") as file:
            file.write(os.urandom(600_000))
        (place / "filler").write_bytes(bytes(900_000))
        before = (place / "c" / "pages-00001.warc.gz").read_bytes()
        with pytest.raises(StorageFull):
            _resume(place / "c")
        assert (place / "c" / "pages-00001.warc.gz").read_bytes() == before
        (place / "filler").unlink()
        _resume(place / "c")
        (aside,) = (place / "c").glob("*.aside-*")
        assert (place / "c" / "pages-00001.warc.gz").read_bytes() + aside.read_bytes() == before
