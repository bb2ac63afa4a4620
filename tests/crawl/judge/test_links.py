"""What a link promises, with numbers worked by hand: weights 3 and 4 have length 5."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.crawl.judge.links import LinkScorer, words_of
from shoal.crawl.judge.vector import TopicVector
from shoal.model import Link, Term, Topic
from shoal.text import flat, flattened, terms

TOPIC = Topic(name="grid", terms=(Term(text="grid", weight=3.0), Term(text="电站", weight=4.0)))


def score(**link: str) -> float:
    asked = Link(**{"url": "http://grid.example/", **link})  # type: ignore[arg-type]
    silent = Link(url="http://grid.example/", anchor="home")
    before, given, after = LinkScorer(TopicVector(TOPIC)).scores([silent, asked, silent])
    assert before == after == 0.0
    return given


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ({}, 0.0),
        ({"anchor": "home", "before": "back to", "after": "or leave"}, 0.0),
        # the anchor alone: it is its own context
        ({"anchor": "the grid"}, 0.7 * 0.6 + 0.3 * 0.6),
        ({"anchor": "电站"}, 0.7 * 0.8 + 0.3 * 0.8),
        # anchor (1, 0) gives 3/5; context (1, 1) gives 7 / (5 x sqrt 2)
        ({"anchor": "the grid", "after": "and its 电站"}, 0.7 * 0.6 + 0.3 * 7 / (5 * 2**0.5)),
        # only the surroundings
        ({"anchor": "more", "before": "of the grid"}, 0.3 * 0.6),
        # only the URL; the host says nothing about one page of it
        ({"anchor": "more", "url": "http://x.example/the_grid.html"}, 0.5 * 0.6),
        ({"anchor": "more", "url": "http://x.example/%E7%94%B5%E7%AB%99/"}, 0.5 * 0.8),
        ({"anchor": "more", "url": "http://x.example/the_grid.html", "after": "grid"}, 0.5 * 0.6 + 0.3 * 0.6),
        # an anchor that names the topic needs no URL
        ({"anchor": "grid", "url": "http://x.example/grid"}, 0.6),
    ],
)
def test_score(link: dict[str, str], expected: float) -> None:
    assert score(**link) == pytest.approx(expected)


def test_unwanted_words_count_against_a_link() -> None:
    topic = Topic(name="grid", terms=(Term(text="grid"),), negative=(Term(text="fan"),))
    scorer = LinkScorer(TopicVector(topic))
    good, bad = scorer.scores([Link(url="http://x.example/", anchor=anchor) for anchor in ("grid", "fan grid")])
    assert good > bad == 0


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://grid.example/", ""),
        ("http://x.example/energy/smart_grid.html?q=1", "energy/smart grid.html?q=1"),
        ("http://x.example/%E7%94%B5%E7%BD%91", "电网"),
        ("http://x.example/%B5%E7%CD%F8.html", "电网.html"),
        ("http://x.example/100%", "100%"),
    ],
)
def test_words_of_a_url(url: str, words: str) -> None:
    assert words_of(url) == words


@given(st.text(alphabet="ab sS'’1电網网ＡÉé，。か\u3099カﾞ-_\u200b", max_size=60))
def test_links_are_read_as_pages_are(text: str) -> None:
    assert flattened(text) == flat(terms(text))
