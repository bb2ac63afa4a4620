"""Do store and index agree, and can everything that is stored be read? Whatever was harmed is seen and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import indexer
from shoal.errors import FolderError
from shoal.services.check import check
from shoal.store import crawl_folder as folders
from tests.stocked import WEB, Stock, titles


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


def test_a_page_that_only_the_index_knows_is_seen(stock: Stock) -> None:
    indexer.catch_up(stock.folder)
    with folders.reading(stock.folder) as database:
        database.execute("DELETE FROM versions WHERE page = (SELECT id FROM pages WHERE title = 'Bread')")
    (problem,) = check(stock.folder).problems
    assert problem.startswith("The index has 1 pages that are not stored: make it anew with 'shoal reindex")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".term", ".idx", ".fast", "meta.json"])
def test_a_damaged_index_is_seen_and_made_anew(stock: Stock, suffix: str) -> None:
    indexer.catch_up(stock.folder)
    place = stock.folder / indexer.PAGES
    for path in place.glob(f"*{suffix}"):
        path.write_bytes(b"\x00" * path.stat().st_size)
    assert not check(stock.folder).sound
    indexer.rebuild(stock.folder)
    assert check(stock.folder).sound
    assert titles(stock, "oven") == ["Bread"]


def test_a_body_that_is_not_what_was_fetched_is_seen(stock: Stock) -> None:
    indexer.catch_up(stock.folder)
    warc = next(stock.folder.glob("*.warc.gz"))
    data = bytearray(warc.read_bytes())
    data[-30] ^= 0xFF
    warc.write_bytes(data)
    found = check(stock.folder)
    assert len(found.problems) == 1
    assert (found.pages, found.bodies) == (len(WEB), len(WEB) - 2), "one asked not to be kept, one is damaged"


def test_a_text_that_cannot_be_read_is_seen_and_said_in_one_sentence(stock: Stock) -> None:
    indexer.catch_up(stock.folder)
    with folders.reading(stock.folder) as database:
        database.execute("UPDATE versions SET text = x'00' WHERE page = (SELECT id FROM pages WHERE title = 'Bread')")
    assert check(stock.folder).problems == ("The stored text of http://a.test/bread cannot be read.",)
    with pytest.raises(FolderError, match=r"^The stored text of a page is damaged: .*\.$"):
        titles(stock, "oven")
