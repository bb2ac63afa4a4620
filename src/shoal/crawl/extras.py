"""What is asked for besides new pages? Pictures that pages show, and pages that are to be looked at again.

They go through the same workers, clocks and robots.txt files as pages, but cost nothing of the page budget: a crawl whose pages
are all there goes on until its pictures are. What waits is on the disk (`store/extras.py`); here is a part of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from math import inf

from msgspec.structs import replace

from shoal.crawl.statistics import Meter
from shoal.frontier.frontier import Frontier
from shoal.frontier.intake import MAX_HOPS, Intake
from shoal.frontier.politeness import Clocks
from shoal.frontier.robots import Ruling
from shoal.model import (
    Candidate,
    Entry,
    Failure,
    Link,
    LinkKind,
    Missed,
    Moved,
    Pictured,
    Reason,
    Redirect,
    Seen,
    Sighting,
    State,
    Task,
    Visit,
    size_of,
)
from shoal.protocols import Backlog
from shoal.remembered import Closing, Due, Look, PictureFate, Shown, Wanted
from shoal.settings import Pictures
from shoal.urls import key_of

IN_MEMORY = 20_000
"""Extras that wait in memory; the others wait on the disk."""
SOME = 5_000
"""How many are brought from there at once."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Extra:
    """One of them, from the moment it is queued to its end."""

    of: Wanted | Due
    hop: int = 0
    attempt: int = 1


class NoBacklog:
    """Nothing is wanted but pages."""

    def picture_numbers(self) -> dict[int, int]:
        return {}

    def pictures_here(self) -> int:
        return 0

    def wanted(self, start: int, limit: int) -> list[Wanted]:
        return []

    def due(self) -> list[Due]:
        return []


class Extras:
    """All extras that are not over. Sole owner of them, and of what they brought since the last commit."""

    def __init__(
        self,
        backlog: Backlog,
        *,
        frontier: Frontier,
        clocks: Clocks,
        intake: Intake,
        meter: Meter,
        attempts: int,
        pictures: Pictures,
    ) -> None:
        self._backlog = backlog
        self._frontier = frontier
        self._clocks = clocks
        self._intake = intake
        self._meter = meter
        self._attempts = attempts
        self._limit = pictures.max_pictures
        self._wants_pictures = pictures.wanted != "none"
        self._extras: dict[int, Extra] = {}
        """By the number of the entry that asks for it."""
        self._asking: set[int] = set()
        """Those of them that are in flight."""
        self._numbers = backlog.picture_numbers()
        """The number of every picture that is known, by `urls.key_of` its URL."""
        self._next_number = max(self._numbers.values(), default=0) + 1
        self._on_disk_from: int | None = 1
        """The first picture that waits on the disk only; None when all that wait are here."""
        self._came = backlog.pictures_here()
        self._shown: list[Shown] = []
        self._fates: list[PictureFate] = []
        self._looks: list[Look] = []
        for due in backlog.due():
            self._queue(Extra(of=due), due.url)
        self.refill()

    # --- questions ---------------------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        """True while one is not over that may still be asked for."""
        return bool(self._extras) or self._on_disk_from is not None

    def __len__(self) -> int:
        """How many wait in memory or are in flight."""
        return len(self._extras)

    def __contains__(self, id: int) -> bool:
        return id in self._extras

    @property
    def in_flight(self) -> bool:
        return bool(self._asking)

    @property
    def pictures(self) -> int:
        """How many came, over all runs."""
        return self._came

    # --- coming in ---------------------------------------------------------------------------------------------------

    def show(self, sightings: Sequence[Sighting], page: Entry) -> None:
        """A page shows pictures that are worth having."""
        for sighting in sightings:
            url = sighting.image.url
            if self._intake.refuses_picture(url):
                continue
            number = self._numbers.get(key := key_of(url))
            if number is None:
                number = self._numbers[key] = self._next_number
                self._next_number += 1
                self._want(Wanted(id=number, url=url, referrer=page.url))
            self._shown.append(Shown(picture=number, key=key, url=url, page=page.id, sighting=sighting))

    def _want(self, wanted: Wanted) -> None:
        if self._on_disk_from is None and len(self._extras) < IN_MEMORY:
            self._queue(Extra(of=wanted), wanted.url)
        elif self._on_disk_from is None:
            self._on_disk_from = wanted.id

    def _queue(self, extra: Extra, url: str) -> None:
        self._extras[self._frontier.queue_extra(url)] = extra

    def refill(self) -> None:
        """Bring what waits on the disk, when there is room for it. To be called after a commit: the disk is complete then."""
        while self._on_disk_from is not None and len(self._extras) <= max(0, IN_MEMORY - SOME):
            if self._is_enough() or not self._wants_pictures:
                self._on_disk_from = None
                return
            some = self._backlog.wanted(self._on_disk_from, SOME)
            for wanted in some:
                self._queue(Extra(of=wanted), wanted.url)
            self._on_disk_from = some[-1].id + 1 if len(some) == SOME else None

    # --- going out ---------------------------------------------------------------------------------------------------

    def task(self, entry: Entry, ruling: Ruling) -> Task | None:
        """The request for an extra whose host may be asked now; None when it may not be made."""
        extra = self._extras[entry.id]
        if ruling == "unreachable":
            self._settle(self._end(entry.id), State.SKIPPED, Reason.ROBOTS_UNREACHABLE, "its robots.txt cannot be read")
        elif ruling == "refused":
            self._settle(self._end(entry.id), State.SKIPPED, Reason.ROBOTS, "robots.txt forbids it")
        elif isinstance(extra.of, Wanted) and self._is_enough():
            self._end(entry.id)  # it goes on waiting on the disk
        else:
            self._asking.add(entry.id)
            return self._request(extra.of, entry)
        return None

    def _request(self, of: Wanted | Due, entry: Entry) -> Task:
        task = Task(id=entry.id, url=entry.url, host=entry.host)
        if isinstance(of, Wanted):
            return replace(task, kind="picture", referrer=of.referrer)
        # Nobody may have looked for its pictures before: then it must come, changed or not.
        return task if self._wants_pictures else replace(task, etag=of.etag, last_modified=of.last_modified)

    def _is_enough(self) -> bool:
        if self._limit is None:
            return False
        in_flight = sum(isinstance(self._extras[id].of, Wanted) for id in self._asking)
        return self._came + in_flight >= self._limit

    def take_back(self, task: Task) -> None:
        """Nobody went to do it."""
        self._asking.discard(task.id)
        self._frontier.put_back(Entry(id=task.id, url=task.url, host=task.host, priority=inf))

    # --- coming home -------------------------------------------------------------------------------------------------

    def came(self, visit: Visit) -> None:
        """An answer."""
        extra = self._extras[visit.task.id]
        match visit:
            case Pictured():
                self._end(visit.task.id)
                self._take_in(visit)
                self._came += 1
                self._fates.append(PictureFate(id=extra.of.id, state=State.DONE, came=visit))
            case Seen():
                seen = replace(visit, task=replace(visit.task, id=extra.of.id))  # from here on under the page's number
                self._look_around(seen)  # first, because it depends on what the page says
                self._end(visit.task.id)
                self._take_in(visit)
                self._looks.append(Look(page=extra.of.id, at=visit.response.timing.answered, seen=seen))
            case Moved(redirect=redirect):
                self._end(visit.task.id)
                self._clocks.release(visit.task.host, redirect.timing)
                self._moved(extra, redirect)
            case Missed(failure=failure):
                self._end(visit.task.id)
                self._missed(extra, visit.task, failure)
            case _:
                raise AssertionError("a robots.txt is no extra")

    def restore_picture(self, visit: Pictured) -> bool:
        """One that was stored before; False when no page shows it."""
        if (number := self._numbers.get(key_of(visit.task.url))) is None:
            return False
        self._fates.append(PictureFate(id=number, state=State.DONE, came=visit))
        return True

    def restore_look(self, seen: Seen) -> bool:
        """A page that was stored before, and then once more."""
        self._looks.append(Look(page=seen.task.id, at=seen.response.timing.answered, seen=seen))
        self._look_around(seen)
        return True

    def _take_in(self, visit: Pictured | Seen) -> None:
        self._clocks.release(visit.task.host, visit.response.timing)
        self._meter.extra(size=size_of(visit))

    def _look_around(self, seen: Seen) -> None:
        """A page that was looked at again may show and lead to new things; the strategy has learned from it already."""
        entry = self._frontier.entry(seen.task.id)
        self.show(seen.sightings, entry)
        if seen.page is None or seen.page.nofollow:
            return
        for link in seen.page.links:
            if "nofollow" not in link.rel and self._frontier.knows(link.url) is None:
                why = "new on a page that was looked at again"
                self._intake.link(Candidate(link=link, priority=entry.priority, why=why), entry)

    def _moved(self, extra: Extra, redirect: Redirect) -> None:
        """A picture is fetched where it is now; a page that moved is another page, which waits for its turn."""
        if isinstance(extra.of, Wanted) and extra.hop < MAX_HOPS:
            self._queue(dataclasses.replace(extra, hop=extra.hop + 1), redirect.target)
        else:
            why = f"It moved to {redirect.target} ({redirect.status})."
            self._settle(extra, State.FAILED, Reason.BAD_REDIRECT, why, redirect.timing.answered)
            if isinstance(extra.of, Due):
                entry = self._frontier.entry(extra.of.id)
                link = Link(url=redirect.target, anchor=entry.anchor, kind=LinkKind.REDIRECT)
                self._intake.link(Candidate(link=link, priority=entry.priority, why="a page moved here"), entry)

    def _missed(self, extra: Extra, task: Task, failure: Failure) -> None:
        self._clocks.release(task.host, failure.timing, failure)
        patient = self._clocks.still_hopes(task.host)
        if failure.heals and patient and extra.attempt < self._attempts:
            self._queue(dataclasses.replace(extra, attempt=extra.attempt + 1), task.url)
            return
        self._settle(extra, State.FAILED, failure.reason, failure.detail, failure.timing.answered)
        if not patient:
            closing = Closing(host=task.host, state=State.FAILED, reason=failure.reason, detail=failure.detail)
            self._frontier.close(closing)

    def _end(self, id: int) -> Extra:
        self._asking.discard(id)
        self._frontier.end_errand(id)
        return self._extras.pop(id)

    def _settle(self, extra: Extra, state: State, reason: Reason, why: str, at: float = 0.0) -> None:
        if isinstance(extra.of, Wanted):
            self._fates.append(PictureFate(id=extra.of.id, state=state, reason=reason, detail=why))
        else:
            self._looks.append(Look(page=extra.of.id, at=at, gone="" if reason is Reason.UNCHANGED else why))

    # --- making it durable -------------------------------------------------------------------------------------------

    def take(self) -> tuple[tuple[Shown, ...], tuple[PictureFate, ...], tuple[Look, ...]]:
        """What came since the last call; what waits for hosts that are closed now is over too."""
        for id, reason in self._frontier.take_stranded():
            self._settle(self._extras.pop(id), State.SKIPPED, reason, "Nothing more is asked of its host.")
        taken = tuple(self._shown), tuple(self._fates), tuple(self._looks)
        self._shown, self._fates, self._looks = [], [], []
        return taken
