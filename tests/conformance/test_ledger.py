"""What every ledger of hosts must do, in memory or on disk."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal.installation.postgres_ledger import PostgresLedger
from shoal.installation.sqlite_ledger import SqliteLedger
from shoal.protocols import Ledger
from shoal.testing.memory_ledger import Clock, MemoryLedger

NOW = 1_800_000_000.0


class Prompt:
    """A ledger that tells the others everything at once, and whoever claims waits for the answer."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._barriers = 0

    async def claim(self, key: str, now: float, until: float, next_at: float = 0.0) -> float:
        (again,) = await self.claim_all([key], now, until, next_at)
        return again

    async def claim_all(self, keys: list[str], now: float, until: float, next_at: float = 0.0) -> list[float]:
        answered = {key: asyncio.Event() for key in keys}
        granted = [self._ledger.claim(key, now, until, next_at, answered[key].set) for key in keys]
        self._ledger.flush()
        for place, key in enumerate(keys):
            if granted[place] == math.inf:
                async with asyncio.timeout(10):
                    await answered[key].wait()
                granted[place] = self._ledger.claim(key, now, until, next_at)
        return granted

    async def release(self, key: str, next_at: float) -> None:
        """Answers when the others know it: what a ledger tells and asks goes in one order, and the last was answered."""
        self._ledger.release(key, next_at)
        self._barriers += 1
        await self.claim(f"barrier-{self._barriers}.example", NOW, NOW + 60)


OpenLedger = Callable[[str], Prompt]


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def open_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenLedger]:
    """Opens the ledger of this test for one crawl after another."""
    clocks: dict[str, Clock] = {}
    opened: list[SqliteLedger | PostgresLedger] = []

    def open_sqlite(owner: str) -> Ledger:
        opened.append(SqliteLedger(tmp_path / "hosts.sqlite", owner, lambda: NOW))
        return opened[-1]

    def open_postgres(owner: str) -> Ledger:
        opened.append(PostgresLedger(request.getfixturevalue("postgres"), owner, lambda: NOW))
        return opened[-1]

    def open_memory(owner: str) -> Ledger:
        return MemoryLedger(owner, clocks)

    openers = {"memory": open_memory, "sqlite": open_sqlite, "postgresql": open_postgres}
    opener = openers[request.param]
    yield lambda owner: Prompt(opener(owner))
    for ledger in opened:
        ledger.close()


async def test_a_host_nobody_asked_is_granted_at_once(open_ledger: OpenLedger) -> None:
    assert await open_ledger("a").claim("example.org", NOW, NOW + 60) == 0


async def test_a_released_host_is_granted_at_its_time_and_not_before(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    await ledger.claim("example.org", NOW, NOW + 60)
    await ledger.release("example.org", NOW + 2)
    assert await ledger.claim("example.org", NOW + 1.9, NOW + 60) == NOW + 2
    assert await ledger.claim("example.org", NOW + 2, NOW + 60) == 0


async def test_hosts_do_not_wait_for_each_other(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    await ledger.claim("one.example", NOW, NOW + 60)
    await ledger.release("one.example", NOW + 100)
    assert await ledger.claim("two.example", NOW, NOW + 60) == 0


async def test_another_crawl_waits_while_a_request_is_in_flight(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    assert await first.claim("example.org", NOW, NOW + 60) == 0
    assert await second.claim("example.org", NOW, NOW + 60) > NOW
    assert await second.claim("example.org", NOW + 59, NOW + 119) > NOW + 59


async def test_two_crawls_share_the_delay_of_a_host(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    await first.claim("example.org", NOW, NOW + 60)
    await first.release("example.org", NOW + 5)
    assert await second.claim("example.org", NOW + 1, NOW + 61) == NOW + 5
    assert await second.claim("example.org", NOW + 5, NOW + 65) == 0
    assert await first.claim("example.org", NOW + 5, NOW + 65) > NOW + 5


async def test_a_claim_that_ran_out_is_free_for_others(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    await first.claim("example.org", NOW, NOW + 60)
    assert await second.claim("example.org", NOW + 65, NOW + 125) == 0


async def test_a_late_release_does_not_end_the_claim_of_another_crawl(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    await first.claim("example.org", NOW, NOW + 60)
    assert await second.claim("example.org", NOW + 65, NOW + 125) == 0
    await first.release("example.org", NOW + 66)
    assert await first.claim("example.org", NOW + 67, NOW + 127) > NOW + 67


async def test_a_crawl_may_hold_a_host_more_than_once(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    assert await first.claim("example.org", NOW, NOW + 60) == 0
    assert await first.claim("example.org", NOW, NOW + 60) == 0
    await first.release("example.org", NOW)
    assert await second.claim("example.org", NOW + 1, NOW + 61) > NOW + 1  # the other request is still in flight
    await first.release("example.org", NOW)
    assert await second.claim("example.org", NOW + 1, NOW + 61) == 0


async def test_the_longest_wait_wins(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    await ledger.release("example.org", NOW + 100)
    await ledger.release("example.org", NOW + 1)
    assert await ledger.claim("example.org", NOW + 2, NOW + 62) == NOW + 100


async def test_a_host_whose_asker_died_is_left_alone_for_its_own_delay(open_ledger: OpenLedger) -> None:
    dead, other = open_ledger("dead"), open_ledger("other")
    await dead.claim("example.org", NOW, NOW + 60, next_at=NOW + 90)
    again = await other.claim("example.org", NOW + 70, NOW + 130)
    assert NOW + 90 <= again <= NOW + 95, "a ledger that is slow may leave it alone for a little longer"


async def test_a_release_says_better_when_the_host_may_be_asked_than_the_claim_did(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    await ledger.claim("example.org", NOW, NOW + 60, next_at=NOW + 90)
    await ledger.release("example.org", NOW + 1)
    assert await ledger.claim("example.org", NOW + 1, NOW + 61) == 0


async def test_many_hosts_are_claimed_together_each_for_itself(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    await first.claim("taken.example", NOW, NOW + 60)
    await first.release("later.example", NOW + 7)
    names = ["free.example", "taken.example", "also.example", "later.example"]
    free, taken, also, later = await second.claim_all(names, NOW, NOW + 60)
    assert (free, also, later) == (0, 0, NOW + 7)
    assert taken > NOW


async def test_two_crawls_that_claim_the_same_hosts_at_once_share_them_out(open_ledger: OpenLedger) -> None:
    crawls, names = (open_ledger("a"), open_ledger("b")), [f"{number}.example" for number in range(20)]
    one, two = await asyncio.gather(
        crawls[0].claim_all(names, NOW, NOW + 60), crawls[1].claim_all(names[::-1], NOW, NOW + 60)
    )
    assert all((first == 0) != (second == 0) for first, second in zip(one, reversed(two), strict=True))
