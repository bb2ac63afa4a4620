"""How does a crawl of hours run in a test of milliseconds? Real coordinator, store and workers; the web is a dictionary, and
time jumps to the next thing that is to happen.

A crawl that waits for ever, or turns round and round without waiting, fails the test instead of hanging it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from msgspec import msgpack, structs

from shoal import assembly
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns, make_decoder, make_image_judge
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor, work_together
from shoal.judge import make_judge
from shoal.model import Reason, Task, Term, Topic, Visit
from shoal.parse.parser import HtmlParser
from shoal.protocols import Ledger, Visitor
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore
from shoal.store.packed_page import pack
from shoal.strategy import judge_of
from shoal.testing import clock as clocks
from shoal.testing.fakes import Answer, FakeFetcher, failure, html
from shoal.testing.memory_ledger import MemoryLedger
from tests.running import stored

_T = TypeVar("_T")
TOPIC = Topic(name="grid", terms=(Term(text="grid"),))
SEED = "http://a.test/"
SLOW = 3.0
"""Seconds a server takes in the tests about requests in flight."""
TIMEOUT = failure("", Reason.TIMEOUT, heals=True)
CUT_OFF = failure("", Reason.TRUNCATED, heals=True)
_START = 1_000_000.0
_LONGEST = 5_000
_TURNS_AT_ONE_MOMENT = 50_000


def page(*links: str, text: str = "", rel: str = "") -> Answer:
    """A page with links; every text is another one, unless it is given."""
    anchors = "".join(f'<a href="{link}" rel="{rel}">{link}</a> ' for link in links)
    return html("", f"<title>{text}</title><p>{text or hash(links)}</p>{anchors}")


class Servers(FakeFetcher):
    """The web as a dictionary. A list of answers is given one after the other, the last one for ever."""

    def __init__(
        self, answers: Mapping[str, Answer | list[Answer]], clock: Callable[[], float], latency: float
    ) -> None:
        super().__init__({}, clock)
        self._script = {url: answer if isinstance(answer, list) else [answer] for url, answer in answers.items()}
        self._latency = latency
        self._now = clock
        self.requests: list[tuple[float, Task]] = []
        self.in_flight = self.most_in_flight = 0

    def serve(self, url: str, *answers: Answer) -> None:
        """The web changes."""
        self._script[url] = list(answers)

    async def fetch(self, task: Task) -> Answer:
        self.requests.append((self._now(), task))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(self._latency)
        finally:
            self.in_flight -= 1
        if script := self._script.get(task.url):
            self.answers[task.url] = script.pop(0) if len(script) > 1 else script[0]
        answer = await super().fetch(task)
        # Without an address, as through a proxy: the fake would let all hosts share one.
        return structs.replace(answer, timing=structs.replace(answer.timing, address=""))


class ThroughAWire:
    """A visitor whose visits are encoded on their way home."""

    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._decoder: msgpack.Decoder[Visit] = msgpack.Decoder(Visit)

    async def visit(self, task: Task) -> Visit:
        return self._decoder.decode(msgpack.encode(await self._visitor.visit(task)))


class Simulation:
    """One crawl in a folder, and the web it crawls."""

    def __init__(
        self,
        folder: Path,
        answers: Mapping[str, Answer | list[Answer]],
        *,
        latency: float = 0.0,
        workers: int = 8,
        ledger: Ledger | None = None,
        store: type[CrawlStore] = CrawlStore,
        seeds: Sequence[str] = (SEED,),
        elsewhere: bool = False,
        bugs: int | None = 0,
        **settings: Any,
    ) -> None:
        """Visits made `elsewhere` come as those of other processes do, through a wire.

        At most so many `bugs` of ours may come to light, or any number (None).
        """
        self._bugs = bugs
        self.found_bugs = 0
        self.folder = folder
        self.clock = clocks.JumpingClock(_START)
        self.servers = Servers(answers, self.clock, latency)
        self.ledger = ledger or MemoryLedger()
        self._workers = workers
        self._make_store = store
        self._elsewhere = elsewhere
        choices: dict[str, Any] = {"strategy": "breadth", "judge": "cosine", "topic": TOPIC, "seeds": tuple(seeds)}
        self.settings = Settings(**choices | settings)
        folders.create(folder, self.settings)

    @property
    def now(self) -> float:
        """The time of the simulation; a test may let it go by."""
        return self.clock.now

    @now.setter
    def now(self, now: float) -> None:
        self.clock.now = now

    @property
    def asked(self) -> list[str]:
        """The URLs of all requests, in their order."""
        return [task.url for _, task in self.servers.requests]

    @property
    def pages_asked(self) -> list[str]:
        return [task.url for _, task in self.servers.requests if task.kind in ("page", "revisit")]

    def times(self, host: str) -> list[float]:
        """When a host was asked, in seconds since the beginning."""
        return [at - _START for at, task in self.servers.requests if task.host == host]

    def run(self, *, new_pages: bool = True) -> Ending:
        """The whole crawl, or what is left of it; without new pages, only what is wanted besides."""
        return self.play(self.crawl, new_pages=new_pages)

    async def crawl(self, coordinator: Coordinator) -> Ending:
        """Work until it is over."""
        judge = judge_of(self.settings)
        image_judge, decoder = make_image_judge(self.settings, coordinator.topic), make_decoder(self.settings)
        learns = self.settings.learning.reads_pages
        reader = PageReader(
            HtmlParser(), make_judge(judge, coordinator.topic), pack, image_judge, decoder, learns=learns
        )
        visitor = PageVisitor(self.servers, InTurns(reader))
        coordinator.when_topic_changes(lambda topic: reader.adopt(make_judge(judge, topic), image_judge))
        async with asyncio.TaskGroup() as group:
            running = group.create_task(coordinator.run())
            group.create_task(work_together(coordinator, self._placed(visitor), self._workers))
        self.found_bugs = coordinator.statistics().internal
        assert self._bugs is None or self.found_bugs <= self._bugs, "the log says which"
        return running.result()

    def _placed(self, visitor: PageVisitor) -> Visitor:
        return ThroughAWire(visitor) if self._elsewhere else visitor

    def play(self, scene: Callable[[Coordinator], Coroutine[Any, Any, _T]], **options: Any) -> _T:
        """Open the folder as the command would, and let a test do something with the coordinator."""
        return in_no_time(self, lambda: self._scene(scene, options))

    async def _scene(self, scene: Callable[[Coordinator], Coroutine[Any, Any, _T]], options: dict[str, Any]) -> _T:
        with folders.lock(self.folder):
            store = self._make_store(self.folder)
            try:
                return await scene(assembly.make_coordinator(store, self.ledger, self.clock, **options))
            finally:
                store.close()


def in_no_time(simulation: Simulation, main: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """Run until it is over, by the time of the simulation."""
    return clocks.in_no_time(simulation.clock, main, longest=_LONGEST, turns=_TURNS_AT_ONE_MOMENT)


def hosts(count: int, pages: int = 1) -> dict[str, Answer]:
    """A seed page that links to all pages of many hosts."""
    urls = [f"http://h{host}.test/{number}" for host in range(count) for number in range(pages)]
    return {SEED: page(*urls)} | {url: page(text=url) for url in urls}


def robots(text: str) -> Answer:
    return html("", text, content_type="text/plain")


def urls_stored(folder: Path) -> set[str]:
    return {url for url, _, _ in stored(folder)}


def assert_apart(times: list[float], seconds: float) -> None:
    assert all(later - earlier >= seconds - 1e-6 for earlier, later in pairwise(times)), times
