"""The file of an installation: whom it belongs to, how it is copied, and what is said when it cannot be used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from shoal.errors import DatabaseDamaged, FolderBusy, FolderError, ShoalError, StorageFull
from shoal.installation import crawl_registry as registry
from shoal.installation import sqlite_home, topic_library
from shoal.installation.installation_database import reading, writing
from shoal.installation.location import Installation
from tests.bad_luck import contents, largest_file, read_only, small_disk
from tests.installation.older import bring_up, check_all_there, make_older


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    """An installation on one machine."""
    return Installation(home=tmp_path / "home")


def names(here: Installation) -> list[str]:
    """What the list says; whoever asks only reads."""
    with reading(here) as connection:
        return [entry.name for entry in registry.all_crawls(connection)]


def register(here: Installation, name: str) -> None:
    with writing(here) as connection:
        registry.register(connection, crawl=name, folder=here.home / name, now=1.0)


def refused(here: Installation, kind: type[ShoalError] = FolderError) -> str:
    with pytest.raises(kind) as caught, writing(here):
        pass
    return str(caught.value)


def test_nobody_else_may_read_it_or_its_copies(here: Installation) -> None:
    make_older(here)
    bring_up(here)
    modes = {path.name: path.stat().st_mode & 0o777 for path in here.home.iterdir()}
    assert (modes["shoal.sqlite"], modes["shoal.sqlite.before-0002"]) == (0o600, 0o600)


def test_a_copy_does_not_take_the_place_of_another_file(here: Installation) -> None:
    make_older(here)
    mine = here.home / "shoal.sqlite.before-0002"
    mine.write_text("mine")
    bring_up(here)
    assert mine.read_text() == "mine"
    with closing(sqlite3.connect(here.home / "shoal.sqlite.before-0002-2")) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]


def test_a_copy_that_is_put_back_is_as_it_was(here: Installation) -> None:
    make_older(here)
    bring_up(here)
    (here.home / "shoal.sqlite.before-0002").replace(here.file)
    check_all_there(here)


def test_an_empty_file_is_a_new_database(here: Installation) -> None:
    here.home.mkdir()
    here.file.touch()
    assert names(here) == []
    register(here, "电网")
    assert names(here) == ["电网"]


@pytest.mark.parametrize("use", [reading, writing])
def test_a_file_that_is_no_database_is_one_sentence_and_stays(here: Installation, use: type) -> None:
    here.home.mkdir()
    here.file.write_text("my notes, nothing else " * 100)
    with pytest.raises(DatabaseDamaged, match=r"shoal\.sqlite is damaged, or no database"), use(here):
        pass
    assert here.file.read_text() == "my notes, nothing else " * 100


def test_a_file_that_was_damaged_is_one_sentence(here: Installation) -> None:
    bring_up(here)
    whole = here.file.read_bytes()
    here.file.write_bytes(whole[:1000] + b"\xff" * 3000 + whole[4000:])
    assert "put a copy of it in its place, or move it away" in refused(here, DatabaseDamaged)


def test_a_home_that_is_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("mine")
    here = Installation(home=tmp_path / "home")
    assert "cannot be made: a file is in its way." in refused(here)
    with pytest.raises(FolderError, match="cannot be read: Not a directory"):
        names(here)


def test_a_folder_in_its_place_is_one_sentence(here: Installation) -> None:
    here.file.mkdir(parents=True)
    assert "shoal.sqlite cannot be used: Is a directory. Say with SHOAL_HOME" in refused(here)


def test_a_file_that_somebody_holds_for_long_is_one_sentence(
    here: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(here, "a")
    monkeypatch.setattr("shoal.database.sqlite._BUSY_SECONDS", 0)
    with closing(sqlite3.connect(here.file)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "is being changed by somebody else, for a long time: try again." in refused(here, FolderBusy)
        assert names(here) == ["a"], "who reads waits for nobody"


def write_much(here: Installation) -> None:
    with writing(here) as connection:
        for number in range(100):
            topic_library.add(connection, name=f"t{number}", text="变电站 " * 5000, now=1.0)


@pytest.mark.slow
def test_a_disk_that_fills_up_is_one_sentence_and_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "home", "1m") as home:
        here = Installation(home=home)
        register(here, "电网")
        with pytest.raises(
            StorageFull, match=r"^There is no room left for .*shoal\.sqlite; what was written before is safe"
        ):
            write_much(here)
        assert names(here) == ["电网"]
        register(here, "later")
        assert names(here) == ["later", "电网"]


def test_a_file_that_may_not_grow_is_one_sentence_and_loses_nothing(here: Installation) -> None:
    register(here, "电网")
    with largest_file(here.file.stat().st_size + 100_000), pytest.raises(FolderError, match="is the disk in order"):
        write_much(here)
    assert names(here) == ["电网"]


@pytest.mark.slow
def test_a_copy_for_which_there_is_no_room_changes_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "home", "200k") as home:
        here = Installation(home=home)
        make_older(here)
        before = here.file.read_bytes()
        (home / "mine").write_bytes(b"x" * 100_000)
        assert "There is no room left for" in refused(here, StorageFull)
        assert here.file.read_bytes() == before
        (home / "mine").unlink()
        check_all_there(here)


@pytest.mark.slow
def test_what_cannot_be_written_can_be_read(tmp_path: Path) -> None:
    with read_only(tmp_path / "home", lambda home: register(Installation(home=home), "电网")) as home:
        before = contents(home)
        assert names(Installation(home=home)) == ["电网"]
        assert "is the home of Shoal, but cannot be written. Say with SHOAL_HOME" in refused(Installation(home=home))
        assert contents(home) == before


@pytest.mark.slow
def test_what_is_older_and_cannot_be_written_can_be_read_too(tmp_path: Path) -> None:
    with read_only(tmp_path / "home", lambda home: make_older(Installation(home=home))) as home:
        before = contents(home)
        check_all_there(Installation(home=home))
        assert contents(home) == before


@pytest.mark.slow
def test_an_empty_disk_that_is_only_for_reading_has_an_empty_list(tmp_path: Path) -> None:
    with read_only(tmp_path / "disk") as disk:
        assert names(Installation(home=disk / "home")) == []
        assert "cannot be made: Read-only file system." in refused(Installation(home=disk / "home"))


def test_what_people_decide_is_on_the_disk_when_they_are_told(here: Installation) -> None:
    with writing(here) as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


def test_a_copy_in_memory_is_a_place_like_any_other() -> None:
    memory = sqlite_home.MemoryHome()
    with memory.alone() as connection:
        assert memory.columns(connection) == set()
        assert (memory.saved(connection), memory.copied()) == ("", memory)
    memory.close()
