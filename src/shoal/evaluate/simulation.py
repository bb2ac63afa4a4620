"""How would a crawl of this web go? A real crawl, in minutes of simulated time and seconds of real time.

Coordinator, frontier, politeness, robots.txt, strategy, parser, judge and store are those of `shoal crawl`; only the network
is replaced, and the clock jumps. The same web and settings give the same pages in the same order, on every computer.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from shoal import assembly, services
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns, make_decoder, make_image_judge
from shoal.crawl.termination import Ending
from shoal.crawl.worker import PageVisitor, work_together
from shoal.evaluate.offline_fetcher import OfflineFetcher
from shoal.evaluate.offline_web import OfflineWeb
from shoal.evaluate.result_cache import ResultCache
from shoal.model import SeenImage, Task, Topic, Visit
from shoal.parse.parser import HtmlParser
from shoal.protocols import Broker, Judge
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore
from shoal.store.packed_page import pack
from shoal.strategy import judge_of
from shoal.testing.clock import JumpingClock, in_no_time
from shoal.testing.memory_ledger import MemoryLedger

START = 1_767_225_600.0
"""The first moment of 2026: some day, always the same."""
LATENCY = 0.1
"""Seconds until a server answers."""
_LONGEST = 1e9
_COMMIT_SECONDS = 5.0
"""Simulated: about as many pages as a live crawl commits at once."""
_TURNS = 1_000_000
_MORE_PAGES = 1_000
"""A web that makes up pages has no end; a crawl without a budget stops so far beyond the pages that are known."""


class Fetched(NamedTuple):
    """One page, as it came."""

    url: str
    """The URL that answered."""
    at: float
    """Simulated seconds since the start."""
    score: float | None
    """None for what is not judged, such as images."""
    relevant: bool
    """What the judge thinks, not what is true."""


class FetchedImage(NamedTuple):
    """One image, as it came."""

    url: str
    at: float
    """Simulated seconds since the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a simulated crawl."""

    pages: tuple[Fetched, ...]
    """In the order of fetching."""
    ending: Ending
    seconds: float
    """Simulated."""
    requests: int
    """All that was asked for: pages, images, redirects, failures, robots.txt."""
    images: tuple[FetchedImage, ...] = ()
    """In the order of fetching; none in a crawl that wants none."""


def simulate(
    web: OfflineWeb,
    settings: Settings,
    *,
    latency: float = LATENCY,
    keep: Path | None = None,
    cache: ResultCache | None = None,
) -> Run:
    """Crawl the web with these settings until nothing is left or a budget is reached.

    `keep` is a folder for the crawl itself, to be looked into afterwards (`shoal explain --dir`); it must not exist yet.
    Runs of one process that share a `cache` understand each page and decode each image once.
    """
    if settings.budget.max_pages is None:
        limit = len(web.urls()) + _MORE_PAGES
        settings = replace(
            settings,
            budget=replace(settings.budget, max_pages=limit),
            fetching=replace(settings.fetching, hurry=True),  # pages are not scarce
        )
    with _folder(keep) as folder:
        services.crawls.start_crawl(folder, settings)
        simulation = _Simulation(web, settings, latency, JumpingClock(START), cache or ResultCache())
        ending = simulation.run(folder)
        return Run(
            pages=tuple(_fetched(folder, START)),
            ending=ending,
            seconds=simulation.clock.now - START,
            requests=simulation.fetcher.requests,
            images=tuple(FetchedImage(url, at - START) for url, at in simulation.images),
        )


class _Simulation:
    """The parts of one run."""

    def __init__(
        self,
        web: OfflineWeb,
        settings: Settings,
        latency: float,
        clock: JumpingClock,
        cache: ResultCache,
    ) -> None:
        self._web = web
        self._settings = settings
        self._cache = cache
        self.clock = clock
        # What came; changed by the broker between two turns of the event loop.
        self.images: list[FetchedImage] = []
        self.fetcher = OfflineFetcher(web, settings.fetching, clock, latency)

    def run(self, folder: Path) -> Ending:
        """Crawl in a folder, in no time."""

        async def crawl() -> Ending:
            with folders.lock(folder):
                store = CrawlStore(folder, durable=False)
                try:
                    # Fixed luck: it decides how long hosts in trouble are left alone.
                    coordinator = assembly.make_coordinator(
                        store, MemoryLedger(), self.clock, random=Random(0), commit_seconds=_COMMIT_SECONDS
                    )
                    return await self._work(coordinator)
                finally:
                    store.close()

        return in_no_time(self.clock, crawl, longest=_LONGEST, turns=_TURNS)

    async def _work(self, coordinator: Coordinator) -> Ending:
        reader = self._reader(coordinator.topic)
        coordinator.when_topic_changes(
            lambda topic: reader.adopt(self._judge(topic), make_image_judge(self._settings, topic))
        )
        visitor = PageVisitor(self.fetcher, InTurns(reader))
        broker = _Watched(coordinator, self.images)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(coordinator.run())
            group.create_task(work_together(broker, visitor, self._settings.fetching.concurrency))
        if bugs := coordinator.statistics().internal:
            raise RuntimeError(f"{bugs} pages met a bug of ours, so the others say nothing about the strategy")
        return running.result()

    def _reader(self, topic: Topic) -> PageReader:
        agent = self._settings.fetching.user_agent
        parser = self._cache.parser((self._web.name, agent), HtmlParser(agent))
        decoder = make_decoder(self._settings)
        if decoder is not None:
            decoder = self._cache.decoder((self._web.name, self._settings.images), decoder)
        image_judge, learns = make_image_judge(self._settings, topic), self._settings.learning.reads_pages
        return PageReader(parser, self._judge(topic), pack, image_judge, decoder, learns=learns)

    def _judge(self, topic: Topic) -> Judge:
        return self._cache.judge(self._web.name, judge_of(self._settings), topic)


class _Watched:
    """A broker that writes down the images."""

    def __init__(self, broker: Broker, images: list[FetchedImage]) -> None:
        self._broker = broker
        self._images = images

    async def lease(self) -> Task | None:
        return await self._broker.lease()

    async def settle(self, visit: Visit) -> None:
        await self._broker.settle(visit)
        if isinstance(visit, SeenImage):
            self._images.append(FetchedImage(visit.response.url, visit.response.timing.answered))


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        yield Path(folder) / "crawl"


def _fetched(folder: Path, start: float) -> Iterator[Fetched]:
    for row in services.export.fetched_pages(folder):
        yield Fetched(row.final_url, row.fetched_at.timestamp() - start, row.score, row.relevant)
