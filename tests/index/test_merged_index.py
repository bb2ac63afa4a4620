"""Several indexes searched as one answer as one index of all their pages would: the same scores, whatever crawl has a page."""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import FolderError, InputError
from shoal.index.index_folder import IndexWriter
from shoal.index.merged_index import IndexedCrawl, open_merged
from shoal.index.query import parse
from shoal.index.schema import Document
from shoal.index.searcher import Index, open_index
from tests.index.pages import FILLER, index_of, page


def merged(folder: Path, pages: Mapping[str, Sequence[Document]], **marks: Mapping[int, bool]) -> Index:
    """The pages of each crawl in an index of their own, opened as one."""
    for name, those in pages.items():
        index_of(folder / name, those)
    crawls = [IndexedCrawl(name=name, place=folder / name, marks=marks.get(name, {})) for name in pages]
    return Index(open_merged(crawls))


def places(index: Index, text: str, **more: Any) -> list[tuple[str, int]]:
    """Crawl and id of the hits, in their order."""
    return [(hit.crawl, hit.id) for hit in index.search(parse(text), **more).hits]


ROUNDING = 1e-6
"""tantivy adds up 32-bit numbers, in an order that depends on the segment."""
WORDS = st.sampled_from(["grid", "power", "電網", "电网", "变电站", "turbine", "the", "wind power"])
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 3), st.sampled_from(["", "en", "zh"])), max_size=25)
QUERIES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join) | st.sampled_from(
    ['"wind power"', "title:grid", "lang:zh", "grid -wind", "griid", "网", "grid site:example.org"]
)


@given(corpus=CORPORA, query=QUERIES)
def test_the_order_is_that_of_one_index(corpus: list[tuple[str, str, int, str]], query: str) -> None:
    split = defaultdict[str, list[Document]](list)
    for id, (title, text, crawl, language) in enumerate(corpus, start=1):
        split[f"crawl {crawl}"].append(page(id, text, title=title, language=language, score=0.1 * crawl))
    split["crawl 4"].append(page(0, "nothing"))
    with tempfile.TemporaryDirectory() as name:
        one = index_of(Path(name) / "all", [page for pages in split.values() for page in pages])
        many = merged(Path(name), split)
        expected, found = (index.search(parse(query), limit=100) for index in (one, many))
        why = [many.explain(parse(query), hit.id, crawl=hit.crawl) for hit in found.hits]
    scores = {hit.id: hit.score for hit in expected.hits}
    assert {hit.id: hit.score for hit in found.hits} == pytest.approx(scores, rel=ROUNDING)
    for better, worse in pairwise(found.hits):
        assert scores[better.id] >= scores[worse.id] * (1 - ROUNDING)
    assert (found.total, found.query, found.notes) == (expected.total, expected.query, expected.notes)
    assert (found.facets.site, found.facets.language) == (expected.facets.site, expected.facets.language)
    assert [reasons and reasons.score for reasons in why] == pytest.approx([hit.score for hit in found.hits], rel=1e-4)


def test_a_short_and_a_long_crawl_are_measured_by_the_same_length(tmp_path: Path) -> None:
    """By scores of their own, the long page would be the best: in its crawl it is a short one."""
    short = [page(1, "grid among five other words"), *(page(id, "a b") for id in range(10, 40))]
    long = [
        page(1, "grid " + "among very many " * 30, url="http://long.test/"),
        *(page(id, "words " * 900) for id in range(10, 40)),
    ]
    alone = [
        open_index(index_of_folder(tmp_path / name, pages)).search(parse("grid")).hits
        for name, pages in (("s", short), ("l", long))
    ]
    assert alone[0][0].score < alone[1][0].score
    assert places(merged(tmp_path, {"short": short, "long": long}), "grid") == [("short", 1), ("long", 1)]


def index_of_folder(folder: Path, pages: Sequence[Document]) -> Path:
    index_of(folder, pages)
    return folder


def test_a_rare_word_is_rare_in_all_of_them(tmp_path: Path) -> None:
    """`fan` is in every page of one crawl, but in few of all pages."""
    pages = {
        "fans": [page(id, "fan", url=f"http://fans.test/{id}") for id in range(3)],
        "grids": [page(9, "grid"), *FILLER],
    }
    explanation = merged(tmp_path, pages).explain(parse("fan"), 1, crawl="fans")
    assert explanation is not None
    assert explanation.score > 1


def test_hits_say_which_crawl_has_them_by_its_own_number(tmp_path: Path) -> None:
    index = merged(
        tmp_path, {"b": [page(7, "grid", url="http://b.test/")], "a": [page(7, "grid", url="http://a.test/")]}
    )
    assert places(index, "grid") == [("a", 7), ("b", 7)], "equal ones by the name of their crawl"
    assert places(index, "grid crawl:b") == [("b", 7)]
    assert places(index, "grid -crawl:B") == [("a", 7)]
    assert places(index, "crawl:a crawl:b site:b.test") == [("b", 7)]
    with pytest.raises(InputError, match=r"crawl: needs one of the crawls that are searched \(a, b\), not 'c'."):
        index.search(parse("grid crawl:c"))


def test_crawls_have_chinese_names(tmp_path: Path) -> None:
    index = merged(tmp_path, {"电网": [page(1, "grid")], "b": [page(2, "grid")]})
    assert places(index, "grid crawl:電網") == places(index, "采集：电网") == [("电网", 1)]


def test_marks_count_in_their_own_crawl(tmp_path: Path) -> None:
    pages = {
        name: [page(id, "grid", url=f"http://{name}.test/{id}", relevant=id == 3) for id in (1, 2, 3)] for name in "ab"
    }
    index = merged(tmp_path, pages, a={1: True, 3: False})
    assert sorted(places(index, "is:relevant")) == [("a", 1), ("b", 3)]


def test_who_has_copied_an_index_is_told(tmp_path: Path) -> None:
    index_of(tmp_path / "a", [page(1, "grid")])
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    with pytest.raises(FolderError, match="is a copy of that in"):
        open_merged([IndexedCrawl(name=name, place=tmp_path / name) for name in "ab"])


def test_what_is_open_stays_as_it_was(tmp_path: Path) -> None:
    index = merged(
        tmp_path, {name: [page(id, "grid", url=f"http://{name}.test/{id}") for id in range(40)] for name in "ab"}
    )
    before = places(index, "grid", limit=100)
    for round in range(5):
        with IndexWriter(tmp_path / "a") as writer:
            writer.remove(range(round * 8, round * 8 + 8))
            writer.add([page(100 + round, "grid grid")])
    first, second = places(index, "grid", limit=50), places(index, "grid", limit=50, offset=50)
    assert first + second == before
    crawls = [IndexedCrawl(name=name, place=tmp_path / name) for name in "ab"]
    assert places(Index(open_merged(crawls)), "grid")[:5] == [("a", 100 + round) for round in range(5)]


@pytest.mark.slow
def test_indexes_that_change_meanwhile_can_be_opened(tmp_path: Path) -> None:
    """A writer that commits all the time merges segments, and removes their files between two looks of ours."""
    for name in "ab":
        index_of(tmp_path / name, [page(0, "grid", url=f"http://{name}.test/")])

    def write(name: str) -> None:
        with IndexWriter(tmp_path / name) as writer:
            for round in range(60):
                writer.add([page(round, "grid", url=f"http://{name}.test/{round}")])
                writer.commit()

    with ThreadPoolExecutor() as threads:
        writing = [threads.submit(write, name) for name in "ab"]
        while not all(one.done() for one in writing):
            crawls = [IndexedCrawl(name=name, place=tmp_path / name) for name in "ab"]
            assert Index(open_merged(crawls)).search(parse("grid")).total >= 2
    assert [one.result() for one in writing] == [None, None]


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    assert places(merged(tmp_path, {"a": [page(1, "grid")], "b": [page(2, "grid")]}), "grid") == [("a", 1), ("b", 2)]
    assert list((tmp_path / "tmp").iterdir()) == []
    (tmp_path / "tmp").rmdir()
    with pytest.raises(FolderError):
        open_merged([IndexedCrawl(name=name, place=tmp_path / name) for name in "ab"])
