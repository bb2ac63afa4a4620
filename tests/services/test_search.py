"""What was crawled can be found, in both languages, and the index keeps up with the store whatever happened to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.services import search
from shoal.services.check import check
from shoal.services.marks import mark_pages
from tests.crawl.simulated import SEED, Simulation
from tests.stocked import Stock, article, titles


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


def test_pages_are_found_by_what_they_say(stock: Stock) -> None:
    assert titles(stock, "oven") == ["Bread"]
    assert set(titles(stock, "substation")) == {"Substations", "Transformers"}
    assert titles(stock, "substation")[0] == "Substations"


@pytest.mark.slow
@pytest.mark.parametrize("words", ["变电站", "變電站", "电网调度", "lang:zh", "title:智能电网"])
def test_a_gbk_page_is_found_in_either_chinese(stock: Stock, words: str) -> None:
    assert titles(stock, words) == ["智能电网"]


@pytest.mark.slow
def test_a_page_that_asks_not_to_be_kept_cannot_be_found(stock: Stock) -> None:
    assert "http://a.test/secret" in stock.crawl.pages_asked
    assert titles(stock, "nobody shall find") == []
    assert titles(stock, "title:secret") == []


@pytest.mark.slow
def test_a_hit_says_all_that_a_person_wants_to_know(stock: Stock) -> None:
    (hit,) = search.search([stock.folder], "變電站 调度").hits
    assert (hit.url, hit.language, hit.similar, hit.gone) == ("http://a.test/%E8%BD%AC%E5%8F%98", "zh", 0, "")
    assert [text for text, asked in hit.snippet.parts if asked] == ["变电站", "调度"]
    assert hit.score > 0
    assert hit.date == "1970-01-12", "when it was fetched, because the page does not say when it was published"
    assert hit.why is None


def test_the_reasons_are_there_for_who_asks(stock: Stock) -> None:
    (hit,) = search.search([stock.folder], "oven", explain=True).hits
    assert hit.why is not None
    assert hit.why.score == pytest.approx(hit.score, rel=1e-3)


def test_words_of_links_to_a_page_find_it(tmp_path: Path) -> None:
    web = {
        SEED: article("Home", "Welcome.", "/high-voltage-hall", "/other"),
        "http://a.test/other": article("Other", "Nothing."),
        "http://a.test/high-voltage-hall": article("Hall 7", "Closed on Mondays."),
    }
    assert titles(Stock(tmp_path / "c", web), "voltage")[0] == "Hall 7"


@pytest.mark.slow
def test_near_copies_are_one_hit(tmp_path: Path) -> None:
    text = " ".join(
        f"The {word} of the transformer was measured on day {n}." for n, word in enumerate("abcdefghij" * 4)
    )
    copies = {f"http://a.test/c{n}": article("Copy", text) for n in range(3)}
    stock = Stock(tmp_path / "c", {SEED: article("Home", "x", "/c0", "/c1", "/c2")} | copies)
    (hit,) = search.search([stock.folder], "transformer").hits
    assert hit.similar == 2


@pytest.mark.slow
def test_marks_of_the_user_are_shown(stock: Stock) -> None:
    (before,) = search.search([stock.folder], "oven").hits
    mark_pages(stock.folder, ["http://a.test/bread"], True)
    (after,) = search.search([stock.folder], "oven").hits
    assert (before.relevant, after.relevant) == (False, True)


@pytest.mark.slow
def test_what_the_user_marked_counts_for_is_relevant(stock: Stock) -> None:
    assert "Bread" not in titles(stock, "is:relevant")
    assert "Substations" in titles(stock, "is:relevant")
    mark_pages(stock.folder, ["http://a.test/bread"], True)
    mark_pages(stock.folder, ["http://a.test/substation"], False)
    assert "Bread" in titles(stock, "is:relevant")
    assert "Substations" not in titles(stock, "is:relevant")
    assert titles(stock, "oven is:relevant") == ["Bread"]


@pytest.mark.slow
def test_paging_is_complete_and_without_repeats(stock: Stock) -> None:
    pages = [search.search([stock.folder], "engineers OR 工程师", limit=2, offset=offset) for offset in (0, 2, 4)]
    urls = [hit.url for page in pages for hit in page.hits]
    assert len(urls) == len(set(urls)) == len(search.search([stock.folder], "engineers OR 工程师", limit=100).hits)


# --- pages like this one ---------------------------------------------------------------------------------------------


def test_the_page_most_like_another_is_found(stock: Stock) -> None:
    with search.Finder([stock.folder]) as finder:
        found = finder.similar("http://a.test/transformer")
    assert found.hits[0].title == "Substations"
    assert "http://a.test/transformer" not in [hit.url for hit in found.hits]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "why"), [("http://a.test/none", "was not fetched"), ("http://a.test/secret", "is not kept")]
)
def test_what_has_no_text_is_like_nothing(stock: Stock, url: str, why: str) -> None:
    with search.Finder([stock.folder]) as finder, pytest.raises(InputError, match=why):
        finder.similar(url)


# --- store and index -------------------------------------------------------------------------------------------------


def test_a_folder_without_pages_can_be_searched(tmp_path: Path) -> None:
    Simulation(tmp_path / "empty", {})
    found = search.search([tmp_path / "empty"], "grid")
    assert (found.hits, found.notes) == ((), ("There is no page to be searched yet.",))
    assert check(tmp_path / "empty").sound
