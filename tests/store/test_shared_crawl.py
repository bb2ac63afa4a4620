"""Where is a crawl that many machines work at? In PostgreSQL: every machine finds it there, and only one writes to it."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import FolderBusy, FolderError
from shoal.model import Mark
from shoal.model.stored import Changes
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.mark_log import add, read
from shoal.store.ownership import Made
from shoal.store.warc import read_body
from shoal.testing.servers import PostgreSQL
from tests.store.pages import SETTINGS, batch, entry, page, rows

NOW = 1_800_000_000.0


@pytest.fixture
def folder(tmp_path: Path, postgres: str) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=Cluster(database=postgres))
    return tmp_path / "crawl"


def stored(folder: Path) -> list[tuple[object, ...]]:
    return rows(folder, "SELECT id, fetch_order FROM pages ORDER BY id")


# --- who has the crawl -----------------------------------------------------------------------------------------------


def test_a_second_coordinator_is_told_who_the_first_one_is(folder: Path, elsewhere: Path) -> None:
    assert not folders.is_running(elsewhere)
    with open_store(folder):
        assert folders.is_running(elsewhere)
        who = f"Another crawl \\(process {os.getpid()} on {socket.gethostname()}\\) is running"
        with pytest.raises(FolderBusy, match=who), open_store(elsewhere):
            pytest.fail("two coordinators")
    with open_store(elsewhere):
        pass


async def test_who_lost_the_crawl_to_another_one_ends(
    folder: Path, elsewhere: Path, postgres: str, postgres_server: PostgreSQL
) -> None:
    with open_store(folder) as first:
        await first.commit(batch(page(1, b"one")))
        postgres_server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
            postgres,
        )
        with open_store(elsewhere) as second:
            await second.commit(batch(page(2, b"two")))
            with pytest.raises(FolderError, match=rf"Another coordinator \(process {os.getpid()} on .*taken over"):
                await first.commit(batch(page(2, b"zwei")))
            await second.commit(batch(page(3, b"three")))
    assert stored(folder) == [(1, 1), (2, 2), (3, 3)]


@pytest.fixture
def elsewhere(folder: Path, tmp_path: Path, postgres: str) -> Path:
    """The same crawl on another machine."""
    other = tmp_path / "other machine" / folder.name
    assert folders.find(other, Cluster(database=postgres))
    return other


async def test_a_take_over_goes_on_where_the_first_one_was(folder: Path, elsewhere: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"one")))
    with open_store(elsewhere) as store:
        assert store.totals().pages == 1
        assert await store.commit(batch(page(2, b"one"))) != [], "it knows what the other one fetched"
    with open_store(folder) as store:
        await store.commit(batch(page(3, b"three")))
    places = {row[0]: row[1] for row in rows(folder, "SELECT id, warc_file FROM pages")}
    assert places[1] == places[3] != places[2], "each machine has files of its own"
    offset = rows(folder, "SELECT warc_offset FROM pages WHERE id = 3")[0][0]
    assert read_body(folder, str(places[3]), int(str(offset))) == b"three"
    with pytest.raises(FolderError, match=r"is not in .*: the machine that fetched the page has it"):
        read_body(elsewhere, str(places[1]), 0)


# --- what stands in the folder ---------------------------------------------------------------------------------------


def test_the_folder_of_such_a_crawl_keeps_its_passwords_to_itself(folder: Path, postgres: str) -> None:
    assert stat.S_IMODE((folder / clusters.FILE).stat().st_mode) == 0o600
    assert folders.read_cluster(folder) == Cluster(database=postgres)
    assert not (folder / folders.DATABASE).exists()


def test_a_crawl_of_that_name_in_the_database_is_not_overwritten(folder: Path, tmp_path: Path, postgres: str) -> None:
    with pytest.raises(FolderError, match=r"There is a crawl crawl in the database at .* already"):
        folders.create(tmp_path / "x" / folder.name, SETTINGS, cluster=Cluster(database=postgres))


@pytest.mark.parametrize("name", ["电网 新闻", "Power Grid!", "a'; DROP TABLE meta", "x" * 200, "shoal", "CRAWL"])
def test_any_name_of_a_folder_is_the_name_of_a_crawl(folder: Path, tmp_path: Path, postgres: str, name: str) -> None:
    made = folders.create(tmp_path / name, SETTINGS, cluster=Cluster(database=postgres))
    with folders.reading(tmp_path / name) as database:
        assert folders.read_settings(tmp_path / name, database) == SETTINGS
    folders.remove(made)
    assert not folders.find(tmp_path / name, Cluster(database=postgres))
    assert folders.find(folder)


def test_a_crawl_that_was_taken_out_of_the_database_is_told(folder: Path, elsewhere: Path) -> None:
    folders.remove(Made(folder, ()))
    with pytest.raises(FolderError, match=r"is not in the database at .* any more"):
        folders.connect(elsewhere)


def test_a_zero_byte_in_a_text_is_no_reason_to_fail(folder: Path) -> None:
    with open_store(folder) as store:
        asyncio.run(store.commit(Changes(added=(replace(entry(1), anchor="a\0b"),))))
    assert rows(folder, "SELECT anchor FROM found") == [("a\ufffdb",)]


# --- marks --------------------------------------------------------------------------------------------------------


async def test_what_users_say_on_any_machine_is_heard_with_the_next_commit(folder: Path, elsewhere: Path) -> None:
    url = "http://a.test/1"
    add(elsewhere, [Mark(url=url, relevant=True, at=NOW)])
    with open_store(folder) as store:
        assert [mark.relevant for mark in store.marks.news()] == [True]
        add(elsewhere, [Mark(url=url, relevant=False, at=NOW)])
        assert await _heard(store) == [False]
        add(elsewhere, [Mark(url=url, relevant=False, at=NOW + 1)])
        assert await _heard(store) == []
        add(elsewhere, [Mark(url=url, relevant=None, at=NOW + 2)])
        assert await _heard(store) == [None]
    assert read(folder) == {}


async def _heard(store: CrawlStore) -> list[bool | None]:
    await store.commit(Changes())
    return [mark.relevant for mark in store.marks.news()]


def test_a_crawl_that_was_looked_up_is_read_without_a_folder_and_gets_one_when_it_is_written_to(
    folder: Path, tmp_path: Path, postgres: str
) -> None:
    there = tmp_path / "there" / folder.name
    assert not folders.look_up(there, Cluster())
    with pytest.raises(FolderError, match=r"There is no crawl in"):
        folders.connect(there)
    assert folders.look_up(there, Cluster(database=postgres, broker="amqp://mq/"))
    assert folders.read_cluster(there) == Cluster(database=postgres, broker="amqp://mq/")
    with folders.reading(there) as database:
        assert folders.read_settings(there, database) == SETTINGS
    assert not there.exists()
    with folders.lock_existing(there):
        assert folders.exists(there)


def test_who_looks_it_up_again_takes_it_from_nobody_who_reads_it(folder: Path, tmp_path: Path, postgres: str) -> None:
    """A server asks for the list of crawls in one thread while it shows one of them in another."""
    there, cluster = tmp_path / "there" / folder.name, Cluster(database=postgres)
    assert folders.look_up(there, cluster)
    with ThreadPoolExecutor() as pool:
        again = pool.submit(lambda: [folders.look_up(there, cluster) for _ in range(5)])
        seen = {folders.is_remote(there)}
        while not again.done():
            seen.add(folders.is_remote(there))
    assert again.result() == [True] * 5
    assert seen == {True}


def test_what_is_not_in_the_database_is_forgotten(folder: Path, tmp_path: Path, postgres: str) -> None:
    there = tmp_path / "there" / folder.name
    assert folders.look_up(there, Cluster(database=postgres))
    assert not folders.look_up(there, Cluster())
    assert not folders.is_remote(there)
    assert not folders.look_up(there.with_name("other"), Cluster(database=postgres))
