"""Which URLs of one host wait? A heap has its best ones; the rest wait in the cold, with a few bytes each, until it runs low."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush

from shoal.crawl.cold import Cold
from shoal.model import Entry, Reason


class HostQueue:
    """The queue of one host. Owned by the frontier; where it stands among the others, the roster writes here."""

    __slots__ = (
        "_cold",
        "_front",
        "_heap",
        "asked_at",
        "awaited",
        "blocked",
        "closed",
        "errands",
        "extras",
        "name",
        "pages",
        "scheduled",
        "stamp",
        "top",
        "until",
    )

    def __init__(self, name: str, front: dict[int, float]) -> None:
        """`front` has the URLs that stand in the heaps of all hosts, with their priorities."""
        self.name = name
        self._front = front
        self._heap: list[tuple[float, int]] = []
        """(-priority, id); an item counts only while `front` has the id with that priority."""
        self._cold = Cold()
        """The other URLs that may be asked for."""
        self.errands: list[Entry] = []
        """What must be asked before any page."""
        self.extras: deque[Entry] = deque()
        """What is asked besides new pages, and before them (`crawl/extras.py`)."""
        self.pages = 0
        """How many it has given."""
        self.blocked = False
        """Something must be known (robots.txt) before it may be asked for pages."""
        self.closed: Reason | None = None
        # Its place among the hosts (`crawl/roster.py`):
        self.scheduled = False
        """It stands in one of the roster's heaps."""
        self.stamp = 0
        """Which of its places there is the true one."""
        self.top = math.inf
        """The -priority under which it stands among those that may be asked; inf when it does not."""
        self.awaited = math.inf
        """The same among those that are worth waiting for."""
        self.asked_at = 0.0
        """When the last request to it began."""
        self.until = 0.0
        """So long it is worth waiting for."""

    def __len__(self) -> int:
        """At least as many as wait: what was re-priced may stand here twice."""
        return len(self._heap) + len(self._cold)

    @property
    def has_extras(self) -> bool:
        """True when something besides pages may be asked for."""
        return bool(self.extras) and not self.blocked

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
        self._heap, self._cold = [], Cold()
        return gone

    def _refill(self, room: int) -> None:
        """Bring the next best into the heap."""
        for _ in range(min(room, len(self._cold))):
            rank, id = self._cold.pop()
            self._front[id] = -rank
            heappush(self._heap, (rank, id))
