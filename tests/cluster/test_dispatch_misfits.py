"""What comes of messages that nobody can read, or that do not fit what was leased? They are put aside, and the crawl goes on."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from shoal.cluster import wire
from shoal.cluster.wire import Beat, Came, Declined, Returned
from shoal.crawl.termination import Ending
from shoal.model import Failure, Missed, Moved, Reason, Redirect, RobotsRead, Seen, State, Timing
from shoal.strategy.breadth import Breadth
from tests.cluster.scene import NESTED, NO_TEXT, NONSENSE, RUN, WEB, YEAR_3000, Scene, all_is_there, play, to_the_page
from tests.crawl.simulated import SEED
from tests.running import fates


@pytest.mark.parametrize("body", [NESTED, NO_TEXT, NONSENSE, b""], ids=["nested", "no text", "nonsense", "empty"])
def test_a_result_that_cannot_be_read_is_put_aside(tmp_path: Path, body: bytes) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            scene.brings(body)
            ending = await scene.works_off(hand)
        assert scene.dead == [body]
        assert scene.dispatch.figures().dead_letters == 1
        return ending

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


def test_a_result_of_another_task_is_put_aside_and_its_lease_goes_on(tmp_path: Path) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            scene.comes(task, replace(visit, task=replace(visit.task, id=77)))
            scene.comes(task, replace(visit, task=replace(visit.task, url=SEED + "another", host="never.test")))
            await asyncio.sleep(1)
            assert SEED in scene.coordinator.statistics().fetching
            await hand.settle(replace(visit, task=task))
            ending = await scene.works_off(hand)
        assert len(scene.dead) == 2
        return ending

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


@pytest.mark.parametrize("made", [Declined, Returned])
def test_what_a_worker_says_of_a_task_does_not_count(tmp_path: Path, made: type[Declined | Returned]) -> None:
    """Which task goes back is what we know of the lease, not what the message says."""

    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            lie = replace(visit.task, id=99, url="http://other.test/", host="other.test", kind="robots")
            scene.brings(made(run=RUN, lease=task.lease, task=lie))
            await asyncio.sleep(1)
            await hand.settle(replace(visit, task=task))
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


@pytest.mark.parametrize("lease", [99, 0, -1, 2**63])
def test_a_lease_that_was_never_given_is_none(tmp_path: Path, lease: int) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            scene.brings(Came(run=RUN, lease=lease, worker="x", visit=visit))
            await asyncio.sleep(1)
            assert SEED in scene.coordinator.statistics().fetching
            assert len(scene.dead) == 1
            await hand.settle(replace(visit, task=task))
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


# --- late ones -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://never.test/", "never.test"),
        (SEED, "never.test"),
        ("no url", "a.test"),
        ("", ""),
        ("http://[", "["),
        ("file:///x", ""),
    ],
)
@pytest.mark.parametrize("kind", ["page", "robots", "image", "revisit"])
def test_a_late_result_is_believed_only_about_what_we_know(tmp_path: Path, url: str, host: str, kind: str) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            known = set(scene.coordinator._clocks._hosts)
            lie = replace(visit.task, url=url, host=host, kind=kind)
            timing = Timing(started=YEAR_3000, answered=YEAR_3000, ended=YEAR_3000)
            for late in (
                replace(visit, task=lie),
                RobotsRead(task=lie, text="User-agent: *\nDisallow: /", timing=timing),
                Missed(task=lie, failure=Failure(url=url, reason=Reason.TIMEOUT, timing=timing)),
                Moved(task=lie, redirect=Redirect(url=url, status=301, target="http://h0.test/", timing=timing)),
            ):
                scene.brings(Came(run="of another run", lease=1, worker="x", visit=late))
            scene.brings(Declined(run="of another run", lease=1, task=lie))
            scene.brings(Returned(run="of another run", lease=1, task=lie))
            await asyncio.sleep(1)
            assert set(scene.coordinator._clocks._hosts) == known, "nobody makes us remember hosts"
            await hand.settle(replace(visit, task=task))
            began = scene.simulation.now
            ending = await scene.works_off(hand)
            assert scene.simulation.now - began < 100
        return ending

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


# --- our own bugs ----------------------------------------------------------------------------------------------------


def test_a_bug_in_taking_in_a_result_costs_that_url_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    follow = Breadth.follow

    def stumbles(self: Breadth, seen: Seen) -> Any:
        if seen.task.url == "http://h0.test/":
            raise ZeroDivisionError("a bug")
        return follow(self, seen)

    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            return await scene.works_off(hand)

    monkeypatch.setattr(Breadth, "follow", stumbles)

    with caplog.at_level(logging.ERROR):
        assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    found = fates(tmp_path / "c")
    assert found["http://h0.test/"] == (State.FAILED, Reason.INTERNAL)
    assert {url for url, (state, _) in found.items() if state == State.DONE} == set(WEB) - {
        "http://h0.test/",
        "http://h0.test/2",
    }


# --- tasks and voices ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [NESTED, NO_TEXT, NONSENSE], ids=["nested", "no text", "nonsense"])
def test_a_task_that_cannot_be_read_is_put_aside_also_when_nobody_works(tmp_path: Path, body: bytes) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            await scene.one_task(hand)
        # Now somebody counts on a worker that is not there, and what lies in the queue is taken back.
        scene.broker.put(wire.TASKS, body)
        nobody = Beat(wire=wire.WIRE, shoal="0", worker="nobody", capacity=1)
        scene.broker.tell_all(wire.VOICES, wire.encode(nobody))
        await asyncio.sleep(1)
        scene.broker.tell_all(wire.VOICES, wire.encode(replace(nobody, leaving=True)))
        await asyncio.sleep(10)
        assert scene.dead == [body]
        assert scene.dispatch.figures().dead_letters == 1
        async with scene.worker() as hand:
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")
