"""How does the crawl stand? Counts what came, and gives snapshots that the terminal (and later the web) can show."""

from __future__ import annotations

from collections import deque

import msgspec

from shoal.remembered import Totals

_RATE_SECONDS = 10.0
"""The time over which the current rate is taken."""


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl at one moment."""

    pages: int
    relevant: int
    """As the judge sees it; what is really relevant only a person knows."""
    harvest_rate: float
    """Relevant pages of all pages."""
    bytes: int
    elapsed: float
    """Seconds of crawling, over all runs."""
    rate: float
    """Pages per second, lately."""
    queue: int
    hosts_ready: int
    hosts_waiting: int
    failed: int
    """In this run."""
    skipped: int
    """In this run, when they were about to be asked for."""
    retries: int
    fetching: tuple[str, ...]
    stopping: bool = False
    """Somebody asked for an end; what is in flight comes home first."""
    holding_back: bool = False
    """Requests could be made, but better URLs wait for hosts that may be asked soon, and pages are scarce."""
    pictures: int = 0
    """That came, over all runs."""
    extras: int = 0
    """Pictures that wait, and pages to look at again."""
    internal: int = 0
    """Bugs of ours that pages brought to light, over all runs."""
    trouble: str = ""
    """The last request that failed, and why: whoever waits for a first page wants to know."""


class Meter:
    """Counts; owned by the coordinator."""

    def __init__(self, totals: Totals, now: float) -> None:
        self._pages, self._relevant, self._bytes = totals.pages, totals.relevant, totals.bytes
        self._order = max(totals.last_order, totals.pages)
        self._before = totals.elapsed
        self._started = now
        self._recent: deque[float] = deque()
        self._failed = self._skipped = self._retries = 0
        self._trouble = ""

    @property
    def pages(self) -> int:
        """Pages fetched, over all runs."""
        return self._pages

    @property
    def bytes(self) -> int:
        """Bytes of all pages, over all runs."""
        return self._bytes

    def elapsed(self, now: float) -> float:
        """Seconds of crawling, over all runs."""
        return self._before + now - self._started

    def time_of(self, elapsed: float | None) -> float | None:
        """The moment at which so many seconds of crawling will be over."""
        return None if elapsed is None else self._started + elapsed - self._before

    def page(self, now: float, *, relevant: bool, size: int) -> int:
        """One more page; answers the how-many-th that ever came."""
        self._pages += 1
        self._order += 1
        self._relevant += relevant
        self._bytes += size
        self._recent.append(now)
        self._forget(now)
        return self._order

    def extra(self, *, size: int) -> None:
        """Something came that is no new page."""
        self._bytes += size

    def trouble(self, url: str, why: str) -> None:
        """A request failed, for good or not."""
        self._trouble = f"{url}: {why}"

    def failed(self) -> None:
        """A URL was given up."""
        self._failed += 1

    def skipped(self) -> None:
        """A URL was left out when its turn came."""
        self._skipped += 1

    def retried(self) -> None:
        """A URL gets another chance."""
        self._retries += 1

    def snapshot(
        self,
        now: float,
        *,
        queue: int,
        hosts_ready: int,
        hosts_waiting: int,
        fetching: tuple[str, ...],
        stopping: bool,
        holding_back: bool = False,
        pictures: int = 0,
        extras: int = 0,
        internal: int = 0,
    ) -> Statistics:
        """All of it, at this moment."""
        self._forget(now)
        window = min(_RATE_SECONDS, max(now - self._started, 0.1))
        return Statistics(
            pages=self._pages,
            relevant=self._relevant,
            harvest_rate=self._relevant / self._pages if self._pages else 0.0,
            bytes=self._bytes,
            elapsed=self.elapsed(now),
            rate=len(self._recent) / window,
            queue=queue,
            hosts_ready=hosts_ready,
            hosts_waiting=hosts_waiting,
            failed=self._failed,
            skipped=self._skipped,
            retries=self._retries,
            fetching=fetching,
            stopping=stopping,
            holding_back=holding_back,
            pictures=pictures,
            extras=extras,
            internal=internal,
            trouble=self._trouble,
        )

    def _forget(self, now: float) -> None:
        while self._recent and self._recent[0] < now - _RATE_SECONDS:
            self._recent.popleft()
