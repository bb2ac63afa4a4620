"""Messages of the cluster: whatever machines say to each other, the crawl goes on, and every URL gets its fate."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from shoal.cluster import wire
from shoal.cluster.wire import Assigned
from shoal.cluster.worker_broker import WorkerBroker
from shoal.crawl.processes import Channel, Want, serve
from shoal.crawl.termination import Ending
from shoal.crawl.validation import Unreadable
from shoal.crawl.worker import work_together
from shoal.model import Seen, State, Task, TaskKind, Visit
from shoal.settings import Politeness
from shoal.store.crawl_store import CrawlStore
from shoal.testing.fuzz.messages import OUT, SEEDS, message, pipe_session, session
from tests.cluster.scene import CRAWL, Scene, play
from tests.crawl.simulated import TOPIC
from tests.fuzz.target import Target
from tests.running import ask, assert_consistent, stored

_READERS = (wire.read_assigned, wire.read_result, wire.read_visit, wire.read_voice, wire.read_reply)


@contextmanager
def _quiet() -> Iterator[None]:
    """What is logged is not what we look at."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


# --- bytes -----------------------------------------------------------------------------------------------------------


def _check_reading(data: bytes) -> None:
    for read in _READERS:
        with suppress(Unreadable):
            said = read(data)
            assert said is None or wire.read_result is not read or isinstance(said, wire.Arrived)


# --- a cluster -------------------------------------------------------------------------------------------------------


class _Witness:
    """Visits honestly, and notes which pages came home for a lease that was ours."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._visitor = scene.visitor
        self.pages: set[str] = set()

    async def visit(self, task: Task) -> Visit:
        visit = await self._visitor.visit(task)
        assert isinstance(task, Assigned)
        lease = self._scene.dispatch._leases.find(task.lease)
        if lease is not None and lease.task == task and isinstance(visit, Seen):
            self.pages.add(task.url)
        return visit


async def _disturb(scene: Scene, hand: WorkerBroker, data: bytes) -> None:
    queues = {"results": wire.results_of(CRAWL), "tasks": wire.TASKS, "replies": hand._own_queue}
    for where, body in msgspec.msgpack.decode(data, type=list[tuple[str, bytes]]):
        if where == "voices":
            scene.broker.tell_all(wire.VOICES, body, "nowhere")
        else:
            scene.broker.put(queues[where], body)
        await asyncio.sleep(0.2)


async def _act(scene: Scene, data: bytes, witness: list[_Witness]) -> Ending:
    async with scene.worker() as hand:
        await asyncio.sleep(0.1)
        # Either the robots.txt of all seeds are out while all that noise is made, or their pages.
        held = [await scene.one_task(hand) for _ in SEEDS]
        assert [wire.plain(task) for task in held] == [*OUT[: len(SEEDS)]]
        if len(data) % 2:
            await _bring(scene, hand, held)
            held = [await scene.one_task(hand) for _ in SEEDS]
            assert [wire.plain(task) for task in held] == [*OUT[len(SEEDS) :]]
        await _disturb(scene, hand, data)
        await _bring(scene, hand, held)
        witness.append(_Witness(scene))
        scene.running.add_done_callback(lambda _: hand.leave())
        await work_together(hand, witness[0], 4)
        ending = await scene.running
    assert scene.broker.bodies(wire.results_of(CRAWL)) == [], "a result is neither acknowledged nor put aside"
    return ending


async def _bring(scene: Scene, hand: WorkerBroker, tasks: list[Assigned]) -> None:
    for task in tasks:
        await hand.settle(await scene.visitor.visit(task))


def _check_session(data: bytes) -> None:
    witness: list[_Witness] = []
    with _quiet(), TemporaryDirectory() as home:
        folder = Path(home) / "c"
        settings = {"seeds": SEEDS, "politeness": Politeness(delay=1.0, backoff_cap=60.0)}
        store = partial(CrawlStore, durable=False)
        ending = play(folder, lambda scene: _act(scene, data, witness), store=store, **settings)
        assert ending is Ending.NOTHING_LEFT
        assert ask(folder, f"SELECT url FROM urls WHERE state = {State.WAITING:d}") == []
        assert_consistent(folder)
        assert witness[0].pages <= {url for url, _, _ in stored(folder)}, "an honest page was lost"


# --- a worker process ------------------------------------------------------------------------------------------------


class _Desk:
    """Hands out some tasks, and wants each of them settled exactly once."""

    def __init__(self) -> None:
        self.tasks = deque(OUT)
        self.out: dict[tuple[TaskKind, int], Task] = {}

    async def lease(self) -> Task | None:
        if not self.tasks:
            return None
        task = self.tasks.popleft()
        self.out[task.kind, task.id] = task
        return task

    async def settle(self, visit: Visit) -> None:
        assert self.out.pop((visit.task.kind, visit.task.id)) == visit.task


async def _talk(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    channel = Channel(*await asyncio.open_connection(sock=ours))
    reader, writer = await asyncio.open_connection(sock=theirs)
    other = Channel(reader, writer)
    desk = _Desk()
    serving = asyncio.create_task(serve(desk, channel, lambda: TOPIC, told=TOPIC))
    for _ in OUT:
        await other.send(Want())
        await other.receive()
    writer.write(data)
    writer.write_eof()
    await serving
    assert not desk.tasks
    assert not desk.out, "a task has no fate"
    await channel.close()
    await other.close()


def _check_pipe(data: bytes) -> None:
    with _quiet():
        asyncio.run(_talk(data))


TARGETS = (
    Target(name="messages", make=message, check=_check_reading, runs=1000),
    Target(name="cluster", make=session, check=_check_session, runs=50),
    Target(name="pipe", make=pipe_session, check=_check_pipe, runs=60),
)
