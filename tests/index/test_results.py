"""What does a search answer, and what made the score of a page? The parts make the score, and facets count what was found."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.index.query import parse, today
from shoal.index.results import FacetCount, Facets
from shoal.index.schema import Freshness
from tests.index.pages import FILLER, NOW, index_of, page


def test_facets(tmp_path: Path) -> None:
    pages = [
        page(1, "grid", url="https://www.example.org/a", topic="电网", language="zh", published="2024-05-02"),
        page(2, "grid", url="https://example.org/b", topic="电网", language="en", published="2024-05"),
        page(3, "grid", url="https://example.com/c", topic="Power", language="en"),
        page(4, "fan", url="https://example.net/d"),
    ]
    index = index_of(tmp_path, pages)
    assert index.search(parse("grid")).facets == Facets(
        site=(FacetCount(value="example.org", pages=2), FacetCount(value="example.com", pages=1)),
        topic=(FacetCount(value="电网", pages=2), FacetCount(value="Power", pages=1)),
        language=(FacetCount(value="en", pages=2), FacetCount(value="zh", pages=1)),
        month=(FacetCount(value="2024-05", pages=2), FacetCount(value="2024-10", pages=1)),
    )
    assert index.search(parse("grid"), facets=False).facets == Facets()


def test_at_most_ten_of_a_facet(tmp_path: Path) -> None:
    pages = [page(id, "grid", url=f"https://h{id % 12:02}.example.org/{id}") for id in range(150)]
    sites = index_of(tmp_path, pages).search(parse("grid")).facets.site
    assert [(count.value, count.pages) for count in sites][:7] == [(f"h{n:02}.example.org", 13) for n in range(6)] + [
        ("h06.example.org", 12)
    ]
    assert len(sites) == 10


@pytest.mark.parametrize(
    "query",
    ["smart grid", '"smart grid" the', "title:grid power", "智能电网", "gird", "site:example.org", "grid nowhere"],
)
@pytest.mark.parametrize("fresh", [None, Freshness(today=today(NOW))])
def test_the_parts_make_the_score(tmp_path: Path, query: str, fresh: Freshness | None) -> None:
    pages = [
        page(
            1, "The smart grid and its power. 智能电网", title="Smart grid", score=0.7, relevant=True, published="2023"
        ),
        page(2, "power grid", anchors=("grid", "the power grid"), headings="Power", importance=0.5),
        page(3, "smart"),
    ]
    index = index_of(tmp_path, [*pages, *FILLER])
    for hit in index.search(parse(query), fresh=fresh).hits:
        explanation = index.explain(parse(query), hit.id, fresh=fresh)
        assert explanation is not None
        assert explanation.score == pytest.approx(hit.score, rel=1e-4)


def test_what_an_explanation_says(tmp_path: Path) -> None:
    index = index_of(tmp_path, [page(1, "A smart grid.", title="Grid", relevant=True), *FILLER])
    explanation = index.explain(parse("smart grid"), 1)
    assert explanation is not None
    assert {(part.words, part.field) for part in explanation.parts} == {
        ("smart", "body"), ("grid", "title"), ("grid", "body"), ("smart grid", "together"),
    }  # fmt: skip
    assert (explanation.topic, explanation.links, explanation.freshness) == (1.25, 1.0, 1.0)
    assert index.explain(parse("smart grid"), 1000) is None
    assert index.explain(parse("smart grid"), 77) is None
