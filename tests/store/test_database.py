"""What does the store ask of a database? That others can read while it is written, and have their turn meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoal.model.stored import Changes
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.store.pages import SETTINGS, batch, entry, page, rows


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=cluster)
    return tmp_path / "crawl"


async def test_a_large_batch_leaves_room_for_others_while_it_is_written(folder: Path) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    with open_store(folder) as store:
        busy = asyncio.create_task(others())
        await store.commit(Changes(added=tuple(entry(id) for id in range(1, 5001))))
        busy.cancel()
    assert turns >= 20
    assert rows(folder, "SELECT count(*) FROM found") == [(5000,)]


async def test_others_can_read_while_a_crawl_writes(folder: Path) -> None:
    with open_store(folder) as store, folders.reading(folder) as reader, reader.snapshot():
        assert reader.execute("SELECT COUNT(*) FROM urls").fetchone() == (0,)
        await store.commit(batch(page(1, b"one")))
        assert reader.execute("SELECT COUNT(*) FROM urls").fetchone() == (0,), "it sees one moment"
    assert rows(folder, "SELECT COUNT(*) FROM urls") == [(1,)]
