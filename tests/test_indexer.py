"""How does what was crawled get into the index? It catches up with the store whatever happened; nothing stays that is gone."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from shoal import indexer
from shoal.index.index_folder import IndexWriter, exists
from shoal.model import Response
from shoal.services.check import check
from shoal.store import crawl_folder as folders
from shoal.testing.fakes import html
from shoal.urls import key_of
from tests.crawl.simulated import SEED
from tests.stocked import WEB, Stock, article, titles


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


def test_an_index_that_was_never_made_is_made_by_the_first_search(stock: Stock) -> None:
    assert not exists(stock.folder / indexer.PAGES)
    assert titles(stock, "oven") == ["Bread"]
    assert check(stock.folder).sound


def test_an_index_that_fell_behind_catches_up(stock: Stock) -> None:
    indexer.catch_up(stock.folder)
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    stock.look_again()
    found = check(stock.folder)
    assert [sentence for sentence in found.problems if "does not know 1 pages" in sentence], found.problems
    assert titles(stock, "sourdough") == ["Bread"]
    assert titles(stock, "oven") == []
    assert check(stock.folder).sound


def test_a_page_that_asks_to_be_forgotten_is_forgotten_by_the_index_too(stock: Stock) -> None:
    assert titles(stock, "oven") == ["Bread"]
    stock.serve(bread=article("Bread", "An oven.", head='<meta name="robots" content="noindex">'))
    stock.look_again()
    assert titles(stock, "oven") == []
    assert check(stock.folder).sound


def test_who_follows_waits_for_another_who_is_at_it(stock: Stock) -> None:
    busy = IndexWriter(stock.folder / indexer.PAGES)
    busy.__enter__()
    asked = []

    def over(seconds: float) -> bool:
        asked.append(seconds)
        if len(asked) == 2:
            busy.__exit__(None)
        return len(asked) > 3

    indexer.follow(stock.folder, over)
    assert check(stock.folder).sound
    assert titles(stock, "oven") == ["Bread"]


@pytest.mark.slow
def test_a_rebuilt_index_finds_what_the_one_that_grew_found(stock: Stock) -> None:
    indexer.catch_up(stock.folder)
    grown = [set(titles(stock, words)) for words in ("substation", "变电站", "grid", "engineers")]
    assert indexer.rebuild(stock.folder) == len(WEB) - 1
    assert [set(titles(stock, words)) for words in ("substation", "变电站", "grid", "engineers")] == grown


def test_words_that_only_a_later_link_says_find_the_page_too(tmp_path: Path) -> None:
    web = {
        SEED: article("Home", "Welcome.", "/hall"),
        "http://a.test/hall": article("Hall", "Closed on Mondays.", "/transformer-room"),
        "http://a.test/transformer-room": article("Room", "Mind the step."),
    }
    room = web["http://a.test/transformer-room"]
    assert isinstance(room, Response)
    later = html("", room.body + b'<a href="/hall">the hall with the big turbine</a>')
    stock = Stock(tmp_path / "c", web | {"http://a.test/transformer-room": later})
    indexer.catch_up(stock.folder)
    assert titles(stock, "turbine")[0] == "Hall"
    assert titles(stock, "transformer") == ["Room"]


def test_pages_are_weighed_again_only_when_something_moved(stock: Stock) -> None:
    indexer.catch_up(stock.folder)
    with folders.reading(stock.folder) as database, IndexWriter(stock.folder / indexer.PAGES) as writer:
        assert indexer.Indexer(stock.folder, database, writer).weigh() == 0


def test_what_a_crawl_adds_while_pages_are_weighed_counts_the_next_time() -> None:
    home, new = key_of("http://a.test/"), key_of("http://a.test/new")
    links = [(1, [new], ["new"]), (2, [home], ["home"])]  # page 2 came after the pages were counted
    assert indexer.stand({home: 1}, links) == {1: indexer.OffPageSignals()}


@pytest.mark.slow
async def test_a_server_that_ends_a_crawl_at_once_goes_on_and_so_does_the_index(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the process that completes the index belongs to the event loop, which would complain when it is forgotten."""
    monkeypatch.setattr(indexer, "_SHORT", 0.0)
    started = asyncio.Event()

    async def crawl() -> None:
        async with indexer.index_kept(stock.folder, lambda sentence: None):
            while not exists(stock.folder / indexer.PAGES):  # noqa: ASYNC110  another process makes it
                await asyncio.sleep(0.05)
            started.set()
            await asyncio.Event().wait()

    crawling = asyncio.ensure_future(crawl())
    await started.wait()
    crawling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await crawling
    del crawling
    gc.collect()  # a warning would fail the test
    async with asyncio.timeout(30.0):
        while not check(stock.folder).sound:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
