"""What is asked of hosts? Pages, robots.txt files, and images with pages looked at again: each kind of work has its lane.

All lanes share the workers, the clocks of the hosts and the order of the hosts (`frontier/host_schedule.py`). The kind of a
task says whose it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from shoal.frontier.robots import Ruling
from shoal.model import Task, TaskKind, Visit
from shoal.model.stored import Changes

if TYPE_CHECKING:
    from shoal.crawl.page_lane import PageLane
    from shoal.crawl.robots_lane import RobotsLane
    from shoal.crawl.side_lane import SideLane


class Lane(Protocol):
    """One kind of work, from its turn to its end. Each lane is the sole owner of what is under way in it."""

    def __bool__(self) -> bool:
        """True while something is left to ask for."""

    def __contains__(self, task: Task) -> bool:
        """False when this task is over."""

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""

    def task(self, turn: Task, ruling: Ruling) -> Task | None:
        """The request for what has its turn; None when it may not be made, and then the lane has dealt with it."""

    def take_back(self, task: Task) -> None:
        """It is not asked for now, after all: it waits again."""

    def came(self, visit: Visit) -> None:
        """What came of a request."""

    def collect(self, changes: Changes) -> Changes:
        """The batch to commit, with what this lane brought since the last one."""


class Lanes:
    """All lanes of a crawl, by the kind of their tasks."""

    def __init__(self, *, pages: PageLane, robots: RobotsLane, side_tasks: SideLane) -> None:
        self.pages = pages
        self.robots = robots
        self.side_tasks = side_tasks
        self._by_kind: dict[TaskKind, Lane] = {
            "page": pages,
            "robots": robots,
            "image": side_tasks,
            "revisit": side_tasks,
        }

    def __getitem__(self, kind: TaskKind) -> Lane:
        return self._by_kind[kind]

    def __iter__(self) -> Iterator[Lane]:
        return iter((self.pages, self.robots, self.side_tasks))

    @property
    def in_flight(self) -> int:
        """How many requests are under way, of all kinds."""
        return sum(lane.in_flight for lane in self)
