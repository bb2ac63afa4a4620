"""How does what came become durable? In batches: all that changed since the last one goes to the disk together, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TypeVar

from msgspec.structs import replace

from shoal.crawl.lane import Lanes
from shoal.crawl.metrics import COMMIT_BOUNDS
from shoal.crawl.parts import CrawlParts
from shoal.histogram import Histogram
from shoal.model.live import LiveFigures
from shoal.model.stored import Changes, FetchedPage, WorkerRecord

_T = TypeVar("_T")
COMMIT_SECONDS = 0.5
"""What a crash may cost: pages fetched in this time are fetched again."""
_IDLE_SECONDS = 1.0
"""Between two batches of a crawl that is paused: they only say that it is."""
_FULL_BATCH = 64
"""Pages after which a commit does not wait any longer."""
_MAX_UNSAVED = 512
"""Pages in memory at which fetching waits for the disk."""
_PATIENCE = 10.0
"""Seconds that a batch under way may take when the crawl is to end at once."""


class Committer:
    """Takes batch after batch to the store. Sole owner of their numbers."""

    def __init__(self, parts: CrawlParts, lanes: Lanes, seconds: float) -> None:
        """So many seconds a batch waits for more."""
        self._max_queue = parts.settings.budget.max_queue
        self._clock = parts.clock
        self._store = parts.store
        self._pending = parts.pending
        self._frontier = parts.frontier
        self._traps = parts.traps
        self._background = parts.background
        self._clocks = parts.clocks
        self._meter = parts.meter
        self._internal_errors = parts.internal_errors
        self._noted_errors = parts.internal_errors.count
        """How many of them the store knows of."""
        self._lanes = lanes
        self._seconds = seconds
        self.batch = 1
        """The number of the commit that will make durable what is settled now."""
        self.spread = Histogram(COMMIT_BOUNDS)
        """How long commits took since this run began."""
        self._tell_durable: Callable[[int], None] = lambda batch: None
        self._workers: Callable[[], tuple[WorkerRecord, ...]] = tuple
        self._live: Callable[[], LiveFigures | None] = lambda: None
        self._due = asyncio.Event()

    @property
    def has_room(self) -> bool:
        """False when fetching should wait for the disk."""
        return self._lanes.pages.unsaved < _MAX_UNSAVED

    @property
    def has_all_errors(self) -> bool:
        """False when a bug came to light since the last batch was taken."""
        return self._internal_errors.count == self._noted_errors

    def work_with(self, tell_durable: Callable[[int], None], workers: Callable[[], tuple[WorkerRecord, ...]]) -> None:
        """Others work for this crawl: they hear the number of every batch that is on the disk, and can be shown."""
        self._tell_durable = tell_durable
        self._workers = workers

    def tell_live(self, live: Callable[[], LiveFigures]) -> None:
        """Every batch has with it how the run stands."""
        self._live = live

    def hurry(self) -> None:
        """The next batch does not wait any longer."""
        self._due.set()

    def hurry_when_full(self) -> None:
        """The same if it is a full one."""
        if self._lanes.pages.unsaved >= _FULL_BATCH:
            self._due.set()

    async def wait(self, *, idle: bool = False) -> None:
        """Return when a batch is full, when enough time went by, or when the crawl is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(self._seconds, _IDLE_SECONDS) if idle else self._seconds):
                await self._due.wait()

    async def commit(self) -> None:
        """Make durable all that changed since the last batch."""
        self._due.clear()
        self._background.hear_the_user()
        self._clocks.publish()
        batch, self.batch = self.batch, self.batch + 1
        changes = self._changes()
        began = self._clock()
        duplicates = await _to_the_end(self._store.commit(changes))
        self.spread.add(max(0.0, self._clock() - began))
        for url, error in self._store.take_lost():
            self._internal_errors.note_elsewhere(error, url, self._clock())
        self._pending.committed()
        self._tell_durable(batch)
        self._lanes.side_tasks.refill()
        self._watch_for_traps(changes.pages, {duplicate.page for duplicate in duplicates})
        self._frontier.trim(self._max_queue)

    def _changes(self) -> Changes:
        changes = self._pending.take()
        for lane in self._lanes:
            changes = lane.collect(changes)
        self._noted_errors = self._internal_errors.count
        workers, live = self._workers(), self._live()
        if live is not None and workers:
            live = replace(live, workers=sum(worker.state == "working" for worker in workers))
        return replace(
            changes,
            patterns=tuple(self._traps.changes()),
            topics=self._background.take_topics(),
            workers=workers,
            live=live,
            elapsed=self._meter.elapsed(self._clock()),
            internal_errors=self._noted_errors,
        )

    def _watch_for_traps(self, pages: Sequence[FetchedPage], repeats: set[int]) -> None:
        for page in pages:
            verdict = page.seen.verdict
            relevant = verdict is not None and verdict.relevant
            url = page.seen.task.url
            try:
                self._traps.record(url, is_repeat=page.seen.task.id in repeats, relevant=relevant)
            except Exception as error:  # the page is stored; only its family is not counted
                self._internal_errors.note_elsewhere(error, url, self._clock())


async def _to_the_end(work: Coroutine[None, None, _T]) -> _T:
    """A batch goes to the disk whole: whoever is cancelled meanwhile waits until it is there, but not for ever."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not (await asyncio.wait([task], timeout=_PATIENCE))[0]:
            task.cancel()
            await asyncio.wait([task])
        raise
    finally:
        if task.done() and not task.cancelled():
            task.exception()  # it was looked at, even when somebody was cancelled meanwhile
