"""How does a test run a cluster of hours in no time? With real coordinator, store, dispatch and hand; the broker is in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import replace

from shoal.cluster import wire
from shoal.cluster.connection import Stay
from shoal.cluster.dispatch import Dispatch
from shoal.cluster.wire import Assigned
from shoal.cluster.worker_broker import WorkerBroker
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor, work_together
from shoal.judge import judges
from shoal.model import State, Visit
from shoal.parse.parser import HtmlParser
from shoal.settings import Politeness
from shoal.store.packed_page import pack
from shoal.testing.broker import MemoryBroker
from tests.crawl.simulated import SEED, TOPIC, Simulation, page
from tests.running import ask, assert_consistent, stored

_T = TypeVar("_T")
HOSTS = [f"http://h{n}.test/" for n in range(3)]
WEB = {SEED: page(*HOSTS)} | {url: page("/2", text=url) for url in HOSTS} | {url + "2": page() for url in HOSTS}
CRAWL, RUN = "c", "r"
NESTED = b"\x82\xa4type\xa4Came\xa1x" + b"\x91" * 100_000
"""As msgpack; to read it would take more stack than there is."""
NO_TEXT = b"\x82\xa4type\xa4Came\xa3run\xa2\xff\xfe"
NONSENSE = b"\xc1 nonsense"
YEAR_3000 = 32_503_680_000.0


@dataclass
class Scene:
    """A crawl under way through a broker."""

    simulation: Simulation
    broker: MemoryBroker
    coordinator: Coordinator
    dispatch: Dispatch
    running: asyncio.Task[Ending]

    @property
    def visitor(self) -> PageVisitor:
        return PageVisitor(
            self.simulation.servers,
            InTurns(PageReader(HtmlParser(), judges()["cosine"].make(TOPIC), pack, learns=True)),
        )

    @asynccontextmanager
    async def worker(self, name: str = "w") -> AsyncIterator[WorkerBroker]:
        """Somebody who takes tasks, and gives back at the end what was not begun."""
        hand = WorkerBroker(name, capacity=4, clock=self.simulation.clock)
        async with asyncio.TaskGroup() as group:
            group.create_task(hand.run("", cast(Stay, self.broker.stay)))
            yield hand
            hand.leave()
            hand.gone()

    async def one_task(self, hand: WorkerBroker) -> Assigned:
        """The next task."""
        task = await hand.lease()
        assert task is not None
        return task

    async def works_off(self, hand: WorkerBroker) -> Ending:
        """Do all there is."""
        self.running.add_done_callback(lambda _: hand.leave())
        await work_together(hand, self.visitor, 4)
        return await self.running

    def brings(self, result: object) -> None:
        """Some worker says this came of a task; bytes go as they are."""
        body = result if isinstance(result, bytes) else msgspec.msgpack.encode(result)
        self.broker.put(wire.results_of(CRAWL), body)

    def comes(self, task: Assigned, visit: Visit | dict[str, Any]) -> None:
        """Some worker says this visit came of that task."""
        self.brings({"type": "Came", "run": task.run, "lease": task.lease, "worker": "x", "visit": visit})

    @property
    def dead(self) -> list[bytes]:
        """All that was put aside."""
        return self.broker.bodies(wire.DEAD)


def play(folder: Path, act: Callable[[Scene], Coroutine[Any, Any, _T]], **settings: Any) -> _T:
    """Begin a crawl, and let a test do something with it."""
    choices: dict[str, Any] = {"politeness": Politeness(delay=1.0), "index": False}
    simulation = Simulation(folder, WEB, **choices | settings)
    return simulation.play(lambda coordinator: _scene(simulation, coordinator, act), far=True)


async def _scene(
    simulation: Simulation, coordinator: Coordinator, act: Callable[[Scene], Coroutine[Any, Any, _T]]
) -> _T:
    broker = MemoryBroker()
    dispatch = Dispatch(coordinator, simulation.settings, crawl=CRAWL, run=RUN, inherited={}, clock=simulation.clock)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(coordinator.run())
        group.create_task(dispatch.run("", running, cast(Stay, broker.stay)))
        scene = Scene(simulation, broker, coordinator, dispatch, running)
        await asyncio.sleep(0.1)  # until all queues are there
        answer = await act(scene)
        coordinator.stop()
        await asyncio.sleep(1000)  # what is lost is lost
    return answer


async def to_the_page(scene: Scene, hand: WorkerBroker) -> tuple[Assigned, Visit]:
    """The task for the seed, whose robots.txt is read, and an honest visit of it."""
    while (task := await scene.one_task(hand)).url != SEED:
        await hand.settle(await scene.visitor.visit(task))
    visit = await scene.visitor.visit(task)
    return task, replace(visit, task=wire.plain(task))


def all_is_there(folder: Path, *, without: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    assert {url for url, _, _ in stored(folder)} == set(WEB) - without
    assert ask(folder, f"SELECT url FROM urls WHERE state = {State.WAITING:d}") == []
    assert_consistent(folder)
