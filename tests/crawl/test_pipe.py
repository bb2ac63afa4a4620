"""The two ends of a pipe outlive each other: whoever hangs up, the other side notices and loses nothing."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from shoal.crawl.pipe import Channel, PipeBroker, Want, connect, serve
from shoal.model import Missed, Reason, RobotsRead, Task, Term, Timing, Topic, Visit


@dataclass
class Desk:
    """A broker that hands out what lies on it, and keeps what comes back."""

    tasks: deque[Task] = field(default_factory=deque)
    settled: list[Visit] = field(default_factory=list)
    taken_back: int = 0

    async def lease(self) -> Task | None:
        if self.tasks:
            return self.tasks.popleft()
        try:
            await asyncio.Event().wait()
        finally:
            self.taken_back += 1
        return None

    async def settle(self, visit: Visit) -> None:
        self.settled.append(visit)


@dataclass(frozen=True)
class Pipe:
    near: Channel
    far: Channel


@pytest.fixture
async def pipe() -> AsyncIterator[Pipe]:
    ours, theirs = socket.socketpair()
    near = Channel(*await asyncio.open_connection(sock=ours))
    far = await connect(theirs.detach())
    yield Pipe(near, far)
    await near.close()
    await far.close()


TOPIC = Topic(name="grid", terms=(Term(text="grid"),))


def nobody_cares(topic: Topic) -> None:
    raise AssertionError("the topic does not change in this test")


def task(number: int) -> Task:
    return Task(id=number, url=f"http://a.test/{number}", host="a.test")


def came(task: Task, text: str = "") -> RobotsRead:
    return RobotsRead(task=task, text=text, timing=Timing(started=1.0, answered=2.0, ended=3.0))


async def test_messages_of_any_size_arrive_whole_and_in_order(pipe: Pipe) -> None:
    desk = Desk(deque(map(task, range(5))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC))
    broker = PipeBroker(pipe.far, nobody_cares)
    listening = asyncio.create_task(broker.listen())
    visits = []
    for size in (0, 1, 2**16, 2**20 + 1, 30 * 2**20):
        leased = await broker.lease()
        assert leased is not None
        visits.append(came(leased, "字" * (size // 3)))
        await broker.settle(visits[-1])
    await pipe.far.close()
    assert await serving is True
    assert desk.settled == visits
    await listening


async def test_what_a_dead_worker_had_is_settled_as_missed(pipe: Pipe) -> None:
    desk = Desk(deque(map(task, range(3))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC))
    broker = PipeBroker(pipe.far, nobody_cares)
    listening = asyncio.create_task(broker.listen())
    first, *_ = [await broker.lease() for _ in range(3)]
    assert first is not None
    await broker.settle(came(first))
    await pipe.far.close()
    assert await serving is True
    home, *lost = desk.settled
    assert home == came(first)
    assert [visit.task for visit in lost] == [task(1), task(2)]
    for visit in lost:
        assert isinstance(visit, Missed)
        assert visit.failure.reason is Reason.WORKER_DIED
        assert visit.failure.heals
    await listening


async def test_what_was_promised_to_a_dead_worker_is_not_taken_from_the_others(pipe: Pipe) -> None:
    desk = Desk()
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC))
    for _ in range(3):
        await pipe.far.send(Want())
    await pipe.far.close()
    assert await serving is True
    assert desk.taken_back == 3
    assert desk.settled == []


async def test_a_worker_that_never_asked_for_anything_is_noticed(pipe: Pipe) -> None:
    serving = asyncio.create_task(serve(Desk(), pipe.near, lambda: TOPIC, told=TOPIC))
    await pipe.far.close()
    assert await serving is False


async def test_a_worker_without_a_coordinator_has_nothing_to_do(pipe: Pipe) -> None:
    broker = PipeBroker(pipe.far, nobody_cares)
    listening = asyncio.create_task(broker.listen())
    waiting = asyncio.create_task(broker.lease())
    await asyncio.sleep(0)
    await pipe.near.close()
    assert await waiting is None
    await listening
    assert await broker.lease() is None
    await broker.settle(came(task(1)))  # nobody hears it, and that is no error


async def test_half_a_message_counts_as_none(pipe: Pipe) -> None:
    ours, theirs = socket.socketpair()
    channel = await connect(theirs.detach())
    ours.sendall((1000).to_bytes(4, "big") + b"half")
    ours.close()
    assert await channel.receive() is None
    await channel.close()


async def test_a_new_topic_travels_in_front_of_the_first_task_that_is_judged_by_it(pipe: Pipe) -> None:
    topics = [TOPIC, TOPIC, replace(TOPIC, version=2, terms=(Term(text="电网"),))]
    current = TOPIC
    heard: list[tuple[Topic, int]] = []
    desk = Desk(deque(map(task, range(4))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: current, told=TOPIC))
    leases = 0
    broker = PipeBroker(pipe.far, lambda topic: heard.append((topic, leases)))
    listening = asyncio.create_task(broker.listen())
    for topic in (*topics, topics[-1]):
        current = topic
        leases += 1
        await broker.lease()
    assert heard == [(topics[-1], 3)]
    await pipe.far.close()
    await serving
    await listening
