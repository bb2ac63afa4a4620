"""The threshold that moves with what comes, against numbers worked out by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shoal.model import Origin, Term, Topic, Verdict
from shoal.topic.relevance_feedback import MOST_TERMS, Threshold, begin, difference, estimate, rocchio
from shoal.topic.word_frequencies import Background

BEGUN = begin(0.2, wanted=20)


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
    after = BEGUN.next(got=got, relevant=relevant)
    assert after.value == pytest.approx(value)
    assert after.why == sentence
    assert (after.intervals, after.got, after.start) == (1, got, 0.2)


def test_a_good_interval_after_a_bad_one_changes_nothing() -> None:
    # T = 2: 5 + 30 = 35 < 20 x 2, so not 1; 30 > 20, so not 3
    after = BEGUN.next(got=5, relevant=5).next(got=30, relevant=0)
    assert after.value == pytest.approx(0.19)
    assert after.why == ""
    # T = 3: 35 + 30 = 65 > 20 x 3: now 2 holds, 0.19 x 1.2
    assert after.next(got=30, relevant=0).value == pytest.approx(0.228)


def test_a_bad_interval_after_a_good_one_changes_nothing() -> None:
    # T = 2: 50 + 10 = 60 > 40 but 10 < 20: neither 1 nor 3
    assert BEGUN.next(got=50, relevant=50).next(got=10, relevant=10).value == pytest.approx(0.21)


def test_it_stays_within_a_fourth_and_four_times_of_the_start() -> None:
    low, high = BEGUN, BEGUN
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
    BEGUN.next(got=0, relevant=0)
    assert begin(0.2, wanted=20) == BEGUN


def test_the_topic_takes_it_on() -> None:
    topic = Topic(name="t", terms=(Term(text="grid"),), version=3)
    assert replace(BEGUN, value=0.3).on(topic) == replace(topic, threshold=0.3)


def test_the_parts_of_a_topic_move_by_the_same_factor() -> None:
    parts = (Topic(name="a", terms=(), threshold=0.4), Topic(name="b", terms=()))
    once = replace(BEGUN, value=0.3).on(Topic(name="t", terms=(), any=parts))
    # 0.3 / 0.2 = 1.5: 0.4 becomes 0.6, and a part without its own threshold has that of the whole
    assert [part.threshold for part in once.any] == pytest.approx([0.6, 0.3])
    again = replace(BEGUN, value=0.15).on(once)
    assert [part.threshold for part in again.any] == pytest.approx([0.3, 0.15])


# --- the topic, estimated anew from the pages that were judged, against numbers worked out by hand -------------------

RARE = Background(frequencies={"the": 0.05})
START = Topic(name="t", terms=(Term(text="grid"), Term(text="电网", weight=0.5)), threshold=0.2)
GOOD = [{"grid": 4, "变压器": 3, "transformer": 3}, {"电网": 5, "变压器": 4, "transformer": 2, "the": 9}]
BAD = [{"fan": 3, "blade": 2}, {"the": 30, "fan": 1}]


def words(topic: Topic) -> dict[str, Origin]:
    return {term.text: term.origin for term in topic.terms}


def test_rocchio() -> None:
    # f = (3, 4), length 5: 3 + 5 x (0.75 x 0.6 - 0.15 x 0.2) = 5.1; 4 + 5 x 0 = 4;
    # new: 5 x 0.75 x 0.8 = 3; only among the irrelevant ones: not there at all
    vector = rocchio({"grid": 3.0, "电网": 4.0}, {"grid": 0.6, "new": 0.8}, {"grid": 0.2, "fan": 1.0})
    assert vector == pytest.approx({"grid": 5.1, "电网": 4.0, "new": 3.0})


def test_rocchio_can_speak_against_a_word() -> None:
    # 1 + 1 x (0 - 0.15 x 1) = 0.85
    assert rocchio({"grid": 1.0}, {}, {"grid": 1.0}) == pytest.approx({"grid": 0.85})
    # without a first vector the scale is 1: 0.75 x 0.2 - 0.15 x 1 = 0
    assert rocchio({}, {"new": 0.2}, {"new": 1.0}) == pytest.approx({"new": 0.0})


def test_the_topic_learns_what_nobody_typed() -> None:
    found, why = estimate(START, START, GOOD, BAD, RARE)
    assert words(found) == {
        "grid": Origin.HAND,
        "电网": Origin.HAND,
        "变压器": Origin.ADAPTED,
        "transformer": Origin.ADAPTED,
    }
    assert found.version == START.version, "who keeps the versions numbers them"
    assert found.threshold == 0.2
    assert why == "Learned 变压器, transformer."
    assert all(term.factor > 1 for term in found.terms)


def test_typed_words_keep_their_floor() -> None:
    # grid stands on every irrelevant page and on no relevant one
    found, _ = estimate(START, START, [{"电网": 5, "变压器": 1}] * 2, [{"grid": 9}] * 5, RARE)
    assert {term.text: term.weight for term in found.terms}["grid"] == 1.0


def test_what_came_from_seeds_can_vanish() -> None:
    start = replace(START, terms=(*START.terms, Term(text="fan", weight=0.1, origin=Origin.SEEDS)))
    # fan: 0.1 - |f| x 0.15 x (its mean on irrelevant pages, which is nearly 1) = 0.1 - 1.12 x 0.15 < 0
    found, why = estimate(start, start, GOOD, [{"fan": 5}, {"fan": 9}], RARE)
    assert "fan" not in words(found)
    assert why == "Learned 变压器, transformer; dropped fan."


def test_what_proved_wrong_is_forgotten() -> None:
    first = estimate(START, START, GOOD, BAD, RARE)[0]
    second, why = estimate(START, first, [{"grid": 4, "开关": 3}, {"电网": 5, "开关": 4}], [*BAD, *GOOD], RARE)
    assert set(words(second)) == {"grid", "电网", "开关"}
    assert why == "Learned 开关; dropped 变压器, transformer."


def test_the_same_pages_teach_nothing_new() -> None:
    first = estimate(START, START, GOOD, BAD, RARE)[0]
    again, why = estimate(START, first, GOOD, BAD, RARE)
    assert (again, why) == (first, "")


def test_without_relevant_pages_nothing_changes() -> None:
    found, why = estimate(START, START, [], BAD, RARE)
    assert (found, why) == (START, "")


def test_without_irrelevant_pages_the_language_is_background_enough() -> None:
    assert "变压器" in words(estimate(START, START, GOOD, [], RARE)[0])


def test_there_is_an_end_to_what_a_topic_holds() -> None:
    many = {f"word{number:03}x": 1 for number in range(200)}
    found, why = estimate(START, START, [many | {"grid": 1}] * 2, [], RARE)
    assert len(found.terms) == MOST_TERMS
    assert why.endswith(" and 53 more.")


def test_unwanted_words_stay_unwanted() -> None:
    start = replace(START, negative=(Term(text="变压器"),))
    learned = estimate(start, start, GOOD, BAD, RARE)[0]
    assert "变压器" not in words(learned)
    factors = [term.factor for term in learned.terms]
    assert learned.negative[0].factor == pytest.approx(sum(factors) / len(factors))


def test_each_of_several_topics_learns_from_its_own_pages_and_keeps_its_threshold() -> None:
    parts = (Topic(name="en", terms=(Term(text="grid"),), threshold=0.1), Topic(name="zh", terms=(Term(text="电网"),)))
    start = Topic(name="both", terms=tuple(term for part in parts for term in part.terms), threshold=0.3, any=parts)
    now = replace(start, threshold=0.4, any=(replace(parts[0], threshold=0.2), replace(parts[1], threshold=0.4)))
    good = [{"grid": 1, "wire": 2}, {"grid": 2, "wire": 2}, {"电网": 2, "变压器": 2}, {"电网": 1, "变压器": 1}]
    found, _ = estimate(start, now, good, BAD, RARE)
    assert [set(words(part)) for part in found.any] == [{"grid", "wire"}, {"电网", "变压器"}]
    assert set(words(found)) == {"grid", "wire", "电网", "变压器"}
    assert [part.threshold for part in found.any] == [0.2, 0.4]
    assert found.threshold == 0.4


def test_difference() -> None:
    old = Topic(name="t", terms=(Term(text="grid"), Term(text="fan", weight=0.2), Term(text="wire", weight=1.0)))
    new = Topic(name="t", terms=(Term(text="Grids", weight=1.05), Term(text="wire", weight=1.2), Term(text="kv")))
    found = difference(old, new)
    assert found.learned == (Term(text="kv"),)
    assert found.dropped == (Term(text="fan", weight=0.2),)
    # grid moved by less than a tenth
    assert found.moved == ((Term(text="wire"), Term(text="wire", weight=1.2)),)
    assert found.sentence() == "Learned kv; dropped fan."
    assert difference(old, old).sentence() == ""
    assert difference(old, replace(old, terms=(*old.terms[:2], Term(text="wire", weight=2.0)))).sentence() == (
        "Weighed wire anew."
    )
