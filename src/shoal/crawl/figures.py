"""Which figures does an operator watch? Counted where things happen, as plainly as can be; `metrics.py` publishes them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping

from shoal.crawl.statistics import Statistics
from shoal.model import Missed, Moved, Pictured, Reason, RobotsRead, Seen, Value, Visit, size_of, timing_of

FETCH_BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Seconds: from a server in the same room to one that is given up."""
REST_BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0)
"""Seconds: from one's own host to one that said "not now" several times."""
COMMIT_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Distribution(Value, frozen=True, kw_only=True):
    """How often something was how large."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    """For each bound how many were not larger, and larger than the bound before; at the end those beyond all bounds."""
    total: float
    """The sum of all."""


class Spread:
    """Counts sizes; the mutable side of a `Distribution`, owned by whoever adds to it."""

    __slots__ = ("_bounds", "_counts", "_total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._total = 0.0

    def add(self, size: float) -> None:
        """One more."""
        self._counts[bisect_left(self._bounds, size)] += 1
        self._total += size

    def snapshot(self) -> Distribution:
        """All of them, at this moment."""
        return Distribution(bounds=self._bounds, counts=tuple(self._counts), total=self._total)


class CrawlFigures(Value, frozen=True, kw_only=True):
    """A crawl at one moment, for those who watch many of them."""

    statistics: Statistics
    leases: int
    """Requests under way, robots.txt and pictures included."""
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
    """By what came of them: `page`, `picture`, `moved`, `missed`, `robots`."""
    bytes: int
    failures: Mapping[Reason, int]
    fetches: Distribution
    in_hand: int
    """Tasks that it took and has not sent home."""
    reconnects: int


class WorkerFigures:
    """Counts what a worker does. Owned by the worker's service, which calls it in its event loop."""

    def __init__(self) -> None:
        self._visits: Counter[str] = Counter()
        self._failures: Counter[Reason] = Counter()
        self._fetches = Spread(FETCH_BOUNDS)
        self._bytes = self._in_hand = self._reconnects = 0

    @property
    def visits(self) -> int:
        """Requests that are over."""
        return self._visits.total()

    @property
    def failures(self) -> int:
        """Those that brought nothing."""
        return self._failures.total()

    @property
    def bytes(self) -> int:
        """Of all pages and pictures."""
        return self._bytes

    @property
    def in_hand(self) -> int:
        """Tasks that came and are not sent home."""
        return self._in_hand

    def took(self) -> None:
        """A task came."""
        self._in_hand += 1

    def let_go(self) -> None:
        """A task is not ours any more: its result was sent, or it was given back."""
        self._in_hand -= 1

    def visited(self, visit: Visit) -> None:
        """A request is over."""
        self._visits[outcome_of(visit)] += 1
        self._fetches.add(seconds_of(visit))
        if isinstance(visit, Seen | Pictured):
            self._bytes += size_of(visit)
        elif (reason := failure_of(visit)) is not None:
            self._failures[reason] += 1

    def reconnected(self) -> None:
        """The way to the broker was lost, and found again."""
        self._reconnects += 1

    def snapshot(self) -> WorkerNumbers:
        """All of it, at this moment."""
        return WorkerNumbers(
            visits=dict(self._visits),
            bytes=self._bytes,
            failures=dict(self._failures),
            fetches=self._fetches.snapshot(),
            in_hand=self._in_hand,
            reconnects=self._reconnects,
        )


# --- what a visit says -----------------------------------------------------------------------------------------------


def outcome_of(visit: Visit) -> str:
    """What came of a visit, in one word."""
    match visit:
        case Seen():
            return "page"
        case Pictured():
            return "picture"
        case Moved():
            return "moved"
        case Missed():
            return "missed"
        case RobotsRead():
            return "robots"


def failure_of(visit: Visit) -> Reason | None:
    """Why a request brought nothing; None when it did, also when that was "unchanged" or "there is no robots.txt"."""
    if not isinstance(visit, Missed) or visit.failure.reason is Reason.UNCHANGED:
        return None
    return visit.failure.reason if visit.task.kind != "robots" or visit.failure.heals else None


def seconds_of(visit: Visit) -> float:
    """How long a request took, from sending to the last byte."""
    timing = timing_of(visit)
    return max(0.0, timing.ended - timing.started)
