"""How does what came become durable? Batch after batch, whole or not at all, whatever the disk does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoal import assembly
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.errors import StorageFull
from shoal.frontier.traps import TrapDetector
from shoal.model import State
from shoal.model.stored import Changes, Duplicate, WorkerRecord
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore
from shoal.testing.memory_ledger import MemoryLedger
from tests.crawl.simulated import SEED, Simulation, hosts, page
from tests.crawl.stumbling import WEB, stumbles
from tests.running import ask, assert_consistent, fates, stored


class FullDisk(CrawlStore):
    """A store whose disk is full after a few batches."""

    batches = 0

    async def commit(self, changes: Changes) -> list[Duplicate]:
        self.batches += 1
        if self.batches > 3:
            raise StorageFull("The disk is full.")
        return await super().commit(changes)


def test_a_full_disk_stops_the_crawl_and_nothing_is_lost(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, hosts(30), latency=1.0, store=FullDisk)
    with pytest.raises(ExceptionGroup) as stopped:
        crawl.run()
    assert stopped.group_contains(StorageFull)
    assert_consistent(tmp_path)
    assert len(stored(tmp_path)) < 31
    crawl._make_store = CrawlStore
    crawl.now += 100.0
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == 31
    assert_consistent(tmp_path)


class SlowDisk(CrawlStore):
    """A store that waits in the middle of a commit until it is told to go on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self.finished = False

    async def commit(self, changes: Changes) -> list[Duplicate]:
        self.begun.set()
        await self.go_on.wait()
        duplicates = await super().commit(changes)
        self.finished = True
        return duplicates


@pytest.mark.slow
async def test_a_cancelled_crawl_waits_until_the_disk_has_what_it_was_given(tmp_path: Path) -> None:
    """Else the folder would be closed under the hands of whoever writes to it."""
    crawl = Simulation(tmp_path, {SEED: page()})
    with folders.lock(tmp_path):
        store = SlowDisk(tmp_path)
        coordinator = assembly.make_coordinator(store, MemoryLedger())
        running = asyncio.create_task(coordinator.run())
        await store.begun.wait()
        running.cancel()
        asyncio.get_running_loop().call_soon(store.go_on.set)
        await asyncio.gather(running, return_exceptions=True)
        assert running.cancelled()
        assert store.finished
        store.close()
    assert fates(crawl.folder)[SEED] == (State.WAITING, None)


def test_others_hear_which_batch_is_on_the_disk_and_are_shown(tmp_path: Path) -> None:
    crawl = Simulation(tmp_path, {SEED: page("/1", "/2")})
    durable: list[int] = []
    worker = WorkerRecord(
        name="w", state="working", shoal="0", capacity=8, busy=1, visits=2, failures=0, bytes=3, rate=0.5, heard_at=9.0
    )

    async def listen(coordinator: Coordinator) -> Ending:
        coordinator.work_with(durable.append, lambda: (worker,))
        assert coordinator.batch == 1
        ending = await crawl.crawl(coordinator)
        assert durable == list(range(1, coordinator.batch))
        return ending

    crawl.play(listen)
    assert durable
    ((told,),) = ask(tmp_path, "SELECT value FROM meta WHERE key = 'workers'")
    assert '"name":"w"' in told


def test_traps_that_cannot_be_watched_for_cost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stumbles(monkeypatch, TrapDetector, "record")
    crawl = Simulation(tmp_path, WEB, bugs=1)
    assert crawl.run() is Ending.NOTHING_LEFT
    assert len(stored(tmp_path)) == len(WEB)
