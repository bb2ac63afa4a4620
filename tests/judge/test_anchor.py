"""The judge of anchor texts, with numbers worked by hand: weights 3 and 4 have length 5."""

from __future__ import annotations

import pytest

from shoal.judge.anchor import anchor_judge
from shoal.judge.cosine import CosineJudge
from shoal.model import Link, Page, Term, Topic
from shoal.text import flat, terms

TOPIC = Topic(name="grid", terms=(Term(text="grid", weight=3.0), Term(text="电站", weight=4.0)))


def test_links_are_judged_by_their_text_alone() -> None:
    links = [
        # (1, 0) with (3, 4): 3/5, whatever stands around it
        Link(url="http://x.example/", anchor="the grid", before="电站", after="电站"),
        # (1, 1) with (3, 4): 7 / (5 x sqrt 2)
        Link(url="http://x.example/", anchor="grid 電站"),
        Link(url="http://x.example/", anchor="here", before="the grid and 电站"),
        Link(url="http://x.example/grid/%E7%94%B5%E7%AB%99", anchor="here"),
    ]
    assert anchor_judge(TOPIC).judge_links(links) == pytest.approx((3 / 5, 7 / (5 * 2**0.5), 0.0, 0.0))


def test_pages_are_judged_as_cosine_does_with_the_threshold_of_the_paper() -> None:
    page = Page(url="http://x.example/", flat=flat(terms("grid 电站 电站")))
    verdict, cosine = anchor_judge(TOPIC).judge(page), CosineJudge(TOPIC).judge(page)
    assert (verdict.score, verdict.why) == (cosine.score, cosine.why)
    # (1, 2) with (3, 4): 11 / (5 x sqrt 5)
    assert verdict.score == pytest.approx(11 / (5 * 5**0.5))
    assert (verdict.threshold, cosine.threshold) == (0.2, 0.15)
