"""A crawl in PostgreSQL outlives its server's bad days: nothing is lost, nothing is stored twice, and only one writes."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import FolderBusy, FolderError
from shoal.model import Opinion
from shoal.remembered import Changes
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.store.clocks import PostgresLedger
from shoal.store.commit import PostgresKeeping
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.mark_log import add, read
from shoal.store.ownership import Made
from shoal.store.warc import read_body
from shoal.testing.servers import PostgreSQL
from tests.store.test_crawl_store import SETTINGS, batch, entry, page, rows, warc_types

NOW = 1_800_000_000.0


@pytest.fixture
def folder(tmp_path: Path, postgres: str) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=Cluster(database=postgres))
    return tmp_path / "crawl"


def once(work: Callable[[], object], then: Callable[[], object]) -> Callable[[], None]:
    """`then` with something that happens before its first call."""
    left = [work]

    def both() -> None:
        if left:
            left.pop()()
        then()

    return both


def stored(folder: Path) -> list[tuple[object, ...]]:
    return rows(folder, "SELECT id, fetch_order FROM pages ORDER BY id")


# --- outages ---------------------------------------------------------------------------------------------------------


async def test_a_server_that_restarts_between_two_commits_is_waited_for(
    folder: Path, postgres_server: PostgreSQL, caplog: pytest.LogCaptureFixture
) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"one")))
        await asyncio.to_thread(postgres_server.restart)
        await store.commit(batch(page(2, b"two")))
        assert folders.is_running(folder), "the lock is ours again"
    assert stored(folder) == [(1, 1), (2, 2)]
    gone, back = (record.message for record in caplog.records if record.levelno == logging.WARNING)
    assert gone.startswith(f"The database at 127.0.0.1:{postgres_server.port}/shoal_")
    assert gone.endswith("The crawl waits.")
    assert back.endswith("is back: the crawl goes on.")


async def test_a_commit_under_which_the_server_dies_is_repeated_once(folder: Path, postgres_server: PostgreSQL) -> None:
    def die() -> None:
        postgres_server.kill()
        postgres_server.start()

    with open_store(folder) as store:
        await store.commit(batch(page(1, b"same")))
        store._warc.sync = once(die, store._warc.sync)  # type: ignore[method-assign]
        duplicates = await store.commit(batch(page(2, b"same"), page(3, b"other")))
        assert [(twin.page, twin.of) for twin in duplicates] == [(2, 1)]
        await store.commit(batch(page(4, b"four")))
    assert stored(folder) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert rows(folder, "SELECT state, urls FROM tally") == [(1, 4)]
    assert warc_types(folder) == ["warcinfo", "response", "revisit", "response", "response"]


async def test_a_commit_whose_answer_was_lost_is_not_repeated(folder: Path, postgres_server: PostgreSQL) -> None:
    with open_store(folder) as store:
        table = store._keeping.opinions
        table.look = once(postgres_server.restart, table.look)  # type: ignore[union-attr,method-assign]
        await store.commit(batch(page(1, b"one")))
        assert [host.pages for host in store.shelf.hosts()] == [1]
    assert stored(folder) == [(1, 1)]
    assert rows(folder, "SELECT state, urls FROM tally") == [(1, 1)]


async def test_who_waits_for_a_server_can_be_stopped(folder: Path, postgres_server: PostgreSQL) -> None:
    with open_store(folder) as store:
        await asyncio.to_thread(postgres_server.kill)
        loop, tried = asyncio.get_running_loop(), asyncio.Event()
        keeping = store._keeping
        assert isinstance(keeping, PostgresKeeping)
        keeping._take_again = once(lambda: loop.call_soon_threadsafe(tried.set), keeping._take_again)  # type: ignore[method-assign]
        waiting = asyncio.create_task(store.commit(batch(page(1, b"one"))))
        await tried.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    postgres_server.start()
    assert stored(folder) == []


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
        folders.create_new(tmp_path / "x" / folder.name, SETTINGS, cluster=Cluster(database=postgres))


@pytest.mark.parametrize("name", ["电网 新闻", "Power Grid!", "a'; DROP TABLE meta", "x" * 200, "shoal", "CRAWL"])
def test_any_name_of_a_folder_is_the_name_of_a_crawl(folder: Path, tmp_path: Path, postgres: str, name: str) -> None:
    made = folders.create_new(tmp_path / name, SETTINGS, cluster=Cluster(database=postgres))
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


# --- opinions --------------------------------------------------------------------------------------------------------


async def test_what_users_say_on_any_machine_is_heard_with_the_next_commit(folder: Path, elsewhere: Path) -> None:
    url = "http://a.test/1"
    add(elsewhere, [Opinion(url=url, relevant=True, at=NOW)])
    with open_store(folder) as store:
        assert [opinion.relevant for opinion in store.opinions.news()] == [True]
        add(elsewhere, [Opinion(url=url, relevant=False, at=NOW)])
        assert await _heard(store) == [False]
        add(elsewhere, [Opinion(url=url, relevant=False, at=NOW + 1)])
        assert await _heard(store) == []
        add(elsewhere, [Opinion(url=url, relevant=None, at=NOW + 2)])
        assert await _heard(store) == [None]
    assert read(folder) == {}


async def _heard(store: CrawlStore) -> list[bool | None]:
    await store.commit(Changes())
    return [opinion.relevant for opinion in store.opinions.news()]


# --- clocks ----------------------------------------------------------------------------------------------------------


def test_clocks_wait_for_a_server_that_is_away_and_tell_it_then(postgres: str, postgres_server: PostgreSQL) -> None:
    ledger = PostgresLedger(postgres, "a", lambda: NOW)
    assert ledger.claim("example.org", NOW, NOW + 60) == 0
    assert ledger.held(NOW + 1) == {"example.org": NOW + 60}
    postgres_server.stop()
    assert ledger.claim("other.example", NOW, NOW + 60) == NOW + 1
    ledger.release("example.org", NOW + 5)
    ledger.flush()
    postgres_server.start()
    assert ledger._returning is not None
    ledger._returning.join()
    ledger.flush()
    assert ledger.held(NOW + 1) == {}
    other = PostgresLedger(postgres, "b", lambda: NOW)
    assert other.claim("example.org", NOW + 1, NOW + 60) == NOW + 5
    ledger.close()
    other.close()
