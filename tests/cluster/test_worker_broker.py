"""How does a worker get its tasks, and where does it bring the results? Whatever it is sent or told, it is not misled."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from shoal.cluster import wire
from shoal.cluster.wire import Assigned
from shoal.cluster.worker_broker import WorkerBroker
from shoal.crawl.termination import Ending
from shoal.model import Failure, Missed, Reason, State, Timing
from shoal.settings import Settings
from tests.cluster.scene import CRAWL, NESTED, NO_TEXT, RUN, WEB, YEAR_3000, Scene, all_is_there, play, to_the_page
from tests.crawl.simulated import SEED, TOPIC
from tests.running import fates, stored


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


async def test_a_worker_can_leave_while_the_broker_is_away() -> None:
    hand = WorkerBroker("w", capacity=4)
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(hand.run("amqp://u:p@127.0.0.1:1/"))
        waiting = group.create_task(hand.lease())
        await asyncio.sleep(0.05)
        hand.leave()
        assert await waiting is None
        assert await hand.lease() is None
        hand.gone()
