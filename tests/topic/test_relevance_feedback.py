"""The topic, estimated anew from the pages that were judged, against numbers worked out by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shoal.model import Origin, Term, Topic
from shoal.topic.relevance_feedback import MOST_TERMS, difference, estimate, rocchio
from shoal.topic.word_frequencies import Background

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
    found = estimate(START, START, GOOD, BAD, RARE)
    assert words(found.topic) == {
        "grid": Origin.HAND,
        "电网": Origin.HAND,
        "变压器": Origin.FEEDBACK,
        "transformer": Origin.FEEDBACK,
    }
    assert found.topic.version == START.version, "who keeps the versions numbers them"
    assert found.topic.threshold == 0.2
    assert found.why == "Learned 变压器, transformer."
    assert all(term.factor > 1 for term in found.topic.terms)


def test_typed_words_keep_their_floor() -> None:
    # grid stands on every irrelevant page and on no relevant one
    found = estimate(START, START, [{"电网": 5, "变压器": 1}] * 2, [{"grid": 9}] * 5, RARE)
    assert {term.text: term.weight for term in found.topic.terms}["grid"] == 1.0


def test_what_came_from_seeds_can_vanish() -> None:
    start = replace(START, terms=(*START.terms, Term(text="fan", weight=0.1, origin=Origin.SEEDS)))
    # fan: 0.1 - |f| x 0.15 x (its mean on irrelevant pages, which is nearly 1) = 0.1 - 1.12 x 0.15 < 0
    found = estimate(start, start, GOOD, [{"fan": 5}, {"fan": 9}], RARE)
    assert "fan" not in words(found.topic)
    assert found.why == "Learned 变压器, transformer; dropped fan."


def test_what_proved_wrong_is_forgotten() -> None:
    first = estimate(START, START, GOOD, BAD, RARE).topic
    second = estimate(START, first, [{"grid": 4, "开关": 3}, {"电网": 5, "开关": 4}], [*BAD, *GOOD], RARE)
    assert set(words(second.topic)) == {"grid", "电网", "开关"}
    assert second.why == "Learned 开关; dropped 变压器, transformer."


def test_the_same_pages_teach_nothing_new() -> None:
    first = estimate(START, START, GOOD, BAD, RARE).topic
    again = estimate(START, first, GOOD, BAD, RARE)
    assert (again.topic, again.why) == (first, "")


def test_without_relevant_pages_nothing_changes() -> None:
    found = estimate(START, START, [], BAD, RARE)
    assert (found.topic, found.why) == (START, "")


def test_without_irrelevant_pages_the_language_is_background_enough() -> None:
    assert "变压器" in words(estimate(START, START, GOOD, [], RARE).topic)


def test_there_is_an_end_to_what_a_topic_holds() -> None:
    many = {f"word{number:03}x": 1 for number in range(200)}
    found = estimate(START, START, [many | {"grid": 1}] * 2, [], RARE)
    assert len(found.topic.terms) == MOST_TERMS
    assert found.why.endswith(" and 53 more.")


def test_unwanted_words_stay_unwanted() -> None:
    start = replace(START, negative=(Term(text="变压器"),))
    learned = estimate(start, start, GOOD, BAD, RARE).topic
    assert "变压器" not in words(learned)
    factors = [term.factor for term in learned.terms]
    assert learned.negative[0].factor == pytest.approx(sum(factors) / len(factors))


def test_each_of_several_topics_learns_from_its_own_pages_and_keeps_its_threshold() -> None:
    parts = (Topic(name="en", terms=(Term(text="grid"),), threshold=0.1), Topic(name="zh", terms=(Term(text="电网"),)))
    start = Topic(name="both", terms=tuple(term for part in parts for term in part.terms), threshold=0.3, any=parts)
    now = replace(start, threshold=0.4, any=(replace(parts[0], threshold=0.2), replace(parts[1], threshold=0.4)))
    good = [{"grid": 1, "wire": 2}, {"grid": 2, "wire": 2}, {"电网": 2, "变压器": 2}, {"电网": 1, "变压器": 1}]
    found = estimate(start, now, good, BAD, RARE)
    assert [set(words(part)) for part in found.topic.any] == [{"grid", "wire"}, {"电网", "变压器"}]
    assert set(words(found.topic)) == {"grid", "wire", "电网", "变压器"}
    assert [part.threshold for part in found.topic.any] == [0.2, 0.4]
    assert found.topic.threshold == 0.4


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
