"""The judge by the share of keywords that occur, with numbers worked by hand."""

from __future__ import annotations

import pytest

from shoal.judge.boolean import BooleanJudge
from shoal.model import Evidence, Link, Page, Term, Topic
from shoal.text import flat, terms


def topic(*words: str, negative: tuple[str, ...] = (), threshold: float | None = None) -> Topic:
    return Topic(
        name="boolean",
        terms=tuple(Term(text=word, weight=1.0 + place, factor=2.0 + place) for place, word in enumerate(words)),
        negative=tuple(Term(text=word, weight=9.0) for word in negative),
        threshold=threshold,
    )


def page(text: str) -> Page:
    return Page(url="http://x.example/", flat=flat(terms(text)))


def numbered(count: int) -> tuple[str, ...]:
    return tuple(f"word{number}" for number in range(10, 10 + count))


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("", 0.0),
        ("nothing of it", 0.0),
        # neither weights nor how often a word stands there count
        ("the grid", 1 / 4),
        ("grids " * 50, 1 / 4),
        ("變電站", 1 / 4),
        ("A power station of the grid", 2 / 4),
        ("power and station", 0.0),
        ("grid, power station, 变电站 and a 开关", 4 / 4),
    ],
)
def test_score(text: str, score: float) -> None:
    assert BooleanJudge(topic("grid", "power station", "变电站", "开关")).judge(page(text)).score == score


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("grid and station of a fan", (2 - 1) / 2),
        ("grid " * 10 + "fan", 0.0),
        ("grid, station, fans and 风扇", 0.0),
        ("fan", 0.0),
    ],
)
def test_an_unwanted_word_takes_back_a_keyword(text: str, score: float) -> None:
    assert BooleanJudge(topic("grid", "station", negative=("fan", "風扇"))).judge(page(text)).score == score


@pytest.mark.parametrize(
    ("keywords", "needed", "threshold"),
    [
        (1, 1, 0.5),
        (2, 1, 0.5),
        # one of three is 0.33, two are 0.67
        (3, 2, 0.5),
        (4, 2, 0.5),
        # two of five are 0.4: half of the keywords, three, is not asked for
        (5, 2, 2 / 5),
        (49, 2, 2 / 49),
    ],
)
def test_half_of_the_keywords_are_enough_and_never_more_than_two(keywords: int, needed: int, threshold: float) -> None:
    words = numbered(keywords)
    judge = BooleanJudge(topic(*words))
    enough, too_few = (judge.judge(page(" ".join(words[:count]))) for count in (needed, needed - 1))
    assert enough.threshold == threshold
    assert enough.relevant
    assert not too_few.relevant


@pytest.mark.parametrize(("given", "threshold"), [(0.9, 0.9), (0.0, 0.0)])
def test_the_users_threshold_wins(given: float, threshold: float) -> None:
    assert BooleanJudge(topic("grid", threshold=given)).judge(page("grid")).threshold == threshold


def test_the_reasons_name_the_words() -> None:
    judge = BooleanJudge(topic("grid", "电站", "tower", "line", negative=("fan",)))
    assert judge.judge(page("line grid 电站 grid fan")).why == (
        Evidence(what="“grid” occurs", amount=0.25),
        Evidence(what="“电站” occurs", amount=0.25),
        Evidence(what="“line” occurs", amount=0.25),
        Evidence(what="“fan” occurs", amount=-0.25),
    )


def test_what_a_menu_says_does_not_count() -> None:
    menu = (Link(url="http://x.example/grid", anchor="grid"),)
    silent = Page(url="http://x.example/grid", keywords="grid", description="grid", links=menu, flat=" home ")
    assert BooleanJudge(topic("grid")).judge(silent).score == 0.0
