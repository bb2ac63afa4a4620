"""What was crawled can be found, in both languages, and the index keeps up with the store whatever happened to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import indexer as indexing
from shoal.errors import FolderError, InputError
from shoal.index.index_writer import IndexWriter
from shoal.model import Response
from shoal.services import search as finding
from shoal.services.check import check
from shoal.services.marks import give_feedback
from shoal.store import crawl_folder as folders
from shoal.testing.fakes import html
from tests.crawl.simulated import SEED, Simulation
from tests.stocked import WEB, Stock, article


@pytest.fixture
def stock(tmp_path: Path) -> Stock:
    return Stock(tmp_path / "crawl")


def titles(stock: Stock, words: str) -> list[str]:
    return [hit.title for hit in finding.search(stock.folder, words).hits]


def test_pages_are_found_by_what_they_say(stock: Stock) -> None:
    assert titles(stock, "oven") == ["Bread"]
    assert set(titles(stock, "substation")) == {"Substations", "Transformers"}
    assert titles(stock, "substation")[0] == "Substations"


@pytest.mark.parametrize("words", ["变电站", "變電站", "电网调度", "lang:zh", "title:智能电网"])
def test_a_gbk_page_is_found_in_either_chinese(stock: Stock, words: str) -> None:
    assert titles(stock, words) == ["智能电网"]


def test_a_page_that_asks_not_to_be_kept_cannot_be_found(stock: Stock) -> None:
    assert "http://a.test/secret" in stock.crawl.pages_asked
    assert titles(stock, "nobody shall find") == []
    assert titles(stock, "title:secret") == []


def test_a_hit_says_all_that_a_person_wants_to_know(stock: Stock) -> None:
    (hit,) = finding.search(stock.folder, "變電站 调度").hits
    assert (hit.url, hit.language, hit.similar, hit.gone) == ("http://a.test/%E8%BD%AC%E5%8F%98", "zh", 0, "")
    assert [text for text, asked in hit.snippet.parts if asked] == ["变电站", "调度"]
    assert hit.score > 0
    assert hit.date == "1970-01-12", "when it was fetched, because the page does not say when it was published"
    assert hit.why is None


def test_the_reasons_are_there_for_who_asks(stock: Stock) -> None:
    (hit,) = finding.search(stock.folder, "oven", explain=True).hits
    assert hit.why is not None
    assert hit.why.score == pytest.approx(hit.score, rel=1e-3)


def test_words_of_links_to_a_page_find_it(tmp_path: Path) -> None:
    web = {
        SEED: article("Home", "Welcome.", "/high-voltage-hall", "/other"),
        "http://a.test/other": article("Other", "Nothing."),
        "http://a.test/high-voltage-hall": article("Hall 7", "Closed on Mondays."),
    }
    assert titles(Stock(tmp_path / "c", web), "voltage")[0] == "Hall 7"


def test_near_copies_are_one_hit(tmp_path: Path) -> None:
    text = " ".join(
        f"The {word} of the transformer was measured on day {n}." for n, word in enumerate("abcdefghij" * 4)
    )
    copies = {f"http://a.test/c{n}": article("Copy", text) for n in range(3)}
    stock = Stock(tmp_path / "c", {SEED: article("Home", "x", "/c0", "/c1", "/c2")} | copies)
    (hit,) = finding.search(stock.folder, "transformer").hits
    assert hit.similar == 2


def test_marks_of_the_user_are_shown(stock: Stock) -> None:
    (before,) = finding.search(stock.folder, "oven").hits
    give_feedback(stock.folder, ["http://a.test/bread"], True)
    (after,) = finding.search(stock.folder, "oven").hits
    assert (before.relevant, after.relevant) == (False, True)


def test_what_the_user_marked_counts_for_is_relevant(stock: Stock) -> None:
    assert "Bread" not in titles(stock, "is:relevant")
    assert "Substations" in titles(stock, "is:relevant")
    give_feedback(stock.folder, ["http://a.test/bread"], True)
    give_feedback(stock.folder, ["http://a.test/substation"], False)
    assert "Bread" in titles(stock, "is:relevant")
    assert "Substations" not in titles(stock, "is:relevant")
    assert titles(stock, "oven is:relevant") == ["Bread"]


def test_paging_is_complete_and_without_repeats(stock: Stock) -> None:
    pages = [finding.search(stock.folder, "engineers OR 工程师", limit=2, offset=offset) for offset in (0, 2, 4)]
    urls = [hit.url for page in pages for hit in page.hits]
    assert len(urls) == len(set(urls)) == len(finding.search(stock.folder, "engineers OR 工程师", limit=100).hits)


# --- pages like this one ---------------------------------------------------------------------------------------------


def test_the_page_most_like_another_is_found(stock: Stock) -> None:
    with finding.Finder(stock.folder) as finder:
        found = finder.similar("http://a.test/transformer")
    assert found.hits[0].title == "Substations"
    assert "http://a.test/transformer" not in [hit.url for hit in found.hits]


@pytest.mark.parametrize(
    ("url", "why"), [("http://a.test/none", "was not fetched"), ("http://a.test/secret", "is not kept")]
)
def test_what_has_no_text_is_like_nothing(stock: Stock, url: str, why: str) -> None:
    with finding.Finder(stock.folder) as finder, pytest.raises(InputError, match=why):
        finder.similar(url)


# --- store and index -------------------------------------------------------------------------------------------------


def test_an_index_that_was_never_made_is_made_by_the_first_search(stock: Stock) -> None:
    assert not indexing.is_there(stock.folder / indexing.PAGES)
    assert titles(stock, "oven") == ["Bread"]
    assert check(stock.folder).sound


def test_an_index_that_fell_behind_catches_up(stock: Stock) -> None:
    indexing.catch_up(stock.folder)
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
    busy = IndexWriter(stock.folder / indexing.PAGES)
    busy.__enter__()
    asked = []

    def over(seconds: float) -> bool:
        asked.append(seconds)
        if len(asked) == 2:
            busy.__exit__(None)
        return len(asked) > 3

    indexing.follow(stock.folder, over)
    assert check(stock.folder).sound
    assert titles(stock, "oven") == ["Bread"]


def test_a_page_that_only_the_index_knows_is_seen(stock: Stock) -> None:
    indexing.catch_up(stock.folder)
    with folders.reading(stock.folder) as database:
        database.execute("DELETE FROM versions WHERE page = (SELECT id FROM pages WHERE title = 'Bread')")
    (problem,) = check(stock.folder).problems
    assert problem.startswith("The index has 1 pages that are not stored: make it anew with 'shoal reindex")


@pytest.mark.parametrize("suffix", [".term", ".idx", ".fast", "meta.json"])
def test_a_damaged_index_is_seen_and_made_anew(stock: Stock, suffix: str) -> None:
    indexing.catch_up(stock.folder)
    place = stock.folder / indexing.PAGES
    for path in place.glob(f"*{suffix}"):
        path.write_bytes(b"\x00" * path.stat().st_size)
    assert not check(stock.folder).sound
    indexing.rebuild(stock.folder)
    assert check(stock.folder).sound
    assert titles(stock, "oven") == ["Bread"]


def test_a_rebuilt_index_finds_what_the_one_that_grew_found(stock: Stock) -> None:
    indexing.catch_up(stock.folder)
    grown = [set(titles(stock, words)) for words in ("substation", "变电站", "grid", "engineers")]
    assert indexing.rebuild(stock.folder) == len(WEB) - 1
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
    indexing.catch_up(stock.folder)
    assert titles(stock, "turbine")[0] == "Hall"
    assert titles(stock, "transformer") == ["Room"]


def test_pages_are_weighed_again_only_when_something_moved(stock: Stock) -> None:
    indexing.catch_up(stock.folder)
    with folders.reading(stock.folder) as database, IndexWriter(stock.folder / indexing.PAGES) as writer:
        assert indexing.Follower(stock.folder, database, writer).weigh() == 0


def test_a_body_that_is_not_what_was_fetched_is_seen(stock: Stock) -> None:
    indexing.catch_up(stock.folder)
    warc = next(stock.folder.glob("*.warc.gz"))
    data = bytearray(warc.read_bytes())
    data[-30] ^= 0xFF
    warc.write_bytes(data)
    found = check(stock.folder)
    assert len(found.problems) == 1
    assert (found.pages, found.bodies) == (len(WEB), len(WEB) - 2), "one asked not to be kept, one is damaged"


def test_a_text_that_cannot_be_read_is_seen_and_said_in_one_sentence(stock: Stock) -> None:
    indexing.catch_up(stock.folder)
    with folders.reading(stock.folder) as database:
        database.execute("UPDATE versions SET text = x'00' WHERE page = (SELECT id FROM pages WHERE title = 'Bread')")
    assert check(stock.folder).problems == ("The stored text of http://a.test/bread cannot be read.",)
    with pytest.raises(FolderError, match=r"^The stored text of a page is damaged: .*\.$"):
        titles(stock, "oven")


def test_a_folder_without_pages_can_be_searched(tmp_path: Path) -> None:
    Simulation(tmp_path / "empty", {})
    found = finding.search(tmp_path / "empty", "grid")
    assert (found.hits, found.notes) == ((), ("There is no page to be searched yet.",))
    assert check(tmp_path / "empty").sound
