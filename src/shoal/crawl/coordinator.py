"""The stateful half of a crawl: hands out requests, takes in what came of them, and makes it durable.

It alone owns frontier, strategy, clocks and rules. It is the broker of its own process; worker processes talk to it
through `crawl/pipe.py`. All state changes between awaits, so there are no locks.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Sequence
from typing import TypeVar

from msgspec.structs import replace

from shoal.crawl.allowance import Allowance, Ending
from shoal.crawl.background import Thinker
from shoal.crawl.extras import Extras, NoBacklog
from shoal.crawl.figures import COMMIT_BOUNDS, FETCH_BOUNDS, CrawlFigures, Spread, failure_of, seconds_of
from shoal.crawl.robots_lane import Errands
from shoal.crawl.statistics import Meter, Statistics
from shoal.crawl.termination import Finish
from shoal.crawl.topic_learner import Learner
from shoal.frontier.frontier import Frontier
from shoal.frontier.intake import Intake
from shoal.frontier.politeness import BUSY, Clocks
from shoal.frontier.robots import Rulebook, Ruling
from shoal.frontier.traps import TrapDetector
from shoal.internal_errors import InternalErrors
from shoal.internal_errors import failure_of as failure_from
from shoal.model import (
    Entry,
    Failure,
    Missed,
    Moved,
    Opinion,
    Outlook,
    Pictured,
    Reason,
    Seen,
    State,
    Task,
    Timing,
    Topic,
    Visit,
    size_of,
    timing_of,
)
from shoal.protocols import Backlog, Store, Strategy
from shoal.remembered import Closing, StoredPage, Totals, WorkerRecord
from shoal.settings import Settings
from shoal.urls import host_of, key_of

_T = TypeVar("_T")
COMMIT_SECONDS = 0.5
"""What a crash may cost: pages fetched in this time are fetched again."""
_FULL_BATCH = 64
"""Pages after which a commit does not wait any longer."""
_MAX_UNSAVED = 512
"""Pages in memory at which fetching waits for the disk."""
_PATIENCE = 10.0
"""Seconds that a batch under way may take when the crawl is to end at once."""
_AT_ONCE = frozenset({Ending.BYTES, Ending.TIME})
"""Limits that hold for pictures too; when only the pages are all there, pictures of them may still come."""
_SKIPS_AT_ONCE = 200
"""URLs left out in one go; a page may have thousands of forbidden links, and others must not wait for all of them."""


class Coordinator:
    """Runs one crawl. Implements `protocols.Broker`."""

    def __init__(
        self,
        settings: Settings,
        *,
        store: Store,
        frontier: Frontier,
        clocks: Clocks,
        rulebook: Rulebook,
        traps: TrapDetector,
        intake: Intake,
        strategy: Strategy,
        learner: Learner,
        totals: Totals,
        clock: Callable[[], float],
        commit_seconds: float = COMMIT_SECONDS,
        opinions: Callable[[], Sequence[Opinion]] = tuple,
        finish: Finish | None = None,
        backlog: Backlog | None = None,
        new_pages: bool = True,
    ) -> None:
        """Without `new_pages` only what the backlog wants is asked for: pages are looked at again, and pictures come."""
        self._settings = settings
        self._commit_seconds = commit_seconds
        self._store = store
        self._frontier = frontier
        self._clocks = clocks
        self._rulebook = rulebook
        self._traps = traps
        self._intake = intake
        self._strategy = strategy
        self._clock = clock
        self._meter = Meter(totals, clock())
        self._finish = finish or Finish(None)
        self._allowance = Allowance(settings.budget, self._meter, self._finish)
        self._errands = Errands(frontier, clocks, rulebook, attempts=settings.politeness.attempts, clock=clock)
        self._extras = Extras(
            backlog or NoBacklog(),
            frontier=frontier,
            clocks=clocks,
            intake=intake,
            meter=self._meter,
            attempts=settings.politeness.attempts,
            pictures=settings.pictures,
        )
        self._held_back: set[str] = set()
        """Hosts whose page budget is taken by what is in flight."""
        self._new_pages = new_pages
        self._stopping = False
        self._resting = False
        """Nothing may be asked for a long time, as of the last look."""
        self._waiters: deque[asyncio.Future[Task | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._dispatching = False
        """`_dispatch` will be called in the next turn of the event loop."""
        # For those who watch the crawl from outside; counted since this run began:
        self._internal_errors = InternalErrors(totals.internal_errors)
        self._noted_errors = totals.internal_errors
        """How many of them the store knows of."""
        self._failures: Counter[Reason] = Counter()
        self._fetches, self._commits = Spread(FETCH_BOUNDS), Spread(COMMIT_BOUNDS)
        # The batch that the next commit takes, beside what the frontier has changed:
        self._pages: list[StoredPage] = []
        self._batch = 1
        self._tell_durable: Callable[[int], None] = lambda batch: None
        self._workers: Callable[[], tuple[WorkerRecord, ...]] = tuple
        self._batch_due = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        frontier.when_located(self._dispatch_soon)
        self._thinker = Thinker(
            strategy=strategy,
            learner=learner,
            finish=self._finish,
            frontier=frontier,
            meter=self._meter,
            opinions=opinions,
            clock=clock,
            changed=self._dispatch_soon,
            internal_errors=self._internal_errors,
        )

    # --- what others ask and tell ------------------------------------------------------------------------------------

    async def lease(self) -> Task | None:
        """The next request to make, as soon as there is one; None when the crawl is over. Cancelled, it takes nothing."""
        waiter: asyncio.Future[Task | None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self._dispatch_soon()
        try:
            return await waiter
        except asyncio.CancelledError:
            if not waiter.cancelled() and (task := waiter.result()) is not None:
                self.take_back(task)
            raise

    async def settle(self, visit: Visit) -> None:
        """Take in the result of a leased task; it is durable with the next commit."""
        claimed = self._clocks.in_flight(visit.task.host)
        try:
            self._take_in(visit)
        except Exception as error:  # the boundary of the stateful half: what a page brings to light costs that page
            self._take_in_as_failed(visit, error, is_claimed=self._clocks.in_flight(visit.task.host) == claimed)
        self._frontier.free(visit.task.host)
        if len(self._pages) >= _FULL_BATCH:
            self._batch_due.set()
        if len(self._pages) >= _MAX_UNSAVED:
            self._room.clear()
        self._dispatch_soon()

    def take_back(self, task: Task) -> None:
        """Nobody went to do a leased task, nor will: it waits again."""
        self._clocks.cancel(task.host)
        if task.kind == "robots":
            self._errands.take_back(task)
        elif task.id in self._extras:
            self._extras.take_back(task)
            self._frontier.unblock(task.host)
        else:
            self._frontier.put_back(self._frontier.leased[task.id])
            self._frontier.unblock(task.host)
        self._frontier.free(task.host)
        self._dispatch_soon()

    async def settle_late(self, visit: Visit) -> bool:
        """Take in what nobody waits for: its lease ran out, or the run that leased it died. False when it is of no use any more.

        A page that still waits is spared a second request. Of the rest only the clock of the host is told, if we know the host.
        """
        if not self._frontier.knows_host(visit.task.host):
            return False
        self._clocks.came_late(visit.task.host)
        known = self._frontier.knows(visit.task.url) if visit.task.kind == "page" and visit.task.id > 0 else None
        wanted = known is not None and known.state is State.WAITING and known.id not in self._frontier.leased
        room = self._spent(in_flight=len(self._frontier.leased)) is None
        if wanted and room and known is not None and not isinstance(visit, Missed):
            entry = self._frontier.take_out(known.id)
            # A run that died may have had another number for this URL, and nobody else knows its depth.
            late: Visit = replace(visit, task=_task_of(entry))
            try:
                self._strategy.chosen(entry)
            except Exception as error:
                late = Missed(task=late.task, failure=failure_from(error, entry.url, timing_of(visit)))
            await self.settle(late)
            return True
        failure = visit.failure if isinstance(visit, Missed) else None
        self._clocks.release(visit.task.host, timing_of(visit), failure)
        self._frontier.free(visit.task.host)
        self._dispatch_soon()
        return False

    async def restore(self, visit: Seen | Pictured) -> bool:
        """Take in what was stored before, and make it durable: its database is lost. False when it is of no use."""
        if isinstance(visit, Pictured):
            known = self._extras.restore_picture(visit)
        elif (id := self._known_page(visit.task.url)) is not None:
            known = self._extras.restore_look(replace(visit, task=replace(visit.task, id=id)))
        else:
            known = True
            entry = self._out_of_turn(visit.task.url)
            self._strategy.chosen(entry)
            own = {"id": entry.id, "depth": entry.depth, "inherited": entry.inherited}
            self._seen(replace(visit, task=replace(visit.task, **own)), entry)
        await self._commit()
        return known

    def _known_page(self, url: str) -> int | None:
        known = self._frontier.knows(url)
        return known.id if known is not None and known.state is State.DONE else None

    def _out_of_turn(self, url: str) -> Entry:
        """Lease a URL whose page is here; it may be one that nothing leads to any more, such as the end of a redirect."""
        if self._frontier.knows(url) is None:
            self._frontier.add(Entry(id=0, url=url, host=host_of(url), priority=0.0, why="its page was stored"))
        known = self._frontier.knows(url)
        assert known is not None
        return self._frontier.take_out(known.id)

    def let_go(self, host: str) -> None:
        """Nobody will tell any more what came of the request to this host that an earlier run made."""
        if self._clocks.disinherit(host):
            self._frontier.free(host)
            self._dispatch_soon()

    def now(self) -> float:
        """The time by which it goes."""
        return self._clock()

    @property
    def batch(self) -> int:
        """The number of the commit that will make durable what is settled now."""
        return self._batch

    def work_with(self, tell_durable: Callable[[int], None], workers: Callable[[], tuple[WorkerRecord, ...]]) -> None:
        """Others work for this crawl: they hear the number of every batch that is on the disk, and can be shown."""
        self._tell_durable = tell_durable
        self._workers = workers

    def stop(self) -> None:
        """Hand out nothing more; the crawl ends when what is in flight has come home."""
        self._stopping = True
        self._dispatch()

    @property
    def ending(self) -> Ending | None:
        """Why the crawl is over; None while it goes on."""
        if self._frontier.leased or self._errands.in_flight or self._extras.in_flight:
            return None
        if self._stopping:
            return Ending.STOPPED
        spent = self._spent()
        if spent in _AT_ONCE or (spent and not self._extras):
            return spent
        if not self._frontier and not self._errands and not self._extras:
            return Ending.NOTHING_LEFT
        return Ending.RESTING if self._resting else None

    def statistics(self) -> Statistics:
        """How the crawl stands at this moment."""
        ready, asleep = self._frontier.host_counts()
        fetching = tuple(entry.url for entry in self._frontier.leased.values())
        return self._meter.snapshot(
            self._clock(),
            queue=len(self._frontier),
            hosts_ready=ready,
            hosts_waiting=asleep,
            fetching=fetching,
            stopping=self._stopping,
            holding_back=self._frontier.is_holding_back and bool(self._waiters) and not self._stopping,
            pictures=self._extras.pictures,
            extras=len(self._extras),
            internal=self._internal_errors.count,
        )

    def figures(self) -> CrawlFigures:
        """The same with all that an operator watches."""
        return CrawlFigures(
            statistics=self.statistics(),
            leases=self._frontier.in_flight,
            failures=dict(self._failures),
            fetches=self._fetches.snapshot(),
            rests=self._clocks.rests.snapshot(),
            commits=self._commits.snapshot(),
        )

    def outlook(self) -> Outlook | None:
        """What the strategy expects of the next pages at this moment; None when it cannot tell."""
        return self._thinker.outlook()

    @property
    def finish(self) -> Finish:
        """What decides whether it is worth going on."""
        return self._finish

    @property
    def topic(self) -> Topic:
        """What we are looking for at this moment."""
        return self._thinker.topic

    def when_topic_changes(self, tell: Callable[[Topic], None]) -> None:
        """From the next page on, `tell` hears of every new version of the topic."""
        self._thinker.when_topic_changes(tell)

    async def run(self) -> Ending:
        """Commit batch after batch until the crawl is over; answers why it is."""
        self._thinker.hear_the_user()
        self._thinker.ask_whether_done()
        async with asyncio.TaskGroup() as group:
            thinking = group.create_task(self._thinker.run())
            ending = await self._commit_all()
            thinking.cancel()
        return ending

    async def _commit_all(self) -> Ending:
        self._dispatch()
        while (ending := self.ending) is None:
            await self._wait_for_batch()
            await self._commit()
        self._dispatch()
        await self._commit()
        if self._internal_errors.count != self._noted_errors:  # of the last batch itself
            await self._commit()
        return ending

    # --- handing out -------------------------------------------------------------------------------------------------

    def _dispatch_soon(self) -> None:
        """Once for all that happens in this turn of the event loop."""
        if not self._dispatching:
            self._dispatching = True
            asyncio.get_running_loop().call_soon(self._dispatch)

    def _dispatch(self) -> None:
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
            self._batch_due.set()
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
        deadline = self._allowance.deadline()
        # When the deadline is over, what is in flight ends the crawl.
        moments = [moment for moment in (at, deadline if deadline and deadline > now else None) if moment is not None]
        if moments and self.ending is None:
            self._timer = asyncio.get_running_loop().call_later(max(0.0, min(moments) - now), self._dispatch)

    def _may_ask(self) -> bool:
        """False when no request may be made, whatever waits."""
        spent = self._spent(in_flight=len(self._frontier.leased))
        return (
            self._room.is_set() and not self._stopping and (not spent or (bool(self._extras) and spent not in _AT_ONCE))
        )

    def _next(self) -> Task | None:
        """The best request that may be made now."""
        if not self._may_ask():
            return None
        now = self._clock()
        patient = not self._settings.fetching.hurry and self._allowance.is_scarce(now)
        pages = self._spent(in_flight=len(self._frontier.leased)) is None
        for _ in range(_SKIPS_AT_ONCE):
            if (entry := self._frontier.pop(now, patient=patient, pages=pages)) is None:
                return None
            try:
                task = self._prepare(entry, now)
            except Exception as error:
                self._give_up(entry, error, now)
                continue
            if task is not None:
                return task
        self._dispatch_soon()
        return None

    def _prepare(self, entry: Entry, now: float) -> Task | None:
        """The request for an entry, or for the robots.txt that must be read first; None when it may not be asked for."""
        if entry.id in self._errands:
            return self._errands.task(entry)
        ruling = self._rulebook.check(entry.url, now)
        if ruling == "unknown":
            return self._errands.ask_first(entry)
        task = self._extras.task(entry, ruling) if entry.id in self._extras else self._page_task(entry, ruling)
        if task is None:
            self._clocks.cancel(entry.host)
            self._frontier.free(entry.host)
            return None
        self._clocks.set_crawl_delay(entry.host, self._rulebook.crawl_delay(entry.url))
        return replace(task, topic_version=self.topic.version)

    def _give_up(self, entry: Entry, error: Exception, now: float) -> None:
        """A bug of ours stands between a URL and its request: it is never asked for."""
        at_once = Timing(started=now, answered=now, ended=now)
        task = Task(id=entry.id, url=entry.url, host=entry.host)
        self._take_in(Missed(task=task, failure=failure_from(error, entry.url, at_once)))
        self._frontier.free(entry.host)

    def _page_task(self, entry: Entry, ruling: Ruling) -> Task | None:
        if ruling == "unreachable":
            self._shut(entry, State.SKIPPED, Reason.ROBOTS_UNREACHABLE, "its robots.txt cannot be read")
        elif ruling == "refused":
            self._skip(entry, Reason.ROBOTS, "robots.txt forbids it")
        elif trap := self._traps.why(entry.url):
            self._skip(entry, Reason.TRAP, trap)
        elif not self._over_host_budget(entry):
            self._strategy.chosen(entry)
            return _task_of(entry)
        return None

    def _skip(self, entry: Entry, reason: Reason, detail: str) -> None:
        self._settle_without_page(entry, State.SKIPPED, reason, detail)
        self._meter.skipped()

    def _settle_without_page(self, entry: Entry, state: State, reason: Reason, detail: str) -> None:
        self._frontier.settle(entry, state, reason, detail)
        self._strategy.lost([key_of(entry.url)])

    def _shut(self, entry: Entry, state: State, reason: Reason, detail: str) -> None:
        """Nothing more is asked of the entry's host."""
        self._settle_without_page(entry, state, reason, detail)
        self._frontier.close(Closing(host=entry.host, state=state, reason=reason, detail=detail))

    def _over_host_budget(self, entry: Entry) -> bool:
        limit = self._settings.budget.max_pages_per_host
        if limit is None:
            return False
        fetched = self._frontier.pages(entry.host)
        in_flight = sum(other.host == entry.host for other in self._frontier.leased.values())
        if fetched >= limit:
            self._shut(entry, State.SKIPPED, Reason.HOST_BUDGET, f"{fetched} pages of {entry.host} were fetched")
        elif fetched + in_flight > limit:
            self._frontier.put_back(entry)
            self._held_back.add(entry.host)
        else:
            return False
        return True

    def _spent(self, in_flight: int = 0) -> Ending | None:
        return self._allowance.spent(self._clock(), in_flight) or (None if self._new_pages else Ending.LOOKED)

    # --- taking in ---------------------------------------------------------------------------------------------------

    def _take_in(self, visit: Visit) -> None:
        self._fetches.add(seconds_of(visit))
        if (reason := failure_of(visit)) is not None:
            self._failures[reason] += 1
        if isinstance(visit, Missed):
            if visit.failure.reason is Reason.INTERNAL:
                self._internal_errors.note(visit.failure)
            # That a site has no robots.txt is no trouble.
            if visit.task.kind == "page" or visit.failure.heals:
                self._meter.trouble(visit.task.url, visit.failure.detail)
        if visit.task.kind == "robots":
            assert not isinstance(visit, Seen | Pictured), "a robots.txt is never judged"
            self._errands.came(visit)
        elif visit.task.id in self._extras:
            self._extras.came(visit)
        else:
            self._page_came(visit)

    def _take_in_as_failed(self, visit: Visit, error: Exception, *, is_claimed: bool) -> None:
        """A visit that met a bug of ours on its way in: whatever of it is not over ends as failed."""
        task = visit.task
        failure = failure_from(error, task.url, timing_of(visit))
        if not is_claimed:  # it was given back already; the failure gives back another one
            self._clocks.came_late(task.host)
        if task.id in self._errands or task.id in self._extras or task.id in self._frontier.leased:
            self._take_in(Missed(task=task, failure=failure))
        else:
            self._internal_errors.note(failure)
            self._clocks.cancel(task.host)

    def _page_came(self, visit: Visit) -> None:
        entry = self._frontier.leased[visit.task.id]
        if entry.host in self._held_back:
            self._held_back.discard(entry.host)
            self._frontier.unblock(entry.host)
        match visit:
            case Seen() if self._spent() is Ending.BYTES:  # it was in flight with others, and there is no room for it
                self._clocks.release(entry.host, visit.response.timing)
                self._frontier.retry(entry, self._clock(), counts=False)
            case Seen():
                self._clocks.release(entry.host, visit.response.timing)
                self._seen(visit, entry)
            case Moved(redirect=redirect):
                self._clocks.release(entry.host, redirect.timing)
                self._intake.redirect(redirect, entry)
            case Missed(failure=failure):
                self._missed(entry, failure)

    def _seen(self, seen: Seen, entry: Entry) -> None:
        # First what depends on what the page says: should that fail, the page is not counted as one that came.
        for candidate in self._strategy.follow(seen):
            self._intake.link(candidate, entry)
        why, memo = self._strategy.why(entry), self._strategy.memo(seen)
        self._extras.show(seen.sightings, entry)
        if why:
            entry = self._frontier.note(entry, why)
        relevant = seen.verdict is not None and seen.verdict.relevant
        order = self._meter.page(self._clock(), relevant=relevant, size=size_of(seen))
        self._frontier.settle(entry, State.DONE)
        self._pages.append(StoredPage(seen=seen, fetch_order=order, memo=memo))
        self._thinker.saw(seen, order, relevant=relevant)

    def _missed(self, entry: Entry, failure: Failure) -> None:
        next_at = self._clocks.release(entry.host, failure.timing, failure)
        patient = self._clocks.still_hopes(entry.host)
        # A host that says "not now" says nothing about this URL.
        counts = failure.status not in BUSY
        if failure.heals and patient and (not counts or entry.attempt < self._settings.politeness.attempts):
            self._frontier.retry(entry, max(next_at, self._clocks.retry_at(failure, entry.attempt)), counts=counts)
            self._meter.retried()
            return
        state = State.SKIPPED if failure.reason is Reason.ADDRESS else State.FAILED
        self._settle_without_page(entry, state, failure.reason, failure.detail)
        self._meter.failed()
        if not patient:
            closing = Closing(host=entry.host, state=State.FAILED, reason=failure.reason, detail=failure.detail)
            self._frontier.close(closing)

    # --- making it durable -------------------------------------------------------------------------------------------

    async def _wait_for_batch(self) -> None:
        """Return when a batch is full, when enough time went by, or when the crawl is over."""
        try:
            async with asyncio.timeout(self._commit_seconds):
                await self._batch_due.wait()
        except TimeoutError:
            return

    async def _commit(self) -> None:
        self._batch_due.clear()
        self._thinker.hear_the_user()
        self._clocks.publish()
        batch, self._batch = self._batch, self._batch + 1
        pages, self._pages = self._pages, []
        shown, pictures, looks = self._extras.take()
        changes = replace(
            self._frontier.take_changes(),
            pages=tuple(pages),
            robots=self._errands.take(),
            patterns=tuple(self._traps.changes()),
            topics=self._thinker.take_topics(),
            shown=shown,
            pictures=pictures,
            looks=looks,
            fetching=tuple(entry.url for entry in self._frontier.leased.values()),
            workers=self._workers(),
            elapsed=self._meter.elapsed(self._clock()),
            internal_errors=self._internal_errors.count,
        )
        self._noted_errors = changes.internal_errors
        began = self._clock()
        duplicates = await _to_the_end(self._store.commit(changes))
        self._commits.add(max(0.0, self._clock() - began))
        for url, error in self._store.take_lost():
            self._internal_errors.note_elsewhere(error, url, self._clock())
        self._frontier.committed()
        self._tell_durable(batch)
        self._extras.refill()
        self._watch_for_traps(pages, {duplicate.page for duplicate in duplicates})
        if (excess := len(self._frontier) - self._settings.budget.max_queue) > 0:
            self._frontier.drop_worst(excess + self._settings.budget.max_queue // 50)
        self._room.set()
        self._dispatch()

    def _watch_for_traps(self, pages: list[StoredPage], repeats: set[int]) -> None:
        for page in pages:
            verdict = page.seen.verdict
            relevant = verdict is not None and verdict.relevant
            url = page.seen.task.url
            try:
                self._traps.record(url, is_repeat=page.seen.task.id in repeats, relevant=relevant)
            except Exception as error:  # the page is stored; only its family is not counted
                self._internal_errors.note_elsewhere(error, url, self._clock())


def _task_of(entry: Entry) -> Task:
    """The request for a page."""
    return Task(
        id=entry.id,
        url=entry.url,
        host=entry.host,
        depth=entry.depth,
        attempt=entry.attempt,
        inherited=entry.inherited,
    )


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
