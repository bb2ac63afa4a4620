"""Which workers are there, and how fast? By what they said, with time as an argument."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoal.cluster import wire
from shoal.cluster.wire import WIRE, Beat
from shoal.cluster.worker_registry import BEAT, SILENCE, WorkerRegistry
from shoal.crawl.termination import Ending
from tests.cluster.scene import CRAWL, Scene, all_is_there, play

NOW = 1000.0


def beat(worker: str = "a", *, wire: int = WIRE, capacity: int = 8, visits: int = 0, leaving: bool = False) -> Beat:
    return Beat(wire=wire, shoal="0.1", worker=worker, capacity=capacity, visits=visits, leaving=leaving)


def test_the_capacities_of_all_that_were_heard_lately_count() -> None:
    worker_registry = WorkerRegistry()
    worker_registry.heard(beat("a", capacity=8), NOW)
    worker_registry.heard(beat("b", capacity=4), NOW + BEAT)
    assert (worker_registry.size(NOW + BEAT), worker_registry.capacity(NOW + BEAT)) == (2, 12)
    assert worker_registry.capacity(NOW + SILENCE + 0.1) == 4
    assert worker_registry.capacity(NOW + BEAT + SILENCE + 0.1) == 0


def test_two_lost_beats_do_not_make_a_worker_silent() -> None:
    assert SILENCE > 3 * BEAT


@pytest.mark.parametrize(
    ("said", "state"),
    [(beat(), "working"), (beat(leaving=True), "left"), (beat(wire=WIRE + 1), "refused")],
    ids=["working", "leaving", "another version"],
)
def test_who_leaves_or_is_of_another_version_is_shown_and_not_counted_on(said: Beat, state: str) -> None:
    worker_registry = WorkerRegistry()
    worker_registry.heard(said, NOW)
    (record,) = worker_registry.records(NOW)
    assert record.state == state
    assert worker_registry.capacity(NOW) == (8 if state == "working" else 0)


def test_the_rate_is_that_of_the_last_seconds() -> None:
    worker_registry = WorkerRegistry()
    for second in range(0, 60, 2):
        worker_registry.heard(beat(visits=0 if second < 40 else (second - 40) * 5), NOW + second)
    (record,) = worker_registry.records(NOW + 58)
    assert record.rate == pytest.approx(5.0)


def test_a_silent_worker_is_shown_for_a_while_without_a_rate_and_then_forgotten() -> None:
    worker_registry = WorkerRegistry()
    worker_registry.heard(beat("a", visits=0), NOW)
    worker_registry.heard(beat("a", visits=10), NOW + 2)
    (record,) = worker_registry.records(NOW + 20)
    assert (record.state, record.rate) == ("silent", 0.0)
    worker_registry.heard(beat("b"), NOW + 2000)
    assert [record.name for record in worker_registry.records(NOW + 2000)] == ["b"]


def test_a_worker_that_was_started_anew_under_its_name_has_no_negative_rate() -> None:
    worker_registry = WorkerRegistry()
    worker_registry.heard(beat(visits=500), NOW)
    worker_registry.heard(beat(visits=0), NOW + 2)
    worker_registry.heard(beat(visits=8), NOW + 4)
    (record,) = worker_registry.records(NOW + 4)
    assert record.rate == pytest.approx(4.0)


def test_only_what_changes_how_many_can_be_counted_on_is_news() -> None:
    worker_registry = WorkerRegistry()
    assert worker_registry.heard(beat(), NOW)
    assert not worker_registry.heard(beat(visits=7), NOW + 1)
    assert worker_registry.heard(beat(capacity=9), NOW + 2)
    assert worker_registry.heard(beat(capacity=9), NOW + 2 + SILENCE + 0.1), "it was silent"
    assert worker_registry.heard(beat(capacity=9, leaving=True), NOW + 11)


@pytest.mark.slow
@pytest.mark.parametrize(
    "beat",
    [
        {"capacity": -5},
        {"capacity": 10**18},
        {"capacity": 4, "visits": -(2**62), "failures": 2**63, "bytes": 2**64 - 1, "busy": -1},
        {"capacity": 4, "sent": math.nan},
        {"capacity": 4, "sent": -math.inf},
        {"capacity": 4, "worker": "x" * 2**20},
        {"capacity": 4, "worker": "\x1b[2J\x00\u202e"},
        {"capacity": 4, "shoal": "y" * 2**20, "wire": 2**64 - 1},
        {"capacity": 4, "x": 1, "type": "Ask", "crawl": CRAWL, "run": "", "sent": math.nan},
    ],
    ids=lambda beat: ",".join(beat),
)
def test_what_a_worker_says_of_itself_is_believed_within_bounds(tmp_path: Path, beat: dict[str, Any]) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            said = {"type": "Beat", "wire": wire.WIRE, "shoal": "0", "worker": "liar"} | beat
            scene.broker.tell_all(wire.VOICES, msgspec.msgpack.encode(said), "nowhere")
            await asyncio.sleep(2)
            assert 4 <= scene.dispatch.figures().capacity <= 20_000
            for record in scene.dispatch.worker_registry.records(scene.simulation.now):
                assert record.name.isprintable()
                assert len(record.name) + len(record.shoal) <= 200
                assert 0 <= record.busy <= record.capacity <= 10_000
                assert min(record.visits, record.failures, record.bytes, int(record.rate)) >= 0
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")
