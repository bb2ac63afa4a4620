"""Which addresses may a crawler connect to, and what do names resolve to?"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from shoal import assembly, services
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.worker import PageVisitor, work_together
from shoal.errors import InputError
from shoal.fetch.addresses import (
    AddressGuard,
    AddressRefused,
    CachingResolver,
    HostLocator,
    Lookup,
    NoSuchName,
    ask_system,
)
from shoal.fetch.client import HttpFetcher
from shoal.installation.location import Installation
from shoal.judge import make_judge
from shoal.model import Reason, State, Term, Topic
from shoal.parse.parser import HtmlParser
from shoal.settings import Budget, Fetching, Politeness, Settings
from shoal.store.crawl_store import open_store
from shoal.store.packed_page import pack
from shoal.strategy import judge_of
from shoal.testing.fakes import ManualClock
from shoal.testing.memory_ledger import MemoryLedger
from shoal.testing.webserver import Access, WebAnswer, WebServer
from tests.running import fates

PUBLIC = ["8.8.8.8", "1.1.1.1", "223.5.5.5", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2400:3200::1"]
EMBEDDED_PUBLIC = ["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
NOT_PUBLIC = [
    *("0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.254", "127.0.0.1", "127.255.0.1", "169.254.169.254"),
    *("172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"),
    *("198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::7f00:1", "fc00::1", "fd12:3456::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "100::1"),
    *("2001:db8::1", "3fff::1", "2001::1", "2001:0:7f00:1::", "64:ff9b:1::1", "5f00::1"),
]
EMBEDDED_PRIVATE = [
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    *("2002:7f00:1::1", "2002:a00:1::1"),
]


@pytest.mark.parametrize("ip", [*PUBLIC, *EMBEDDED_PUBLIC])
def test_public_addresses_may_be_connected_to(ip: str) -> None:
    assert AddressGuard().allowed(ip)


@pytest.mark.parametrize("ip", [*NOT_PUBLIC, *EMBEDDED_PRIVATE, "", "localhost", "127.1", "0x7f.1"])
def test_everything_else_is_refused(ip: str) -> None:
    assert not AddressGuard().allowed(ip)


@pytest.mark.parametrize(
    ("ip", "expected"),
    [
        ("127.0.0.1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.5", False),
        ("fd00::5", True),
        ("fd01::5", False),
        ("::1", False),
        ("8.8.8.8", True),
    ],
)
def test_the_operator_allows_ranges(ip: str, expected: bool) -> None:
    assert AddressGuard(("127.0.0.0/8", "fd00::/16")).allowed(ip) is expected


def test_a_range_that_is_none_is_the_users_mistake() -> None:
    with pytest.raises(InputError, match=r"10\.0\.0\.0/99"):
        AddressGuard(("10.0.0.0/99",))


def test_the_guard_makes_sockets_only_for_what_it_allows() -> None:
    guard = AddressGuard()
    with pytest.raises(AddressRefused) as caught:
        guard.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80)))
    assert caught.value.address == "127.0.0.1"
    guard.open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("8.8.8.8", 80))).close()


class Names:
    """A name server made of a dictionary; counts the questions, and waits for `gate`."""

    def __init__(self, names: dict[str, tuple[str, ...]]) -> None:
        self.names = names
        self.asked: list[str] = []
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, name: str) -> tuple[str, ...]:
        self.asked.append(name)
        self.gate.wait()
        if name not in self.names:
            raise NoSuchName(socket.EAI_NONAME, "no such name")
        return self.names[name]


async def hosts(resolver: CachingResolver, name: str) -> list[str]:
    return [entry["host"] for entry in await resolver.resolve(name, 80)]


async def test_answers_are_remembered_until_they_expire() -> None:
    clock, names = ManualClock(), Names({"a.test": ("8.8.8.8", "2606::1")})
    resolver = CachingResolver(names, ttl=300, clock=clock)
    assert await hosts(resolver, "a.test") == ["8.8.8.8", "2606::1"]
    clock.advance(299)
    await hosts(resolver, "a.test")
    assert names.asked == ["a.test"]
    clock.advance(2)
    await hosts(resolver, "a.test")
    assert names.asked == ["a.test", "a.test"]
    await resolver.close()


async def test_a_missing_name_is_remembered_for_a_shorter_time() -> None:
    clock, names = ManualClock(), Names({})
    resolver = CachingResolver(names, negative_ttl=30, clock=clock)
    for _ in range(3):
        with pytest.raises(NoSuchName):
            await hosts(resolver, "gone.test")
    assert names.asked == ["gone.test"]
    clock.advance(31)
    names.names["gone.test"] = ("9.9.9.9",)
    assert await hosts(resolver, "gone.test") == ["9.9.9.9"]
    await resolver.close()


async def test_many_who_ask_for_one_name_share_one_question() -> None:
    names = Names({"a.test": ("8.8.8.8",)})
    names.gate.clear()
    resolver = CachingResolver(names)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(hosts(resolver, "a.test")) for _ in range(20)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        names.gate.set()
    assert waiting[0].cancelled()
    assert all(task.result() == ["8.8.8.8"] for task in waiting[1:])
    assert names.asked == ["a.test"]
    await resolver.close()


async def test_the_memory_of_names_is_bounded() -> None:
    names = Names({f"{i}.test": ("8.8.8.8",) for i in range(5)})
    resolver = CachingResolver(names, size=3)
    for name in names.names:
        await hosts(resolver, name)
    await hosts(resolver, "4.test")
    assert len(names.asked) == 5, "the newest is remembered"
    await hosts(resolver, "0.test")
    assert len(names.asked) == 6, "the oldest is forgotten"
    await resolver.close()


@pytest.mark.parametrize("name", ["a..b", "x" * 64 + ".test"])
def test_what_cannot_be_a_host_name_is_no_such_name(name: str) -> None:
    """Both fail before any name server is asked, so the test needs no network."""
    with pytest.raises(NoSuchName):
        ask_system(name)


def test_the_system_knows_this_machine() -> None:
    assert "127.0.0.1" in ask_system("localhost")


# --- hosts at one address share what that address gets, from the first request on ------------------------------------


LOOPBACK = Fetching(allow_private=("127.0.0.0/8",), connect_timeout=20.0)
TOPIC = Topic(name="grid", terms=(Term(text="grid"),))
DELAY = 0.2
PER_ADDRESS = 4


class SlowWeb:
    """Every host says the same, and takes its time."""

    def __init__(self, enough: int = 1_000_000) -> None:
        """After so many requests the crawl is told to stop."""
        self._left = enough
        self.stop: Callable[[], None] = lambda: None

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        self._left -= 1
        if not self._left:
            self.stop()
        return WebAnswer(headers=(("Content-Type", "text/html"),), body=b"<p>grid", delay=0.03)


async def crawl(folder: Path, settings: Settings, lookup: Lookup, web: SlowWeb) -> None:
    services.crawls.start_crawl(folder, settings)
    resolver = CachingResolver(lookup)
    with open_store(folder) as store:
        async with HostLocator(resolver, settings.fetching) as locator:
            coordinator = assembly.make_coordinator(store, MemoryLedger(), locator=locator)
            web.stop = coordinator.stop
            async with HttpFetcher(settings.fetching, resolver=resolver) as fetcher, asyncio.TaskGroup() as group:
                visitor = PageVisitor(
                    fetcher, InTurns(PageReader(HtmlParser(), make_judge(judge_of(settings), settings.topic), pack))
                )
                group.create_task(work_together(coordinator, visitor, 64))
                await coordinator.run()


def most_at_once(log: list[Access]) -> int:
    moments = sorted([(access.started, 1) for access in log] + [(access.ended, -1) for access in log])
    at_once, most = 0, 0
    for _, change in moments:
        at_once += change
        most = max(most, at_once)
    return most


@pytest.mark.slow
async def test_three_hundred_names_at_one_address_share_it(tmp_path: Path) -> None:
    web = SlowWeb(enough=40)
    async with WebServer(web) as server:
        seeds = tuple(f"http://host{number}.test:{server.port}/" for number in range(300))
        polite = Politeness(delay=DELAY, per_address=PER_ADDRESS)
        settings = Settings(topic=TOPIC, seeds=seeds, fetching=LOOPBACK, politeness=polite)
        await crawl(tmp_path, settings, lambda name: ("127.0.0.1",), web)
        log = server.log
    assert len({access.host for access in log}) > 20, "most of these were first requests"
    assert most_at_once(log) <= PER_ADDRESS
    began = sorted(access.started for access in log)
    # So many begin in `delay` seconds. A busy machine may notice the first ones late, but never one of the others early.
    step = DELAY / PER_ADDRESS
    early = [number for number, at in enumerate(began) if at < began[0] + (number - 2 * PER_ADDRESS) * step]
    assert early == []


async def test_a_name_is_looked_up_once_for_the_coordinator_and_the_fetcher(tmp_path: Path) -> None:
    asked: list[str] = []

    def lookup(name: str) -> tuple[str, ...]:
        asked.append(name)
        return ("127.0.0.1",)

    web = SlowWeb()
    async with WebServer(web) as server:
        seed = f"http://a.test:{server.port}/"
        settings = Settings(topic=TOPIC, seeds=(seed,), fetching=LOOPBACK, politeness=Politeness(delay=0.0))
        await crawl(tmp_path, settings, lookup, web)
        assert [access.path for access in server.log] == ["/robots.txt", "/"]
    assert asked == ["a.test"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [(socket.gaierror(socket.EAI_AGAIN, "later"), Reason.DNS), (ValueError("what?"), Reason.INTERNAL)],
)
async def test_a_name_that_cannot_be_looked_up_is_the_failure_of_its_request(
    tmp_path: Path, error: Exception, reason: Reason
) -> None:
    def lookup(name: str) -> tuple[str, ...]:
        raise error

    polite = Politeness(delay=0.0, attempts=1)
    settings = Settings(topic=TOPIC, seeds=("http://gone.test/",), fetching=LOOPBACK, politeness=polite)
    await crawl(tmp_path, settings, lookup, SlowWeb())
    ((state, found),) = fates(tmp_path).values()
    assert (state, found) in ((State.FAILED, reason), (State.SKIPPED, Reason.ROBOTS_UNREACHABLE))


async def test_a_name_server_that_does_not_answer_holds_up_nobody_else(tmp_path: Path) -> None:
    gate = threading.Event()

    def lookup(name: str) -> tuple[str, ...]:
        if name == "slow.test":
            gate.wait()
        return ("127.0.0.1",)

    web = SlowWeb(enough=2)
    async with WebServer(web) as server:
        seeds = (f"http://slow.test:{server.port}/", f"http://quick.test:{server.port}/")
        settings = Settings(topic=TOPIC, seeds=seeds, fetching=LOOPBACK, politeness=Politeness(delay=0.0))
        await crawl(tmp_path, settings, lookup, web)
        gate.set()
        assert {access.host for access in server.log} == {"quick.test"}


async def test_an_address_needs_no_look_up_and_a_refused_one_is_not_shared(tmp_path: Path) -> None:
    told: dict[str, str] = {}
    over = asyncio.Event()
    addresses = {"mixed.test": ("10.0.0.1", "127.0.0.9"), "inner.test": ("10.0.0.1",), "none.test": ()}
    hosts = ["127.0.0.7:80", "[::1]:8080", "10.1.2.3", "mixed.test:8080", "inner.test", "none.test", "unknown.test"]
    async with HostLocator(CachingResolver(addresses.__getitem__), LOOPBACK) as locator:

        def hear(host: str, address: str) -> None:
            told[host] = address
            if len(told) == len(hosts):
                over.set()

        for host in hosts:
            locator.ask(host, partial(hear, host))
            assert host not in told, "soon, but not at once"
        await over.wait()
    assert told == {
        "127.0.0.7:80": "127.0.0.7",
        "[::1]:8080": "",
        "10.1.2.3": "",
        "mixed.test:8080": "127.0.0.9",
        "inner.test": "",
        "none.test": "",
        "unknown.test": "",
    }


async def test_leaving_ends_the_look_ups_under_way() -> None:
    gate = threading.Event()
    told: list[str] = []
    async with HostLocator(CachingResolver(lambda name: ("127.0.0.1",) * gate.wait()), LOOPBACK, at_once=1) as locator:
        locator.ask("a.test", told.append)
        assert not locator.has_room
        await asyncio.sleep(0)
    gate.set()
    assert told == []
    assert locator.has_room


async def test_the_crawl_of_the_command_line_locates_hosts_also_with_worker_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    located: list[object] = []
    made = assembly.make_coordinator

    def make(*args: object, locator: object, **more: object) -> object:
        located.append(locator)
        return made(*args, locator=locator, **more)  # type: ignore[arg-type]

    async def nobody(coordinator: object) -> None:
        return

    monkeypatch.setattr(assembly, "make_coordinator", make)
    for processes in (1, 2):
        settings = Settings(topic=TOPIC, seeds=("http://a.test/",), processes=processes, budget=Budget(max_pages=0))
        services.crawls.start_crawl(tmp_path / str(processes), settings)
        await services.run.run_crawl(tmp_path / str(processes), Installation(home=tmp_path), nobody)
    assert [type(locator) for locator in located] == [HostLocator, HostLocator]
