"""Which workers are there, and how fast? By what they said, with time as an argument."""

from __future__ import annotations

import pytest

from shoal.cluster.wire import WIRE, Beat
from shoal.cluster.worker_registry import BEAT, SILENCE, Crew

NOW = 1000.0


def beat(worker: str = "a", *, wire: int = WIRE, capacity: int = 8, visits: int = 0, leaving: bool = False) -> Beat:
    return Beat(wire=wire, shoal="0.1", worker=worker, capacity=capacity, visits=visits, leaving=leaving)


def test_the_capacities_of_all_that_were_heard_lately_count() -> None:
    crew = Crew()
    crew.heard(beat("a", capacity=8), NOW)
    crew.heard(beat("b", capacity=4), NOW + BEAT)
    assert (crew.size(NOW + BEAT), crew.capacity(NOW + BEAT)) == (2, 12)
    assert crew.capacity(NOW + SILENCE + 0.1) == 4
    assert crew.capacity(NOW + BEAT + SILENCE + 0.1) == 0


def test_two_lost_beats_do_not_make_a_worker_silent() -> None:
    assert SILENCE > 3 * BEAT


@pytest.mark.parametrize(
    ("said", "state"),
    [(beat(), "working"), (beat(leaving=True), "left"), (beat(wire=WIRE + 1), "refused")],
    ids=["working", "leaving", "another version"],
)
def test_who_leaves_or_is_of_another_version_is_shown_and_not_counted_on(said: Beat, state: str) -> None:
    crew = Crew()
    crew.heard(said, NOW)
    (record,) = crew.records(NOW)
    assert record.state == state
    assert crew.capacity(NOW) == (8 if state == "working" else 0)


def test_the_rate_is_that_of_the_last_seconds() -> None:
    crew = Crew()
    for second in range(0, 60, 2):
        crew.heard(beat(visits=0 if second < 40 else (second - 40) * 5), NOW + second)
    (record,) = crew.records(NOW + 58)
    assert record.rate == pytest.approx(5.0)


def test_a_silent_worker_is_shown_for_a_while_without_a_rate_and_then_forgotten() -> None:
    crew = Crew()
    crew.heard(beat("a", visits=0), NOW)
    crew.heard(beat("a", visits=10), NOW + 2)
    (record,) = crew.records(NOW + 20)
    assert (record.state, record.rate) == ("silent", 0.0)
    crew.heard(beat("b"), NOW + 2000)
    assert [record.name for record in crew.records(NOW + 2000)] == ["b"]


def test_a_worker_that_was_started_anew_under_its_name_has_no_negative_rate() -> None:
    crew = Crew()
    crew.heard(beat(visits=500), NOW)
    crew.heard(beat(visits=0), NOW + 2)
    crew.heard(beat(visits=8), NOW + 4)
    (record,) = crew.records(NOW + 4)
    assert record.rate == pytest.approx(4.0)


def test_only_what_changes_how_many_can_be_counted_on_is_news() -> None:
    crew = Crew()
    assert crew.heard(beat(), NOW)
    assert not crew.heard(beat(visits=7), NOW + 1)
    assert crew.heard(beat(capacity=9), NOW + 2)
    assert crew.heard(beat(capacity=9), NOW + 2 + SILENCE + 0.1), "it was silent"
    assert crew.heard(beat(capacity=9, leaving=True), NOW + 11)
