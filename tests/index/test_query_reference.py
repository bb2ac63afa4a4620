"""Is the query reference true? Every example of docs/searching.md is searched for, on the pages that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from shoal.index import query_builder, ranking
from shoal.index import query_builder as query_rewrite
from shoal.index.index_folder import IndexWriter
from shoal.index.merged_index import IndexedCrawl, open_merged
from shoal.index.query import MOST_CHARACTERS, MOST_LIMITS, MOST_WORDS, parse
from shoal.index.schema import Document
from shoal.index.searcher import Index

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "searching.md"
FETCHED = 1_600_000_000.0
"""September 2020: of a page that does not say when it was published."""
LATER = 1_750_000_000.0


@cache
def rows(heading: str) -> list[list[str]]:
    """The first table below a heading."""
    text = REFERENCE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    table = re.search(r"^\|[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)", text, re.MULTILINE)
    assert table, f"no table below {heading}"
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def documents() -> Iterator[Document]:
    for id, (_, url, title, text, language, published, topic, relevant) in enumerate(rows("The pages of the examples")):
        yield Document(
            id=id, version=id, url=url, title=title, text=text, language=language, published=published, topic=topic,
            relevant=relevant == "yes", score=0.9 if relevant == "yes" else 0.1, fetched_at=LATER if published else FETCHED,
        )  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("reference")
    with IndexWriter(folder) as writer:
        writer.add(documents())
    return Index(open_merged([IndexedCrawl(name="energy", place=folder)]))


def examples() -> list[tuple[str, set[str]]]:
    found = []
    for query, _, pages in rows("The query language"):
        assert query.startswith("`"), query
        found.append((query.strip("`"), set(pages.split(", "))))
    return found


@pytest.mark.parametrize(("query", "pages"), examples(), ids=[query for query, _ in examples()])
def test_example(index: Index, query: str, pages: set[str]) -> None:
    names = [row[0] for row in rows("The pages of the examples")]
    results = index.search(parse(query), limit=100)
    assert {names[hit.id] for hit in results.hits} == pages
    assert results.total == len(pages)


def test_there_are_examples_of_everything() -> None:
    queries = " ".join(query for query, _ in examples())
    table = REFERENCE.read_text(encoding="utf-8").partition("| operator |")[2].partition("\n\n")[0]
    operators = re.findall(r"`([^`]+:)`", table)
    assert len(operators) == 16
    assert [
        name for name in operators if name not in queries.replace("：", ":") and name not in ("语言:", "网站:")
    ] == []


def test_the_figures_of_the_text_are_those_of_the_program() -> None:
    text = " ".join(REFERENCE.read_text(encoding="utf-8").split())
    boosts = query_builder.BOOSTS
    for sentence in (
        f"title ({boosts['title']:g} times the text), headings ({boosts['headings']:g}), text ({boosts['body']:g}), "
        f"and the anchors of links that lead to the page ({boosts['anchors']:g})",
        f"cut after {MOST_CHARACTERS:,} characters, and has at most {MOST_WORDS} words and {MOST_LIMITS} limits",
        f"the first {query_rewrite._MOST_SPELLED} are looked at for mistakes",
        f"the best {ranking.RESCORED:,} are weighed by their age",
    ):
        assert sentence in text
