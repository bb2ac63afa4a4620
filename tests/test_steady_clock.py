"""The clock of the computer is set back or ahead: no wait, lease, rule or budget becomes longer or shorter."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from shoal import assembly, services
from shoal.cluster.leases import Leases
from shoal.cluster.wire import Assigned
from shoal.crawl.termination import Ending
from shoal.fetch.client import MAX_RETRY_AFTER, HttpFetcher
from shoal.frontier.politeness import Clocks
from shoal.frontier.robots import Rulebook
from shoal.installation.location import Installation
from shoal.installation.sqlite_ledger import SqliteLedger
from shoal.model import Failure, Missed, Reason, RobotsRead, Task, Term, Timing, Topic
from shoal.protocols import Ledger
from shoal.settings import Budget, Fetching, Politeness, Settings
from shoal.steady_clock import SteadyClock, WallLedger, seconds_up
from shoal.store.crawl_store import open_store
from shoal.testing.memory_ledger import MemoryLedger

NOW = 1_800_000_000.0
HOUR, DAY, YEAR = 3600.0, 86_400.0, 365 * 86_400.0
JUMPS = pytest.mark.parametrize("jump", [-HOUR, -6 * DAY, HOUR, 10 * YEAR], ids=["-1h", "-6d", "+1h", "+10y"])
POLITE = Politeness(delay=2.0)


class Computer:
    """Has a clock that can be set, and counts seconds all the same."""

    def __init__(self) -> None:
        self.seconds = 5.0
        self.wall_at_zero = NOW - 5.0

    def wall(self) -> float:
        return self.wall_at_zero + self.seconds

    def wait(self, seconds: float) -> None:
        self.seconds += seconds

    def set_clock(self, by: float) -> None:
        self.wall_at_zero += by

    def clock(self) -> SteadyClock:
        """As a crawl that begins now has it."""
        return SteadyClock(self.wall, lambda: self.seconds)


@pytest.fixture
def computer() -> Computer:
    return Computer()


# --- the clock itself ------------------------------------------------------------------------------------------------


@JUMPS
def test_the_clock_goes_on_and_says_once_that_the_other_was_set(
    computer: Computer, jump: float, caplog: pytest.LogCaptureFixture
) -> None:
    clock = computer.clock()
    assert (clock(), clock.ahead) == (NOW, 0.0)
    computer.wait(10)
    computer.set_clock(jump)
    with caplog.at_level(logging.WARNING):
        assert [clock(), clock(), clock.ahead] == [NOW + 10, NOW + 10, pytest.approx(jump)]
    (said,) = caplog.messages
    assert ("back" if jump < 0 else "ahead") in said
    assert any(length in said for length in ("60 minutes", "6 days", "3650 days"))


def test_small_steps_are_what_every_clock_does(computer: Computer, caplog: pytest.LogCaptureFixture) -> None:
    clock = computer.clock()
    for _ in range(4):
        computer.set_clock(0.2)
        assert (clock(), clock.ahead) == (NOW, 0.0)
    computer.set_clock(0.5)
    assert clock.ahead == pytest.approx(1.3), "they add up"
    assert len(caplog.messages) == 1


def test_the_system_counts_seconds() -> None:
    before = seconds_up()
    assert before <= seconds_up()
    assert abs(SteadyClock()() - SteadyClock()()) < 5


# --- hosts -----------------------------------------------------------------------------------------------------------


def timing(at: float, took: float = 0.0) -> Timing:
    return Timing(started=at - took, answered=at, ended=at)


def clocks_of(clock: SteadyClock, ledger: Ledger) -> Clocks:
    return Clocks(POLITE, WallLedger(ledger, clock), longest_request=60, random=Random(1), clock=clock)


@JUMPS
def test_a_running_crawl_asks_a_host_when_it_would_have_anyway(computer: Computer, jump: float, tmp_path: Path) -> None:
    clock, ledger = computer.clock(), SqliteLedger(tmp_path / "hosts.sqlite", "a", computer.wall)
    clocks = clocks_of(clock, ledger)
    assert clocks.claim("a.test", clock()) == 0
    assert clocks.release("a.test", timing(computer.wall())) == NOW + 2
    computer.set_clock(jump)
    assert clocks.claim("a.test", clock()) == NOW + 2
    computer.wait(2)
    # What is left of a wait on the disk is counted from when that is noticed: it may be twice as long, but never more.
    assert clocks.claim("a.test", clock()) <= NOW + 4
    computer.wait(2)
    assert clocks.claim("a.test", clock()) == 0
    computer.wait(1)
    # Its worker tells times by the clock that was set: nothing else is certain than that it is over now.
    assert clocks.release("a.test", timing(computer.wall())) == NOW + 5 + 2
    ledger.close()


@JUMPS
def test_the_clock_is_set_during_a_request(computer: Computer, jump: float) -> None:
    clock = computer.clock()
    clocks = clocks_of(clock, MemoryLedger())
    clocks.claim("a.test", clock())
    started = computer.wall()
    computer.wait(0.5)
    computer.set_clock(jump)
    told = Timing(started=started, answered=computer.wall(), ended=computer.wall())
    assert NOW + 2 <= clocks.release("a.test", told) <= NOW + 0.5 + 2


@pytest.mark.parametrize("jump", [-HOUR, -6 * DAY], ids=["-1h", "-6d"])
@pytest.mark.parametrize("again", [False, True], ids=["the same crawl", "a crawl that begins after it"])
def test_what_other_crawls_wrote_before_the_clock_was_set_back(
    computer: Computer, jump: float, again: bool, tmp_path: Path
) -> None:
    path = tmp_path / "hosts.sqlite"
    other, ledger = SqliteLedger(path, "b", computer.wall), SqliteLedger(path, "a", computer.wall)
    clock = computer.clock()
    clocks = clocks_of(clock, ledger)
    theirs = clocks_of(computer.clock(), other)
    theirs.claim("rests.test", NOW)
    theirs.release("rests.test", timing(NOW))
    theirs.claim("lost.test", NOW)  # and it dies
    theirs.publish()
    computer.set_clock(jump)
    if again:
        ledger.close()
        ledger, clock = SqliteLedger(path, "a", computer.wall), computer.clock()
        clocks = clocks_of(clock, ledger)
    began = clock()
    assert began < clocks.claim("rests.test", clock()) <= began + 2
    assert began < clocks.claim("lost.test", clock()) <= began + 65
    clocks.publish()
    computer.wait(2)
    assert clocks.claim("rests.test", clock()) == 0
    clocks.publish()
    computer.wait(63)
    assert clocks.claim("lost.test", clock()) == 0
    other.close()
    ledger.close()


@pytest.mark.parametrize(
    "told",
    [
        Timing(started=float("nan"), answered=float("nan"), ended=float("nan")),
        Timing(started=0.0, answered=0.0, ended=0.0),
        Timing(started=NOW + YEAR, answered=NOW + YEAR, ended=NOW + 2 * YEAR),
        Timing(started=-1e300, answered=float("inf"), ended=1e300),
    ],
    ids=["no numbers", "1970", "next year", "beyond"],
)
def test_times_that_cannot_be_count_as_now(computer: Computer, told: Timing) -> None:
    clock = computer.clock()
    clocks = clocks_of(clock, MemoryLedger())
    clocks.claim("a.test", clock())
    computer.wait(1)
    next_at = clocks.release("a.test", told)
    assert NOW + 1 + 2 <= next_at <= NOW + 1 + POLITE.fetch_factor * 1 + 2


# --- leases, rules, retries, budgets ---------------------------------------------------------------------------------


@JUMPS
def test_leases_end_when_their_time_is_over(computer: Computer, jump: float) -> None:
    clock, leases = computer.clock(), Leases()
    leases.add(Assigned(id=1, url="http://a.test/", crawl="c", run="r", lease=1, until=clock() + 20), clock() + 90)
    computer.set_clock(jump)
    assert leases.ended(clock()) == []
    computer.wait(90)
    assert [lease.task.id for lease in leases.ended(clock())] == [1]


@JUMPS
def test_rules_of_a_running_crawl_last_for_a_day(computer: Computer, jump: float) -> None:
    clock, rulebook = computer.clock(), Rulebook(POLITE, "Shoal")
    task = Task(id=1, url="http://a.test/robots.txt", kind="robots")
    rulebook.learn("http://a.test", RobotsRead(task=task, text="", timing=timing(NOW)), clock())
    computer.set_clock(jump)
    assert rulebook.check("http://a.test/", clock()) == "allowed"
    computer.wait(DAY)
    assert rulebook.check("http://a.test/", clock()) == "unknown"


@JUMPS
@pytest.mark.parametrize("unreachable", [False, True])
def test_rules_of_an_earlier_run_never_last_longer_than_they_may(
    computer: Computer, jump: float, unreachable: bool
) -> None:
    task = Task(id=1, url="http://a.test/robots.txt", kind="robots")
    failure = Failure(url=task.url, reason=Reason.STATUS, status=503, timing=timing(NOW))
    visit = Missed(task=task, failure=failure) if unreachable else RobotsRead(task=task, text="", timing=timing(NOW))
    record = Rulebook(POLITE, "Shoal").learn("http://a.test", visit, computer.clock()())
    computer.set_clock(jump)
    later = computer.clock()
    rulebook = Rulebook(POLITE, "Shoal", lambda origin: record)
    if jump > 0:
        computer.wait(POLITE.robots_retry if unreachable else POLITE.robots_ttl)
    assert rulebook.check("http://a.test/", later()) == "unknown"


def settings(**more: object) -> Settings:
    topic = Topic(name="grid", terms=(Term(text="grid"),))
    return replace(Settings(topic=topic, seeds=("http://a.test/",)), **more)


@pytest.mark.parametrize("jump", [-HOUR, -6 * DAY, -100 * DAY, HOUR, 10 * YEAR])
async def test_a_retry_that_an_earlier_run_wrote_down_waits_no_longer_than_the_longest(
    computer: Computer, jump: float, tmp_path: Path
) -> None:
    services.crawls.start_crawl(tmp_path, settings())
    with open_store(tmp_path) as store:
        coordinator = assembly.make_coordinator(store, MemoryLedger(), computer.clock(), commit_seconds=0.01)
        running = asyncio.create_task(coordinator.run())
        robots = await coordinator.lease()
        assert robots is not None
        await coordinator.settle(RobotsRead(task=robots, text="", timing=timing(NOW)))
        computer.wait(5)
        task = await coordinator.lease()
        assert task is not None
        busy = Failure(
            url=task.url, reason=Reason.STATUS, status=503, heals=True, retry_after=HOUR / 2, timing=timing(NOW + 5)
        )
        await coordinator.settle(Missed(task=task, failure=busy))
        coordinator.stop()
        await running
    computer.set_clock(jump)
    clock = computer.clock()
    with open_store(tmp_path) as store:
        assert [url.not_before for url in store.url_index.waiting()] == [NOW + 5 + HOUR / 2]
        coordinator = assembly.make_coordinator(store, MemoryLedger(), clock)
        at = coordinator._handout._frontier.ready_at()
        assert at is not None
        assert at - clock() <= MAX_RETRY_AFTER
        computer.wait(MAX_RETRY_AFTER)
        assert coordinator._handout._frontier.pop(clock()) is not None


@JUMPS
async def test_a_time_budget_is_spent_by_the_second(computer: Computer, jump: float, tmp_path: Path) -> None:
    services.crawls.start_crawl(tmp_path, settings(budget=Budget(max_time=100.0)))
    with open_store(tmp_path) as store:
        coordinator = assembly.make_coordinator(store, MemoryLedger(), computer.clock())
        computer.wait(40)
        computer.set_clock(jump)
        assert coordinator.ending is None
        assert coordinator.statistics().elapsed == pytest.approx(40)
        computer.wait(60)
        assert coordinator.ending is Ending.TIME


async def test_a_crawl_of_the_command_line_goes_by_a_steady_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[object] = []
    made = assembly.make_coordinator

    def make(store: object, ledger: object, clock: object = None, **more: object) -> object:
        used.append((type(ledger), type(clock)))
        return made(store, ledger, clock, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(assembly, "make_coordinator", make)
    services.crawls.start_crawl(tmp_path / "c", settings(budget=Budget(max_pages=0)))

    async def nobody(coordinator: object) -> None:
        return

    await services.run.run_crawl(tmp_path / "c", Installation(home=tmp_path), nobody)
    assert used == [(WallLedger, SteadyClock)]


# --- one request -----------------------------------------------------------------------------------------------------


@JUMPS
async def test_the_times_of_a_request_are_in_order_although_the_clock_is_set_in_it(
    jump: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall = time.time
    before = wall()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        monkeypatch.setattr(time, "time", lambda: wall() + jump)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server, HttpFetcher(Fetching(allow_private=("127.0.0.0/8",))) as fetcher:
        found = (await fetcher.fetch(Task(id=1, url=url))).timing
    assert time.time() - wall() == pytest.approx(jump, abs=1.0), "it was set, or this test proves nothing"
    assert before - 1 <= found.started <= found.answered <= found.ended <= before + 60
