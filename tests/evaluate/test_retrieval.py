"""The first hits of a search are rated by the labels; our own index puts pages about a topic first."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest

from shoal.evaluate.offline_web import MeasuredWeb, Subject
from shoal.evaluate.retrieval import DEPTH, measure, pages_of, rate, shoal_engine, words_of
from tests.evaluate.small import SmallWeb, linked, settings, url_of

WEB = linked(home="r1 r2 d1", r1="r2", r2="home", d1="home", d2="")
SUBJECT = Subject(name="grid", settings=settings(), labelled=frozenset(map(url_of, ("r1", "r2"))))


@pytest.mark.parametrize(
    ("hits", "ndcg"),
    [
        (["r1", "r2", "d1"], 1.0),
        (["d1", "d2"], 0.0),
        ([], 0.0),
        (["d1", "r1"], (1 / log2(3)) / (1 + 1 / log2(3))),
        (["d1"] * DEPTH + ["r1"], 0.0),
    ],
)
def test_what_comes_first_counts_most(hits: list[str], ndcg: float) -> None:
    known = [page.url for page in pages_of(WEB)]
    [quality] = rate(lambda subject: [url_of(name) for name in hits], [SUBJECT], known)
    assert quality.ndcg == pytest.approx(ndcg)
    assert quality.precision == sum(name.startswith("r") for name in hits[:DEPTH]) / DEPTH


def test_the_words_of_the_topic_are_the_query() -> None:
    assert words_of(SUBJECT) == "grid 电网"


def test_only_pages_that_may_be_kept_are_found() -> None:
    web = SmallWeb()
    web.simple.page(url_of("home"), "the grid").redirect(url_of("old"), "/")
    web.simple.page(url_of("r1"), "the grid", head='<meta name="robots" content="noindex">')
    assert [page.url for page in pages_of(web)] == [url_of("home")]


@pytest.mark.parametrize("judged", [True, False])
def test_our_index_finds_the_pages_about_the_topic(tmp_path: Path, judged: bool) -> None:
    found = shoal_engine(list(pages_of(WEB)), tmp_path, judged=judged)(SUBJECT)
    assert set(found) == SUBJECT.labelled


def test_a_whole_web_is_measured_topic_by_topic() -> None:
    other = Subject(name="other", settings=settings(), labelled=frozenset())
    measured = MeasuredWeb(web=WEB, subjects=(SUBJECT, other))
    [quality] = measure(measured, ["grid"])
    assert (quality.topic, quality.ndcg, quality.precision) == ("grid", 1.0, 2 / DEPTH)
