"""The cosine judge, with numbers worked by hand: 3, 4, 5 make a right triangle."""

from __future__ import annotations

import pytest

from shoal.judge.cosine import CosineJudge
from shoal.model import Link, Page, Term, Topic
from shoal.text import flat, terms
from shoal.topic.term_weights import learn
from shoal.topic.word_frequencies import Background


def topic(*, threshold: float | None = None, **negative: float) -> Topic:
    return Topic(
        name="grid",
        terms=(Term(text="smart grid", weight=3.0), Term(text="station", weight=4.0)),
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
        # the topic's own proportions: (3, 4) with (3, 4)
        ("smart grid " * 3 + "station " * 4, 1.0),
        ("smart grid " * 6 + "and " * 500 + "station " * 8, 1.0),
        # (4, 3) with (3, 4): (12 + 12) / (5 x 5)
        ("smart grid " * 4 + "station " * 3, 24 / 25),
        # (1, 0) with (3, 4): 3 / (1 x 5)
        ("Smart Grids.", 3 / 5),
        # (0, 7) with (3, 4): 28 / (7 x 5)
        ("station, " * 7, 4 / 5),
        ("smart and grid", 0.0),
    ],
)
def test_score(text: str, score: float) -> None:
    assert CosineJudge(topic()).judge(page(text)).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        # weights (3, 4, -12), length 13; counts (3, 4, 0), length 5: 25 / 65
        ("smart grid " * 3 + "station " * 4, 25 / 65),
        # counts (3, 4, 1), length sqrt 26: (25 - 12) / (13 x sqrt 26)
        ("smart grid " * 3 + "station " * 4 + "fan", 13 / (13 * 26**0.5)),
        # more against it than for it is no worse than nothing
        ("smart grid fan fan", 0.0),
    ],
)
def test_words_that_speak_against_a_page(text: str, score: float) -> None:
    assert CosineJudge(topic(fan=12.0)).judge(page(text)).score == pytest.approx(score)


def test_the_reasons_add_up_to_the_score_and_the_strongest_is_first() -> None:
    verdict = CosineJudge(topic(fan=12.0)).judge(page("smart grid " * 3 + "station " * 4 + "fan"))
    length = 13 * 26**0.5
    assert [one.what for one in verdict.why] == ["“station” 4 times", "“fan” once", "“smart grid” 3 times"]
    assert [one.amount for one in verdict.why] == pytest.approx([16 / length, -12 / length, 9 / length])
    assert sum(one.amount for one in verdict.why) == pytest.approx(verdict.score)


def test_nobody_reads_a_hundred_reasons() -> None:
    words = [f"word{number}" for number in range(10, 110)]
    judge = CosineJudge(Topic(name="many", terms=tuple(Term(text=word) for word in words)))
    verdict = judge.judge(page(" ".join(words)))
    assert verdict.score == pytest.approx(1.0)
    assert verdict.score <= 1.0
    assert len(verdict.why) == 10


@pytest.mark.parametrize(("given", "threshold"), [(None, 0.15), (0.4, 0.4), (0.0, 0.0)])
def test_the_users_threshold_wins(given: float | None, threshold: float) -> None:
    assert CosineJudge(topic(threshold=given)).judge(page("")).threshold == threshold


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e307])
def test_only_the_proportions_of_the_weights_matter(scale: float) -> None:
    judge = CosineJudge(Topic(name="x", terms=(Term(text="one", weight=scale), Term(text="two", weight=scale))))
    assert judge.judge(page("one")).score == pytest.approx(0.5**0.5)


def test_a_phrase_and_the_word_in_it_both_count() -> None:
    judge = CosineJudge(Topic(name="x", terms=(Term(text="文件系统"), Term(text="文件"))))
    verdict = judge.judge(page("文件系统"))
    assert [one.what for one in verdict.why] == ["“文件系统” once", "“文件” once"]
    assert [one.amount for one in verdict.why] == pytest.approx([0.5, 0.5])


# --- topics learned from sample pages: each word has a factor, log(N/n + 0.1) x C ---------------------------------------


def learned(*factors: float, negative: tuple[Term, ...] = ()) -> Topic:
    words = zip(("smart grid", "电站"), (3.0, 4.0), factors, strict=True)
    return Topic(
        name="grid",
        terms=tuple(Term(text=text, weight=weight, factor=factor) for text, weight, factor in words),
        negative=negative,
    )


@pytest.mark.parametrize(
    ("text", "score"),
    [
        # factors (2, 0.5): counts (3, 16) are (6, 8), the proportions of the weights (3, 4)
        ("smart grid " * 3 + "电站" * 16, 1.0),
        # counts (2, 6) are (4, 3), with (3, 4): (12 + 12) / (5 x 5)
        ("smart grid " * 2 + "電站，" * 6, 24 / 25),
        # counts (3, 4) are (6, 2), with (3, 4): (18 + 8) / (sqrt 40 x 5); without factors it would be 1
        ("smart grid " * 3 + "电站" * 4, 26 / (40**0.5 * 5)),
        # of one word alone the factor cancels: 6 / (2 x 5), 2 / (0.5 x 5)
        ("smart grid", 3 / 5),
        ("电站", 4 / 5),
        ("nothing of it", 0.0),
    ],
)
def test_what_an_occurrence_counts_is_its_factor(text: str, score: float) -> None:
    verdict = CosineJudge(learned(2.0, 0.5)).judge(page(text))
    assert verdict.score == pytest.approx(score)
    assert sum(one.amount for one in verdict.why) == pytest.approx(score)


def test_words_that_speak_against_a_page_have_a_factor_too() -> None:
    judge = CosineJudge(learned(2.0, 0.5, negative=(Term(text="fan", weight=12.0, factor=3.0),)))
    # counts (3, 16, 1) are (6, 8, 3), length sqrt 109; weights (3, 4, -12), length 13: (18 + 32 - 36) / (13 x sqrt 109)
    verdict = judge.judge(page("smart grid " * 3 + "电站" * 16 + "fan"))
    assert verdict.score == pytest.approx(14 / (13 * 109**0.5))


@pytest.mark.parametrize("scale", [1e-300, 0.3, 7.0, 1e300])
def test_only_the_proportions_of_the_factors_matter(scale: float) -> None:
    def score(scale: float) -> float:
        against = (Term(text="fan", weight=2.0, factor=0.25 * scale), Term(text="风扇", factor=3.0 * scale))
        topic = learned(2.0 * scale, 0.5 * scale, negative=against)
        return CosineJudge(topic).judge(page("smart grid " * 3 + "电站" * 16 + "fan 風扇")).score

    assert 0.0 < score(1.0) < 1.0
    assert score(scale) == pytest.approx(score(1.0))


@pytest.mark.parametrize(("wanted", "unwanted"), [("grid", "fan"), ("电网", "風扇")])
def test_a_topic_that_learned_keeps_an_unwanted_word_as_strong_as_typed(wanted: str, unwanted: str) -> None:
    typed = Topic(name="t", terms=(Term(text=wanted),), negative=(Term(text=unwanted, weight=0.5),))
    # No new words: then the topic has one factor, whatever it is, and it cancels.
    lesson = learn(typed, [{wanted: 3, "wire": 1}, {"wire": 2}], Background(), most=0)
    assert lesson.topic.terms[0].factor > 2
    given = page(f"{wanted} {wanted} {unwanted}")
    # counts (2, 1), length sqrt 5; weights (1, -0.5), length sqrt 1.25: (2 - 0.5) / sqrt 6.25
    assert CosineJudge(typed).judge(given).score == pytest.approx(0.6)
    assert CosineJudge(lesson.topic).judge(given).score == pytest.approx(0.6)


def test_links_are_compared_by_the_same_cosine() -> None:
    link = Link(url="http://x.example/", anchor="a smart grid and its 电站")
    # counts (1, 1) are (2, 0.5), length sqrt 4.25, with (3, 4): (6 + 2) / (sqrt 4.25 x 5); the anchor is its own context
    assert CosineJudge(learned(2.0, 0.5)).judge_links([link]) == pytest.approx([8 / (4.25**0.5 * 5)])


@pytest.mark.parametrize("factor", [1e-300, 0.3, 1.0, 7.0, 1e300])
def test_equal_factors_change_nothing(factor: float) -> None:
    given = page("smart grid " * 5 + "电站" * 3)
    assert CosineJudge(learned(factor, factor)).judge(given) == CosineJudge(learned(1.0, 1.0)).judge(given)
