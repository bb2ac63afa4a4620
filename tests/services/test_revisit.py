"""Has a page changed since? Which pages are to be looked at again is checked before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import FolderBusy, InputError
from shoal.services import marks, revisit
from shoal.store import crawl_folder as folders
from shoal.store import revisits
from tests.stocked import WEB, Stock

BREAD, SECRET = "http://a.test/bread", "http://a.test/secret"


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


def want(stock: Stock, *urls: str, older: float = 0.0, relevant_only: bool = False) -> int:
    return revisit.want(stock.folder, urls, older=older, relevant_only=relevant_only, now=stock.crawl.now + 100)


def test_all_pages_that_say_something_are_looked_at_again(stock: Stock) -> None:
    assert want(stock) == len(WEB) - 1, "one asked not to be kept"
    assert want(stock) == len(WEB) - 1, "nobody is looked at twice"


def test_only_these_are_looked_at_again_however_they_are_typed(stock: Stock) -> None:
    assert want(stock, "a.test/bread", BREAD + "#crust") == 1


def test_what_the_user_marked_counts_for_the_relevant_ones(stock: Stock) -> None:
    relevant = [url for url in WEB if url not in (BREAD, SECRET)]
    marks.mark_pages(stock.folder, relevant, False)
    marks.mark_pages(stock.folder, [BREAD], True)
    assert want(stock, relevant_only=True) == 1


def test_pages_that_were_looked_at_lately_are_left_alone(stock: Stock) -> None:
    with pytest.raises(InputError, match="There is no page to look at again"):
        want(stock, older=1e6)


def test_a_page_that_is_not_there_costs_the_others_too(stock: Stock) -> None:
    with pytest.raises(InputError):
        want(stock, BREAD, "http://a.test/none")
    with folders.reading(stock.folder) as database:
        assert revisits.waiting(database) == 0


def test_nothing_is_wanted_of_a_crawl_at_work(stock: Stock) -> None:
    with folders.lock(stock.folder), pytest.raises(FolderBusy):
        want(stock)
