"""Who gets which task next, and who takes in what came of it? What comes home makes room for the next."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable

from msgspec.structs import replace

from shoal.crawl.committer import Committer
from shoal.crawl.lane import Lanes
from shoal.crawl.metrics import FETCH_BOUNDS, reason_of, seconds_of
from shoal.crawl.parts import CrawlParts
from shoal.crawl.termination import Ending
from shoal.histogram import Histogram
from shoal.internal_errors import at_once, missed_by
from shoal.model import Missed, Reason, Task, Visit, timing_of


class Arrivals:
    """Takes in visits. Sole owner of what is counted of them since this run began."""

    def __init__(self, parts: CrawlParts, lanes: Lanes) -> None:
        self._clocks = parts.clocks
        self._meter = parts.meter
        self._internal_errors = parts.internal_errors
        self._lanes = lanes
        self.failures: Counter[Reason] = Counter()
        self.fetches = Histogram(FETCH_BOUNDS)

    def settle(self, visit: Visit) -> None:
        """The boundary of the stateful half: what goes wrong with one page costs that page."""
        host = visit.task.host
        claimed = self._clocks.in_flight(host)
        try:
            self.take_in(visit)
        except Exception as error:
            self._take_in_as_failed(visit, error, is_claimed=self._clocks.in_flight(host) == claimed)

    def take_in(self, visit: Visit) -> None:
        """The same without that boundary."""
        self.fetches.add(seconds_of(visit))
        if (reason := reason_of(visit)) is not None:
            self.failures[reason] += 1
        if isinstance(visit, Missed):
            self._note(visit)
        self._lanes[visit.task.kind].came(visit)

    def _note(self, missed: Missed) -> None:
        failure = missed.failure
        if failure.reason is Reason.INTERNAL:
            self._internal_errors.note(failure)
        # That a site has no robots.txt is no trouble.
        if failure.heals or missed.task.kind in ("page", "revisit"):
            self._meter.trouble = f"{missed.task.url}: {failure.detail}"

    def _take_in_as_failed(self, visit: Visit, error: Exception, *, is_claimed: bool) -> None:
        """A visit that met a bug of ours on its way in: whatever of it is not over ends as failed."""
        task = visit.task
        missed = missed_by(error, task, timing_of(visit))
        if not is_claimed:  # it was given back already; the failure gives back another one
            self._clocks.came_late(task.host)
        if task in self._lanes[task.kind]:
            self.take_in(missed)
        else:
            self._internal_errors.note(missed.failure)
            self._clocks.cancel(task.host)


# --- who gets which request, and when --------------------------------------------------------------------------------

_AT_ONCE = frozenset({Ending.BYTES, Ending.TIME})
"""Limits that hold for images too; when only the pages are all there, images of them may still come."""
_SKIPS_AT_ONCE = 200
"""URLs left out in one go; a page may have thousands of forbidden links, and others must not wait for all of them."""


class Handout:
    """Gives tasks to those who wait. Sole owner of those, and of the timer that lets it look again."""

    def __init__(self, parts: CrawlParts, lanes: Lanes, arrivals: Arrivals, committer: Committer) -> None:
        self._hurry = parts.settings.fetching.hurry
        self._clock = parts.clock
        self._frontier = parts.frontier
        self._host_schedule = parts.host_schedule
        self._clocks = parts.clocks
        self._budget_left = parts.budget_left
        self._background = parts.background
        self._lanes = lanes
        self._arrivals = arrivals
        self._committer = committer
        self.stopping = False
        """Nothing more is handed out."""
        self.paused = False
        """The same for a while: no end comes of it."""
        self._resting = False
        """Nothing may be asked for a long time, as of the last look."""
        self._waiters: deque[asyncio.Future[Task | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._dispatching = False
        """`dispatch` will be called in the next turn of the event loop."""
        self._host_schedule.when_located = self._background.when_changed = self.dispatch_soon

    @property
    def ending(self) -> Ending | None:
        """Why the crawl is over; None while it goes on."""
        if self._lanes.in_flight:
            return None
        if self.stopping:
            return Ending.STOPPED
        if self.paused:
            return None
        spent = self._budget_left.spent(self._clock())
        if spent in _AT_ONCE or (spent and not self._lanes.side_tasks):
            return spent
        if not any(self._lanes):
            return Ending.NOTHING_LEFT
        return Ending.RESTING if self._resting else None

    @property
    def is_holding_back(self) -> bool:
        """Somebody waits, and has nothing only because better URLs wait for hosts that may be asked soon."""
        return self._host_schedule.is_holding_back and bool(self._waiters) and not (self.stopping or self.paused)

    async def lease(self, take_back: Callable[[Task], None]) -> Task | None:
        """The next request to make, as soon as there is one; None when the crawl is over. Cancelled, it takes nothing."""
        waiter: asyncio.Future[Task | None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self.dispatch_soon()
        try:
            return await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled() and (task := waiter.result()) is not None:
                take_back(task)
            raise

    def dispatch_soon(self) -> None:
        """Once for all that happens in this turn of the event loop."""
        if not self._dispatching:
            self._dispatching = True
            asyncio.get_running_loop().call_soon(self.dispatch)

    def dispatch(self) -> None:
        """Give those who wait what there is, and wake up again when there may be more."""
        self._dispatching = False
        while self._waiters:
            if self._waiters[0].done():  # its worker is gone
                self._waiters.popleft()
                continue
            task = self._next()
            self._resting = task is None and self._rests_long()
            if task is None and self.ending is None:
                break
            self._waiters.popleft().set_result(task)
        if self._clocks.unpublished_claims:
            self._clocks.publish()
        if self.ending is not None:
            self._committer.hurry()
        self._set_timer()

    def _rests_long(self) -> bool:
        """All that is left waits for servers that asked for a longer rest than we would give anybody by ourselves."""
        at = self._frontier.ready_at()
        return self._may_ask() and at is not None and at - self._clock() > self._clocks.longest_own_wait

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        now = self._clock()
        at = self._frontier.ready_at() if self._waiters and self._may_ask() else None
        deadline = None if self.paused else self._budget_left.deadline()
        # When the deadline is over, what is in flight ends the crawl.
        moments = [moment for moment in (at, deadline if deadline and deadline > now else None) if moment is not None]
        if moments and self.ending is None:
            self._timer = asyncio.get_running_loop().call_later(max(0.0, min(moments) - now), self.dispatch)

    def _spent(self) -> Ending | None:
        """What there is no more of for pages, when all that are under way have come."""
        return self._budget_left.spent(self._clock(), self._lanes.pages.in_flight)

    def _may_ask(self) -> bool:
        """False when no request may be made, whatever waits."""
        if self.stopping or self.paused or not self._committer.has_room:
            return False
        spent = self._spent()
        return not spent or (bool(self._lanes.side_tasks) and spent not in _AT_ONCE)

    def _next(self) -> Task | None:
        """The best request that may be made now."""
        if not self._may_ask():
            return None
        now = self._clock()
        patient = not self._hurry and self._budget_left.is_scarce(now)
        pages = self._spent() is None
        for _ in range(_SKIPS_AT_ONCE):
            if (turn := self._frontier.pop(now, patient=patient, pages=pages)) is None:
                return None
            try:
                task = self._prepare(turn)
            except Exception as error:
                self._give_up(turn, error, now)
                continue
            if task is not None:
                return task
        self.dispatch_soon()
        return None

    def _prepare(self, turn: Task) -> Task | None:
        """The request for what has its turn, or for the robots.txt that must be read first; None when it may not be made."""
        lane, robots = self._lanes[turn.kind], self._lanes.robots
        if (ruling := robots.ruling(turn)) == "unknown":
            lane.take_back(turn)
            task: Task | None = robots.ask_first(turn)
        else:
            task = lane.task(turn, ruling)
        if task is None:
            self._clocks.cancel(turn.host)
            self._host_schedule.free(turn.host)
            return None
        return replace(task, topic_version=self._background.topic.version)

    def _give_up(self, turn: Task, error: Exception, now: float) -> None:
        """A bug of ours stands between a URL and its request: it is never asked for."""
        self._arrivals.take_in(missed_by(error, turn, at_once(now)))
        self._host_schedule.free(turn.host)
