"""The judge by relative frequencies, with numbers worked by hand: weights 3 and 4 have length 5."""

from __future__ import annotations

import pytest

from shoal.judge.relative import relative_judge
from shoal.model import Link, Page, Term, Topic
from shoal.text import flat, terms


def topic(*, factor: float = 1.0, threshold: float | None = None, **negative: float) -> Topic:
    return Topic(
        name="grid",
        terms=(Term(text="grid", weight=3.0, factor=factor), Term(text="电站", weight=4.0)),
        negative=tuple(Term(text=word, weight=weight) for word, weight in negative.items()),
        threshold=threshold,
    )


def page(text: str) -> Page:
    return Page(url="http://x.example/", flat=flat(terms(text)))


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("", 0.0),
        ("nothing of it", 0.0),
        # x = (1, 1): the page is (3, 4), as the topic is
        ("grid 电站", 1.0),
        ("grid " * 7 + "and " * 500 + "電站，" * 7, 1.0),
        # x = (1, 0): (3, 0) with (3, 4): 9 / (3 x 5)
        ("Grids.", 3 / 5),
        # x = (0, 1): (0, 4) with (3, 4): 16 / (4 x 5)
        ("电站" * 9, 4 / 5),
        # x = (1, 9/16): (3, 9/4) is 3/4 of (4, 3), with (3, 4): (12 + 12) / (5 x 5)
        ("grid " * 16 + "电站" * 9, 24 / 25),
        # x = (1, 1/2): (3, 2) with (3, 4): (9 + 8) / (sqrt 13 x 5)
        ("grid " * 4 + "电站" * 2, 17 / (13**0.5 * 5)),
        # x = (1/2, 1): (1.5, 4) with (3, 4): (4.5 + 16) / (sqrt 18.25 x 5)
        ("grid " * 3 + "电站" * 6, 20.5 / (18.25**0.5 * 5)),
    ],
)
def test_score(text: str, score: float) -> None:
    assert relative_judge(topic()).judge(page(text)).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        # (3, 4, 0) with (3, 4, -12): 25 / (5 x 13)
        ("grid 电站", 25 / 65),
        # x = (1, 1, 1/12): (3, 4, 1) with (3, 4, -12): (25 - 12) / (sqrt 26 x 13)
        ("grid " * 12 + "电站" * 12 + "fan", 1 / 26**0.5),
        # x = (1, 1, 1): 25 - 144 is less than nothing
        ("grid 电站 fan", 0.0),
    ],
)
def test_words_that_speak_against_a_page(text: str, score: float) -> None:
    assert relative_judge(topic(fan=12.0)).judge(page(text)).score == pytest.approx(score)


def test_the_reasons_add_up_to_the_score() -> None:
    verdict = relative_judge(topic(fan=12.0)).judge(page("grid " * 12 + "电站" * 12 + "fan"))
    length = 13 * 26**0.5
    assert [one.what for one in verdict.why] == ["“电站” 12 times", "“fan” once", "“grid” 12 times"]
    assert [one.amount for one in verdict.why] == pytest.approx([16 / length, -12 / length, 9 / length])


def test_the_factors_of_a_learned_topic_do_not_count() -> None:
    given = page("grid " * 4 + "电站" * 2)
    assert relative_judge(topic(factor=7.0)).judge(given) == relative_judge(topic()).judge(given)


def test_links_are_compared_by_the_same_formula() -> None:
    # x = (1/2, 1), as above; the anchor is its own context
    link = Link(url="http://x.example/", anchor="grid 电站 电站")
    assert relative_judge(topic()).judge_links([link]) == pytest.approx([20.5 / (18.25**0.5 * 5)])


@pytest.mark.parametrize(("given", "threshold"), [(None, 0.0002), (0.4, 0.4), (0.0, 0.0)])
def test_the_users_threshold_wins(given: float | None, threshold: float) -> None:
    assert relative_judge(topic(threshold=given)).judge(page("")).threshold == threshold


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e307])
def test_only_the_proportions_of_the_weights_matter(scale: float) -> None:
    words = (Term(text="one", weight=scale), Term(text="two", weight=scale))
    assert relative_judge(Topic(name="x", terms=words)).judge(page("one")).score == pytest.approx(0.5**0.5)
