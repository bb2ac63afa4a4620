"""How much is written at a time? So much that others have their turn meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoal.model.stored import Changes
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.store.pages import SETTINGS, entry, rows


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
