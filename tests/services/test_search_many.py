"""Many crawls are searched as one: one order, each page once, and a crawl that cannot be searched costs only itself."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.errors import FolderError, InputError
from shoal.services.marks import mark_pages
from shoal.services.search import Finder, SearchAnswer, search
from tests.crawl.simulated import SEED
from tests.stocked import WEB, Stock, article

LONG = " ".join(f"The {word} of the transformer was measured on day {n}." for n, word in enumerate("abcdefghij" * 4))
OTHER: dict[str, object] = {
    SEED: article("Home", "Nothing.", "/transformer", "/tower", "/copy", "/變電站"),
    "http://a.test/transformer": article("Transformers", "A transformer of a substation hums at 50 Hz. It is loud."),
    "http://a.test/tower": article("Towers", "A tower carries the lines of a substation."),
    "http://a.test/copy": article("Copy", LONG),
    "http://a.test/%E8%AE%8A%E9%9B%BB%E7%AB%99": article("變電站", "變電站與電壓。", charset="gb18030", language="zh"),
}


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    """The usual crawl, with a GBK page, and a page that the other crawl has nearly so."""
    pages = {SEED: article("The power grid", "The grid.", "/substation", "/转变", "/bread", "/original")}
    original = {"http://a.test/original": article("Original", LONG + " So it was.")}
    return Stock(tmp_path_factory.mktemp("english") / "power", dict(WEB) | pages | original)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    return Stock(tmp_path_factory.mktemp("other") / "lines", OTHER)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def both(english: Stock, other: Stock) -> Iterator[Finder]:
    with Finder([english.folder, other.folder]) as finder:
        yield finder


def named(answer: SearchAnswer) -> list[tuple[str, str]]:
    """Crawl and title of the hits, in their order."""
    return [(hit.crawl, hit.title) for hit in answer.hits]


def test_one_order_of_the_pages_of_all(both: Finder, english: Stock, other: Stock) -> None:
    found = both.search("substation")
    assert sorted(named(found)) == [("lines", "Towers"), ("power", "Substations"), ("power", "Transformers")]
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert found.crawls == ("lines", "power")
    folders = {"power": str(english.folder), "lines": str(other.folder)}
    assert all(hit.folder == folders[hit.crawl] for hit in found.hits)
    turned = search([other.folder, english.folder], "substation")
    assert turned == found, "in whatever order the crawls are named"


def test_chinese_is_found_in_either_script_in_every_crawl(both: Finder) -> None:
    for words in ("變電站", "变电站"):
        assert sorted(named(both.search(words))) == [("lines", "變電站"), ("power", "智能电网")]


def test_a_page_of_two_crawls_is_shown_and_counted_once(both: Finder, english: Stock, other: Stock) -> None:
    found = both.search("transformer hums")
    (hit,) = found.hits
    assert (found.total, hit.also_in, hit.similar) == (1, ("power",) if hit.crawl == "lines" else ("lines",), 0)
    assert [(count.value, count.pages) for count in found.facets.site] == [("a.test", 1)]
    assert sorted((count.value, count.pages) for count in found.facets.crawl) == [("lines", 1), ("power", 1)]
    (alone,) = search([english.folder], "transformer hums").hits
    assert (alone.crawl, alone.also_in) == ("power", ())
    (only_there,) = search([english.folder, other.folder], "transformer loud").hits
    assert (only_there.crawl, only_there.also_in) == ("lines", ("power",)), "it is there, too, but says something else"


def test_near_copies_in_two_crawls_are_one_hit(both: Finder) -> None:
    found = both.search('"measured on day"')
    (hit,) = found.hits
    assert {hit.crawl, *hit.also_in} == {"lines", "power"}
    assert (found.total, hit.similar) == (2, 1)


def test_pages_of_hits_fit_together(both: Finder) -> None:
    whole = both.search("engineers OR 工程师", limit=100)
    pages = [both.search("engineers OR 工程师", limit=2, offset=offset) for offset in range(0, len(whole.hits), 2)]
    assert [hit for page in pages for hit in page.hits] == list(whole.hits)
    assert len(whole.hits) > 6
    assert [page.more for page in pages] == [True] * (len(pages) - 1) + [False]


def test_the_reasons_are_those_of_the_shown_score(both: Finder) -> None:
    hits = both.search("substation", explain=True).hits
    assert len(hits) == 3
    for hit in hits:
        assert hit.why is not None
        assert hit.why.score == pytest.approx(hit.score, rel=1e-3)


def test_a_crawl_can_be_chosen_in_the_query(both: Finder) -> None:
    assert {crawl for crawl, _ in named(both.search("substation crawl:power"))} == {"power"}
    assert len(both.search("substation crawl:power").hits) == 2, "also the page that is a better hit elsewhere"


def test_pages_like_one_of_them_come_from_all(both: Finder) -> None:
    found = both.similar("http://a.test/transformer")
    assert {"Substations", "Towers"} <= {title for _, title in named(found)}
    assert "http://a.test/transformer" not in {hit.url for hit in found.hits}
    titles = {hit.title for hit in both.similar("http://a.test/original").hits}
    assert not titles & {"Original", "Copy"}, "near-copies in the other crawl are left out"
    with pytest.raises(InputError, match="was not fetched by any of these crawls"):
        both.similar("http://a.test/none")


# --- what goes wrong with one crawl ----------------------------------------------------------------------------------


def test_a_crawl_that_cannot_be_searched_costs_only_itself(english: Stock, tmp_path: Path) -> None:
    damaged = Stock(tmp_path / "damaged", {SEED: article("Home", "A substation.")})
    next(damaged.folder.glob("*.sqlite")).write_bytes(b"no database at all" * 1000)
    found = search([damaged.folder, english.folder, tmp_path / "gone"], "substation")
    assert found.crawls == ("power",)
    assert named(found)[0] == ("power", "Substations")
    assert [note.partition(":")[0] for note in found.notes] == ["damaged", "gone"]
    with pytest.raises(FolderError, match="There is no crawl in"):
        search([tmp_path / "gone"], "substation")
    nothing = search([tmp_path / "gone", damaged.folder], "substation")
    assert (nothing.hits, len(nothing.notes)) == ((), 2)
    assert search([], "substation").notes == ("There is no crawl to be searched.",)


@pytest.mark.slow
def test_a_damaged_index_is_made_anew(english: Stock, tmp_path: Path) -> None:
    stock = Stock(tmp_path / "c", {SEED: article("Home", "A substation.")})
    search([stock.folder], "substation")
    (stock.folder / "index" / "meta.json").write_bytes(b"{")
    assert ("c", "Home") in named(search([stock.folder, english.folder], "substation"))


@pytest.mark.slow
def test_a_folder_that_was_copied_is_a_crawl_of_its_own(tmp_path: Path) -> None:
    stock = Stock(tmp_path / "c", {SEED: article("Home", "A substation.")})
    search([stock.folder], "substation")
    shutil.copytree(stock.folder, tmp_path / "copy")
    mark_pages(tmp_path / "copy", [SEED], True)
    (hit,) = search([stock.folder, tmp_path / "copy"], "substation").hits
    assert (hit.crawl, hit.also_in) == ("c", ("copy",))
    assert named(search([stock.folder, tmp_path / "copy"], "is:relevant")) == [("copy", "Home")]


@pytest.mark.slow
def test_crawls_of_one_name_are_known_by_their_folders(tmp_path: Path) -> None:
    folders = [tmp_path / name / "grid" for name in "ab"]
    for folder in folders:
        Stock(folder, {SEED: article("Home", "A substation.")})
    found = search([*folders, folders[0] / ".." / "grid"], "substation")
    assert found.crawls == tuple(map(str, folders))


# --- while crawls go on, and in a program with an event loop -----------------------------------------------------------


@pytest.mark.slow
def test_what_was_opened_stays_as_it_was(english: Stock, tmp_path: Path) -> None:
    stock = Stock(tmp_path / "c", {SEED: article("Home", "A substation.", "/more")})
    folders = [stock.folder, english.folder]
    with Finder(folders) as finder:
        before = finder.search("substation")
        stock.serve(**{"": article("Home", "Substation, substation, substation!", "/more")})
        stock.look_again()
        after = search(folders, "substation")
        assert [hit.score for hit in finder.search("substation").hits] == [hit.score for hit in before.hits]
    assert [hit.score for hit in after.hits] != [hit.score for hit in before.hits]


def test_a_program_with_an_event_loop_can_ask(english: Stock, other: Stock) -> None:
    folders = [english.folder, other.folder]

    async def ask() -> list[SearchAnswer]:
        at_once = search(folders, "substation")
        asked = (asyncio.to_thread(search, folders, "substation") for _ in range(4))
        return [at_once, *await asyncio.gather(*asked)]

    first, *others = asyncio.run(ask())
    assert all(answer == first for answer in others)
    assert first.hits
