"""May a result be taken in? What cannot be true costs its own task at most, and times that cannot be are set right."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from shoal.cluster import wire
from shoal.crawl.termination import Ending
from shoal.model import Failure, Missed, Moved, Reason, Redirect, Seen, State, Timing, Visit
from tests.cluster.scene import YEAR_3000, Scene, play, to_the_page
from tests.crawl.simulated import SEED
from tests.running import fates, stored


def plain(visit: Visit) -> dict[str, Any]:
    """A visit as it travels, for a test to spoil."""
    spoilt: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(visit))
    return spoilt


def test_a_page_for_a_robots_task_costs_that_task_only(tmp_path: Path) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            rules = await scene.one_task(hand)
            assert rules.kind == "robots"
            page = await scene.visitor.visit(replace(rules, url=SEED, kind="page"))
            assert isinstance(page, Seen)
            scene.comes(rules, replace(page, task=wire.plain(rules)))
            ending = await scene.works_off(hand)
        assert len(scene.dead) == 1
        return ending

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    # A robots.txt that cannot be read forbids everything.
    assert fates(tmp_path / "c")[SEED] == (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)


def spoilt(visit: Visit, path: str, value: object) -> dict[str, Any]:
    made = plain(visit)
    *way, last = path.split(".")
    inside = made
    for name in way:
        inside = inside[name]
    inside[last] = value
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("verdict.score", math.nan),
        ("verdict.threshold", math.inf),
        ("hints", [math.nan]),
        ("hints", [0.5] * 500),
        ("response.status", 2**64 - 1),
        ("response.timing.answered", math.nan),
        ("page.links", [{"url": "garbage"}]),
        ("page.links", [{"url": "file:///etc/passwd"}]),
        ("page.fingerprint", b"123"),
        ("packed", {"size": 2**64 - 1, "digest": b"x" * 16, "payload": "x"}),
        ("packed", {"size": -5, "digest": b"x" * 16, "payload": "x"}),
        ("packed", {"size": 5, "digest": b"", "payload": "x", "bands": [2**63]}),
        ("packed", {"size": 5, "digest": b"x" * 16, "payload": "x", "bands": [1], "text": b"no deflate"}),
        ("packed", {"size": 5, "digest": b"x" * 16, "payload": "x", "record": b"\x1f\x8b\x08" + bytes(20)}),
        (
            "packed",
            {"size": 5, "digest": b"x" * 16, "payload": "x", "record": gzip.compress(b"WARC/1.1\r\n\r\n", mtime=0)},
        ),
        ("packed", {"size": 5, "digest": b"x" * 16, "payload": "x", "links": b"no deflate"}),
        ("page", 7),
        ("type", "Song"),
        ("type", "RobotsRead"),
    ],
    ids=str,
)
def test_a_visit_that_cannot_be_true_costs_that_url_only(tmp_path: Path, path: str, value: object) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            scene.comes(task, spoilt(visit, path, value))
            ending = await scene.works_off(hand)
        assert len(scene.dead) == 1
        assert scene.dispatch.figures().dead_letters == 1
        return ending

    assert play(tmp_path / "c", act, seeds=(SEED, "http://h0.test/")) is Ending.NOTHING_LEFT
    assert fates(tmp_path / "c")[SEED] == (State.FAILED, Reason.INTERNAL)
    assert {url for url, _, _ in stored(tmp_path / "c")} == {"http://h0.test/", "http://h0.test/2"}


@pytest.mark.parametrize("years", [YEAR_3000, 0.0, -1e300, 1e300], ids=["3000", "1970", "before", "after"])
def test_times_that_cannot_be_are_set_right(tmp_path: Path, years: float) -> None:
    timing = Timing(started=years, answered=years, ended=years, address="192.0.2." + "1" * 5000)

    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            moved = Redirect(url=SEED, status=301, target="http://h0.test/", timing=timing)
            scene.comes(task, Moved(task=visit.task, redirect=moved))
            began = scene.simulation.now
            ending = await scene.works_off(hand)
        assert scene.simulation.now - began < 100, "nobody waited for the year 3000"
        assert scene.dead == []
        return ending

    assert play(tmp_path / "c", act, seeds=(SEED, SEED + "b")) is Ending.NOTHING_LEFT
    assert fates(tmp_path / "c")[SEED][0] == State.MOVED


def test_a_fetch_cannot_have_begun_before_its_task_was_handed_out(tmp_path: Path) -> None:
    """Else a lie about one page would keep us from its host for a multiple of the years that it took."""

    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            now = scene.simulation.now
            timing = Timing(started=0.0, answered=0.0, ended=now)
            scene.comes(task, Missed(task=visit.task, failure=Failure(url=SEED, reason=Reason.STATUS, timing=timing)))
            ending = await scene.works_off(hand)
        assert scene.simulation.now - now < 500
        return ending

    assert play(tmp_path / "c", act, seeds=(SEED, SEED + "b")) is Ending.NOTHING_LEFT


@pytest.mark.parametrize(
    ("wait", "fate"), [(math.nan, State.FAILED), (math.inf, State.FAILED), (-1e9, State.DONE)], ids=str
)
def test_a_wish_to_wait_that_is_no_time_is_none(tmp_path: Path, wait: float, fate: State) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            now = scene.simulation.now
            timing = Timing(started=now, answered=now, ended=now)
            failure = Failure(url=SEED, reason=Reason.STATUS, status=503, heals=True, retry_after=wait, timing=timing)
            scene.comes(task, Missed(task=visit.task, failure=failure))
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act, seeds=(SEED, "http://h0.test/")) is Ending.NOTHING_LEFT
    assert fates(tmp_path / "c")[SEED][0] == fate
    assert fates(tmp_path / "c")["http://h0.test/"][0] == State.DONE
