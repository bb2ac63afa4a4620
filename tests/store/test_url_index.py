"""Which URLs are known? A long run and a new one know the same; all else is in `tests/conformance/test_url_index.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.model import State
from shoal.model.stored import Changes
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.urls import key_of
from tests.store.pages import SETTINGS, entry


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=cluster)
    return tmp_path / "crawl"


async def test_the_indexes_of_a_long_run_and_of_a_new_one_agree(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(Changes(added=tuple(entry(id) for id in range(1, 50))))
        await store.commit(Changes(changed=tuple(entry(id, State.DONE) for id in range(1, 50, 3))))
        before = _shown(store)
    with open_store(folder) as store:
        assert _shown(store) == before


def _shown(store: CrawlStore) -> tuple[object, ...]:
    url_index = store.url_index
    return (
        list(url_index.hosts()),
        list(url_index.waiting()),
        [url_index.find(key_of(entry(id).url)) for id in range(60)],
    )
