"""Two coordinators side by side keep the promises of one; `test_coordinator_late.py` has the results that nobody waits for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from shoal import assembly
from shoal.store.crawl_store import open_store
from shoal.testing.memory_ledger import Clock, MemoryLedger
from tests.crawl.simulated import Servers, Simulation, assert_apart, in_no_time, page
from tests.running import stored


@pytest.mark.slow
def test_two_crawls_share_the_clock_of_a_host(tmp_path: Path) -> None:
    web = {f"http://a.test/{n or ''}": page(f"/{n + 1}") for n in range(20)}
    clocks: dict[str, Clock] = {}
    first = Simulation(tmp_path / "1", web, latency=0.5, ledger=MemoryLedger("1", clocks))
    second = Simulation(tmp_path / "2", web, latency=0.5, ledger=MemoryLedger("2", clocks))
    second.servers = Servers(web, lambda: first.now, 0.5)

    async def both() -> None:
        with open_store(first.folder) as one, open_store(second.folder) as two:
            async with asyncio.TaskGroup() as group:
                for crawl, store in ((first, one), (second, two)):
                    coordinator = assembly.make_coordinator(store, crawl.ledger, lambda: first.now)
                    group.create_task(crawl.crawl(coordinator))

    in_no_time(first, both)
    assert len(stored(first.folder)) == len(stored(second.folder)) == 20
    assert_apart(sorted(first.times("a.test") + second.times("a.test")), 1.0)
