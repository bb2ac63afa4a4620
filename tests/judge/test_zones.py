"""The zones judge, with numbers worked by hand."""

from __future__ import annotations

import pytest

from shoal.judge.zones import ZonesJudge
from shoal.model import Evidence, Link, Page, Term, Topic


def topic(*words: str, negative: tuple[str, ...] = (), threshold: float | None = None) -> Topic:
    return Topic(
        name="zones",
        terms=tuple(Term(text=word) for word in words),
        negative=tuple(Term(text=word) for word in negative),
        threshold=threshold,
    )


def page(title: str = "", keywords: str = "", anchors: tuple[str, ...] = ()) -> Page:
    links = tuple(Link(url=f"http://x.example/{place}", anchor=anchor) for place, anchor in enumerate(anchors))
    return Page(url="http://x.example/", title=title, keywords=keywords, links=links, flat="grid grid grid")


@pytest.mark.parametrize(
    ("given", "score"),
    [
        (page(), 0.0),
        (page(title="The grid"), 1 / 2),
        (page(title="Grid, grid, grids"), 1 / 2),
        (page(keywords="energy,grid"), 0.8 / 2),
        (page(anchors=("home", "a grid", "the grid")), 0.3 / 2),
        (page(title="power station and grid"), 2 / 2),
        (page(title="grid", keywords="power stations", anchors=("Grid",)), (1 + 0.8 + 0.3) / 2),
        (page(title="grid power station", keywords="grid,power station", anchors=("grid", "power station")), 2.1),
        (page(anchors=("power", "station")), 0.0),
    ],
)
def test_score(given: Page, score: float) -> None:
    assert ZonesJudge(topic("grid", "power station")).judge(given).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("given", "score"),
    [
        (page(title="grid and station of a fan"), (2 - 1) / 2),
        (page(title="grid fan"), 0.0),
        (page(title="fan"), 0.0),
        (page(title="grid", keywords="fan", anchors=("fan",)), 1 / 2),
    ],
)
def test_an_unwanted_word_in_the_title_takes_back_a_keyword(given: Page, score: float) -> None:
    assert ZonesJudge(topic("grid", "station", negative=("fan",))).judge(given).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("words", "threshold"), [(("one",), 0.5), (("one", "two"), 0.5), (("one", "two", "three", "four", "five"), 0.2)]
)
def test_one_keyword_in_the_title_is_always_enough(words: tuple[str, ...], threshold: float) -> None:
    verdict = ZonesJudge(topic(*words)).judge(page(title="one"))
    assert verdict.threshold == threshold
    assert verdict.relevant


def test_links_alone_are_not_enough() -> None:
    assert not ZonesJudge(topic("one", "two", "three", "four", "five")).judge(page(anchors=("one", "two"))).relevant


def test_the_users_threshold_wins() -> None:
    assert ZonesJudge(topic("one", threshold=1.7)).judge(page(title="one")).threshold == 1.7


def test_the_reasons_name_word_and_zone() -> None:
    judge = ZonesJudge(topic("grid", "station", negative=("fan",)))
    assert judge.judge(page(title="grid fan", keywords="station", anchors=("grid",))).why == (
        Evidence(what="“grid” in the title", amount=0.5),
        Evidence(what="“fan” in the title", amount=-0.5),
        Evidence(what="“station” in meta keywords", amount=0.4),
        Evidence(what="“grid” in a link's text", amount=0.15),
    )
