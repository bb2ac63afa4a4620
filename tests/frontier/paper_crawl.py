"""A frontier whose time, places and disk are on paper: what its worked examples are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from shoal.frontier.frontier import Frontier
from shoal.frontier.host_schedule import HostSchedule
from shoal.frontier.pending import PendingChanges
from shoal.frontier.politeness import Clocks
from shoal.model import Entry, Reason, State, Task, Timing
from shoal.settings import Politeness
from shoal.testing.memory_ledger import MemoryLedger
from shoal.testing.memory_url_index import MemoryUrlIndex
from shoal.urls import host_of

NOW = 1000.0
PLENTY = 1_000_000


class PaperLocator:
    """Notes who is to be looked up; the test answers."""

    def __init__(self, room: int = 100) -> None:
        self.asked: dict[str, Callable[[str], None]] = {}
        self._room = room

    @property
    def has_room(self) -> bool:
        return len(self.asked) < self._room

    def ask(self, host: str, tell: Callable[[str], None]) -> None:
        self.asked[host] = tell

    def answer(self, host: str, address: str) -> None:
        self.asked.pop(host)(address)


class Crawl:
    """A frontier with its clocks, and a URL index that outlives it."""

    def __init__(
        self,
        url_index: MemoryUrlIndex | None = None,
        *,
        front: int = 100,
        delay: float = 1.0,
        per_host: int = 1,
        locator: PaperLocator | None = None,
        latest: float = math.inf,
    ):
        self.url_index = url_index or MemoryUrlIndex()
        politeness = Politeness(delay=delay, per_host=per_host)
        self.clocks = Clocks(politeness, MemoryLedger(), longest_request=60, random=Random(1))
        self.pending = PendingChanges(self.url_index)
        self.host_schedule = HostSchedule(self.clocks, locator, front=front)
        self.frontier = Frontier(self.url_index, self.pending, self.host_schedule, latest=latest)

    def add(self, url: str, priority: float = 0.5, *, depth: int = 0, refused: Reason | None = None) -> bool:
        state = State.WAITING if refused is None else State.SKIPPED
        entry = Entry(
            id=0,
            url=f"http://{url}",
            host=host_of(f"http://{url}/"),
            priority=priority,
            depth=depth,
            state=state,
            reason=refused,
        )
        return self.frontier.add(entry)

    def pop(self, now: float = NOW, *, patient: bool = False) -> str | None:
        task = self.frontier.pop(now, patient=patient)
        return task.url.removeprefix("http://") if task else None

    def queue(self, url: str, *, urgent: bool = False) -> Task:
        """Something is to be asked for that is no page."""
        task = Task(id=1, url=f"http://{url}", kind="robots" if urgent else "image", host=host_of(f"http://{url}"))
        self.host_schedule.queue(task, urgent=urgent)
        return task

    def done(self, now: float = NOW) -> None:
        """All that is under way comes home."""
        for entry in list(self.frontier.leased.values()):
            self.release(entry, now)
            self.frontier.settle(entry, State.DONE)
            self.host_schedule.free(entry.host)

    def release(self, entry: Entry, now: float) -> None:
        self.clocks.release(entry.host, Timing(started=now, answered=now, ended=now))

    def fetch_all(self, now: float = NOW) -> list[str]:
        """All that may be asked for now, in order; with a delay of 0, everything."""
        came = []
        while (url := self.pop(now)) is not None:
            came.append(url)
            self.done(now)
        return came

    def commit(self) -> None:
        self.url_index.commit(self.pending.take())
        self.pending.committed()
        self.frontier.trim(PLENTY)

    def only(self) -> Entry:
        (entry,) = self.frontier.leased.values()
        return entry
