"""Who reads the robots.txt files? They are fetched like pages, by the same workers and clocks, before the pages of their hosts.

Each is fetched for an origin, perhaps through redirects to other hosts, until it is known what it says or that it cannot be read.
"""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from shoal.crawl.parts import CrawlParts
from shoal.frontier.intake import MAX_HOPS
from shoal.frontier.robots import Ruling
from shoal.model import Failure, Missed, Moved, Reason, RobotsRead, Seen, SeenImage, State, Task, Visit, timing_of
from shoal.model.stored import Changes, Closing, RobotsRecord
from shoal.urls import host_of, origin_of

_DEAD = frozenset({Reason.DNS, Reason.ADDRESS})
"""Failures that no other URL of the same host can escape."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RobotsFetch:
    """A robots.txt being fetched, perhaps through redirects, for an origin that waits for it."""

    origin: str
    hop: int = 0
    attempt: int = 1


class RobotsLane:
    """All robots.txt files on their way: a `Lane`. Sole owner of them, and of what they brought since the last commit."""

    def __init__(self, parts: CrawlParts) -> None:
        self._attempts = parts.settings.politeness.attempts
        self._clock = parts.clock
        self._frontier = parts.frontier
        self._host_schedule = parts.host_schedule
        self._clocks = parts.clocks
        self._rulebook = parts.rulebook
        self._number = 0
        """Of the last request."""
        self._robots_fetches: dict[int, RobotsFetch] = {}
        """By the number of its request; some wait for the clock of their host."""
        self._asking: set[int] = set()
        """Those of them that are in flight."""
        self._learned: list[RobotsRecord] = []

    def __bool__(self) -> bool:
        return bool(self._robots_fetches)

    def __contains__(self, task: Task) -> bool:
        return task.id in self._robots_fetches

    @property
    def in_flight(self) -> int:
        return len(self._asking)

    def ruling(self, task: Task) -> Ruling:
        """May this be asked for? A robots.txt always may; of the rest the host's clock hears how fast."""
        if task.kind == "robots":
            return "allowed"
        ruling = self._rulebook.check(task.url, self._clock())
        if ruling == "allowed":
            self._clocks.set_crawl_delay(task.host, self._rulebook.crawl_delay(task.url))
        return ruling

    # --- going out ---------------------------------------------------------------------------------------------------

    def ask_first(self, task: Task) -> Task:
        """Read the robots.txt of an origin before anything else of it; it takes over the task's claim on the host."""
        self._host_schedule.block(task.host)
        origin = origin_of(task.url)
        return self.task(self._request(f"{origin}/robots.txt", RobotsFetch(origin=origin)), "allowed")

    def task(self, turn: Task, ruling: Ruling) -> Task:
        self._asking.add(turn.id)
        return turn

    def take_back(self, task: Task) -> None:
        self._send(task.url, self._end(task.id))

    def _send(self, url: str, robots_fetch: RobotsFetch) -> None:
        """The robots.txt of one origin may stand on another host, whose clock must be kept too."""
        self._host_schedule.queue(self._request(url, robots_fetch), urgent=True)

    def _request(self, url: str, robots_fetch: RobotsFetch) -> Task:
        self._number += 1
        self._robots_fetches[self._number] = robots_fetch
        return Task(id=self._number, url=url, kind="robots", host=host_of(url))

    # --- coming home -------------------------------------------------------------------------------------------------

    def came(self, visit: Visit) -> None:
        assert not isinstance(visit, Seen | SeenImage), "a robots.txt is never judged"
        robots_fetch = self._robots_fetches[visit.task.id]
        match visit:
            case Moved(redirect=redirect) if robots_fetch.hop < MAX_HOPS:
                self._end(visit.task.id)
                self._clocks.release(visit.task.host, redirect.timing)
                self._send(redirect.target, dataclasses.replace(robots_fetch, hop=robots_fetch.hop + 1))
            case Missed(failure=failure) if self._may_heal(robots_fetch, failure):
                self._end(visit.task.id)
                self._clocks.release(visit.task.host, failure.timing, failure)
                self._send(visit.task.url, dataclasses.replace(robots_fetch, attempt=robots_fetch.attempt + 1))
            case _:
                self._learn(robots_fetch.origin, visit)

    def _end(self, id: int) -> RobotsFetch:
        self._asking.discard(id)  # one that could not even be asked for was not
        return self._robots_fetches.pop(id)

    def _may_heal(self, robots_fetch: RobotsFetch, failure: Failure) -> bool:
        """It is worth asking again. Where nobody ever answered, the user must not wait for a minute to hear of it."""
        pages = self._host_schedule[host_of(robots_fetch.origin + "/")].pages
        attempts = min(2, self._attempts) if failure.reason is Reason.CONNECT and not pages else self._attempts
        return failure.heals and robots_fetch.attempt < attempts

    def _learn(self, origin: str, visit: RobotsRead | Moved | Missed) -> None:
        # First what depends on what it says: should that fail, the fetch is not over, and ends as one that failed.
        record, waiting_host = self._rulebook.learn(origin, visit, self._clock()), host_of(origin + "/")
        self._clocks.set_crawl_delay(waiting_host, self._rulebook.crawl_delay(origin + "/"))
        self._end(visit.task.id)
        self._learned.append(record)
        failure = visit.failure if isinstance(visit, Missed) else None
        self._clocks.release(visit.task.host, timing_of(visit), failure)
        self._host_schedule.block(waiting_host, blocked=False)
        if failure is not None and self._rulebook.check(origin + "/", self._clock()) == "unreachable":
            # A robots.txt that was moved to a dead host cannot be read; the host that moved it lives.
            dead = failure.reason in _DEAD and visit.task.host == waiting_host
            self._frontier.close(_closing(waiting_host, failure, dead=dead))

    # --- making it durable -------------------------------------------------------------------------------------------

    def collect(self, changes: Changes) -> Changes:
        learned, self._learned = self._learned, []
        return replace(changes, robots=tuple(learned))


def _closing(host: str, failure: Failure, *, dead: bool) -> Closing:
    """The end of a host whose robots.txt cannot be read."""
    if not dead:
        detail = f"Its robots.txt cannot be read. {failure.detail}"
        return Closing(host, State.SKIPPED, Reason.ROBOTS_UNREACHABLE, detail)
    state = State.SKIPPED if failure.reason is Reason.ADDRESS else State.FAILED
    return Closing(host, state, failure.reason, failure.detail)
