"""What coordinator and worker do with each other through a real RabbitMQ, when things do not go as they should."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import assembly
from shoal.cluster import wire
from shoal.cluster import worker_broker as hands
from shoal.cluster.connection import Delivery, dialled
from shoal.cluster.dispatch import KILLS, Dispatch
from shoal.cluster.wire import Assigned, Beat, Came
from shoal.cluster.worker_broker import WorkerBroker
from shoal.commands.status import show_attendance
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor, work_together
from shoal.errors import BrokerRefused, first_of
from shoal.judge import judges
from shoal.model import Reason, State, Task, Visit
from shoal.parse.parser import HtmlParser
from shoal.services.cluster_status import attendance
from shoal.settings import Cluster, Learning, Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.store.packed_page import pack
from shoal.testing.fakes import FakeFetcher
from shoal.testing.memory_ledger import MemoryLedger
from tests.crawl.simulated import SEED, TOPIC, page
from tests.running import assert_consistent, fates, stored

pytestmark = pytest.mark.slow  # because the broker takes seconds to start
HOSTS = [f"http://h{n}.test/" for n in range(6)]
WEB = {SEED: page(*HOSTS)} | {url: page("/2", text=url) for url in HOSTS} | {url + "2": page() for url in HOSTS}
SETTINGS = Settings(topic=TOPIC, seeds=(SEED,), politeness=Politeness(delay=0.0, per_address=64), index=False)


class Time:
    """The coordinator's clock, which a test can put forward."""

    ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@dataclass
class Crawl:
    """A crawl under way through a broker."""

    url: str
    folder: Path
    coordinator: Coordinator
    dispatch: Dispatch
    running: asyncio.Task[Ending]
    clock: Time
    fetcher: FakeFetcher

    @property
    def visitor(self) -> PageVisitor:
        return PageVisitor(
            self.fetcher, InTurns(PageReader(HtmlParser(), judges()["cosine"].make(TOPIC), pack, learns=True))
        )

    async def one_visit(self, hand: WorkerBroker) -> Assigned:
        """Take one task and do it."""
        task = await hand.lease()
        assert task is not None
        await hand.settle(await self.visitor.visit(task))
        return task

    @asynccontextmanager
    async def worker(self, hand: WorkerBroker | None = None) -> AsyncIterator[WorkerBroker]:
        """Somebody who takes tasks, and gives back at the end what was not begun."""
        hand = hand or WorkerBroker("w", capacity=4)
        async with asyncio.TaskGroup() as group:
            group.create_task(hand.run(self.url))
            yield hand
            hand.leave()
            hand.gone()

    async def works_off(self, hand: WorkerBroker) -> Ending:
        """Do all there is."""
        self.running.add_done_callback(lambda _: hand.leave())
        await work_together(hand, self.visitor, 4)
        return await self.running

    async def counts(self, **figures: int) -> None:
        """Wait until the coordinator has counted so many."""
        await self.until(lambda: all(getattr(self.dispatch.figures(), name) == n for name, n in figures.items()))

    async def until(self, something: Callable[[], bool]) -> None:
        """Wait for what another task or process brings about."""
        async with asyncio.timeout(90):
            while not something():  # noqa: ASYNC110  what is waited for tells nobody
                await asyncio.sleep(0.01)


@pytest.fixture
def settings() -> Settings:
    """What the crawl is; a test may want something else."""
    return SETTINGS


@pytest.fixture
async def crawl(tmp_path: Path, rabbitmq: str, settings: Settings) -> AsyncIterator[Crawl]:
    clock = Time()
    folders.create(tmp_path / "c", settings, cluster=Cluster(broker=rabbitmq))
    with open_store(tmp_path / "c") as store:
        coordinator = assembly.make_coordinator(store, MemoryLedger(), clock, far=True)
        dispatch = Dispatch(coordinator, settings, crawl=store.crawl_id, run="r", inherited={}, clock=clock)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(coordinator.run())
            group.create_task(dispatch.run(rabbitmq, running))
            fetcher = FakeFetcher(WEB, time.time)
            yield Crawl(rabbitmq, tmp_path / "c", coordinator, dispatch, running, clock, fetcher)
            coordinator.stop()
            clock.ahead += 1000  # what is lost is lost


def assert_all_is_there_once(crawl: Crawl) -> None:
    assert {url for url, _, _ in stored(crawl.folder)} == set(WEB)
    assert_consistent(crawl.folder)


# --- results ---------------------------------------------------------------------------------------------------------


class Stutterer(WorkerBroker):
    """Brings every result twice."""

    async def settle(self, visit: Visit) -> None:
        await super().settle(visit)
        task = visit.task
        assert isinstance(task, Assigned)
        assert self._line is not None
        again = Came(run=task.run, lease=task.lease, worker="w", visit=replace(visit, task=wire.plain(task)))
        await self._line.publish(wire.results_of(task.crawl), wire.encode(again))


async def test_a_result_that_is_delivered_twice_is_stored_once(crawl: Crawl) -> None:
    async with crawl.worker(Stutterer("w", capacity=4)) as hand:
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    assert_all_is_there_once(crawl)
    assert crawl.dispatch.figures().late > 0


async def test_a_result_that_cannot_be_read_does_no_harm(crawl: Crawl, caplog: pytest.LogCaptureFixture) -> None:
    async with crawl.worker() as hand, dialled(crawl.url) as line:
        await crawl.until(lambda: crawl.dispatch.figures().workers == 1)
        store_id = (await crawl.one_visit(hand)).crawl
        await line.publish(wire.results_of(store_id), b"\xc1 nonsense")
        await line.publish(wire.results_of(store_id), b"\x82\xa4type\xa4Came\xa1x" + b"\x91" * 100_000)
        await crawl.counts(dead_letters=2)
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
        assert await line.count(wire.DEAD) == 2
    assert caplog.text.count("was put aside") == 2
    assert_all_is_there_once(crawl)


async def test_results_are_acknowledged_only_when_they_are_on_the_disk(crawl: Crawl) -> None:
    """So nothing is left for the next run when the crawl is over, and the queue of the crawl is gone."""
    async with crawl.worker() as hand:
        crawl_id = (await crawl.one_visit(hand)).crawl
        await crawl.works_off(hand)
    await asyncio.sleep(0)
    async with dialled(crawl.url) as line:
        await crawl.until(lambda: crawl.dispatch._line is None)
        assert await line.declare(wire.results_of(crawl_id)) == 0


# --- pauses ----------------------------------------------------------------------------------------------------------


async def test_workers_get_nothing_while_the_crawl_is_paused(crawl: Crawl) -> None:
    async with crawl.worker() as hand:
        first = await hand.lease()  # the robots.txt of the seed: there is nothing else yet
        assert first is not None
        crawl.coordinator.pause()
        await hand.settle(await crawl.visitor.visit(first))
        await crawl.until(lambda: not crawl.coordinator.live().in_flight)
        leasing, batch = asyncio.ensure_future(hand.lease()), crawl.coordinator.batch
        await crawl.until(lambda: crawl.coordinator.batch > batch + 2)
        assert not leasing.done()
        assert crawl.coordinator.ending is None
        crawl.coordinator.go_on()
        task = await leasing
        assert task is not None
        await hand.settle(await crawl.visitor.visit(task))
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    assert_all_is_there_once(crawl)


# --- tasks -----------------------------------------------------------------------------------------------------------


async def test_a_task_that_nobody_begins_in_time_goes_back_and_is_not_asked_for(crawl: Crawl) -> None:
    async with crawl.worker() as hand:
        await crawl.one_visit(hand)
        await crawl.until(lambda: hand.figures.in_hand > 0)
        crawl.clock.ahead += 60  # the coordinator's clock; the worker hears of it with the next beat
        (offset,) = hand._offsets.values()
        await crawl.until(lambda: offset.seconds > 50)
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    assert_all_is_there_once(crawl)
    assert [task.url for task in crawl.fetcher.asked].count(SEED) == 1
    (leases,) = {task.lease for task in crawl.fetcher.asked if isinstance(task, Assigned) and task.url == SEED}
    assert leases > 2, "the first lease of it was given back"


async def test_times_are_told_by_the_clock_of_the_coordinator(crawl: Crawl) -> None:
    crawl.clock.ahead = -500.0
    async with crawl.worker() as hand:
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    with folders.reading(crawl.folder) as database:
        times = [at for (at,) in database.execute("SELECT fetched_at FROM pages")]
    assert times
    assert all(abs(at - (time.time() - 500.0)) < 60 for at in times)


async def _dies_with(crawl: Crawl) -> Assigned:
    """Somebody takes a task and is gone without a word."""
    taken: asyncio.Queue[Delivery] = asyncio.Queue()
    async with dialled(crawl.url) as line:
        await line.declare(wire.TASKS, **wire.TASKS_LIMITS)
        await line.consume(wire.TASKS, taken.put_nowait, prefetch=1)
        line.say(wire.encode(Beat(wire=wire.WIRE, shoal="0", worker="victim", capacity=1)), at=wire.VOICES)
        async with asyncio.timeout(90):
            delivery = await taken.get()
    return wire.read_assigned(delivery.body)


async def test_a_task_whose_worker_died_is_tried_again_and_not_before_its_lease_is_over(crawl: Crawl) -> None:
    async with crawl.worker() as hand:
        await crawl.one_visit(hand)  # robots.txt
    lost = await _dies_with(crawl)
    async with crawl.worker() as hand:
        await crawl.until(lambda: crawl.dispatch.figures().redeliveries == 1)
        assert lost.url in crawl.coordinator.statistics().fetching
        crawl.clock.ahead += 200
        await crawl.until(lambda: crawl.dispatch.figures().expired == 1)
        crawl.clock.ahead += 200  # the rest before the second try
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    assert_all_is_there_once(crawl)


async def test_a_task_that_kills_its_workers_is_put_aside_and_shown(
    crawl: Crawl, caplog: pytest.LogCaptureFixture
) -> None:
    async with crawl.worker() as hand:
        await crawl.one_visit(hand)
    for deaths in range(1, KILLS + 1):
        lost = await _dies_with(crawl)
        assert (lost.url, lost.attempt) == (SEED, deaths)
        async with crawl.worker():
            await crawl.counts(redeliveries=deaths)
            crawl.clock.ahead += 200
            await crawl.counts(expired=deaths)
            crawl.clock.ahead += 3600
    assert await crawl.running is Ending.NOTHING_LEFT
    assert fates(crawl.folder)[SEED] == (State.FAILED, Reason.WORKER_DIED)
    assert f"{SEED} was put aside" in caplog.text
    found = await attendance(crawl.folder)
    assert found is not None
    assert (found.dead_letters, [letter.url for letter in found.dead]) == (1, [SEED])
    again = await attendance(crawl.folder)
    assert again is not None
    assert again.dead_letters == 1, "looking does not take it away"


async def test_a_task_that_cannot_be_read_is_put_aside_and_ends_no_worker(
    crawl: Crawl, caplog: pytest.LogCaptureFixture
) -> None:
    async with crawl.worker() as hand, dialled(crawl.url) as line:
        await crawl.one_visit(hand)
        await line.publish(wire.TASKS, b"\xc1 nonsense")
        await crawl.until(lambda: "was put aside" in caplog.text)
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
        assert await line.count(wire.DEAD) == 1
    found = await attendance(crawl.folder)
    assert found is not None
    assert [letter.url for letter in found.dead] == ["(a message that cannot be read)"]


async def test_that_nobody_works_is_said_once_and_that_somebody_does_again(
    crawl: Crawl, caplog: pytest.LogCaptureFixture
) -> None:
    crawl.clock.ahead += 6
    await crawl.until(lambda: "No worker is here" in caplog.text)
    crawl.clock.ahead += 60
    async with crawl.worker() as hand:
        await crawl.until(lambda: "Workers are here" in caplog.text)
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    assert caplog.text.count("No worker is here") == 1
    assert caplog.text.count("Workers are here") == 1


async def test_a_worker_that_leaves_gives_back_what_it_has_not_begun_with(crawl: Crawl) -> None:
    async with crawl.worker() as hand:
        await crawl.one_visit(hand)
        await crawl.until(lambda: hand.figures.in_hand > 0)
    await crawl.until(lambda: not crawl.coordinator.statistics().fetching)
    assert crawl.dispatch.figures().workers == 0
    async with crawl.worker() as hand:
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    assert_all_is_there_once(crawl)
    assert (crawl.dispatch.figures().redeliveries, crawl.dispatch.figures().expired) == (0, 0)


async def test_what_is_in_the_queue_when_the_last_worker_leaves_goes_back_at_once(crawl: Crawl) -> None:
    async with crawl.worker() as hand:
        await crawl.one_visit(hand)
    line_says = Beat(wire=wire.WIRE, shoal="0", worker="nobody", capacity=1)
    async with dialled(crawl.url) as line:
        line.say(wire.encode(line_says), at=wire.VOICES)
        await crawl.until(lambda: bool(crawl.coordinator.statistics().fetching))
        line.say(wire.encode(replace(line_says, leaving=True)), at=wire.VOICES)
        await crawl.until(lambda: not crawl.coordinator.statistics().fetching)
    async with crawl.worker() as hand:
        assert await crawl.works_off(hand) is Ending.NOTHING_LEFT
    assert_all_is_there_once(crawl)
    assert crawl.dispatch.figures().expired == 0


# --- voices ----------------------------------------------------------------------------------------------------------


async def test_a_worker_of_another_version_is_refused_with_one_sentence(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "WIRE", wire.WIRE + 1)
    with pytest.raises(BaseExceptionGroup) as failed:
        await WorkerBroker("newer", capacity=4).run(crawl.url)
    refused = first_of(failed.value)
    assert isinstance(refused, BrokerRefused)
    assert f"version {wire.WIRE} of shoal's messages, and the worker newer" in str(refused)
    assert "install the same shoal on both" in str(refused)
    (record,) = crawl.dispatch.worker_registry.records(time.time())
    assert (record.name, record.state) == ("newer", "refused")
    assert crawl.dispatch.figures().workers == 0


class Reader:
    """A visitor that notes which topic it could judge by, and which one each task needs."""

    def __init__(self, crawl: Crawl, hand: WorkerBroker) -> None:
        self._crawl = crawl
        self._hand = hand
        self.versions: list[tuple[int, int]] = []

    async def visit(self, task: Task) -> Visit:
        assert isinstance(task, Assigned)
        self.versions.append((self._hand.brief(task.crawl).settings.topic.version, task.topic_version))
        return await self._crawl.visitor.visit(task)


@pytest.mark.parametrize("settings", [replace(SETTINGS, learning=Learning(adapt_threshold=True, interval=2, wanted=2))])
async def test_a_topic_reaches_a_worker_before_the_tasks_that_need_it(crawl: Crawl) -> None:
    async with crawl.worker() as hand:
        reader = Reader(crawl, hand)
        crawl.running.add_done_callback(lambda _: hand.leave())
        await work_together(hand, reader, 4)
    assert max(needed for _, needed in reader.versions) > 1, "the topic changed on the way"
    assert all(known >= needed for known, needed in reader.versions)


async def test_the_coordinator_tells_who_works_for_it(crawl: Crawl, capsys: pytest.CaptureFixture[str]) -> None:
    async with crawl.worker(WorkerBroker("基地", capacity=4)) as hand:
        await crawl.one_visit(hand)
        await crawl.until(lambda: crawl.dispatch.worker_registry.records(time.time())[0].visits == 1)
        await crawl.works_off(hand)
    found = await attendance(crawl.folder)
    assert found is not None
    (worker,) = found.workers
    assert (worker.name, worker.capacity) == ("基地", 4)
    assert worker.visits > 0
    show_attendance(found)
    shown = capsys.readouterr().out
    assert "基地" in shown
    assert crawl.url not in shown
