"""How does a crawl of hours run in a test of milliseconds? Real coordinator, store and workers; the web is a dictionary, and
time jumps to the next thing that is to happen.

A crawl that waits for ever, or turns round and round without waiting, fails the test instead of hanging it.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from msgspec import structs

from shoal import app
from shoal.crawl.coordinator import Coordinator, Ending
from shoal.crawl.judge import judges
from shoal.crawl.parse import HtmlParser
from shoal.crawl.visit import PageVisitor
from shoal.crawl.worker import work_together
from shoal.model import Task, Term, Topic
from shoal.protocols import Ledger
from shoal.settings import Settings
from shoal.store import folder as folders
from shoal.store.crawl import CrawlStore
from shoal.testing.fakes import Answer, FakeFetcher, html
from shoal.testing.ledger import MemoryLedger

_T = TypeVar("_T")
TOPIC = Topic(name="grid", terms=(Term(text="grid"),))
SEED = "http://a.test/"
_START = 1_000_000.0
_END_OF_TIME = _START + 5_000
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
        **settings: Any,
    ) -> None:
        self.folder = folder
        self.now = _START
        self.servers = Servers(answers, lambda: self.now, latency)
        self.ledger = ledger or MemoryLedger()
        self._workers = workers
        self._make_store = store
        choices: dict[str, Any] = {"strategy": "breadth", "seeds": tuple(seeds)} | settings
        folders.create_new(folder, Settings(topic=TOPIC, **choices))

    @property
    def asked(self) -> list[str]:
        """The URLs of all requests, in their order."""
        return [task.url for _, task in self.servers.requests]

    @property
    def pages_asked(self) -> list[str]:
        return [task.url for _, task in self.servers.requests if task.kind == "page"]

    def times(self, host: str) -> list[float]:
        """When a host was asked, in seconds since the beginning."""
        return [at - _START for at, task in self.servers.requests if task.host == host]

    def run(self) -> Ending:
        """The whole crawl, or what is left of it."""
        return self.play(self.crawl)

    async def crawl(self, coordinator: Coordinator) -> Ending:
        """Work until it is over."""
        visitor = PageVisitor(self.servers, HtmlParser(), judges()["cosine"].make(TOPIC))
        async with asyncio.TaskGroup() as group:
            running = group.create_task(coordinator.run())
            group.create_task(work_together(coordinator, visitor, self._workers))
        return running.result()

    def play(self, scene: Callable[[Coordinator], Coroutine[Any, Any, _T]]) -> _T:
        """Open the folder as the command would, and let a test do something with the coordinator."""
        return in_no_time(self, lambda: self._scene(scene))

    async def _scene(self, scene: Callable[[Coordinator], Coroutine[Any, Any, _T]]) -> _T:
        with folders.lock(self.folder):
            store = self._make_store(self.folder)
            try:
                return await scene(app.make_coordinator(store, self.ledger, lambda: self.now))
            finally:
                store.close()


# --- time ------------------------------------------------------------------------------------------------------------


def in_no_time(clock: Simulation, main: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """Run until it is over, by the time of the simulation."""
    loop = _JumpingLoop(clock)
    try:
        return loop.run_until_complete(main())
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


class _JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop that does not wait for a timer, but sets the clock to it."""

    def __init__(self, clock: Simulation) -> None:
        self._simulation = clock
        self._turns = 0
        super().__init__(_Impatient(self._jump))
        self.set_default_executor(_Inline())

    def time(self) -> float:
        return self._simulation.now

    def _jump(self, seconds: float) -> None:
        self._turns = 0 if seconds else self._turns + 1
        self._simulation.now += seconds
        assert self._turns < _TURNS_AT_ONE_MOMENT, "it turns round and round without waiting"
        assert self._simulation.now < _END_OF_TIME, "it waits for something that never happens"


class _Impatient(selectors.DefaultSelector):
    def __init__(self, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events:
            assert timeout is not None, "everybody waits, and nobody will ever do anything"
            self._jump(max(timeout, 0.0))
        return events


class _Inline(ThreadPoolExecutor):
    """What would run in a thread runs at once: a simulation has only one."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # whatever it is, it belongs to whoever waits for the future
            future.set_exception(error)
        return future
