"""Can many read beside one who writes?"""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.store.pages import SETTINGS, batch, page, rows


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=cluster)
    return tmp_path / "crawl"


async def test_others_can_read_while_a_crawl_writes(folder: Path) -> None:
    with open_store(folder) as store, folders.reading(folder) as reader, reader.snapshot():
        assert reader.execute("SELECT COUNT(*) FROM urls").fetchone() == (0,)
        await store.commit(batch(page(1, b"one")))
        assert reader.execute("SELECT COUNT(*) FROM urls").fetchone() == (0,), "it sees one moment"
    assert rows(folder, "SELECT COUNT(*) FROM urls") == [(1,)]
