"""Which host next? The one with the best URL, of those that may be asked now.

Two heaps hold hosts: `ready` has those that may be asked, best URL first; `asleep` has those that wait, soonest first. A host
that moves leaves its old place behind, with an old stamp. So no operation looks at more than a few hosts, however many there
are. Time is always an argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

from shoal.crawl.hostqueue import HostQueue
from shoal.crawl.politeness import Clocks

_Place = tuple[float, int, int, HostQueue]
"""What it is ordered by, what breaks ties (so that hosts are never compared), the host's stamp, and the host."""


class Roster:
    """The hosts that have something to ask for. Sole owner of their order; not thread-safe."""

    def __init__(self, clocks: Clocks, peek: Callable[[HostQueue], float | None]) -> None:
        """`peek` tells the best -priority of a host, None when nothing waits there."""
        self._clocks = clocks
        self._peek = peek
        self._ready: list[_Place] = []
        self._asleep: list[_Place] = []
        self._now = -math.inf
        """The time of the last `claim`."""
        self._tick = count()

    def claim(self, now: float) -> HostQueue | None:
        """The host whose best URL may be asked for now, before all others; its clock is told. None when there is none."""
        self._now = now
        self._wake(now)
        while self._ready:
            promised, _, stamp, host = heappop(self._ready)
            if stamp != host.stamp:
                continue
            top = self._peek(host)
            if top is None:
                self._unschedule(host)
            elif top > promised:  # its best URL is gone or was re-priced since
                self._make_ready(host, top)
            elif (at := self._clocks.claim(host.name, now)) > now:
                self._sleep(host, at)
            else:
                return host
        return None

    def schedule(self, host: HostQueue) -> None:
        """Put the host where its clock says, if it has anything to ask for."""
        pages = len(host) and not host.blocked and host.closed is None
        if not (pages or host.errands) or self._clocks.busy(host.name):
            self._unschedule(host)
        elif (at := self._clocks.next_at(host.name)) > self._now:
            self._sleep(host, at)
        else:
            self._wake_up(host)

    def came(self, host: HostQueue, priority: float) -> None:
        """A URL of this priority waits there now."""
        if not host.scheduled:
            self.schedule(host)
        elif -priority < host.top < math.inf:
            self._make_ready(host, -priority)

    def wakes_at(self) -> float | None:
        """When the next host may be asked that may not be asked now; it may have nothing to ask for by then."""
        return self._asleep[0][0] if self._asleep else None

    def _unschedule(self, host: HostQueue) -> None:
        host.stamp += 1
        host.scheduled, host.top = False, math.inf

    def _sleep(self, host: HostQueue, until: float) -> None:
        host.stamp += 1
        host.scheduled, host.top = True, math.inf
        heappush(self._asleep, (until, next(self._tick), host.stamp, host))

    def _make_ready(self, host: HostQueue, top: float) -> None:
        host.stamp += 1
        host.scheduled, host.top = True, top
        heappush(self._ready, (top, next(self._tick), host.stamp, host))

    def _wake(self, now: float) -> None:
        """Hosts whose time has come."""
        while self._asleep and self._asleep[0][0] <= now:
            _, _, stamp, host = heappop(self._asleep)
            if stamp == host.stamp:
                self._wake_up(host)

    def _wake_up(self, host: HostQueue) -> None:
        top = self._peek(host)
        if top is None:
            self._unschedule(host)
        else:
            self._make_ready(host, top)
