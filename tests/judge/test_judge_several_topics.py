"""Several topics at once, with numbers worked by hand: weights 3 and 4 have length 5, so one of the words gives 3/5 or 4/5."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shoal.judge import judges, make_judge
from shoal.model import Link, Page, Term, Topic
from shoal.text import flat, terms

GRID = Topic(name="grid", terms=(Term(text="grid", weight=3.0), Term(text="电站", weight=4.0)), threshold=0.5)
TEA = Topic(name="茶", terms=(Term(text="茶"), Term(text="teapot")), threshold=0.25)


def both(*topics: Topic, threshold: float | None = None) -> Topic:
    words = tuple(term for topic in topics for term in topic.terms)
    return Topic(name="both", terms=words, any=topics, threshold=threshold)


def page(text: str) -> Page:
    return Page(url="http://x.example/", flat=flat(terms(text)))


@pytest.mark.parametrize(
    ("text", "topic", "score"),
    [
        ("电站", "grid", 4 / 5),
        ("一壶茶", "茶", 1 / 2**0.5),
        # 3/5 is 1.2 times its threshold, 1 / sqrt 2 is 2.8 times its own
        ("grid 茶", "茶", 1 / 2**0.5),
        # a page that says nothing is about none of them
        ("nothing of it", "", 0.0),
    ],
)
def test_the_topic_furthest_above_its_threshold_decides(text: str, topic: str, score: float) -> None:
    verdict = make_judge("cosine", both(GRID, TEA)).judge(page(text))
    assert verdict.topic == topic
    assert verdict.score == pytest.approx(score)


def test_one_match_is_enough_though_another_scores_higher() -> None:
    # grid: 4/5 of 0.9, too little; tea: 1 / sqrt 2 of 0.25
    topic = both(replace(GRID, threshold=0.9), TEA)
    verdict = make_judge("cosine", topic).judge(page("电站 茶"))
    assert (verdict.topic, verdict.relevant, verdict.threshold) == ("茶", True, 0.25)


def test_of_topics_that_all_miss_the_nearest_is_told() -> None:
    # grid: 4/5 of 0.9 is 0.89; tea: 1 / sqrt 2 of 0.75 is 0.94
    topic = both(replace(GRID, threshold=0.9), replace(TEA, threshold=0.75))
    verdict = make_judge("cosine", topic).judge(page("电站 茶"))
    assert (verdict.topic, verdict.relevant) == ("茶", False)


def test_the_reasons_are_those_of_the_topic_alone() -> None:
    given = page("grid 茶 teapot")
    verdict = make_judge("cosine", both(GRID, TEA)).judge(given)
    assert verdict == replace(judges()["cosine"].make(TEA).judge(given), topic="茶")
    assert [one.what for one in verdict.why] == ["“茶” once", "“teapot” once"]


@pytest.mark.parametrize(
    ("own", "whole", "expected"), [(0.3, 0.6, 0.3), (None, 0.6, 0.6), (None, None, 0.15), (0.0, 0.6, 0.0)]
)
def test_whose_threshold(own: float | None, whole: float | None, expected: float) -> None:
    topic = both(replace(GRID, threshold=own), threshold=whole)
    assert make_judge("cosine", topic).judge(page("grid")).threshold == expected


@pytest.mark.parametrize(
    ("text", "topic", "relevant"),
    [
        # what has no threshold takes all pages, but a real match is told before it
        ("nothing of it", "茶", True),
        ("grid", "grid", True),
        ("grid teapot", "茶", True),
    ],
)
def test_a_threshold_of_nothing(text: str, topic: str, relevant: bool) -> None:
    verdict = make_judge("cosine", both(GRID, replace(TEA, threshold=0.0))).judge(page(text))
    assert (verdict.topic, verdict.relevant) == (topic, relevant)


def test_words_against_one_topic_do_not_speak_against_another() -> None:
    topic = both(replace(GRID, negative=(Term(text="teapot", weight=9.0),)), TEA)
    verdict = make_judge("cosine", topic).judge(page("grid teapot"))
    assert verdict.topic == "茶"
    assert verdict.score == pytest.approx(1 / 2**0.5)


def test_a_link_promises_what_the_best_topic_says() -> None:
    anchors = ["grid", "茶", "grid 茶", "home"]
    links = [Link(url=f"http://x.example/{place}", anchor=anchor) for place, anchor in enumerate(anchors)]
    assert make_judge("anchor", both(GRID, TEA)).judge_links(links) == pytest.approx(
        (3 / 5, 1 / 2**0.5, 1 / 2**0.5, 0.0)
    )
    assert make_judge("anchor", both(GRID)).judge_links(links) == pytest.approx((3 / 5, 0.0, 3 / 5, 0.0))
    assert make_judge("anchor", both(GRID, TEA)).judge_links([]) == ()


def test_one_topic_is_judged_without_ado() -> None:
    given = page("grid 电站")
    assert make_judge("boolean", GRID).judge(given) == judges()["boolean"].make(GRID).judge(given)
    assert make_judge("boolean", GRID).judge(given).topic == ""
