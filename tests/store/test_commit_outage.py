"""What becomes of a commit when the server has a bad day? It is repeated when it was lost, and only then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.commit import PostgresCommit
from shoal.store.crawl_store import open_store
from shoal.testing.servers import PostgreSQL
from tests.store.pages import SETTINGS, batch, page, rows, warc_types


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
async def test_a_commit_whose_answer_was_lost_is_not_repeated(folder: Path, postgres_server: PostgreSQL) -> None:
    with open_store(folder) as store:
        table = store._committing.marks
        table.look = once(postgres_server.restart, table.look)  # type: ignore[union-attr,method-assign]
        await store.commit(batch(page(1, b"one")))
        assert [host.pages for host in store.url_index.hosts()] == [1]
    assert stored(folder) == [(1, 1)]
    assert rows(folder, "SELECT state, urls FROM tally") == [(1, 1)]


@pytest.mark.slow
async def test_who_waits_for_a_server_can_be_stopped(folder: Path, postgres_server: PostgreSQL) -> None:
    with open_store(folder) as store:
        await asyncio.to_thread(postgres_server.kill)
        loop, tried = asyncio.get_running_loop(), asyncio.Event()
        committing = store._committing
        assert isinstance(committing, PostgresCommit)
        committing._take_again = once(lambda: loop.call_soon_threadsafe(tried.set), committing._take_again)  # type: ignore[method-assign]
        waiting = asyncio.create_task(store.commit(batch(page(1, b"one"))))
        await tried.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    postgres_server.start()
    assert stored(folder) == []
