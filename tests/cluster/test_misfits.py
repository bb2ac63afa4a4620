"""What comes of messages that nobody can read, or that do not fit what was leased? They are put aside, and the crawl goes on."""

from __future__ import annotations

import asyncio
import gzip
import logging
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from shoal.cluster import wire
from shoal.cluster.wire import Assigned, Beat, Came, Declined, Returned
from shoal.crawl.allowance import Ending
from shoal.model import Failure, Missed, Moved, Reason, Redirect, RobotsRead, Seen, State, Timing, Visit
from shoal.settings import Settings
from tests.cluster.scene import CRAWL, RUN, WEB, Scene, play
from tests.crawl.simulated import SEED, TOPIC
from tests.running import ask, assert_consistent, fates, stored

NESTED = b"\x82\xa4type\xa4Came\xa1x" + b"\x91" * 100_000
"""As msgpack; to read it would take more stack than there is."""
NO_TEXT = b"\x82\xa4type\xa4Came\xa3run\xa2\xff\xfe"
NONSENSE = b"\xc1 nonsense"
YEAR_3000 = 32_503_680_000.0


def plain(visit: Visit) -> dict[str, Any]:
    """A visit as it travels, for a test to spoil."""
    spoilt: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(visit))
    return spoilt


async def to_the_page(scene: Scene, hand: Any) -> tuple[Assigned, Visit]:
    """The task for the seed, whose robots.txt is read, and an honest visit of it."""
    while (task := await scene.one_task(hand)).url != SEED:
        await hand.settle(await scene.visitor.visit(task))
    visit = await scene.visitor.visit(task)
    return task, replace(visit, task=wire.plain(task))


def all_is_there(folder: Path, *, without: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    assert {url for url, _, _ in stored(folder)} == set(WEB) - without
    assert ask(folder, f"SELECT url FROM urls WHERE state = {State.WAITING:d}") == []
    assert_consistent(folder)


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


# --- late ones -------------------------------------------------------------------------------------------------------


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
@pytest.mark.parametrize("kind", ["page", "robots", "picture"])
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
    async def act(scene: Scene) -> Ending:
        follow = scene.coordinator._strategy.follow

        def stumbles(seen: Any) -> Any:
            if seen.task.url == "http://h0.test/":
                raise ZeroDivisionError("a bug")
            return follow(seen)

        monkeypatch.setattr(scene.coordinator._strategy, "follow", stumbles)
        async with scene.worker() as hand:
            return await scene.works_off(hand)

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
            for record in scene.dispatch.crew.records(scene.simulation.now):
                assert record.name.isprintable()
                assert len(record.name) + len(record.shoal) <= 200
                assert 0 <= record.busy <= record.capacity <= 10_000
                assert min(record.visits, record.failures, record.bytes, int(record.rate)) >= 0
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


# --- the worker's side -----------------------------------------------------------------------------------------------


def task_like(task: Assigned, **fields: object) -> bytes:
    return wire.encode(replace(task, **fields))


def test_a_task_that_comes_twice_is_done_once(tmp_path: Path) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            scene.broker.put(wire.TASKS, wire.encode(task))
            await asyncio.sleep(1)
            await hand.settle(replace(visit, task=task))
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


@pytest.mark.parametrize("again", [False, True])
def test_a_task_of_a_crawl_that_cannot_be_called_so_is_put_aside(tmp_path: Path, again: bool) -> None:
    """The name of its queue has no room in the protocol."""

    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, _ = await to_the_page(scene, hand)
            scene.broker.put(wire.TASKS, task_like(task, crawl="x" * 300, lease=70), again=again)
            await asyncio.sleep(100)  # until it is too late for it
            assert len(scene.dead) == 1
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")


@pytest.mark.parametrize(
    "reply",
    [
        {"type": "Heard", "crawl": CRAWL, "run": RUN, "sent": math.nan, "now": math.nan},
        {"type": "Heard", "crawl": CRAWL, "run": RUN, "sent": 1_000_000.0, "now": math.inf},
        {"type": "Heard", "crawl": CRAWL, "run": RUN, "sent": YEAR_3000, "now": 0.0},
        {"type": "Brief", "crawl": CRAWL, "run": RUN, "sent": math.nan, "now": 5.0},
        NESTED.replace(b"Came", b"Deaf"),
        NO_TEXT,
    ],
    ids=lambda reply: str(reply)[:40],
)
def test_an_answer_that_makes_no_sense_does_not_mislead_a_worker(tmp_path: Path, reply: Any) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, visit = await to_the_page(scene, hand)
            if isinstance(reply, dict) and reply["type"] == "Brief":
                settings = Settings(topic=TOPIC, seeds=(SEED,))
                body = msgspec.msgpack.encode(reply | {"settings": settings})
            else:
                body = reply if isinstance(reply, bytes) else msgspec.msgpack.encode(reply)
            scene.broker.put(hand._own_queue, body)
            await asyncio.sleep(0)
            await hand.settle(replace(visit, task=task))
            ending = await scene.works_off(hand)
            assert abs(hand._offsets[CRAWL].seconds) < 1
        return ending

    assert play(tmp_path / "c", act) is Ending.NOTHING_LEFT
    all_is_there(tmp_path / "c")
    asked = [url for url, _, _ in stored(tmp_path / "c")]
    assert len(asked) == len(WEB)


@pytest.mark.parametrize("what", ["\ud800", 2**70])
def test_a_visit_that_cannot_be_sent_comes_home_as_our_fault(tmp_path: Path, what: Any) -> None:
    async def act(scene: Scene) -> Ending:
        async with scene.worker() as hand:
            task, _ = await to_the_page(scene, hand)
            timing = Timing(started=1.0, answered=1.0, ended=1.0)
            text, number = (what, 0) if isinstance(what, str) else ("", what)
            failure = Failure(url=SEED, reason=Reason.STATUS, detail=text, status=number, timing=timing)
            await hand.settle(Missed(task=task, failure=failure))
            return await scene.works_off(hand)

    assert play(tmp_path / "c", act, seeds=(SEED, "http://h0.test/")) is Ending.NOTHING_LEFT
    assert fates(tmp_path / "c")[SEED] == (State.FAILED, Reason.INTERNAL)
