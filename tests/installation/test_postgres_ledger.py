"""Clocks that are in PostgreSQL: nobody waits for the server but those who claim, and hosts are as safe as with any ledger."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal import services
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.termination import Ending
from shoal.database.postgres import PostgresDatabase
from shoal.database.shared_schema import SHARED
from shoal.installation import postgres_ledger
from shoal.installation.location import Installation
from shoal.installation.postgres_ledger import PostgresLedger
from shoal.settings import Cluster
from shoal.testing.servers import PostgreSQL
from shoal.testing.webserver import WebServer
from shoal.topic.topic_file import topic_from_words
from tests.running import impolite, stored
from tests.small_web import HOME, SmallWeb

NOW = 1_800_000_000.0
DELAY = 0.15
STALL = 0.7
"""Seconds; a loop that waits for a server that is held up for twice as long has a longer one."""
OpenLedger = Callable[[str], PostgresLedger]


@pytest.fixture
def open_ledger(postgres: str) -> Iterator[OpenLedger]:
    opened: list[PostgresLedger] = []

    def open_ledger(owner: str) -> PostgresLedger:
        opened.append(PostgresLedger(postgres, owner, lambda: NOW))
        return opened[-1]

    yield open_ledger
    for ledger in opened:
        ledger.close()


@asynccontextmanager
async def loop_is_free() -> AsyncIterator[None]:
    """Fails when the event loop was held up meanwhile."""
    longest = 0.0

    async def tick() -> None:
        nonlocal longest
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - began)

    ticking = asyncio.create_task(tick())
    yield
    ticking.cancel()
    assert longest < STALL


@asynccontextmanager
async def held_up(url: str, seconds: float) -> AsyncIterator[None]:
    """Nobody can claim or release anything at first, because another connection has the table; ends when that is over."""
    with closing(await asyncio.to_thread(PostgresDatabase, url)) as other:
        await asyncio.to_thread(other.execute, "BEGIN")
        await asyncio.to_thread(other.execute, f"LOCK TABLE {SHARED}.clocks")

        async def let_go() -> None:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(other.execute, "COMMIT")

        letting_go = asyncio.create_task(let_go())
        yield
        await letting_go


async def claim(ledger: PostgresLedger, key: str, now: float) -> float:
    """The answer, however long it takes."""
    answered = asyncio.Event()
    again = ledger.claim(key, now, now + 60, tell=answered.set)
    ledger.flush()
    if again == math.inf:
        async with asyncio.timeout(10):
            await answered.wait()
        again = ledger.claim(key, now, now + 60)
    return again


async def granted(ledger: PostgresLedger, key: str, now: float) -> bool:
    """True as soon as the host is ours; False when that takes too long."""
    for _ in range(100):
        if await claim(ledger, key, now) == 0:
            return True
        await asyncio.sleep(0.1)
    return False


async def test_the_event_loop_does_not_wait_for_a_server_that_is_slow(postgres: str, open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    assert await claim(ledger, "one.example", NOW) == 0
    async with loop_is_free(), held_up(postgres, 1.5):
        ledger.release("one.example", NOW + 5)
        assert await claim(ledger, "two.example", NOW) == 0
    assert await claim(ledger, "one.example", NOW) == NOW + 5


async def test_the_event_loop_does_not_wait_for_a_server_that_does_not_answer(
    postgres: str, open_ledger: OpenLedger
) -> None:
    ledger = open_ledger("a")
    async with loop_is_free(), held_up(postgres, 3.0):
        assert await claim(ledger, "one.example", NOW) == NOW + 1
        assert await claim(ledger, "two.example", NOW) == NOW + 1, "nobody asks a server that is away"
    assert await granted(ledger, "two.example", NOW)


async def test_clocks_wait_for_a_server_that_is_away_and_tell_it_then(
    postgres_server: PostgreSQL, open_ledger: OpenLedger
) -> None:
    ledger = open_ledger("a")
    assert await claim(ledger, "example.org", NOW) == 0
    assert ledger.held(NOW + 1).keys() == {"example.org"}
    async with loop_is_free():
        await asyncio.to_thread(postgres_server.stop)
        assert await claim(ledger, "other.example", NOW) == NOW + 1
        ledger.release("example.org", NOW + 5)
        ledger.flush()
        await asyncio.to_thread(postgres_server.start)
        assert await granted(ledger, "other.example", NOW)
    assert ledger.held(NOW + 1).keys() == {"other.example"}
    assert await claim(open_ledger("b"), "example.org", NOW + 1) == NOW + 5


async def test_what_was_granted_and_nobody_uses_goes_back(
    open_ledger: OpenLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_ledger, "_KEPT", 0.2)
    ledger, other, answered = open_ledger("a"), open_ledger("b"), asyncio.Event()
    ledger.claim("example.org", NOW, NOW + 60, NOW + 90, answered.set)
    ledger.flush()
    await answered.wait()
    assert await claim(other, "example.org", NOW + 1) > NOW + 1
    await asyncio.sleep(0.3)
    ledger.flush()
    assert await granted(other, "example.org", NOW + 1)
    assert await claim(ledger, "example.org", NOW + 1) > NOW + 1


async def test_as_many_claims_are_under_way_as_are_used(open_ledger: OpenLedger) -> None:
    ledger, under_way = open_ledger("a"), []
    for turn in range(8):
        names = [f"{turn}-{number}.example" for number in range(100)]
        answered = {name: asyncio.Event() for name in names}
        asked = [
            name for name in names if ledger.has_room and ledger.claim(name, NOW, NOW + 60, tell=answered[name].set)
        ]
        ledger.flush()
        await asyncio.gather(*(answered[name].wait() for name in asked))
        assert [ledger.claim(name, NOW, NOW + 60) for name in asked] == [0] * len(asked)
        under_way.append(len(asked))
    assert under_way == [4, 8, 16, 32, 64, 64, 64, 64]


async def test_a_ledger_that_is_closed_in_the_middle_leaves_nothing_claimed(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    ledger.claim("example.org", NOW, NOW + 60)
    ledger.flush()
    ledger.close()
    await asyncio.sleep(0)
    assert await claim(open_ledger("b"), "example.org", NOW) == 0


@pytest.mark.slow
async def test_two_crawls_share_hosts_politely_while_their_server_is_slow_and_killed(
    tmp_path: Path, postgres: str, postgres_server: PostgreSQL
) -> None:
    async def watch(coordinator: Coordinator) -> None:
        return

    web = SmallWeb([6, 6, 6, 6])
    async with WebServer(web) as server:
        options = {"proxy": server.proxy, "delay": DELAY}
        settings = topic_from_words("grid", (HOME,), names=services.choices.names(), options=options, environ={})
        for name in ("one", "two"):
            services.crawls.start_crawl(
                tmp_path / name, replace(settings, index=False), cluster=Cluster(database=postgres)
            )
        crawls = [
            asyncio.create_task(services.run.run_crawl(tmp_path / name, Installation(home=tmp_path), watch))
            for name in ("one", "two")
        ]
        await web.gets(10)
        async with loop_is_free():
            async with held_up(postgres, 1.5):
                pass
            await web.gets(10)
            await asyncio.to_thread(postgres_server.kill)
            await asyncio.to_thread(postgres_server.start)
            await web.gets(10)
        assert await asyncio.gather(*crawls) == [Ending.NOTHING_LEFT] * 2
    assert len(stored(tmp_path / "one")) == len(stored(tmp_path / "two")) > 24
    assert impolite(server.log, DELAY, web.robots) == []
