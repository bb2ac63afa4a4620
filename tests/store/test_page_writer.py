"""How is a page kept? A copy is found and linked, and its body is stored once; what asks not to be kept has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.model.stored import Duplicate
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from tests.store.pages import SETTINGS, TEXT, batch, page, rows, warc_types


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", SETTINGS, cluster=cluster)
    return tmp_path / "crawl"


async def test_an_exact_copy_is_linked_and_stored_as_a_revisit(folder: Path) -> None:
    with open_store(folder) as store:
        assert await store.commit(batch(page(1, b"same"), page(2, b"other"))) == []
        assert await store.commit(batch(page(3, b"same"), page(4, b"same"))) == [
            Duplicate(page=3, of=1, similarity=1.0),
            Duplicate(page=4, of=1, similarity=1.0),
        ]
    assert rows(folder, "SELECT id, duplicate_of FROM pages ORDER BY id") == [(1, 0), (2, 0), (3, 1), (4, 1)]
    assert warc_types(folder) == ["warcinfo", "response", "response", "revisit", "revisit"]


async def test_a_near_copy_is_linked_and_stored_whole(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(
            batch(page(1, b"first", text=TEXT), page(2, b"second", text="something else entirely " * 40))
        )
        (twin,) = await store.commit(batch(page(3, b"third", text=TEXT + " and one more sentence")))
    assert (twin.page, twin.of) == (3, 1)
    assert 0.75 <= twin.similarity < 1
    assert warc_types(folder) == ["warcinfo", "response", "response", "response"]


async def test_equal_texts_in_different_bytes_are_no_exact_copy(folder: Path) -> None:
    with open_store(folder) as store:
        (twin,) = await store.commit(batch(page(1, b"one frame", text=TEXT), page(2, b"another frame", text=TEXT)))
    assert 0.99 < twin.similarity < 1
    assert warc_types(folder) == ["warcinfo", "response", "response"]


async def test_a_page_that_asks_not_to_be_kept_has_no_body(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"secret", noindex=True)))
    assert rows(folder, "SELECT warc_file, noindex FROM pages") == [("", 1)]
    assert warc_types(folder) == ["warcinfo"]


async def test_a_copy_of_a_page_without_a_body_is_stored_whole(folder: Path) -> None:
    with open_store(folder) as store:
        await store.commit(batch(page(1, b"same", noindex=True)))
        assert await store.commit(batch(page(2, b"same"))) == [Duplicate(page=2, of=1, similarity=1.0)]
    assert warc_types(folder) == ["warcinfo", "response"]
