"""What is asked for besides new pages? Images that pages show, and pages that are to be looked at again.

They go through the same workers, clocks and robots.txt files as pages, but cost nothing of the page budget: a crawl whose pages
are all there goes on until its images are. What waits is on the disk (`store/kept_images.py`); here is a part of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from msgspec.structs import replace

from shoal.crawl.parts import CrawlParts
from shoal.frontier.intake import MAX_HOPS
from shoal.frontier.robots import Ruling
from shoal.model import (
    Candidate,
    Entry,
    Failure,
    Link,
    LinkKind,
    Missed,
    Moved,
    Reason,
    Redirect,
    Seen,
    SeenImage,
    Sighting,
    State,
    Task,
    TaskKind,
    Visit,
    size_of,
)
from shoal.model.stored import Changes, Closing, DueRevisit, ImageFate, ImageOnPage, Revisited, WantedImage
from shoal.protocols import Backlog
from shoal.urls import host_of, key_of

IN_MEMORY = 20_000
"""Side tasks that wait in memory; the others wait on the disk."""
SOME = 5_000
"""How many are brought from there at once."""


_Key = tuple[TaskKind, int]
"""An image or a page, and its number."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class SideTask:
    """One of them, from the moment it is queued to its end."""

    of: WantedImage | DueRevisit
    hop: int = 0
    attempt: int = 1


class SideLane:
    """All side tasks that are not over: a `Lane`. Sole owner of them, and of what they brought since the last commit."""

    def __init__(self, parts: CrawlParts, backlog: Backlog) -> None:
        self._attempts = parts.settings.politeness.attempts
        self._limit = parts.settings.images.max_images
        self._wants_images = parts.settings.images.wanted != "none"
        self._frontier = parts.frontier
        self._pending = parts.pending
        self._host_schedule = parts.host_schedule
        self._clocks = parts.clocks
        self._intake = parts.intake
        self._meter = parts.meter
        self._backlog = backlog
        self._side_tasks: dict[_Key, SideTask] = {}
        self._asking: set[_Key] = set()
        """Those of them that are in flight."""
        self._numbers = backlog.image_numbers()
        """The number of every image that is known, by `urls.key_of` its URL."""
        self._next_number = max(self._numbers.values(), default=0) + 1
        self._on_disk_from: int | None = 1
        """The first image that waits on the disk only; None when all that wait are here."""
        self.images = backlog.images_here()
        """How many came, over all runs."""
        self._shown: list[ImageOnPage] = []
        self._fates: list[ImageFate] = []
        self._looks: list[Revisited] = []
        for due in backlog.due():
            self._queue(SideTask(of=due), due.url)
        self.refill()

    # --- questions ---------------------------------------------------------------------------------------------------

    def __bool__(self) -> bool:
        """True while one is not over that may still be asked for."""
        return bool(self._side_tasks) or self._on_disk_from is not None

    def __len__(self) -> int:
        """How many wait in memory or are in flight."""
        return len(self._side_tasks)

    def __contains__(self, task: Task) -> bool:
        return _key(task) in self._side_tasks

    @property
    def in_flight(self) -> int:
        return len(self._asking)

    # --- coming in ---------------------------------------------------------------------------------------------------

    def show(self, sightings: Sequence[Sighting], page: Entry) -> None:
        """A page shows images that are worth having."""
        for sighting in sightings:
            url = sighting.image.url
            if self._intake.refuses_image(url):
                continue
            number = self._numbers.get(key := key_of(url))
            if number is None:
                number = self._numbers[key] = self._next_number
                self._next_number += 1
                self._want(WantedImage(id=number, url=url, referrer=page.url))
            self._shown.append(ImageOnPage(image=number, key=key, url=url, page=page.id, sighting=sighting))

    def _want(self, wanted: WantedImage) -> None:
        if self._on_disk_from is None and len(self._side_tasks) < IN_MEMORY:
            self._queue(SideTask(of=wanted), wanted.url)
        elif self._on_disk_from is None:
            self._on_disk_from = wanted.id

    def _queue(self, side_task: SideTask, url: str) -> None:
        task = self._request(side_task.of, url)
        self._side_tasks[_key(task)] = side_task
        self._host_schedule.queue(task)

    def refill(self) -> None:
        """Bring what waits on the disk, when there is room for it. To be called after a commit: the disk is complete then."""
        while self._on_disk_from is not None and len(self._side_tasks) <= max(0, IN_MEMORY - SOME):
            if self._is_enough() or not self._wants_images:
                self._on_disk_from = None
                return
            some = self._backlog.wanted(self._on_disk_from, SOME)
            for wanted in some:
                self._queue(SideTask(of=wanted), wanted.url)
            self._on_disk_from = some[-1].id + 1 if len(some) == SOME else None

    # --- going out ---------------------------------------------------------------------------------------------------

    def task(self, turn: Task, ruling: Ruling) -> Task | None:
        if ruling == "unreachable":
            self._settle(self._end(turn), State.SKIPPED, Reason.ROBOTS_UNREACHABLE, "its robots.txt cannot be read")
        elif ruling == "refused":
            self._settle(self._end(turn), State.SKIPPED, Reason.ROBOTS, "robots.txt forbids it")
        elif turn.kind == "image" and self._is_enough():
            self._end(turn)  # it goes on waiting on the disk
        else:
            self._asking.add(_key(turn))
            return turn
        return None

    def _request(self, of: WantedImage | DueRevisit, url: str) -> Task:
        if isinstance(of, WantedImage):
            return Task(id=of.id, url=url, kind="image", host=host_of(url), referrer=of.referrer)
        task = Task(id=of.id, url=url, kind="revisit", host=host_of(url))
        # Nobody may have looked for its images before: then it must come, changed or not.
        return task if self._wants_images else replace(task, etag=of.etag, last_modified=of.last_modified)

    def _is_enough(self) -> bool:
        if self._limit is None:
            return False
        in_flight = sum(kind == "image" for kind, _ in self._asking)
        return self.images + in_flight >= self._limit

    def take_back(self, task: Task) -> None:
        self._asking.discard(_key(task))
        self._host_schedule.queue(task, again=True)

    # --- coming home -------------------------------------------------------------------------------------------------

    def came(self, visit: Visit) -> None:
        side_task = self._side_tasks[_key(visit.task)]
        match visit:
            case SeenImage():
                self._end(visit.task)
                self._take_in(visit)
                self.images += 1
                self._fates.append(ImageFate(id=side_task.of.id, state=State.DONE, came=visit))
            case Seen():
                self._look_around(visit)  # first, because it depends on what the page says
                self._end(visit.task)
                self._take_in(visit)
                self._looks.append(Revisited(page=side_task.of.id, at=visit.response.timing.answered, seen=visit))
            case Moved(redirect=redirect):
                self._end(visit.task)
                self._clocks.release(visit.task.host, redirect.timing)
                self._moved(side_task, redirect)
            case Missed(failure=failure):
                self._end(visit.task)
                self._missed(side_task, visit.task, failure)
            case _:
                raise AssertionError("a robots.txt is no extra")

    def restore_image(self, visit: SeenImage) -> bool:
        """One that was stored before; False when no page shows it."""
        if (number := self._numbers.get(key_of(visit.task.url))) is None:
            return False
        self._fates.append(ImageFate(id=number, state=State.DONE, came=visit))
        return True

    def restore_look(self, seen: Seen) -> None:
        """A page that was stored before, and then once more."""
        self._looks.append(Revisited(page=seen.task.id, at=seen.response.timing.answered, seen=seen))
        self._look_around(seen)

    def _take_in(self, visit: SeenImage | Seen) -> None:
        self._clocks.release(visit.task.host, visit.response.timing)
        self._meter.bytes += size_of(visit)

    def _look_around(self, seen: Seen) -> None:
        """A page that was looked at again may show and lead to new things; the strategy has learned from it already."""
        entry = self._pending.read(seen.task.id)
        self.show(seen.sightings, entry)
        if seen.page is None or seen.page.nofollow:
            return
        for link in seen.page.links:
            if "nofollow" not in link.rel and self._pending.find(key_of(link.url)) is None:
                why = "new on a page that was looked at again"
                self._intake.link(Candidate(link=link, priority=entry.priority, why=why), entry)

    def _moved(self, side_task: SideTask, redirect: Redirect) -> None:
        """An image is fetched where it is now; a page that moved is another page, which waits for its turn."""
        if isinstance(side_task.of, WantedImage) and side_task.hop < MAX_HOPS:
            self._queue(dataclasses.replace(side_task, hop=side_task.hop + 1), redirect.target)
        else:
            why = f"It moved to {redirect.target} ({redirect.status})."
            self._settle(side_task, State.FAILED, Reason.BAD_REDIRECT, why, redirect.timing.answered)
            if isinstance(side_task.of, DueRevisit):
                entry = self._pending.read(side_task.of.id)
                link = Link(url=redirect.target, anchor=entry.anchor, kind=LinkKind.REDIRECT)
                self._intake.link(Candidate(link=link, priority=entry.priority, why="a page moved here"), entry)

    def _missed(self, side_task: SideTask, task: Task, failure: Failure) -> None:
        self._clocks.release(task.host, failure.timing, failure)
        patient = self._clocks.still_hopes(task.host)
        if failure.heals and patient and side_task.attempt < self._attempts:
            self._queue(dataclasses.replace(side_task, attempt=side_task.attempt + 1), task.url)
            return
        self._settle(side_task, State.FAILED, failure.reason, failure.detail, failure.timing.answered)
        if not patient:
            self._frontier.close(Closing(task.host, State.FAILED, failure.reason, failure.detail))

    def _end(self, task: Task) -> SideTask:
        self._asking.discard(_key(task))
        return self._side_tasks.pop(_key(task))

    def _settle(self, side_task: SideTask, state: State, reason: Reason, why: str, at: float = 0.0) -> None:
        if isinstance(side_task.of, WantedImage):
            self._fates.append(ImageFate(id=side_task.of.id, state=state, reason=reason, detail=why))
        else:
            self._looks.append(Revisited(page=side_task.of.id, at=at, gone="" if reason is Reason.UNCHANGED else why))

    # --- making it durable -------------------------------------------------------------------------------------------

    def collect(self, changes: Changes) -> Changes:
        """The batch with what came since the last one; what waits for hosts that are closed now is over too."""
        for task, reason in self._host_schedule.take_stranded():
            self._settle(self._end(task), State.SKIPPED, reason, "Nothing more is asked of its host.")
        changes = replace(changes, shown=tuple(self._shown), images=tuple(self._fates), looks=tuple(self._looks))
        self._shown, self._fates, self._looks = [], [], []
        return changes


def _key(task: Task) -> _Key:
    return task.kind, task.id
