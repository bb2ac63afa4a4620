"""The two ends of a pipe outlive each other: whoever hangs up, the other side notices and loses nothing."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import msgspec
import pytest
from msgspec.structs import replace

from shoal.crawl.processes import Channel, PipeBroker, Want, connect, serve
from shoal.errors import StorageFull, first_of
from shoal.model import Missed, Reason, Response, RobotsRead, Seen, Task, Term, Timing, Topic, Visit
from shoal.store.packed_page import pack


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


NOW = 1_000_000.0
NOTHING = Response(url="", status=200, headers=(), body=b"", timing=Timing(started=NOW, answered=NOW, ended=NOW))
TOPIC = Topic(name="grid", terms=(Term(text="grid"),))


def nobody_cares(topic: Topic) -> None:
    raise AssertionError("the topic does not change in this test")


def task(number: int) -> Task:
    return Task(id=number, url=f"http://a.test/{number}", kind="robots", host="a.test")


def came(task: Task, text: str = "") -> RobotsRead:
    return RobotsRead(task=task, text=text, timing=Timing(started=NOW, answered=NOW, ended=NOW))


@pytest.mark.slow
async def test_messages_of_any_size_arrive_whole_and_in_order(pipe: Pipe) -> None:
    desk = Desk(deque(map(task, range(5))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
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
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
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
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    for _ in range(3):
        await pipe.far.send(Want())
    await pipe.far.close()
    assert await serving is True
    assert desk.taken_back == 3
    assert desk.settled == []


async def test_a_worker_that_never_asked_for_anything_is_noticed(pipe: Pipe) -> None:
    serving = asyncio.create_task(serve(Desk(), pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
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
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: current, told=TOPIC, clock=lambda: NOW))
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


# --- what does not fit -----------------------------------------------------------------------------------------------


async def say(pipe: Pipe, message: bytes) -> None:
    pipe.far._writer.write(len(message).to_bytes(4, "big") + message)
    await pipe.far._writer.drain()


async def lease_one(pipe: Pipe) -> None:
    """The other side asks for a task, and has it."""
    await pipe.far.send(Want())
    await pipe.far.receive()


@pytest.mark.parametrize(
    "message",
    [
        b"\xc1 nonsense",
        b"\x82\xa4type\xa4Done\xa1x" + b"\x91" * 100_000,
        b"\x82\xa4type\xa2\xff\xfe",
        msgspec.msgpack.encode({"type": "Done", "kind": "robots", "id": 77, "visit": {}}),
    ],
    ids=["nonsense", "nested", "no text", "not given"],
)
async def test_a_process_that_cannot_be_understood_is_hung_up_on_and_what_it_had_is_tried_again(
    pipe: Pipe, message: bytes
) -> None:
    desk = Desk(deque(map(task, range(1))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    await lease_one(pipe)
    await say(pipe, message)
    assert await serving is True
    (lost,) = desk.settled
    assert isinstance(lost, Missed)
    assert (lost.task, lost.failure.reason, lost.failure.heals) == (task(0), Reason.WORKER_DIED, True)


async def test_whoever_announces_more_than_anybody_says_is_hung_up_on(pipe: Pipe) -> None:
    serving = asyncio.create_task(serve(Desk(), pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    pipe.far._writer.write(b"\xff\xff\xff\xff")
    async with asyncio.timeout(10):
        assert await serving is False


@pytest.mark.parametrize(
    "visit",
    [
        came(task(5)),
        came(replace(task(0), url="http://b.test/")),
        Seen(task=task(0), response=NOTHING, packed=pack(NOTHING, None)),
        {"type": "RobotsRead", "task": task(0), "text": 5},
        {"type": "Song"},
        7,
    ],
    ids=["another id", "another URL", "another kind", "no text", "unknown", "a number"],
)
async def test_a_result_that_does_not_fit_costs_its_task_only(pipe: Pipe, visit: object) -> None:
    desk = Desk(deque(map(task, range(2))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    await lease_one(pipe)
    await lease_one(pipe)
    await say(pipe, msgspec.msgpack.encode({"type": "Done", "kind": "robots", "id": 0, "visit": visit}))
    await say(pipe, msgspec.msgpack.encode({"type": "Done", "kind": "robots", "id": 1, "visit": came(task(1))}))
    await pipe.far.close()
    await serving
    lost, home = desk.settled
    assert isinstance(lost, Missed)
    assert (lost.task, lost.failure.reason, lost.failure.heals) == (task(0), Reason.INTERNAL, False)
    assert home == came(task(1))


async def test_a_page_and_a_robots_txt_may_have_the_same_number(pipe: Pipe) -> None:
    rules = task(7)
    page = Task(id=7, url="http://a.test/page", host="a.test")
    desk = Desk(deque((rules, page)))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    await lease_one(pipe)
    await lease_one(pipe)
    await say(pipe, msgspec.msgpack.encode({"type": "Done", "kind": "robots", "id": 7, "visit": came(rules)}))
    await pipe.far.close()
    await serving
    home, lost = desk.settled
    assert (home, lost.task, type(lost)) == (came(rules), page, Missed)


async def test_what_a_process_says_of_its_task_and_of_the_time_does_not_count(pipe: Pipe) -> None:
    desk = Desk(deque(map(task, range(1))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    await lease_one(pipe)
    lie = replace(came(replace(task(0), host="b.test", attempt=9)), timing=Timing(started=0.0, answered=9e9, ended=9e9))
    await say(pipe, msgspec.msgpack.encode({"type": "Done", "kind": "robots", "id": 0, "visit": lie}))
    await pipe.far.close()
    await serving
    assert desk.settled == [came(task(0))]


class Stumbling(Desk):
    """A broker with a bug."""

    async def settle(self, visit: Visit) -> None:
        if isinstance(visit, RobotsRead):
            raise ZeroDivisionError("a bug")
        await super().settle(visit)


async def test_a_bug_in_taking_in_a_result_costs_its_task_only(pipe: Pipe) -> None:
    desk = Stumbling(deque(map(task, range(1))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    await lease_one(pipe)
    await say(pipe, msgspec.msgpack.encode({"type": "Done", "kind": "robots", "id": 0, "visit": came(task(0))}))
    await pipe.far.close()
    await serving
    (lost,) = desk.settled
    assert isinstance(lost, Missed)
    assert lost.failure.reason is Reason.INTERNAL
    assert "ZeroDivisionError" in lost.failure.detail


class Full(Desk):
    """A broker whose disk is full."""

    async def settle(self, visit: Visit) -> None:
        raise StorageFull("There is no room.")


async def test_that_the_disk_is_full_is_no_fault_of_a_result(pipe: Pipe) -> None:
    serving = asyncio.create_task(
        serve(Full(deque(map(task, range(1)))), pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW)
    )
    await lease_one(pipe)
    await say(pipe, msgspec.msgpack.encode({"type": "Done", "kind": "robots", "id": 0, "visit": came(task(0))}))
    with pytest.raises(ExceptionGroup) as failed:
        await serving
    assert isinstance(first_of(failed.value), StorageFull)


async def test_a_visit_that_cannot_be_sent_comes_home_as_our_fault(pipe: Pipe) -> None:
    desk = Desk(deque(map(task, range(1))))
    serving = asyncio.create_task(serve(desk, pipe.near, lambda: TOPIC, told=TOPIC, clock=lambda: NOW))
    broker = PipeBroker(pipe.far, nobody_cares)
    listening = asyncio.create_task(broker.listen())
    leased = await broker.lease()
    assert leased is not None
    await broker.settle(came(leased, "\ud800"))
    await pipe.far.close()
    await serving
    (lost,) = desk.settled
    assert isinstance(lost, Missed)
    assert lost.failure.reason is Reason.INTERNAL
    assert "UnicodeEncodeError" in lost.failure.detail
    await listening


async def test_a_worker_that_is_given_what_it_cannot_read_goes_home(pipe: Pipe) -> None:
    broker = PipeBroker(pipe.far, nobody_cares)
    listening = asyncio.create_task(broker.listen())
    waiting = asyncio.create_task(broker.lease())
    pipe.near._writer.write((8).to_bytes(4, "big") + b"\xc1 nonsen")
    async with asyncio.timeout(10):
        assert await waiting is None
        await listening
    assert await broker.lease() is None
