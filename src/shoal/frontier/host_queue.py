"""Which URLs of one host wait?

A heap has its best ones; the rest wait in the overflow, with 16 bytes each, until their turn comes.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from shoal.model import Reason, Task

_NONE = (math.inf, 0)


class Overflow:
    """Ranks (-priority) and ids of waiting URLs, of which the best comes out first. Sole owner of both."""

    __slots__ = ("_gone", "_ids", "_left", "_ranks", "_sorted", "bound")

    def __init__(self) -> None:
        self._ranks = array("d")
        self._ids = array("q")
        self._sorted = True
        """The best stands last."""
        self._left: Counter[tuple[float, int]] = _NOBODY
        """Those that went away out of turn and still stand there."""
        self._gone = 0
        """How many they are."""
        self.bound = _NONE
        """No (rank, id) in here stands before this one; that costs nothing to know."""

    def __len__(self) -> int:
        return len(self._ids) - self._gone

    def __iter__(self) -> Iterator[tuple[float, int]]:
        left = self._left.copy()
        for item in zip(self._ranks, self._ids, strict=True):
            if left[item] > 0:
                left[item] -= 1
            else:
                yield item

    def add(self, rank: float, id: int) -> None:
        """One more that can wait."""
        self._ranks.append(rank)
        self._ids.append(id)
        self._sorted = False
        if (item := (rank, id)) < self.bound:
            self.bound = item

    def discard(self, rank: float, id: int) -> None:
        """One that is in here goes away."""
        if self._left is _NOBODY:
            self._left = Counter()
        self._left[rank, id] += 1
        self._gone += 1

    def pop(self) -> tuple[float, int]:
        """The best, which is then no longer in here."""
        self._settle()
        item = self._ranks.pop(), self._ids.pop()
        self._settle()
        return item

    def _settle(self) -> None:
        """Let the best stand last, and `bound` say which it is."""
        if not self._sorted:
            self._sort()
        while self._gone and (item := (self._ranks[-1], self._ids[-1])) in self._left:
            self._forget(item)
            self._ranks.pop()
            self._ids.pop()
        self.bound = (self._ranks[-1], self._ids[-1]) if self._ids else _NONE

    def _forget(self, item: tuple[float, int]) -> None:
        self._gone -= 1
        self._left[item] -= 1
        if not self._left[item]:
            del self._left[item]

    def _sort(self) -> None:
        ranks, ids = np.array(self._ranks), np.array(self._ids)
        order = np.lexsort((ids, ranks))[::-1]
        self._ranks, self._ids = array("d", ranks[order].tobytes()), array("q", ids[order].tobytes())
        self._sorted = True


_NOBODY: Counter[tuple[float, int]] = Counter()
"""Shared by all that nobody left, which are nearly all: never changed."""

# --- which urls of one host wait -------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class HostQueue:
    """The queue of one host. Owned by the frontier; where it stands among the others, the host schedule writes here."""

    name: str
    _front: dict[int, float]
    """The URLs that stand in the heaps of all hosts, with their priorities."""
    _heap: list[tuple[float, int]] = field(default_factory=list)
    """(-priority, id); an item counts only while `front` has the id with that priority."""
    _cold: Overflow = field(default_factory=Overflow)
    """The other URLs that may be asked for."""
    urgent: deque[Task] = field(default_factory=deque)
    """What must be asked before all else, whatever else is the matter with the host (`crawl/robots_lane.py`)."""
    side: deque[Task] = field(default_factory=deque)
    """What is asked besides new pages, and before them (`crawl/side_lane.py`)."""
    pages: int = 0
    """How many it has given."""
    blocked: bool = False
    """Something must be known (robots.txt) before it may be asked for pages."""
    closed: Reason | None = None
    # Its place among the hosts (`frontier/host_schedule.py`):
    scheduled: bool = False
    """It stands in one of the host schedule's heaps."""
    stamp: int = 0
    """Which of its places there is the true one."""
    top: float = math.inf
    """The -priority under which it stands among those that may be asked; inf when it does not."""
    awaited: float = math.inf
    """The same among those that are worth waiting for."""
    asked_at: float = 0.0
    """When the last request to it began."""
    until: float = 0.0
    """So long it is worth waiting for."""

    def __len__(self) -> int:
        """At least as many as wait: what was re-priced may stand here twice."""
        return len(self._heap) + len(self._cold)

    @property
    def has_side(self) -> bool:
        """True when something besides pages may be asked for."""
        return bool(self.urgent or (self.side and not self.blocked))

    def pop_side(self) -> Task:
        """Take out the first of that."""
        return self.urgent.popleft() if self.urgent else self.side.popleft()

    def best(self, room: int) -> float | None:
        """The best -priority, whose item is then the first of the heap; None when no URL waits. Fills the heap up to `room`."""
        heap, front = self._heap, self._front
        while heap and front.get(heap[0][1]) != -heap[0][0]:
            heappop(heap)
        if self._cold and (not heap or heap[0] > self._cold.bound):
            self._refill(room)
        return heap[0][0] if heap else None

    def push(self, id: int, priority: float, room: int) -> None:
        """One more, or one at another price."""
        self._front[id] = priority
        heappush(self._heap, (-priority, id))
        if len(self._heap) > 2 * room:
            self.trim(room)

    def pop(self) -> int:
        """Take out the one that `best` spoke of."""
        _, id = heappop(self._heap)
        del self._front[id]
        return id

    def keep(self, rank: float, id: int) -> None:
        """One more that can wait in the cold."""
        self._cold.add(rank, id)

    def forget(self, rank: float, id: int) -> None:
        """One that waits in the cold goes away."""
        self._cold.discard(rank, id)

    def in_the_cold(self) -> Iterator[tuple[float, int]]:
        """-priorities and ids."""
        return iter(self._cold)

    def trim(self, room: int) -> None:
        """Let all but the best wait in the cold."""
        front = self._front
        if len(self._heap) <= room:
            return
        live = sorted({item for item in self._heap if front.get(item[1]) == -item[0]})
        self._heap = live[:room]
        for rank, id in live[room:]:
            del front[id]
            self._cold.add(rank, id)

    def clear(self) -> list[int]:
        """Let all go; answers who they were."""
        gone = [id for _, id in self._heap if self._front.pop(id, None) is not None]
        gone += [id for _, id in self._cold]
        self._heap, self._cold = [], Overflow()
        return gone

    def _refill(self, room: int) -> None:
        """Bring the next best into the heap."""
        for _ in range(min(room, len(self._cold))):
            rank, id = self._cold.pop()
            self._front[id] = -rank
            heappush(self._heap, (rank, id))
