"""What does the index not know yet? Each version of a page once, in the order in which they came; what is gone is told, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.store import change_feed
from shoal.store import crawl_folder as folders
from shoal.store.warc import read_body
from shoal.urls import key_of
from tests.stocked import WEB, Stock, article

BREAD = "http://a.test/bread"
KEPT = len(WEB) - 1
"""One page asks not to be kept."""


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


def test_all_news_come_portion_by_portion_each_once(stock: Stock) -> None:
    with folders.reading(stock.folder) as database:
        reached, told = 0, []
        while portion := change_feed.news(database, reached, limit=2):
            assert len(portion) <= 2
            told += portion
            reached = portion[-1].version
        assert reached == change_feed.last_version(database)
        assert len({said.url for said in told}) == len(told) == KEPT
        assert change_feed.kept(database) == {said.page: said.version for said in told}


def test_a_page_that_changed_is_news_again_and_only_the_last_version_is_kept(stock: Stock) -> None:
    with folders.reading(stock.folder) as database:
        before = change_feed.last_version(database)
    stock.serve(bread=article("Bread", "Sourdough needs three days."))
    stock.look_again()
    with folders.reading(stock.folder) as database:
        (said,) = change_feed.news(database, before, limit=10)
        assert (said.url, said.text is not None and "Sourdough" in said.text) == (BREAD, True)
        assert list(change_feed.latest(database, [said.page, 999])) == [said]
        assert change_feed.kept(database)[said.page] == said.version
        assert change_feed.counts(database) == (len(WEB), KEPT + 1)


def test_a_page_that_asks_to_be_forgotten_is_news_without_a_text(stock: Stock) -> None:
    with folders.reading(stock.folder) as database:
        before = change_feed.last_version(database)
    stock.serve(bread=article("Bread", "An oven.", head='<meta name="robots" content="noindex">'))
    stock.look_again()
    with folders.reading(stock.folder) as database:
        (said,) = change_feed.news(database, before, limit=10)
        assert (said.url, said.text) == (BREAD, None)
        assert said.page not in change_feed.kept(database)


def test_pages_are_known_by_their_keys_titles_links_and_bodies(stock: Stock) -> None:
    with folders.reading(stock.folder) as database:
        pages = change_feed.keys(database)
        assert pages.keys() == {key_of(url) for url in WEB}
        bread = pages[key_of(BREAD)]
        assert change_feed.titles(database)[bread] == "Bread"
        links = {page: list(targets) for page, targets, _ in change_feed.links(database)}
        assert key_of(BREAD) in links[pages[key_of("http://a.test/")]]
        bodies = {body.url: body for body in change_feed.bodies(database)}
        assert len(bodies) == KEPT
        assert b"Flour" in read_body(stock.folder, bodies[BREAD].file, bodies[BREAD].offset)


def test_a_text_that_cannot_be_read_is_named_once(stock: Stock) -> None:
    with folders.reading(stock.folder) as database:
        assert change_feed.damaged(database) == []
        database.execute("UPDATE versions SET text = x'00' WHERE page = (SELECT id FROM pages WHERE title = 'Bread')")
        assert change_feed.damaged(database) == [BREAD]
