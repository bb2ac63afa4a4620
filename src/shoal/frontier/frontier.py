"""Which URL next? The best one among the hosts that may be asked now.

The host schedule (`frontier/host_schedule.py`) knows the order of the hosts, each host's queue (`frontier/host_queue.py`) that
of its URLs; what a URL is, the pending changes (`frontier/pending.py`) know. So no operation looks at more than a few hosts or
URLs, however many there are. Time is always an argument.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from heapq import heapify, heappop, heappush, nlargest
from itertools import chain

from msgspec.structs import replace

from shoal.frontier.host_queue import HostQueue
from shoal.frontier.host_schedule import HostSchedule
from shoal.frontier.pending import PendingChanges
from shoal.model import Entry, Reason, State, Task
from shoal.model.stored import Closing, Known, Waiting
from shoal.protocols import UrlIndex
from shoal.urls import key_of

_RECENT = 50_000
"""URLs whose fate is remembered without asking the URL index: most links of a page were on the page before."""
_SETTLED = (math.inf, -1, None)
"""Priority, depth and inheritance that nothing can better: the URL was asked for."""
_Way = tuple[float, int, float | None]
"""The best priority, depth and inheritance with which a URL was found."""
_REOPENS = frozenset({Reason.DEPTH, Reason.NOFOLLOW, Reason.THRESHOLD, Reason.QUEUE_FULL, Reason.BOUND})
"""Refusals that another way to the same URL can undo."""
_ROOM_MADE = 50
"""When a queue is too long, one part in so many of it goes as well, so that it does not have to go one by one."""


class Frontier:
    """All URLs that wait, in the order in which they should be fetched. Sole owner of its queues; not thread-safe."""

    def __init__(
        self, url_index: UrlIndex, pending: PendingChanges, host_schedule: HostSchedule, *, latest: float = math.inf
    ) -> None:
        """What an earlier run left until later than `latest` was left by a clock that was wrong: it waits until then."""
        self._pending = pending
        self._host_schedule = host_schedule
        self._front = host_schedule.front
        self._later: list[tuple[float, int, HostQueue]] = []
        self._resting: dict[int, tuple[float, float]] = {}
        """Those that must wait for their time, with that and their priorities: they stand in `later`, not with their hosts."""
        self._leased: dict[int, Entry] = {}
        self.leased: Mapping[int, Entry] = self._leased
        """The URLs being fetched now; changed only here."""
        self._waiting = 0
        # What was seen lately, in two generations, so that forgetting is one assignment.
        self._recent: dict[str, _Way] = {}
        self._recent_before: dict[str, _Way] = {}
        self._remember_all(url_index, latest)

    # --- questions ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many URLs wait; those being fetched do not count."""
        return self._waiting

    def ready_at(self) -> float | None:
        """After `pop` had nothing: the moment at which it may have something; None when nothing waits for its time."""
        moments = (self._host_schedule.wakes_at(), self._later[0][0] if self._later else None)
        return min((moment for moment in moments if moment is not None), default=None)

    # --- URLs come in ------------------------------------------------------------------------------------------------

    def is_news(
        self, url: str, priority: float, depth: int, inherited: float | None = None, *, refused: bool = False
    ) -> bool:
        """False when `add` would change nothing, as far as memory tells: most links of a page were on the page before."""
        last = self._recent.get(url) or self._recent_before.get(url)
        if last is None or refused:
            return last is None
        if priority > last[0] or depth < last[1]:
            return True
        return inherited is not last[2] and _larger(inherited, last[2]) is not last[2]

    def add(self, entry: Entry) -> bool:
        """Take in a URL, or note a better way to a known one; its id is given here. True when it waits only since now."""
        key = entry.key or key_of(entry.url)
        known = self._pending.find(key)
        if known is not None:
            return self._found_again(known, entry)
        host = self._host_schedule[entry.host]
        if host.closed is not None and entry.state is State.WAITING:
            entry = replace(entry, state=State.SKIPPED, reason=host.closed)
        entry = replace(entry, id=self._pending.new_id(), key=key)
        self._pending.add(entry, key)
        priority = entry.priority if entry.state is State.WAITING else -math.inf
        self._remember(entry.url, priority, entry.depth, entry.inherited)
        if entry.state is State.WAITING:
            self._enqueue(host, entry)
        return entry.state is State.WAITING

    def reprice(self, key: int, priority: float, why: str) -> bool:
        """The strategy thinks differently of a URL now, better or worse; False when it does not wait any more."""
        known = self._pending.find(key)
        if known is None or known.state is not State.WAITING:
            return False
        old = self._pending.read(known.id)
        if self._host_schedule[old.host].closed is not None:
            return False
        if known.id not in self._leased:
            self._remember(old.url, priority, old.depth, old.inherited)
            self._move(old, replace(old, priority=priority, why=why))
        return True

    # --- URLs go out -------------------------------------------------------------------------------------------------

    def pop(self, now: float, *, patient: bool = False, pages: bool = True) -> Task | None:
        """What should be asked for now; None when nothing may be. Without `pages` only what is asked besides them.

        Also None when `patient`, and a clearly better URL waits for a host that may be asked soon (`frontier/host_schedule.py`).
        """
        self._wake(now)
        host = self._host_schedule.claim(now, patient=patient, pages=pages)
        if host is None:
            return None
        task = host.pop_side() if host.has_side else self._lease(host)
        self._host_schedule.schedule(host)
        return task

    def take_out(self, id: int) -> Entry:
        """Lease a URL out of turn, which may even have been refused: its page is here already. The host's clock is not asked."""
        entry = self._pending.read(id)
        if entry.state is State.WAITING:
            self._forget_waiting(entry)
        self._leased[id] = entry
        return entry

    def put_back(self, entry: Entry) -> None:
        """A leased URL is not asked for now: it waits again."""
        host = self._host_schedule[entry.host]
        del self._leased[entry.id]
        if not self._refused(host, entry):
            self._remember(entry.url, entry.priority, entry.depth, entry.inherited)
            self._enqueue(host, entry)
        self._host_schedule.schedule(host)

    def settle(
        self, entry: Entry, state: State, reason: Reason | None = None, detail: str = "", *, why: str = ""
    ) -> None:
        """The URL's life is over: done, moved, failed or skipped. `why` it was leased replaces what was written when found."""
        del self._leased[entry.id]
        self._host_schedule[entry.host].pages += state is State.DONE
        if why:
            found, entry = entry, replace(entry, why=why)
            self._pending.reprice(found, entry)
        self._end(entry, state, reason, detail)

    def retry(self, entry: Entry, at: float, *, counts: bool = True) -> None:
        """Ask again at a later time; `counts` when this was one of the few attempts that a URL gets."""
        del self._leased[entry.id]
        host = self._host_schedule[entry.host]
        if self._refused(host, entry):
            return
        again = replace(entry, attempt=entry.attempt + counts, not_before=at)
        self._pending.change(entry, again)
        self._remember(entry.url, entry.priority, entry.depth, entry.inherited)
        url = Waiting(id=entry.id, host=entry.host, priority=entry.priority, not_before=at)
        self._rest(url, host)
        self._waiting += 1

    def close(self, closing: Closing) -> None:
        """Nothing more is asked of this host."""
        host = self._host_schedule[closing.host]
        if host.closed is not None:
            return
        gone = self._host_schedule.close(host, closing.reason)
        if resting := [id for _, id, other in self._later if other is host]:
            gone += [id for id in resting if self._resting.pop(id, None) is not None]
            self._later = [item for item in self._later if item[2] is not host]
            heapify(self._later)
        self._waiting -= len(gone)
        self._pending.close(replace(closing, waiting=tuple(gone)))

    def trim(self, most: int) -> None:
        """Let go of the least promising URLs when more than so many wait, and of memory. To be called after a commit."""
        self._host_schedule.trim()
        if (excess := self._waiting - most) <= 0:
            return
        heaps = ((-priority, id) for id, priority in self._front.items())
        resting = ((-priority, id) for id, (_, priority) in self._resting.items())
        cold = (host.in_the_cold() for host in self._host_schedule)
        for rank, id in nlargest(excess + most // _ROOM_MADE, chain(heaps, resting, *cold)):
            entry = self._pending.read(id)
            self._forget_waiting(entry, rank)
            self._end(entry, State.SKIPPED, Reason.QUEUE_FULL)

    # --- how it is done ----------------------------------------------------------------------------------------------

    def _remember_all(self, url_index: UrlIndex, latest: float) -> None:
        """What the last run left."""
        for record in url_index.hosts():
            host = self._host_schedule[record.name]
            host.pages, host.closed = record.pages, record.closed
        stranded: dict[str, list[int]] = {}
        for url in url_index.waiting():
            host = self._host_schedule[url.host]
            if host.closed is not None:
                stranded.setdefault(url.host, []).append(url.id)
                continue
            self._waiting += 1
            if url.not_before:
                self._rest(replace(url, not_before=min(url.not_before, latest)), host)
            else:
                host.keep(-url.priority, url.id)
        for host in self._host_schedule:
            self._host_schedule.schedule(host)
        for name, ids in stranded.items():  # they were under way when their host was closed, and then we were killed
            reason = self._host_schedule[name].closed
            assert reason is not None
            self._pending.close(Closing(host=name, state=State.SKIPPED, reason=reason, detail="", waiting=tuple(ids)))

    def _rest(self, url: Waiting, host: HostQueue) -> None:
        self._resting[url.id] = url.not_before, url.priority
        heappush(self._later, (url.not_before, url.id, host))

    def _remember(self, url: str, priority: float, depth: int, inherited: float | None) -> None:
        if len(self._recent) >= _RECENT:
            self._recent_before, self._recent = self._recent, {}
        self._recent[url] = (priority, depth, inherited)

    def _found_again(self, known: Known, entry: Entry) -> bool:
        host = self._host_schedule[entry.host]
        if entry.state is not State.WAITING or host.closed is not None:
            return False
        if known.state is State.SKIPPED and known.reason in _REOPENS:
            new = replace(entry, id=known.id)
            self._pending.reprice(self._pending.read(known.id), new)
            self._remember(entry.url, entry.priority, entry.depth, entry.inherited)
            self._enqueue(host, new)
            return True
        if known.state is not State.WAITING or known.id in self._leased:
            self._remember(entry.url, *_SETTLED)
            return False
        inherited = _larger(entry.inherited, known.inherited)
        self._remember(entry.url, max(known.priority, entry.priority), min(known.depth, entry.depth), inherited)
        if entry.priority > known.priority or entry.depth < known.depth or inherited is not known.inherited:
            old = self._pending.read(known.id)
            better = entry if entry.priority > known.priority else old
            own = {"id": old.id, "attempt": old.attempt, "not_before": old.not_before}
            self._move(old, replace(better, **own, depth=min(old.depth, entry.depth), inherited=inherited))
        return False

    def _move(self, old: Entry, new: Entry) -> None:
        """A waiting URL gets another priority."""
        host = self._host_schedule[new.host]
        self._pending.reprice(old, new)
        if old.id in self._resting:
            self._resting[old.id] = self._resting[old.id][0], new.priority
            return
        if old.id not in self._front:
            host.forget(-old.priority, old.id)
        self._push(host, new.id, new.priority)

    def _refused(self, host: HostQueue, entry: Entry) -> bool:
        """True when the host was closed while the URL was under way: it shares the fate of the others then."""
        if host.closed is not None:
            self._end(entry, State.SKIPPED, host.closed)
        return host.closed is not None

    def _end(self, entry: Entry, state: State, reason: Reason | None, detail: str = "") -> None:
        self._pending.change(entry, replace(entry, state=state, reason=reason, detail=detail))
        if reason in _REOPENS:
            self._remember(entry.url, -math.inf, entry.depth, entry.inherited)

    def _enqueue(self, host: HostQueue, entry: Entry) -> None:
        self._waiting += 1
        self._push(host, entry.id, entry.priority)

    def _push(self, host: HostQueue, id: int, priority: float) -> None:
        host.push(id, priority, self._host_schedule.room)
        self._host_schedule.came(host, priority)

    def _lease(self, host: HostQueue) -> Task:
        id = host.pop()
        self._waiting -= 1
        entry = self._leased[id] = self._pending.read(id)
        return task_of(entry)

    def _forget_waiting(self, entry: Entry, rank: float | None = None) -> None:
        """It waits no longer, wherever it did; `rank` is its -priority there."""
        if self._front.pop(entry.id, None) is None and self._resting.pop(entry.id, None) is None:
            self._host_schedule[entry.host].forget(-entry.priority if rank is None else rank, entry.id)
        self._waiting -= 1

    def _wake(self, now: float) -> None:
        """Retries whose time has come."""
        while self._later and self._later[0][0] <= now:
            at, id, host = heappop(self._later)
            rest, priority = self._resting.get(id, (None, 0.0))
            if rest == at:
                del self._resting[id]
                self._push(host, id, priority)


def task_of(entry: Entry) -> Task:
    """The request for a page."""
    return Task(
        id=entry.id,
        url=entry.url,
        host=entry.host,
        depth=entry.depth,
        attempt=entry.attempt,
        inherited=entry.inherited,
    )


def _larger(new: float | None, old: float | None) -> float | None:
    """Of two inheritances the larger one, the old one when they are equal; what a seed has (None) is larger than any."""
    if old is None or (new is not None and new <= old):
        return old
    return new
