"""The judge of links and their surroundings, with numbers worked by hand: weights 3 and 4 have length 5."""

from __future__ import annotations

import pytest

from shoal.judge.context import context_judge
from shoal.judge.cosine import CosineJudge
from shoal.model import Link, Page, Response, Term, Timing, Topic
from shoal.parse.parser import HtmlParser
from shoal.text import flat, terms

TOPIC = Topic(name="grid", terms=(Term(text="grid", weight=3.0), Term(text="电站", weight=4.0)))


def test_links_are_judged_by_their_text_and_what_stands_around_it() -> None:
    links = [
        # (1, 2) with (3, 4): 11 / (5 x sqrt 5)
        Link(url="http://x.example/", anchor="the grid", before="电站", after="電站"),
        # (1, 1) with (3, 4): 7 / (5 x sqrt 2)
        Link(url="http://x.example/", anchor="here", before="the grid and 电站"),
        Link(url="http://x.example/grid/%E7%94%B5%E7%AB%99", anchor="here"),
    ]
    assert context_judge(TOPIC).judge_links(links) == pytest.approx((11 / (5 * 5**0.5), 7 / (5 * 2**0.5), 0.0))


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_fifty_characters_either_side_and_no_more(encoding: str) -> None:
    near, far = "山" * 40, "山" * 60
    html = (
        f'<meta charset="{encoding}"><p>电站{near}<a href="/1">here</a>{far}电站{far}<a href="/2">here</a>{far}电站</p>'
    )
    response = Response(
        url="http://x.example/",
        status=200,
        headers=(("content-type", "text/html"),),
        body=html.encode(encoding),
        timing=Timing(started=0.0, answered=0.0, ended=0.0),
    )
    page = HtmlParser().parse(response)
    assert page is not None
    # (0, 1) with (3, 4): 4/5; the second link has a 电站 60 characters away on both sides
    assert context_judge(TOPIC).judge_links(page.links) == pytest.approx((4 / 5, 0.0))


def test_pages_are_judged_as_cosine_does() -> None:
    page = Page(url="http://x.example/", flat=flat(terms("grid 电站 电站")))
    assert context_judge(TOPIC).judge(page) == CosineJudge(TOPIC).judge(page)
    # (1, 2) with (3, 4): 11 / (5 x sqrt 5)
    assert context_judge(TOPIC).judge(page).score == pytest.approx(11 / (5 * 5**0.5))
