"""How does a crawl stand?

Counted where things happen, and shown as snapshots: to a person at work, and to an operator who watches many.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping

import msgspec

from shoal.histogram import Distribution, Histogram
from shoal.model import Missed, Moved, Reason, RobotsRead, Seen, SeenImage, Value, Visit, size_of, timing_of
from shoal.model.stored import Totals

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
    queue: int = 0
    hosts_ready: int = 0
    hosts_waiting: int = 0
    failed: int
    """In this run."""
    skipped: int
    """In this run, when they were about to be asked for."""
    retries: int
    fetching: tuple[str, ...] = ()
    stopping: bool = False
    """Somebody asked for an end; what is in flight comes home first."""
    paused: bool = False
    """Nothing is handed out until somebody lets it go on."""
    holding_back: bool = False
    """Requests could be made, but better URLs wait for hosts that may be asked soon, and pages are scarce."""
    images: int = 0
    """That came, over all runs."""
    side_tasks: int = 0
    """Images that wait, and pages to look at again."""
    internal: int = 0
    """Bugs of ours that pages brought to light, over all runs."""
    trouble: str = ""
    """The last request that failed, and why: whoever waits for a first page wants to know."""


class Meter:
    """Counts; owned by the coordinator, and added to by those to whom something happens."""

    def __init__(self, totals: Totals, now: float) -> None:
        # Over all runs:
        self.pages, self._relevant, self.bytes = totals.pages, totals.relevant, totals.bytes
        self._order = max(totals.last_order, totals.pages)
        self._before = totals.elapsed
        self._started = now
        self._paused_at: float | None = None
        self._recent: deque[float] = deque()
        # URLs of this run that were given up, left out when their turn came, or got another chance:
        self.failed = self.skipped = self.retries = 0
        self.trouble = ""

    def elapsed(self, now: float) -> float:
        """Seconds of crawling, over all runs."""
        return self._before + (now if self._paused_at is None else self._paused_at) - self._started

    def pause(self, now: float) -> None:
        """From now on time does not count, until `go_on`."""
        self._paused_at = now

    def go_on(self, now: float) -> None:
        """Time counts again."""
        if self._paused_at is not None:
            self._started += now - self._paused_at
            self._paused_at = None

    def time_of(self, elapsed: float | None) -> float | None:
        """The moment at which so many seconds of crawling will be over."""
        return None if elapsed is None else self._started + elapsed - self._before

    def page(self, now: float, *, relevant: bool, size: int) -> int:
        """One more page; answers the how-many-th that ever came."""
        self.pages += 1
        self._order += 1
        self._relevant += relevant
        self.bytes += size
        self._recent.append(now)
        self._forget(now)
        return self._order

    def snapshot(self, now: float) -> Statistics:
        """All of it, at this moment."""
        self._forget(now)
        window = min(_RATE_SECONDS, max(now - self._started, 0.1))
        return Statistics(
            pages=self.pages,
            relevant=self._relevant,
            harvest_rate=self._relevant / self.pages if self.pages else 0.0,
            bytes=self.bytes,
            elapsed=self.elapsed(now),
            rate=len(self._recent) / window,
            failed=self.failed,
            skipped=self.skipped,
            retries=self.retries,
            trouble=self.trouble,
        )

    def _forget(self, now: float) -> None:
        while self._recent and self._recent[0] < now - _RATE_SECONDS:
            self._recent.popleft()


# --- which figures does an operator watch ----------------------------------------------------------------------------

FETCH_BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds: from a server in the same room to one that is given up."""
COMMIT_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class CrawlFigures(Value, frozen=True, kw_only=True):
    """A crawl at one moment, for those who watch many of them."""

    statistics: Statistics
    leases: int
    """Requests under way, robots.txt and images included."""
    failures: Mapping[Reason, int]
    """Requests of this run that brought nothing, also those that are tried again."""
    fetches: Distribution
    """Seconds that requests took, from sending to the last byte."""
    rests: Distribution
    """Seconds for which a host was left alone after a request."""
    commits: Distribution
    """Seconds that batches took to be durable."""


class ClusterFigures(Value, frozen=True, kw_only=True):
    """What a crawl knows of workers on other machines; all zero when it has none."""

    workers: int = 0
    """That are alive."""
    redeliveries: int = 0
    """Tasks that the broker gave to a second worker, because it lost the first one."""
    dead_letters: int = 0
    """Tasks that nobody could do, and messages that nobody could read, which were laid aside."""
    capacity: int = 0
    """Requests that the workers can make at once."""
    expired: int = 0
    """Leases that ended without a result."""
    late: int = 0
    """Results that came after the end of their lease, or of a run that died."""


class WorkerNumbers(Value, frozen=True, kw_only=True):
    """A worker at one moment."""

    visits: Mapping[str, int]
    """By what came of them: `page`, `image`, `moved`, `missed`, `robots`."""
    bytes: int
    failures: Mapping[Reason, int]
    fetches: Distribution
    in_hand: int
    """Tasks that it took and has not sent home."""
    reconnects: int


class WorkerFigures:
    """Counts what a worker does. Owned by its broker (`cluster/worker_broker.py`), which counts in its event loop."""

    def __init__(self) -> None:
        self._visits: Counter[str] = Counter()
        self._failures: Counter[Reason] = Counter()
        self._fetches = Histogram(FETCH_BOUNDS)
        self.bytes = 0
        """Of all pages and images."""
        self.in_hand = 0
        """Tasks that came and are not sent home or given back."""
        self.reconnects = 0
        """How often the way to the broker was lost, and found again."""

    @property
    def visits(self) -> int:
        """Requests that are over."""
        return self._visits.total()

    @property
    def failures(self) -> int:
        """Those that brought nothing."""
        return self._failures.total()

    def visited(self, visit: Visit) -> None:
        """A request is over."""
        self._visits[_OUTCOMES[type(visit)]] += 1
        self._fetches.add(seconds_of(visit))
        if isinstance(visit, Seen | SeenImage):
            self.bytes += size_of(visit)
        elif (reason := reason_of(visit)) is not None:
            self._failures[reason] += 1

    def snapshot(self) -> WorkerNumbers:
        """All of it, at this moment."""
        return WorkerNumbers(
            visits=dict(self._visits),
            bytes=self.bytes,
            failures=dict(self._failures),
            fetches=self._fetches.snapshot(),
            in_hand=self.in_hand,
            reconnects=self.reconnects,
        )


# --- what a visit says -----------------------------------------------------------------------------------------------

_OUTCOMES: dict[type[Visit], str] = {
    Seen: "page",
    SeenImage: "image",
    Moved: "moved",
    Missed: "missed",
    RobotsRead: "robots",
}


def reason_of(visit: Visit) -> Reason | None:
    """Why a request brought nothing; None when it did, also when that was "unchanged" or "there is no robots.txt"."""
    if not isinstance(visit, Missed) or visit.failure.reason is Reason.UNCHANGED:
        return None
    return visit.failure.reason if visit.task.kind != "robots" or visit.failure.heals else None


def seconds_of(visit: Visit) -> float:
    """How long a request took, from sending to the last byte."""
    timing = timing_of(visit)
    return max(0.0, timing.ended - timing.started)
