"""What every broker promises (`protocols.Broker`), run on the coordinator itself, on a pipe to it, and through RabbitMQ."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from shoal import assembly
from shoal.cluster.dispatch import Dispatch
from shoal.cluster.worker_broker import WorkerBroker
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.processes import Channel, PipeBroker, connect, serve
from shoal.crawl.readers import InTurns
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor, work_together
from shoal.judge import judges
from shoal.model import State
from shoal.parse.parser import HtmlParser
from shoal.protocols import Broker
from shoal.settings import Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.store.packed_page import pack
from shoal.testing.fakes import FakeFetcher
from shoal.testing.memory_ledger import MemoryLedger
from tests.crawl.simulated import SEED, TOPIC, page
from tests.running import assert_consistent, fates, stored

HOSTS = [f"http://h{n}.test/" for n in range(6)]
WEB = {SEED: page(*HOSTS)} | {url: page("/2", text=url) for url in HOSTS} | {url + "2": page() for url in HOSTS}
SETTINGS = Settings(topic=TOPIC, seeds=(SEED,), politeness=Politeness(delay=0.0, per_address=64))


@dataclass(frozen=True)
class Crawl:
    """A crawl that runs, and the broker under test."""

    broker: Broker
    coordinator: Coordinator
    running: asyncio.Task[Ending]
    visitor: PageVisitor
    folder: Path


@asynccontextmanager
async def in_process(coordinator: Coordinator, running: asyncio.Task[Ending], url: str) -> AsyncIterator[Broker]:
    yield coordinator


@asynccontextmanager
async def through_a_pipe(coordinator: Coordinator, running: asyncio.Task[Ending], url: str) -> AsyncIterator[Broker]:
    ours, theirs = socket.socketpair()
    channel = await connect(theirs.detach())
    far_end = Channel(*await asyncio.open_connection(sock=ours))
    broker = PipeBroker(channel, lambda topic: None)
    async with asyncio.TaskGroup() as group:
        group.create_task(serve(coordinator, far_end, lambda: coordinator.topic, told=coordinator.topic))
        group.create_task(broker.listen())
        yield broker
        await channel.close()
        await far_end.close()


@asynccontextmanager
async def through_rabbitmq(coordinator: Coordinator, running: asyncio.Task[Ending], url: str) -> AsyncIterator[Broker]:
    dispatch = Dispatch(coordinator, SETTINGS, crawl="c", run="r", inherited={})
    hand = WorkerBroker("w", capacity=10)
    async with asyncio.TaskGroup() as group:
        group.create_task(dispatch.run(url, running))
        group.create_task(hand.run(url))
        # Workers outlive crawls; this one is told to go home when its crawl is over.
        running.add_done_callback(lambda _: hand.leave())
        yield hand
        coordinator.stop()
        hand.leave()  # and gives back what it has not begun with
        await asyncio.wait([running])
        hand.gone()


@pytest.fixture(params=[in_process, through_a_pipe, pytest.param(through_rabbitmq, marks=pytest.mark.slow)])
async def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Crawl]:
    url = request.getfixturevalue("rabbitmq") if request.param is through_rabbitmq else ""
    folders.create(tmp_path, SETTINGS)
    visitor = PageVisitor(
        FakeFetcher(WEB, time.time), InTurns(PageReader(HtmlParser(), judges()["cosine"].make(TOPIC), pack))
    )
    with open_store(tmp_path) as store:
        coordinator = assembly.make_coordinator(store, MemoryLedger())
        running = asyncio.create_task(coordinator.run())
        async with request.param(coordinator, running, url) as broker:
            yield Crawl(broker, coordinator, running, visitor, tmp_path)
            coordinator.stop()
        await running


async def test_many_workers_bring_home_the_whole_web(crawl: Crawl) -> None:
    await work_together(crawl.broker, crawl.visitor, 10)
    assert await crawl.running is Ending.NOTHING_LEFT
    assert {url for url, _, _ in stored(crawl.folder)} == set(WEB)
    assert_consistent(crawl.folder)


async def test_what_is_settled_is_stored_as_it_was_seen(crawl: Crawl) -> None:
    await work_together(crawl.broker, crawl.visitor, 1)
    await crawl.running
    assert {title for _, title, _ in stored(crawl.folder)} == {*HOSTS, ""}


async def test_nobody_gets_what_another_has(crawl: Crawl) -> None:
    for _ in range(2):  # robots.txt and seed
        await one_visit(crawl)
    tasks = await asyncio.gather(*(crawl.broker.lease() for _ in HOSTS))
    assert sorted(task.url for task in tasks if task) == sorted(url + "robots.txt" for url in HOSTS)
    for task in tasks:
        assert task is not None
        await crawl.broker.settle(await crawl.visitor.visit(task))


async def test_a_lease_waits_until_there_is_something(crawl: Crawl) -> None:
    first = await crawl.broker.lease()
    assert first is not None
    second = asyncio.create_task(crawl.broker.lease())
    await asyncio.sleep(0.01)
    assert not second.done()
    await crawl.broker.settle(await crawl.visitor.visit(first))
    task = await second
    assert task is not None
    assert task.url == SEED
    await crawl.broker.settle(await crawl.visitor.visit(task))


async def test_a_lease_that_was_cancelled_loses_nothing(crawl: Crawl) -> None:
    first = await crawl.broker.lease()
    assert first is not None
    for _ in range(3):
        waiting = asyncio.create_task(crawl.broker.lease())
        await asyncio.sleep(0.01)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    await crawl.broker.settle(await crawl.visitor.visit(first))
    await work_together(crawl.broker, crawl.visitor, 4)
    assert await crawl.running is Ending.NOTHING_LEFT
    assert {url for url, _, _ in stored(crawl.folder)} == set(WEB)


async def test_everybody_hears_that_the_crawl_is_over(crawl: Crawl) -> None:
    task = await crawl.broker.lease()
    assert task is not None
    idle = [asyncio.create_task(crawl.broker.lease()) for _ in range(3)]
    await asyncio.sleep(0.01)
    crawl.coordinator.stop()
    await crawl.broker.settle(await crawl.visitor.visit(task))
    assert await asyncio.gather(*idle) == [None] * 3
    assert await crawl.broker.lease() is None
    assert await crawl.running is Ending.STOPPED
    assert fates(crawl.folder)[SEED] == (State.WAITING, None)


async def one_visit(crawl: Crawl) -> None:
    task = await crawl.broker.lease()
    assert task is not None
    await crawl.broker.settle(await crawl.visitor.visit(task))
