"""Which host next? The one with the best URL, of those that may be asked now; or none, when a better one may be asked soon.

What is asked of a host besides its pages waits here too, and comes before them.

Two heaps hold hosts: `ready` has those that may be asked, best URL first; `asleep` has those that wait, soonest first. A host
that moves leaves its old place behind, with an old stamp. So no operation looks at more than a few hosts, however many there
are. Time is always an argument.

A host whose address is not known stands with the strangers, best URL first: it is looked up before it can be ready, so many at
once (`fetch/addresses.py`). Without a locator there are no strangers. A host whose claim is under way (`protocols.Ledger`) is
asleep until the answer comes.

Another heap has the hosts that are being asked or asleep, best URL first. When pages are scarce, a poor URL must not be fetched
only because it is the turn of nobody else: with 64 requests in flight and three good hosts, 61 of 64 pages would be poor ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import count

from shoal.frontier.host_queue import HostQueue
from shoal.frontier.politeness import Clocks
from shoal.model import Reason, Task
from shoal.protocols import Locator

FRONT = 100_000
"""URLs in the heaps of all hosts; about 200 bytes each."""
_MIN_PER_HOST = 2

PATIENCE = 10.0
"""Seconds. A host that is asleep for longer, or has not answered for so long, is not worth waiting for."""
FOR_STRANGERS = 2.0
"""The same for a host that has not even told its robots.txt: it may be dead, and there are many."""
TOLERANCE = 0.1
"""A URL that is worth less by no more than this share of the better one's priority need not wait for that."""
_SWEEP_AT = 1_000
_Place = tuple[float, int, int, HostQueue]
"""What it is ordered by, what breaks ties (so that hosts are never compared), the host's stamp, and the host."""


class HostSchedule:
    """All hosts. Sole owner of their order, and of what is asked of them besides pages; not thread-safe."""

    def __init__(self, clocks: Clocks, locator: Locator | None = None, *, front: int = FRONT) -> None:
        self._clocks = clocks
        self._locator = locator
        self._hosts: dict[str, HostQueue] = {}
        self.front: dict[int, float] = {}
        """The URLs that stand in the heaps of their hosts, with their priorities."""
        self._limit = front
        self.room = max(_MIN_PER_HOST, front)
        """How many URLs of one host are worth having in its heap."""
        self._trim_at = 2 * front
        """When this many URLs are in heaps, every host must let go of some."""
        self._stranded: list[tuple[Task, Reason]] = []
        self.when_located: Callable[[], None] = lambda: None
        """Called when a host was located, or claimed elsewhere, so that `claim` may have something that had nothing."""
        self._ready: list[_Place] = []
        self._strangers: list[_Place] = []
        self._asleep: list[_Place] = []
        self._awaited: list[_Place] = []
        self._sweep_at = _SWEEP_AT
        """When so many stand there, old places are swept out."""
        self._held_until = math.inf
        """When the last `claim` had nothing because of a better URL: the moment until which that is worth waiting for."""
        self._now = -math.inf
        """The time of the last `claim`."""
        self._tick = count()

    # --- hosts, one by one -------------------------------------------------------------------------------------------

    def __contains__(self, name: str) -> bool:
        """True when a URL of this host was ever found, or is being asked for."""
        return name in self._hosts

    def __iter__(self) -> Iterator[HostQueue]:
        return iter(self._hosts.values())

    def __getitem__(self, name: str) -> HostQueue:
        """The queue of a host, whether anything was ever asked of it or not."""
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = HostQueue(name, self.front)
        return host

    def free(self, name: str) -> None:
        """A request to this host is over, or was not made after all: it may be asked again when its clock says so."""
        self.schedule(self[name])

    def block(self, name: str, *, blocked: bool = True) -> None:
        """Something else must be known of the host before its pages may be asked for; or is known now."""
        self[name].blocked = blocked
        self.schedule(self[name])

    def close(self, host: HostQueue, reason: Reason) -> list[int]:
        """Nothing more is asked of this host; answers the URLs that waited for it."""
        host.closed = reason
        gone = host.clear()
        if reason is not Reason.HOST_BUDGET:  # that counts pages, and what is asked besides are none
            self._stranded += [(task, reason) for task in host.side]
            host.side.clear()
        self.schedule(host)
        return gone

    # --- what is asked besides pages ---------------------------------------------------------------------------------

    def queue(self, task: Task, *, urgent: bool = False, again: bool = False) -> None:
        """Ask for something that is no new page, as soon as the host's clock allows; first of all when it waits `again`."""
        host = self[task.host]
        if urgent:
            host.urgent.append(task)
        elif host.closed is not None and host.closed is not Reason.HOST_BUDGET:
            self._stranded.append((task, host.closed))
        elif again:
            host.side.appendleft(task)
        else:
            host.side.append(task)
        self.schedule(host)

    def take_stranded(self) -> list[tuple[Task, Reason]]:
        """What nobody will be asked for, because the hosts are closed, each with the reason."""
        stranded, self._stranded = self._stranded, []
        return stranded

    # --- whose turn it is --------------------------------------------------------------------------------------------

    def claim(self, now: float, *, patient: bool = False, pages: bool = True) -> HostQueue | None:
        """The host whose best URL may be asked for now, before all others; its clock is told. None when there is none.

        Also None when `patient`, and a clearly better URL waits for a host that may be asked soon; and without `pages`, when
        only pages may be asked for.
        """
        self._now = now
        self._held_until = math.inf
        self._wake(now)
        self._look_up(pages=pages)
        while self._clocks.has_room and (place := self._first_of(self._ready)) is not None:
            top, _, _, host = place
            if (not pages and top > -math.inf) or (patient and self._better_soon(top)):
                heappush(self._ready, place)
                return None
            if (at := self._clocks.claim(host.name, now, partial(self._answered, host))) > now:
                self._sleep(host, at if at < math.inf else now + FOR_STRANGERS)
            else:
                host.asked_at = now
                return host
        return None

    @property
    def is_holding_back(self) -> bool:
        """The last `claim` had nothing only because it was patient."""
        return self._held_until < math.inf

    def schedule(self, host: HostQueue) -> None:
        """Put the host where its clock says, if it has anything to ask for."""
        pages = len(host) and host.closed is None
        if self._clocks.busy(host.name):
            self._unschedule(host)
            if pages:
                self._await(host, host.asked_at + (FOR_STRANGERS if host.blocked else PATIENCE))
        elif not (host.has_side or (pages and not host.blocked)):
            self._unschedule(host)
        elif (at := self._clocks.next_at(host.name)) > self._now:
            self._sleep(host, at)
        else:
            self._wake_up(host)

    def came(self, host: HostQueue, priority: float) -> None:
        """A URL of this priority waits there now."""
        if host.awaited < math.inf:
            if -priority < host.awaited:
                self._stand_awaited(host, -priority)
        elif not host.scheduled:
            self.schedule(host)
        elif -priority < host.top < math.inf:
            self._make_ready(host, -priority)

    @property
    def known(self) -> int:
        """How many hosts there are."""
        return len(self._hosts)

    def counts(self) -> tuple[int, int]:
        """How many hosts may be asked now, and how many have URLs but must wait."""
        ready = sum(host.top < math.inf for host in self)
        return ready, sum(host.scheduled for host in self) - ready

    def trim(self) -> None:
        """Let only the best URLs of every host stand in its heap, when there are too many of them."""
        self.room = max(_MIN_PER_HOST, self._limit // max(1, len(self._hosts)))
        if len(self.front) > self._trim_at:
            for host in self:
                host.trim(self.room)
            # There may be so many hosts that even the least is more than the limit: trim rarely enough then.
            self._trim_at = 2 * max(self._limit, len(self.front))

    def wakes_at(self) -> float | None:
        """When `claim` may have something that had nothing; the host may have nothing to ask for by then."""
        at = min(self._held_until, self._asleep[0][0] if self._asleep else math.inf)
        return at if at < math.inf else None

    def _peek(self, host: HostQueue) -> float | None:
        """The best -priority of a host; None when nothing waits. What is no page comes first."""
        return -math.inf if host.has_side else host.best(self.room)

    def _first_of(self, places: list[_Place]) -> _Place | None:
        """Take the first place out of a heap that is the true one of its host, with its best URL of this moment."""
        while places:
            promised, _, stamp, host = place = heappop(places)
            if stamp != host.stamp:
                continue
            top = self._peek(host)
            if top is not None and not top > promised:
                return place
            self._wake_up(host)  # its best URL is gone or was re-priced since
        return None

    def _unschedule(self, host: HostQueue) -> None:
        host.stamp += 1
        host.scheduled, host.top, host.awaited = False, math.inf, math.inf

    def _sleep(self, host: HostQueue, until: float) -> None:
        host.stamp += 1
        host.scheduled, host.top, host.awaited = True, math.inf, math.inf
        heappush(self._asleep, (until, next(self._tick), host.stamp, host))
        self._await(host, until)

    def _make_ready(self, host: HostQueue, top: float) -> None:
        host.stamp += 1
        host.scheduled, host.top, host.awaited = True, top, math.inf
        is_stranger = self._locator is not None and not self._clocks.is_located(host.name)
        heappush(self._strangers if is_stranger else self._ready, (top, next(self._tick), host.stamp, host))

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

    # --- where hosts live --------------------------------------------------------------------------------------------

    def _look_up(self, *, pages: bool) -> None:
        """Begin to find out where the best strangers live, as far as there is room."""
        locator = self._locator
        while locator is not None and locator.has_room and (place := self._first_of(self._strangers)) is not None:
            top, _, _, host = place
            if not pages and top > -math.inf:
                heappush(self._strangers, place)
                return
            self._sleep(host, self._now + FOR_STRANGERS)
            locator.ask(host.name, partial(self._located, host))

    def _located(self, host: HostQueue, address: str) -> None:
        self._clocks.locate(host.name, address)
        self._answered(host)

    def _answered(self, host: HostQueue) -> None:
        """It is known what we waited for."""
        self.schedule(host)
        self.when_located()

    # --- who is worth waiting for ------------------------------------------------------------------------------------

    def _await(self, host: HostQueue, until: float) -> None:
        """The host may be asked for a page by then, it seems, if it is not in trouble."""
        host.until = until
        top = None if host.has_side or self._clocks.in_trouble(host.name) else self._peek(host)
        if top is not None:
            self._stand_awaited(host, top)

    def _stand_awaited(self, host: HostQueue, top: float) -> None:
        host.awaited = top
        heappush(self._awaited, (top, next(self._tick), host.stamp, host))
        if len(self._awaited) > self._sweep_at:
            self._awaited = [place for place in self._awaited if _is_awaited(place)]
            heapify(self._awaited)
            self._sweep_at = max(_SWEEP_AT, 2 * len(self._awaited))

    def _better_soon(self, top: float) -> bool:
        """A URL that is clearly better than the best one of all hosts that may be asked now waits for its host."""
        if (best := self._best_awaited()) is None or top - best.awaited <= TOLERANCE * abs(best.awaited):
            return False
        self._held_until = best.until
        return True

    def _best_awaited(self) -> HostQueue | None:
        while self._awaited:
            promised, _, _, host = place = self._awaited[0]
            worth_it = _is_awaited(place) and self._now < host.until <= self._now + PATIENCE
            top = self._peek(host) if worth_it else None
            if top == promised:
                return host
            heappop(self._awaited)
            if _is_awaited(place):  # its time is over, or its best URL is gone or was re-priced since
                host.awaited = math.inf
                if top is not None:
                    self._stand_awaited(host, top)
        return None


def _is_awaited(place: _Place) -> bool:
    """False for the place of a host that has moved on."""
    rank, _, stamp, host = place
    return stamp == host.stamp and rank == host.awaited
