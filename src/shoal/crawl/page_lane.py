"""How does a new page come? From its turn to its links: it is asked for, taken in, asked for again, or given up."""

from __future__ import annotations

from msgspec.structs import replace

from shoal.crawl.parts import CrawlParts
from shoal.crawl.side_lane import SideLane
from shoal.crawl.termination import Ending
from shoal.frontier.frontier import task_of
from shoal.frontier.politeness import BUSY
from shoal.frontier.robots import Ruling
from shoal.internal_errors import missed_by
from shoal.model import Entry, Failure, Missed, Moved, Reason, Seen, State, Task, Visit, size_of, timing_of
from shoal.model.stored import Changes, Closing, FetchedPage
from shoal.urls import host_of, key_of


class PageLane:
    """The pages of the frontier: a `Lane`. Sole owner of the pages that came since the last commit."""

    def __init__(self, parts: CrawlParts, side_tasks: SideLane) -> None:
        self._attempts = parts.settings.politeness.attempts
        self._most_of_a_host = parts.settings.budget.max_pages_per_host
        self._clock = parts.clock
        self._frontier = parts.frontier
        self._pending = parts.pending
        self._host_schedule = parts.host_schedule
        self._clocks = parts.clocks
        self._traps = parts.traps
        self._intake = parts.intake
        self._strategy = parts.strategy
        self._background = parts.background
        self._meter = parts.meter
        self._budget_left = parts.budget_left
        self._side_tasks = side_tasks
        self._held_back: set[str] = set()
        """Hosts whose page budget is taken by what is in flight."""
        self._pages: list[FetchedPage] = []

    # --- questions ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many wait."""
        return len(self._frontier)

    def __bool__(self) -> bool:
        return len(self._frontier) > 0

    def __contains__(self, task: Task) -> bool:
        return task.id in self._frontier.leased

    @property
    def in_flight(self) -> int:
        return len(self._frontier.leased)

    @property
    def fetching(self) -> tuple[str, ...]:
        """The URLs that are in flight."""
        return tuple(entry.url for entry in self._frontier.leased.values())

    @property
    def unsaved(self) -> int:
        """How many pages came that the next commit will take."""
        return len(self._pages)

    # --- going out ---------------------------------------------------------------------------------------------------

    def task(self, turn: Task, ruling: Ruling) -> Task | None:
        entry = self._frontier.leased[turn.id]
        if ruling == "unreachable":
            self._shut(entry, State.SKIPPED, Reason.ROBOTS_UNREACHABLE, "its robots.txt cannot be read")
        elif ruling == "refused":
            self._skip(entry, Reason.ROBOTS, "robots.txt forbids it")
        elif trap := self._traps.why(entry.url):
            self._skip(entry, Reason.TRAP, trap)
        elif not self._over_host_budget(entry):
            self._strategy.chosen(entry)
            return turn
        return None

    def take_back(self, task: Task) -> None:
        self._frontier.put_back(self._frontier.leased[task.id])

    def _skip(self, entry: Entry, reason: Reason, detail: str) -> None:
        self._settle_without_page(entry, State.SKIPPED, reason, detail)
        self._meter.skipped += 1

    def _settle_without_page(self, entry: Entry, state: State, reason: Reason, detail: str) -> None:
        self._frontier.settle(entry, state, reason, detail)
        self._strategy.lost([entry.key])

    def _shut(self, entry: Entry, state: State, reason: Reason, detail: str) -> None:
        """Nothing more is asked of the entry's host."""
        self._settle_without_page(entry, state, reason, detail)
        self._frontier.close(Closing(entry.host, state, reason, detail))

    def _over_host_budget(self, entry: Entry) -> bool:
        limit = self._most_of_a_host
        if limit is None:
            return False
        fetched = self._host_schedule[entry.host].pages
        in_flight = sum(other.host == entry.host for other in self._frontier.leased.values())
        if fetched >= limit:
            self._shut(entry, State.SKIPPED, Reason.HOST_BUDGET, f"{fetched} pages of {entry.host} were fetched")
        elif fetched + in_flight > limit:
            self._frontier.put_back(entry)
            self._host_schedule.block(entry.host)
            self._held_back.add(entry.host)
        else:
            return False
        return True

    # --- coming home -------------------------------------------------------------------------------------------------

    def came(self, visit: Visit) -> None:
        entry = self._frontier.leased[visit.task.id]
        if entry.host in self._held_back:
            self._held_back.discard(entry.host)
            self._host_schedule.block(entry.host, blocked=False)
        match visit:
            case Seen() if self._budget_left.spent(self._clock()) is Ending.BYTES:
                # It was in flight with others, and there is no room for it.
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

    def late(self, visit: Visit) -> Visit | None:
        """What came of a page that nobody waits for, as if it had been leased now; None when the page does not wait any more."""
        known = self._pending.find(key_of(visit.task.url)) if visit.task.kind == "page" else None
        wanted = known is not None and known.state is State.WAITING and known.id not in self._frontier.leased
        room = self._budget_left.spent(self._clock(), self.in_flight) is None
        if known is None or not wanted or not room or isinstance(visit, Missed):
            return None
        entry = self._frontier.take_out(known.id)
        # A run that died may have had another number for this URL, and nobody else knows its depth.
        task = task_of(entry)
        try:
            self._strategy.chosen(entry)
        except Exception as error:
            return missed_by(error, task, timing_of(visit))
        return replace(visit, task=task)

    def number(self, url: str) -> int | None:
        """Of a page that came; None when it did not."""
        known = self._pending.find(key_of(url))
        return known.id if known is not None and known.state is State.DONE else None

    def restore(self, seen: Seen) -> None:
        """A page that was stored before; it may be one that nothing leads to any more, such as the end of a redirect."""
        url = seen.task.url
        if self._pending.find(key_of(url)) is None:
            self._frontier.add(Entry(id=0, url=url, host=host_of(url), priority=0.0, why="its page was stored"))
        known = self._pending.find(key_of(url))
        assert known is not None
        entry = self._frontier.take_out(known.id)
        self._strategy.chosen(entry)
        own = {"id": entry.id, "depth": entry.depth, "inherited": entry.inherited}
        self._seen(replace(seen, task=replace(seen.task, **own)), entry)

    def _seen(self, seen: Seen, entry: Entry) -> None:
        # First what depends on what the page says: should that fail, the page is not counted as one that came.
        for candidate in self._strategy.follow(seen):
            self._intake.link(candidate, entry)
        why, memo = self._strategy.why(entry), self._strategy.memo(seen)
        self._side_tasks.show(seen.sightings, entry)
        relevant = seen.verdict is not None and seen.verdict.relevant
        order = self._meter.page(self._clock(), relevant=relevant, size=size_of(seen))
        self._frontier.settle(entry, State.DONE, why=why)
        self._pages.append(FetchedPage(seen=seen, fetch_order=order, memo=memo))
        self._background.saw(seen, order, relevant=relevant)

    def _missed(self, entry: Entry, failure: Failure) -> None:
        next_at = self._clocks.release(entry.host, failure.timing, failure)
        patient = self._clocks.still_hopes(entry.host)
        # A host that says "not now" says nothing about this URL.
        counts = failure.status not in BUSY
        if failure.heals and patient and (not counts or entry.attempt < self._attempts):
            self._frontier.retry(entry, max(next_at, self._clocks.retry_at(failure, entry.attempt)), counts=counts)
            self._meter.retries += 1
            return
        state = State.SKIPPED if failure.reason is Reason.ADDRESS else State.FAILED
        self._settle_without_page(entry, state, failure.reason, failure.detail)
        self._meter.failed += 1
        if not patient:
            self._frontier.close(Closing(entry.host, State.FAILED, failure.reason, failure.detail))

    # --- making it durable -------------------------------------------------------------------------------------------

    def collect(self, changes: Changes) -> Changes:
        pages, self._pages = self._pages, []
        return replace(changes, pages=tuple(pages), fetching=self.fetching)
