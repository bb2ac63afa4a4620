"""Hosts at one address share what that address gets, from the first request on."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.crawl.bounded_reader import InTurns
from shoal.crawl.locator import HostLocator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.visit import PageVisitor
from shoal.crawl.worker import work_together
from shoal.fetch.addresses import CachingResolver, Lookup
from shoal.fetch.client import HttpFetcher
from shoal.judge import make_judge
from shoal.model import Reason, State, Term, Topic
from shoal.parse.parser import HtmlParser
from shoal.services import crawls as app
from shoal.settings import Budget, Fetching, Politeness, Settings
from shoal.store.crawl_store import open_store
from shoal.strategy import judge_of
from shoal.testing.memory_ledger import MemoryLedger
from shoal.testing.webserver import Access, Answer, WebServer
from tests.running import fates

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

    def answer(self, host: str, target: str, nth: int) -> Answer:
        self._left -= 1
        if not self._left:
            self.stop()
        return Answer(headers=(("Content-Type", "text/html"),), body=b"<p>grid", delay=0.03)


async def crawl(folder: Path, settings: Settings, lookup: Lookup, web: SlowWeb) -> None:
    app.start_crawl(folder, settings)
    resolver = CachingResolver(lookup)
    with open_store(folder) as store:
        async with HostLocator(resolver, settings.fetching) as locator:
            coordinator = app.make_coordinator(store, MemoryLedger(), locator=locator)
            web.stop = coordinator.stop
            async with HttpFetcher(settings.fetching, resolver=resolver) as fetcher, asyncio.TaskGroup() as group:
                visitor = PageVisitor(
                    fetcher, InTurns(PageReader(HtmlParser(), make_judge(judge_of(settings), settings.topic)))
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


def test_a_crawl_through_a_proxy_locates_nobody() -> None:
    settings = Settings(topic=TOPIC, seeds=("http://a.test/",))
    assert app.make_locator(settings) is not None
    proxied = replace(settings, fetching=Fetching(proxy="http://127.0.0.1:1"))
    assert app.make_locator(proxied) is None


async def test_the_crawl_of_the_command_line_locates_hosts_also_with_worker_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    located: list[object] = []
    made = app.make_coordinator

    def make(*args: object, locator: object, **more: object) -> object:
        located.append(locator)
        return made(*args, locator=locator, **more)  # type: ignore[arg-type]

    async def nobody(coordinator: object) -> None:
        return

    monkeypatch.setattr(app, "make_coordinator", make)
    for processes in (1, 2):
        settings = Settings(topic=TOPIC, seeds=("http://a.test/",), processes=processes, budget=Budget(max_pages=0))
        app.start_crawl(tmp_path / str(processes), settings)
        await app.run_crawl(tmp_path / str(processes), nobody, ledger_file=tmp_path / "hosts.sqlite")
    assert [type(locator) for locator in located] == [HostLocator, HostLocator]
