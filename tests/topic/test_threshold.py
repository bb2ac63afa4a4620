"""The threshold that moves with what comes, against numbers worked out by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shoal.model import Term, Topic, Verdict
from shoal.topic.threshold import Threshold, begin

START = begin(0.2, wanted=20)


def verdicts(*scores: float, threshold: float = 0.2) -> list[Verdict]:
    return [Verdict(score=score, threshold=threshold) for score in scores]


@pytest.mark.parametrize(
    ("got", "relevant", "value", "sentence"),
    [
        # 1: 30 > 20 and 30 > 20 x 1; 9 of 30 is 0.3, not less: 0.2 x 1.05
        (30, 9, 0.21, "The threshold rose from 0.2 to 0.21: 30 pages came, 20 were wanted."),
        # 2 instead of 1: 8 < 0.3 x 30: 0.2 x 1.2
        (
            30,
            8,
            0.24,
            "The threshold rose from 0.2 to 0.24: 30 pages came, 20 were wanted, and only 8 of them are as good as "
            "those at the start.",
        ),
        # 3: 10 < 20 and 10 < 20 x 1: 0.2 x 0.95
        (10, 10, 0.19, "The threshold fell from 0.2 to 0.19: 10 pages came, 20 were wanted."),
        (0, 0, 0.19, "The threshold fell from 0.2 to 0.19: 0 pages came, 20 were wanted."),
        # just what was wanted
        (20, 0, 0.2, ""),
    ],
)
def test_the_three_rules(got: int, relevant: int, value: float, sentence: str) -> None:
    after = START.next(got=got, relevant=relevant)
    assert after.value == pytest.approx(value)
    assert after.why == sentence
    assert (after.intervals, after.got, after.start) == (1, got, 0.2)


def test_a_good_interval_after_a_bad_one_changes_nothing() -> None:
    # T = 2: 5 + 30 = 35 < 20 x 2, so not 1; 30 > 20, so not 3
    after = START.next(got=5, relevant=5).next(got=30, relevant=0)
    assert after.value == pytest.approx(0.19)
    assert after.why == ""
    # T = 3: 35 + 30 = 65 > 20 x 3: now 2 holds, 0.19 x 1.2
    assert after.next(got=30, relevant=0).value == pytest.approx(0.228)


def test_a_bad_interval_after_a_good_one_changes_nothing() -> None:
    # T = 2: 50 + 10 = 60 > 40 but 10 < 20: neither 1 nor 3
    assert START.next(got=50, relevant=50).next(got=10, relevant=10).value == pytest.approx(0.21)


def test_it_stays_within_a_fourth_and_four_times_of_the_start() -> None:
    low, high = START, START
    for _ in range(100):
        low, high = low.next(got=0, relevant=0), high.next(got=50, relevant=0)
    assert low.value == pytest.approx(0.05)
    assert high.value == pytest.approx(0.8)
    assert low.why == high.why == ""  # at the bound nothing moves


def test_a_threshold_of_0_cannot_move() -> None:
    assert begin(0.0, wanted=5).next(got=100, relevant=0).value == 0.0
    assert begin(0.0, wanted=5).after(verdicts(0.3, threshold=0.0)).value == 0.0


def test_verdicts_are_counted_by_the_threshold_now_and_at_the_start() -> None:
    # 2 are wanted; lowered to 0.1, three come (0.1, 0.15, 0.5): more than wanted, but F = 3 > 2 x 1 only;
    # of them one reaches 0.2: 1 >= 0.3 x 3, so rule 1: 0.1 x 1.05
    lowered = Threshold(start=0.2, wanted=2, value=0.1)
    assert lowered.after(verdicts(0.1, 0.15, 0.5, 0.05, threshold=0.1)).value == pytest.approx(0.105)
    # none reaches 0.2: rule 2: 0.1 x 1.2
    assert lowered.after(verdicts(0.1, 0.15, 0.19, 0.05, threshold=0.1)).value == pytest.approx(0.12)


def test_each_of_several_topics_is_counted_by_its_own_threshold() -> None:
    lowered = Threshold(start=0.2, wanted=2, value=0.1)
    # judged with 0.3 (it was 0.6 at the start): 0.4 came but would not have then; none of three is relevant: rule 2
    assert lowered.after(verdicts(0.4, 0.5, 0.59, 0.2, threshold=0.3)).value == pytest.approx(0.12)


def test_it_is_a_value() -> None:
    START.next(got=0, relevant=0)
    assert begin(0.2, wanted=20) == START


def test_the_topic_takes_it_on() -> None:
    topic = Topic(name="t", terms=(Term(text="grid"),), version=3)
    assert replace(START, value=0.3).on(topic) == replace(topic, threshold=0.3)


def test_the_parts_of_a_topic_move_by_the_same_factor() -> None:
    parts = (Topic(name="a", terms=(), threshold=0.4), Topic(name="b", terms=()))
    once = replace(START, value=0.3).on(Topic(name="t", terms=(), any=parts))
    # 0.3 / 0.2 = 1.5: 0.4 becomes 0.6, and a part without its own threshold has that of the whole
    assert [part.threshold for part in once.any] == pytest.approx([0.6, 0.3])
    again = replace(START, value=0.15).on(once)
    assert [part.threshold for part in again.any] == pytest.approx([0.3, 0.15])
