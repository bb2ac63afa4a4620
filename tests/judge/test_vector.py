"""The title in its flat form is the one that the parser made, where it made one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.judge import judges
from shoal.judge.vector import ANCHOR, CONTEXT, MIXED, LinkRule, LinkScorer, TopicVector, flat_title, words_of
from shoal.model import Link, Response, Term, Timing, Topic
from shoal.parse.parser import HtmlParser
from shoal.text import flat, flattened, terms

BODIES = {
    "html": "<title>智能電網 &amp; the Grids</title><p>変電所 and lines",
    "without a title": "<p>words, and nothing else",
    "plain": "Smart Grids\nsubstations and lines",
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_title_is_flattened_as_by_itself(kind: str) -> None:
    headers = (("content-type", "text/plain" if kind == "plain" else "text/html"),)
    never = Timing(started=0.0, answered=0.0, ended=0.0)
    body = BODIES[kind].encode()
    page = HtmlParser().parse(Response(url="http://a.test/", status=200, headers=headers, body=body, timing=never))
    assert page is not None
    assert flat_title(page) == flattened(page.title)


# --- what a link promises, with numbers worked by hand ---------------------------------------------------------------

TOPIC = Topic(name="grid", terms=(Term(text="grid", weight=3.0), Term(text="电站", weight=4.0)))


def score(rule: LinkRule, link: dict[str, str]) -> float:
    asked = Link(**{"url": "http://grid.example/", **link})  # type: ignore[arg-type]
    silent = Link(url="http://grid.example/", anchor="home")
    before, given, after = LinkScorer(TopicVector(TOPIC), rule).scores([silent, asked, silent])
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
def test_mixed(link: dict[str, str], expected: float) -> None:
    assert score(MIXED, link) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["boolean", "cosine", "relative", "zones"])
def test_judges_whose_papers_say_nothing_of_links_mix(name: str) -> None:
    # one word of weight 1: every cosine is 0 or 1, whatever the judge's vector
    judge = judges()[name].make(Topic(name="grid", terms=(Term(text="grid"),)))
    links = [
        Link(url="http://x.example/", anchor="grid"),
        Link(url="http://x.example/", anchor="more", before="grid"),
        Link(url="http://x.example/grid", anchor="more"),
        Link(url="http://x.example/grid", anchor="more", after="grid"),
    ]
    assert judge.judge_links(links) == pytest.approx((0.7 + 0.3, 0.3, 0.5, 0.5 + 0.3))


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ({"anchor": "home"}, 0.0),
        ({"anchor": "the grid"}, 3 / 5),
        ({"anchor": "变電站"}, 4 / 5),
        # (2, 1) with (3, 4): 10 / (5 x sqrt 5)
        ({"anchor": "grid, grids, 电站"}, 10 / (5 * 5**0.5)),
        # what stands around the link, and its URL, change nothing
        ({"anchor": "the grid", "before": "电站 电站", "after": "电站", "url": "http://x.example/grid"}, 3 / 5),
        ({"anchor": "more", "before": "grid", "after": "电站", "url": "http://x.example/grid"}, 0.0),
        # a word is not put together from anchor and surroundings
        ({"anchor": "站", "before": "电"}, 0.0),
    ],
)
def test_anchor(link: dict[str, str], expected: float) -> None:
    assert score(ANCHOR, link) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ({"anchor": "home", "before": "back to", "after": "or leave"}, 0.0),
        ({"anchor": "the grid"}, 3 / 5),
        # where in it a word stands makes no difference
        ({"anchor": "more", "before": "the grid"}, 3 / 5),
        ({"anchor": "more", "after": "of the 電站"}, 4 / 5),
        # (1, 1) with (3, 4): 7 / (5 x sqrt 2)
        ({"anchor": "grid", "after": "and 电站"}, 7 / (5 * 2**0.5)),
        # (1, 2) with (3, 4): 11 / (5 x sqrt 5)
        ({"anchor": "grid", "before": "电站", "after": "电站"}, 11 / (5 * 5**0.5)),
        # the URL changes nothing
        ({"anchor": "more", "url": "http://x.example/grid"}, 0.0),
        ({"anchor": "more", "after": "grid", "url": "http://x.example/grid/%E7%94%B5%E7%AB%99"}, 3 / 5),
    ],
)
def test_context(link: dict[str, str], expected: float) -> None:
    assert score(CONTEXT, link) == pytest.approx(expected)


@pytest.mark.parametrize("rule", [MIXED, ANCHOR, CONTEXT], ids=["mixed", "anchor", "context"])
def test_unwanted_words_count_against_a_link(rule: LinkRule) -> None:
    topic = Topic(name="grid", terms=(Term(text="grid"),), negative=(Term(text="fan"),))
    scorer = LinkScorer(TopicVector(topic), rule)
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
