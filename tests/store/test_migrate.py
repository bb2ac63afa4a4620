"""A crawl that moves to PostgreSQL and back is the same crawl; one that cannot move stays where it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database
from shoal.errors import FolderBusy, FolderError, InputError
from shoal.model import Mark, Term, Topic
from shoal.model.stored import Changes, RobotsRecord, TopicChange
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store import migrate
from shoal.store.crawl_store import open_store
from shoal.store.mark_log import add, read
from shoal.testing.servers import PostgreSQL
from tests.store.pages import SETTINGS, TEXT, batch, entry, page, rows

EVERYTHING = [f"SELECT * FROM {table} ORDER BY 1, 2" for table in migrate._tables() if table not in ("meta", "due")]
MARK = Mark(url="http://a.test/1", relevant=True, at=1.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "crawl"
    folders.create(folder, replace(SETTINGS, has_model=True), model=b"a model")
    robots = RobotsRecord(origin="http://a.test", text="User-agent: *\0", status=200, fetched_at=1.0, expires_at=2.0)
    topic = TopicChange(
        topic=Topic(name="t", terms=(Term(text="电网"),), version=2), pages=1, at=1.0, why="w", memory=b"\0"
    )
    with open_store(folder) as store:
        asyncio.run(store.commit(replace(batch(page(1, b"one", text=TEXT), page(2, b"two")), robots=(robots,))))
        asyncio.run(store.commit(Changes(added=tuple(entry(id) for id in range(3, 5000)), topics=(topic,))))
    add(folder, [MARK])
    return folder


def everything(folder: Path) -> list[list[tuple[object, ...]]]:
    return [rows(folder, query) for query in EVERYTHING]


def silent(done: int, total: int) -> None:
    assert done <= total


def without_zero_bytes(found: object) -> str:
    return repr(found).replace("\\x00'", "\ufffd'").replace("b'\ufffd'", "b'\\x00'")


def test_a_crawl_goes_there_and_back_and_is_the_same(folder: Path, postgres: str) -> None:
    before = everything(folder)
    there = migrate.to_postgresql(folder, postgres, silent)
    assert folders.is_remote(folder)
    assert Path(there.aside).exists()
    assert without_zero_bytes(everything(folder)) == without_zero_bytes(before)
    assert read(folder) == {MARK.url: MARK}
    with open_store(folder) as store:
        asyncio.run(store.commit(batch(page(6000, b"three", text="another text " * 50))))
    back = migrate.to_sqlite(folder, silent)
    assert (back.bodies_elsewhere, folders.is_remote(folder)) == (0, False)
    assert back.rows > there.rows
    assert (folder / folders.MODEL).read_bytes() == b"a model"
    assert read(folder) == {MARK.url: MARK}
    with open_store(folder) as store:
        assert store.totals().pages == 3
        asyncio.run(store.commit(batch(page(6001, b"four"))))
    bodies = [file for (file,) in rows(folder, "SELECT warc_file FROM pages ORDER BY id")]
    assert bodies[0] == bodies[1] == bodies[3] == "pages-00001.warc.gz"
    assert (folder / str(bodies[2])).exists()


def test_nobody_finds_the_old_copy_in_the_database(folder: Path, tmp_path: Path, postgres: str) -> None:
    migrate.to_postgresql(folder, postgres, silent)
    elsewhere = tmp_path / "elsewhere" / folder.name
    assert folders.find(elsewhere, Cluster(database=postgres))
    migrate.to_sqlite(folder, silent)
    with pytest.raises(FolderError, match=r"not in the database at .* any more"):
        folders.connect(elsewhere)
    assert migrate.to_postgresql(folder, postgres, silent).rows, "the way there is free again"


def test_a_crawl_that_runs_does_not_move(folder: Path, postgres: str) -> None:
    with open_store(folder), pytest.raises(FolderBusy, match="is running"):
        migrate.to_postgresql(folder, postgres, silent)
    migrate.to_postgresql(folder, postgres, silent)
    with open_store(folder), pytest.raises(FolderBusy, match="is running"):
        migrate.to_sqlite(folder, silent)


def test_a_crawl_moves_only_to_where_it_is_not(folder: Path, postgres: str) -> None:
    with pytest.raises(InputError, match=r"There is no crawl in .* that is in a PostgreSQL database"):
        migrate.to_sqlite(folder, silent)
    migrate.to_postgresql(folder, postgres, silent)
    with pytest.raises(InputError, match="already: move it back"):
        migrate.to_postgresql(folder, postgres, silent)


@pytest.mark.slow
def test_a_move_that_breaks_off_changes_nothing_and_can_be_repeated(
    folder: Path, postgres: str, postgres_server: PostgreSQL
) -> None:
    before = everything(folder)

    def break_off(done: int, total: int) -> None:
        if done > 2_000:
            postgres_server.kill()

    with pytest.raises(FolderError, match="cannot be reached"):
        migrate.to_postgresql(folder, postgres, break_off)
    postgres_server.start()
    assert not folders.is_remote(folder)
    assert everything(folder) == before
    migrate.to_postgresql(folder, postgres, silent)


def test_a_copy_that_differs_is_noticed(folder: Path, postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    portions = migrate._portions

    def spoiled(database: Database, table: str) -> Iterator[list[Any]]:
        if table == "found" and isinstance(database, PostgresDatabase):
            database.execute("UPDATE found SET url = 'http://a.test/other' WHERE id = 77")
        return portions(database, table)

    monkeypatch.setattr(migrate, "_portions", spoiled)
    with pytest.raises(FolderError, match=r"copy of the table found is not what was copied .*nothing was moved"):
        migrate.to_postgresql(folder, postgres, silent)
    assert not folders.is_remote(folder)
