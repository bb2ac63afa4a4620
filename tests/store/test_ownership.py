"""Nothing that we did not make is ever removed or written over, whatever happens to the crawl beside it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from shoal.cli import commands
from shoal.errors import FolderError, InputError, ShoalError
from shoal.index.index_folder import IndexWriter
from shoal.settings import Cluster
from shoal.store import backup
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.bad_luck import NAMES, contents, users_file
from tests.store.pages import SETTINGS, batch, page

NOBODY = "http://127.0.0.1:1/"
"""Where nobody listens."""


def crawl(folder: Path, *more: str) -> tuple[int, str]:
    arguments = ["crawl", "--topic", "grid", "--seed", NOBODY, "--allow-private", "127.0.0.0/8", "--delay", "0"]
    run = CliRunner().invoke(commands, [*arguments, "--dir", str(folder), *more])
    if isinstance(run.exception, ShoalError):
        return run.exception.exit_code, str(run.exception)
    assert run.exception is None or isinstance(run.exception, SystemExit), run.exception
    return run.exit_code, run.output


def silent(done: int, total: int) -> None:
    assert done <= total


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A backup of a small crawl."""
    folders.create(tmp_path / "small", SETTINGS, model=b"a model")
    with open_store(tmp_path / "small") as store:
        asyncio.run(store.commit(batch(page(1, b"one"))))
    backup.save(tmp_path / "small", tmp_path / "saved.tar", silent)
    return tmp_path / "saved.tar"


# --- a crawl begins --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_with_something_in_it_is_refused_and_keeps_it(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "mine"
    users_file(folder, name)
    before = contents(folder)
    code, said = crawl(folder)
    assert (code, contents(folder)) == (2, before)
    assert "choose another --dir" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["there", "new/crawl"])
def test_a_failed_start_takes_back_what_it_made_and_no_more(tmp_path: Path, name: str) -> None:
    (tmp_path / "there").mkdir()
    code, said = crawl(tmp_path / name)
    assert code == 1, said
    assert contents(tmp_path) == {"there": None}


def test_what_somebody_put_there_meanwhile_survives_a_failed_start(tmp_path: Path) -> None:
    from shoal import services

    made = services.crawls.start_crawl(tmp_path / "c", SETTINGS)
    with open_store(tmp_path / "c"):
        pass
    (tmp_path / "c" / "index").mkdir()
    for name in ("notes.txt", "index/mine.txt", "pages-of-a-book.warc.gz", folders.MARKS):
        (tmp_path / "c" / name).write_text("mine")
    services.crawls.forget_crawl(made)
    assert set(contents(tmp_path / "c")) == {
        "notes.txt", "index", "index/mine.txt", "pages-of-a-book.warc.gz", folders.MARKS
    }  # fmt: skip


def test_what_is_made_above_a_crawl_is_for_this_user_alone(tmp_path: Path) -> None:
    """So that a home is, whoever makes it first; what is there already stays as it is."""
    tmp_path.chmod(0o755)
    folders.create(tmp_path / "home" / "crawls" / "电网", SETTINGS)
    modes = [place.stat().st_mode & 0o777 for place in (tmp_path / "home" / "crawls", tmp_path / "home", tmp_path)]
    assert modes == [0o700, 0o700, 0o755]


def test_a_folder_is_made_by_one_of_two_who_come_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second finds the folder empty, too, and must not write over the first."""
    from shoal import files

    real = files.place
    came: list[Path] = []

    def place(part: Path, path: Path) -> None:
        if path.name == folders.DATABASE and not came:
            came.append(path)
            folders.create(tmp_path / "other", SETTINGS)
            os.link(tmp_path / "other" / folders.DATABASE, path)
        real(part, path)

    monkeypatch.setattr(files, "place", place)
    with pytest.raises(FolderError, match=r"There is a crawl in .* already"):
        folders.create(tmp_path / "c", SETTINGS)
    assert (tmp_path / "c" / folders.DATABASE).samefile(tmp_path / "other" / folders.DATABASE)


def test_a_folder_with_page_files_says_how_to_get_its_crawl_back(tmp_path: Path) -> None:
    users_file(tmp_path / "c", "pages-00001.warc.gz")
    with pytest.raises(FolderError, match=r"page files, but no database: 'shoal check --repair --dir"):
        folders.create(tmp_path / "c", SETTINGS)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_with_something_in_it_does_not_come_to_stand_for_a_crawl_elsewhere(
    tmp_path: Path, postgres: str, name: str
) -> None:
    cluster = Cluster(database=postgres)
    folders.create(tmp_path / "here" / "crawl", SETTINGS, cluster=cluster)
    users_file(tmp_path / "there" / "crawl", name)
    before = contents(tmp_path / "there")
    with pytest.raises(FolderError):
        folders.find(tmp_path / "there" / "crawl", cluster)
    assert contents(tmp_path / "there") == before


def test_a_schema_that_we_did_not_make_is_not_dropped(tmp_path: Path, postgres: str) -> None:
    from shoal.database.postgres import PostgresDatabase

    database = PostgresDatabase(postgres)
    database.execute("CREATE SCHEMA crawl_grid")
    database.execute("CREATE TABLE crawl_grid.mine (x INTEGER)")
    with pytest.raises(FolderError, match="crawl_grid"):
        folders.create(tmp_path / "grid", SETTINGS, cluster=Cluster(database=postgres))
    assert database.execute("SELECT count(*) FROM crawl_grid.mine").fetchone() == (0,)
    database.close()
    assert contents(tmp_path) == {}


# --- a crawl comes back ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_restoring_writes_over_nothing(tmp_path: Path, saved: Path, name: str, damaged: bool) -> None:
    folder = tmp_path / "mine"
    users_file(folder, name)
    before = contents(folder)
    if damaged:
        saved.write_bytes(saved.read_bytes()[:3000])
    with pytest.raises((FolderError, InputError)):
        backup.bring_back(saved, folder, "", silent)
    assert contents(folder) == before


def test_a_damaged_backup_leaves_an_empty_folder_that_was_there(tmp_path: Path, saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[: saved.stat().st_size // 2])
    (tmp_path / "there").mkdir()
    for folder in (tmp_path / "there", tmp_path / "new" / "crawl"):
        with pytest.raises(InputError, match="nothing was restored"):
            backup.bring_back(saved, folder, "", silent)
    assert contents(tmp_path / "there") == {}
    assert not (tmp_path / "new").exists()


# --- the index -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("name", ["meta.json", "lock", "format", "notes.txt"])
def test_a_folder_called_index_that_is_none_of_ours_keeps_what_it_has(tmp_path: Path, name: str, anew: bool) -> None:
    users_file(tmp_path, f"index/{name}")
    before = contents(tmp_path)
    with (
        pytest.raises(FolderError, match=r"is no index of shoal's.*move it away"),
        IndexWriter(tmp_path / "index", anew=anew),
    ):
        pytest.fail("written to somebody's folder")
    assert contents(tmp_path) == before


def test_an_index_that_is_made_anew_leaves_what_somebody_put_beside_it(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "index"):
        pass
    users_file(tmp_path, "index/notes.txt")
    with IndexWriter(tmp_path / "index", anew=True):
        pass
    assert (tmp_path / "index" / "notes.txt").read_text() == "mine"


# --- one file or another ---------------------------------------------------------------------------------------------


def test_a_file_called_lock_that_is_none_is_left_alone(tmp_path: Path) -> None:
    folders.create(tmp_path / "c", SETTINGS)
    (tmp_path / "c" / "lock").write_text("the number of my bicycle lock")
    with pytest.raises(FolderError, match="lock"), open_store(tmp_path / "c"):
        pytest.fail("written over")
    assert (tmp_path / "c" / "lock").read_text() == "the number of my bicycle lock"


def test_a_crawl_that_moves_twice_leaves_both_old_copies(tmp_path: Path, postgres: str) -> None:
    from shoal.store import migrate

    folders.create(tmp_path / "c", SETTINGS)
    first = migrate.to_postgresql(tmp_path / "c", postgres, silent).aside
    kept = Path(first).read_bytes()
    migrate.to_sqlite(tmp_path / "c", silent)
    second = migrate.to_postgresql(tmp_path / "c", postgres, silent).aside
    assert first != second
    assert Path(first).read_bytes() == kept


def test_a_crawl_that_moves_home_does_not_write_over_a_file_there(tmp_path: Path, postgres: str) -> None:
    from shoal.store import migrate

    folders.create(tmp_path / "c", SETTINGS, cluster=Cluster(database=postgres))
    (tmp_path / "c" / folders.DATABASE).write_text("mine")
    with pytest.raises(FolderError, match="already"):
        migrate.to_sqlite(tmp_path / "c", silent)
    assert (tmp_path / "c" / folders.DATABASE).read_text() == "mine"
    assert folders.is_remote(tmp_path / "c")
