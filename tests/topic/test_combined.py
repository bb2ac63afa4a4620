"""Several topics in one."""

from __future__ import annotations

from shoal.model import Origin, Term, Topic
from shoal.topic.combined import name_of, said_of_topic, together

GRID = Topic(name="grid", terms=(Term(text="grid"), Term(text="kv", weight=0.5)), threshold=0.4)
CHINESE = Topic(name="电网", terms=(Term(text="电网"), Term(text="KV", weight=0.9)), negative=(Term(text="玩具"),))


def test_the_whole_has_the_words_of_all_each_once_with_the_larger_weight() -> None:
    whole = together(Topic(name="both", terms=()), [GRID, CHINESE])
    assert whole.terms == (Term(text="grid"), Term(text="KV", weight=0.9), Term(text="电网"))
    assert whole.each == (GRID, CHINESE)


def test_what_is_said_of_the_whole_is_said_of_each() -> None:
    whole = together(
        Topic(name="both", terms=(), negative=(Term(text="toy"),), languages=("zh",), threshold=0.1), [GRID, CHINESE]
    )
    assert [part.threshold for part in whole.any] == [0.4, 0.1]
    assert [[term.text for term in part.negative] for part in whole.any] == [["toy"], ["玩具", "toy"]]
    assert {part.languages for part in whole.any} == {("zh",)}


def test_putting_together_twice_changes_nothing() -> None:
    once = together(Topic(name="both", terms=(), negative=(Term(text="toy"),), threshold=0.1), [GRID, CHINESE])
    assert together(once, once.any) == once


def test_typed_words_replace_typed_ones_and_learned_words_learned_ones() -> None:
    old = Topic(name="t", terms=(Term(text="grid"), Term(text="kv", origin=Origin.SEEDS)))
    assert said_of_topic(old, {"terms": (Term(text="电网"),)})["terms"] == (Term(text="电网"), old.terms[1])
    new = Term(text="变压器", origin=Origin.SEEDS)
    assert said_of_topic(old, {"learned": (new,)}) == {"terms": (old.terms[0], new)}
    assert said_of_topic(old, {"name": "x"}) == {"name": "x"}


def test_a_topic_without_a_name_is_called_by_its_first_words() -> None:
    assert name_of([Term(text=word) for word in ("power grid", "电网", "kv", "fan")]) == "power grid, 电网, kv"
