"""Who reads the robots.txt files? They are fetched like pages, by the same workers and clocks, before the pages of their hosts.

An errand runs for an origin, perhaps through redirects to other hosts, until it is known what the robots.txt says or that it
cannot be read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from shoal.frontier.frontier import Frontier
from shoal.frontier.intake import MAX_HOPS
from shoal.frontier.politeness import Clocks
from shoal.frontier.robots import Rulebook
from shoal.model import Entry, Failure, Missed, Moved, Reason, RobotsRead, State, Task, timing_of
from shoal.remembered import Closing, RobotsRecord
from shoal.urls import host_of, origin_of

_DEAD = frozenset({Reason.DNS, Reason.ADDRESS})
"""Failures that no other URL of the same host can escape."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Errand:
    """A robots.txt being fetched, perhaps through redirects, for an origin that waits for it."""

    origin: str
    hop: int = 0
    attempt: int = 1


class Errands:
    """All errands that are not over. Sole owner of them, and of what they brought since the last commit."""

    def __init__(
        self, frontier: Frontier, clocks: Clocks, rulebook: Rulebook, *, attempts: int, clock: Callable[[], float]
    ) -> None:
        self._frontier = frontier
        self._clocks = clocks
        self._rulebook = rulebook
        self._attempts = attempts
        self._clock = clock
        self._errands: dict[int, Errand] = {}
        """By the number of the entry that runs it; some wait for the clock of their host."""
        self._asking: set[int] = set()
        """Those of them that are in flight."""
        self._learned: list[RobotsRecord] = []

    def __bool__(self) -> bool:
        """True while one is not over."""
        return bool(self._errands)

    def __contains__(self, id: int) -> bool:
        return id in self._errands

    @property
    def in_flight(self) -> bool:
        return bool(self._asking)

    def take(self) -> tuple[RobotsRecord, ...]:
        """What was learned since the last call."""
        learned, self._learned = self._learned, []
        return tuple(learned)

    # --- going out ---------------------------------------------------------------------------------------------------

    def ask_first(self, entry: Entry) -> Task:
        """Read the robots.txt of an origin before this page of it; it takes over the entry's claim on the host."""
        self._frontier.put_back(entry)
        errand = self._frontier.start_errand(origin_of(entry.url) + "/robots.txt")
        self._errands[errand.id] = Errand(origin=origin_of(entry.url))
        return self.task(errand)

    def task(self, errand: Entry) -> Task:
        """The request for an errand whose host may be asked now."""
        self._asking.add(errand.id)
        return Task(id=errand.id, url=errand.url, kind="robots", host=errand.host)

    def take_back(self, task: Task) -> None:
        """Nobody went to do it."""
        self._send(task.url, self._end(task.id))

    # --- coming home -------------------------------------------------------------------------------------------------

    def came(self, visit: RobotsRead | Moved | Missed) -> None:
        """An answer; what it means for the host, or where to ask next."""
        errand = self._errands[visit.task.id]
        match visit:
            case Moved(redirect=redirect) if errand.hop < MAX_HOPS:
                self._end(visit.task.id)
                self._clocks.release(visit.task.host, redirect.timing)
                self._send(redirect.target, dataclasses.replace(errand, hop=errand.hop + 1))
            case Missed(failure=failure) if failure.heals and errand.attempt < self._patience(errand, failure):
                self._end(visit.task.id)
                self._clocks.release(visit.task.host, failure.timing, failure)
                self._send(visit.task.url, dataclasses.replace(errand, attempt=errand.attempt + 1))
            case _:
                self._learn(errand.origin, visit)

    def _end(self, id: int) -> Errand:
        self._asking.discard(id)  # one that could not even be asked for was not
        self._frontier.end_errand(id)
        return self._errands.pop(id)

    def _patience(self, errand: Errand, failure: Failure) -> int:
        """How often a robots.txt is asked for. Where nobody ever answered, the user must not wait for a minute to hear of it."""
        nobody_there = failure.reason is Reason.CONNECT and not self._frontier.pages(host_of(errand.origin + "/"))
        return min(2, self._attempts) if nobody_there else self._attempts

    def _send(self, url: str, errand: Errand) -> None:
        """The robots.txt of one origin may stand on another host, whose clock must be kept too."""
        self._errands[self._frontier.queue_errand(url)] = errand

    def _learn(self, origin: str, visit: RobotsRead | Moved | Missed) -> None:
        # First what depends on what it says: should that fail, the errand is not over, and ends as one that failed.
        record, waiting_host = self._rulebook.learn(origin, visit, self._clock()), host_of(origin + "/")
        self._clocks.set_crawl_delay(waiting_host, self._rulebook.crawl_delay(origin + "/"))
        self._end(visit.task.id)
        self._learned.append(record)
        failure = visit.failure if isinstance(visit, Missed) else None
        self._clocks.release(visit.task.host, timing_of(visit), failure)
        self._frontier.unblock(waiting_host)
        if failure is not None and self._rulebook.check(origin + "/", self._clock()) == "unreachable":
            # A robots.txt that was moved to a dead host cannot be read; the host that moved it lives.
            dead = failure.reason in _DEAD and visit.task.host == waiting_host
            self._frontier.close(_closing(waiting_host, failure, dead=dead))


def _closing(host: str, failure: Failure, *, dead: bool) -> Closing:
    """The end of a host whose robots.txt cannot be read."""
    if not dead:
        detail = f"Its robots.txt cannot be read. {failure.detail}"
        return Closing(host=host, state=State.SKIPPED, reason=Reason.ROBOTS_UNREACHABLE, detail=detail)
    state = State.SKIPPED if failure.reason is Reason.ADDRESS else State.FAILED
    return Closing(host=host, state=state, reason=failure.reason, detail=failure.detail)
