"""A crawl among villains: it ends, each of their tricks is a recorded reason, and memory stays bounded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec import structs

from shoal import assembly, services
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.worker import PageVisitor, work_together
from shoal.fetch.client import HttpFetcher
from shoal.judge import make_judge
from shoal.model import Reason, State, Term, Topic
from shoal.parse.parser import HtmlParser
from shoal.settings import Budget, Fetching, Politeness, Settings
from shoal.store.crawl_store import open_store
from shoal.store.packed_page import pack
from shoal.strategy import judge_of
from shoal.testing.evils import EVILS, RobotsVariant
from shoal.testing.hostile import HostileServer
from shoal.testing.memory_ledger import MemoryLedger
from shoal.testing.webserver import SimpleWeb, WebServer
from tests.running import Operator, ask, assert_consistent, fates

TOPIC = Topic(name="grid", terms=(Term(text="grid"), Term(text="真话")))
LOOPBACK = ("127.0.0.0/8",)
IMPATIENT = Fetching(
    allow_private=LOOPBACK, connect_timeout=1.0, answer_timeout=0.4, total_timeout=1.0, max_body=2 * 2**20
)
QUICK = Politeness(delay=0.0, backoff_first=0.05, backoff_cap=0.1, attempts=2, per_address=64)
PATIENT = structs.replace(IMPATIENT, connect_timeout=20.0, answer_timeout=3.0, total_timeout=6.0)
"""For crawls that parse huge pages meanwhile, on a machine that has other things to do too."""
MEMORY = 400 * 2**20
"""A bomb of 1 GiB, endless streams and 100,000 links at once must fit in here; measured were 190 MiB, most of it libraries."""


class ManyFaced(HostileServer):
    """The hostile server under an address for every evil: what one does to us must not spoil the next."""

    async def __aenter__(self) -> ManyFaced:
        await super().__aenter__()
        self.homes = {name: f"127.0.1.{number}" for number, name in enumerate(EVILS, start=1)}
        self._faces = await asyncio.start_server(self._serve_connection, list(self.homes.values()), self.port)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._faces.close()
        await super().__aexit__(None, None, None)
        await self._faces.wait_closed()

    def url(self, name: str = "") -> str:
        return f"http://{self.homes[name]}:{self.port}/{name}" if name else super().url()


def expected(name: str) -> tuple[State, Reason | None]:
    """What the table of evils says, seen through a crawl."""
    match EVILS[name].outcome:
        case "page":
            return State.DONE, None
        case "redirect" if name == "redirect-loop":
            return State.FAILED, Reason.REDIRECT_LOOP
        case "redirect":
            return State.MOVED, None
        case reason:
            return State.FAILED, Reason(reason)


@pytest.mark.slow
async def test_every_evil_has_its_reason_and_memory_is_bounded(tmp_path: Path) -> None:
    operator = Operator(tmp_path)
    async with ManyFaced() as server:
        seeds = tuple(server.url(name) for name in EVILS)
        settings = Settings(topic=TOPIC, seeds=seeds, fetching=PATIENT, politeness=QUICK, budget=Budget(max_depth=0))
        operator.prepares("c", settings)
        crawl = await operator.types("resume", "--dir", "c", "--quiet")
        memory = await crawl.peak_memory()
        finished = await crawl.end()
        assert finished.code == 0, finished.err
        found = fates(tmp_path / "c")
        assert {name: found[server.url(name)] for name in EVILS} == {name: expected(name) for name in EVILS}
        chain = server.url("redirect-chain")
        assert found[f"{chain}/10"] == (State.FAILED, Reason.BAD_REDIRECT)
        assert f"{chain}/11" not in found
    assert found["http://127.0.0.1:9/"] == (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)  # allowed, but nobody is there
    for refused in ("http://169.254.169.254/latest/meta-data/", "http://[::1]:9/", "http://10.0.0.1/"):
        assert found[refused] == (State.SKIPPED, Reason.ADDRESS)
    assert_consistent(tmp_path / "c")
    assert memory < MEMORY, f"{memory / 2**20:.0f} MiB"


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
async def test_a_crawl_from_the_index_of_all_evils_ends(tmp_path: Path, processes: int) -> None:
    """All on one host, which is given up after too many troubles: that too is a reason for each URL."""
    operator = Operator(tmp_path)
    async with HostileServer() as server:
        settings = Settings(
            topic=TOPIC,
            seeds=(server.url(),),
            fetching=IMPATIENT,
            politeness=QUICK,
            processes=processes,
            budget=Budget(max_pages=40),
        )
        operator.prepares("c", settings)
        finished = await operator.runs("resume", "--dir", "c", "--quiet")
    assert finished.code == 0, finished.err
    ended = [
        (state, reason) for state, reason in fates(tmp_path / "c").values() if state in (State.FAILED, State.SKIPPED)
    ]
    assert len(ended) > 5
    assert all(reason for _, reason in ended)
    assert_consistent(tmp_path / "c")


# --- robots.txt ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "page", "forbidden"),
    [
        ("ok", (State.DONE, None), (State.SKIPPED, Reason.ROBOTS)),
        ("huge", (State.DONE, None), (State.SKIPPED, Reason.ROBOTS)),
        ("missing", (State.DONE, None), (State.FAILED, Reason.STATUS)),
        ("html", (State.DONE, None), (State.FAILED, Reason.STATUS)),
        ("error", (State.SKIPPED, Reason.ROBOTS_UNREACHABLE), (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)),
        ("hang", (State.SKIPPED, Reason.ROBOTS_UNREACHABLE), (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)),
    ],
)
async def test_every_sort_of_robots_txt_has_its_outcome(
    tmp_path: Path,
    variant: RobotsVariant,
    page: tuple[State, Reason | None],
    forbidden: tuple[State, Reason | None],
) -> None:
    async with HostileServer(variant) as server:
        urls = server.url("early-hints"), server.url("forbidden")
        settings = Settings(topic=TOPIC, seeds=urls, fetching=IMPATIENT, politeness=QUICK)
        await crawl_here(tmp_path, settings, {})
        if page == (State.DONE, None):
            assert server.log[0].path == "/robots.txt"
        else:
            assert {access.path for access in server.log} == {"/robots.txt"}
    assert [fates(tmp_path)[url] for url in urls] == [page, forbidden]
    assert_consistent(tmp_path)


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "::1", "fe80::1", "::ffff:192.168.0.1"]
)
async def test_a_name_that_leads_to_a_private_address_is_refused(tmp_path: Path, address: str) -> None:
    async with guarded_server() as server:
        url = f"http://innocent.test:{server.port}/"
        settings = Settings(topic=TOPIC, seeds=(url,), fetching=Fetching(connect_timeout=1.0), politeness=QUICK)
        await crawl_here(tmp_path, settings, {"innocent.test": address})
        assert server.log == []
    assert fates(tmp_path) == {url: (State.SKIPPED, Reason.ADDRESS)}
    ((detail,),) = ask(tmp_path, "SELECT detail FROM urls")
    assert address.rpartition(":")[2] in detail


async def test_a_redirect_into_the_private_net_is_refused_although_the_first_host_is_allowed(tmp_path: Path) -> None:
    web = SimpleWeb().page("http://127.0.0.1/", links=["/in"]).redirect("http://127.0.0.1/in", "http://inner.test/")
    async with WebServer(web) as server:
        home = f"http://127.0.0.1:{server.port}/"
        settings = Settings(
            topic=TOPIC, seeds=(home,), fetching=Fetching(allow_private=("127.0.0.1/32",)), politeness=QUICK
        )
        await crawl_here(tmp_path, settings, {"inner.test": "127.0.0.2"})
    found = fates(tmp_path)
    assert found[home + "in"] == (State.MOVED, None)
    assert found["http://inner.test/"] == (State.SKIPPED, Reason.ADDRESS)


async def test_a_robots_txt_that_leads_into_the_private_net_is_not_followed(tmp_path: Path) -> None:
    web = SimpleWeb().page("http://127.0.0.1/").redirect("http://127.0.0.1/robots.txt", "http://inner.test/robots.txt")
    async with WebServer(web) as server:
        home = f"http://127.0.0.1:{server.port}/"
        settings = Settings(
            topic=TOPIC, seeds=(home,), fetching=Fetching(allow_private=("127.0.0.1/32",)), politeness=QUICK
        )
        await crawl_here(tmp_path, settings, {"inner.test": "127.0.0.2"})
    assert fates(tmp_path) == {home: (State.SKIPPED, Reason.ROBOTS_UNREACHABLE)}


@asynccontextmanager
async def guarded_server() -> AsyncIterator[WebServer]:
    """A server that nobody should ever reach."""
    async with WebServer(SimpleWeb()) as server:
        yield server


async def crawl_here(folder: Path, settings: Settings, names: dict[str, str]) -> None:
    """A crawl in this process, whose names are resolved by a dictionary."""

    def lookup(name: str) -> tuple[str, ...]:
        return (names[name],)

    services.crawls.start_crawl(folder, settings)
    with open_store(folder) as store:
        coordinator = assembly.make_coordinator(store, MemoryLedger())
        async with HttpFetcher(settings.fetching, lookup=lookup) as fetcher, asyncio.TaskGroup() as group:
            visitor = PageVisitor(
                fetcher, InTurns(PageReader(HtmlParser(), make_judge(judge_of(settings), settings.topic), pack))
            )
            group.create_task(work_together(coordinator, visitor, 8))
            await coordinator.run()
