"""Who has what, and until when? The leases of a coordinator: a promise about time that only a result or the time itself ends.

A worker that does not answer may be dead, cut off or asleep, and the broker may have given its task to another one. Nobody can
tell; but nobody may begin with a task after `Assigned.until`, and a request ends by itself. So when a lease is over, no request
is under way, and the host may be asked again.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

from shoal.cluster.wire import Assigned
from shoal.settings import Settings

_LEAST = 2.0
"""Seconds; however short requests may be, a busy machine needs some time."""


def begin_within(settings: Settings) -> float:
    """Seconds that a task may lie in the queue and in the hands of a worker before somebody begins with it."""
    return max(_LEAST, settings.fetching.total_timeout / 3)


def longest(settings: Settings) -> float:
    """Seconds after which nobody can be working on a task any more: it was begun, answered, understood and sent home."""
    understand = max(_LEAST, settings.fetching.total_timeout / 6)
    return begin_within(settings) + settings.fetching.total_timeout + understand


@dataclass(slots=True)
class Lease:
    """One task in the hands of the cluster."""

    task: Assigned
    ends: float
    returned: bool = False
    """The broker lost the worker that had it."""


class Leases:
    """All tasks that are handed out. Sole owner of them; time is always an argument."""

    def __init__(self) -> None:
        self._leases: dict[int, Lease] = {}
        """By the number of the lease."""
        self._ends: list[tuple[float, int]] = []
        self._last = 0
        """The number that was given last."""

    def __len__(self) -> int:
        return len(self._leases)

    def new_number(self) -> int:
        """For a task that is about to be handed out."""
        self._last += 1
        return self._last

    def was_given(self, number: int) -> bool:
        """False when there never was such a lease."""
        return 0 < number <= self._last

    def add(self, task: Assigned, ends: float) -> None:
        """A task was handed out."""
        self._leases[task.lease] = Lease(task, ends)
        heappush(self._ends, (ends, task.lease))

    def end(self, number: int) -> Lease | None:
        """Its result is here; None when the lease was over before."""
        return self._leases.pop(number, None)

    def find(self, number: int) -> Lease | None:
        """A lease that is not over."""
        return self._leases.get(number)

    def ended(self, now: float) -> list[Lease]:
        """Those whose time is over, which are not leases any more."""
        over = []
        while self._ends and self._ends[0][0] <= now:
            _, number = heappop(self._ends)
            if (lease := self._leases.pop(number, None)) is not None:
                over.append(lease)
        return over
