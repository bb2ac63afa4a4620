"""Which URL next? The best one among the hosts that may be asked now.

The roster (`crawl/roster.py`) knows the order of the hosts, each host's queue (`crawl/hostqueue.py`) that of its URLs; what a URL
is, the shelf (disk) knows. So no operation looks at more than a few hosts or URLs, however many there are. Time is always an
argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heapify, heappop, heappush, nlargest
from itertools import chain, count

from msgspec.structs import replace

from shoal.frontier.host_queue import HostQueue
from shoal.frontier.host_schedule import Roster
from shoal.frontier.pending import Records
from shoal.frontier.politeness import Clocks
from shoal.model import Entry, Reason, State
from shoal.protocols import Locator, Shelf
from shoal.remembered import Changes, Closing, Known, Waiting
from shoal.urls import host_of, key_of

FRONT = 100_000
"""URLs in the heaps of all hosts; about 200 bytes each."""
_MIN_PER_HOST = 2
_RECENT = 50_000
"""URLs whose fate is remembered without asking the shelf: most links of a page were on the page before."""
_SETTLED = (math.inf, -1, None)
"""Priority, depth and inheritance that nothing can better: the URL was asked for."""
_Way = tuple[float, int, float | None]
"""The best priority, depth and inheritance with which a URL was found."""
_REOPENS = frozenset({Reason.DEPTH, Reason.NOFOLLOW, Reason.THRESHOLD, Reason.QUEUE_FULL, Reason.BOUND})
"""Refusals that another way to the same URL can undo."""


class Frontier:
    """All URLs that wait, in the order in which they should be fetched. Sole owner of its queues; not thread-safe."""

    def __init__(
        self,
        shelf: Shelf,
        clocks: Clocks,
        *,
        front: int = FRONT,
        locator: Locator | None = None,
        latest: float = math.inf,
    ) -> None:
        """What an earlier run left until later than `latest` was left by a clock that was wrong: it waits until then."""
        self._shelf = shelf
        self._latest = latest
        self._records = Records(shelf)
        self._limit = front
        self._hosts: dict[str, HostQueue] = {}
        self._roster = Roster(clocks, self._peek, locator)
        self._later: list[tuple[float, int, HostQueue]] = []
        self._front: dict[int, float] = {}
        """The URLs that stand in the heaps of their hosts, with their priorities."""
        self._resting: dict[int, tuple[float, float]] = {}
        """Those that must wait for their time, with that and their priorities: they stand in `later`, not with their hosts."""
        self._room = max(_MIN_PER_HOST, front)
        """How many URLs of one host are worth having in its heap."""
        self._sweep_at = 2 * front
        """When this many URLs are in heaps, every host must let go of some."""
        self._leased: dict[int, Entry] = {}
        self._leased_errands: dict[int, Entry] = {}
        """And what is being fetched that is no new page: errands and extras."""
        self._stranded: list[tuple[int, Reason]] = []
        self._waiting = 0
        self._errand_numbers = count()
        # What was seen lately, in two generations, so that forgetting is one assignment.
        self._recent: dict[str, _Way] = {}
        self._recent_before: dict[str, _Way] = {}
        self._remember_all()

    # --- questions ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many URLs wait; those being fetched do not count."""
        return self._waiting

    @property
    def leased(self) -> dict[int, Entry]:
        """The URLs being fetched now."""
        return self._leased

    @property
    def in_flight(self) -> int:
        """How much is being fetched now, errands and extras included."""
        return len(self._leased) + len(self._leased_errands)

    def pages(self, host: str) -> int:
        """How many pages this host has given."""
        return self._hosts[host].pages

    def knows(self, url: str) -> Known | None:
        """What became of a URL so far."""
        return self._records.find(key_of(url))

    def knows_host(self, name: str) -> bool:
        """True when a URL of this host was ever found, or is being asked for."""
        return name in self._hosts

    def entry(self, id: int) -> Entry:
        """All that is known of a URL."""
        return self._records.read(id)

    def ready_at(self) -> float | None:
        """After `pop` had nothing: the moment at which it may have something; None when nothing waits for its time."""
        moments = (self._roster.wakes_at(), self._later[0][0] if self._later else None)
        return min((moment for moment in moments if moment is not None), default=None)

    @property
    def is_holding_back(self) -> bool:
        """The last `pop` had nothing only because it was patient."""
        return self._roster.is_holding_back

    def host_counts(self) -> tuple[int, int]:
        """How many hosts may be asked now, and how many have URLs but must wait."""
        ready = sum(host.top < math.inf for host in self._hosts.values())
        return ready, sum(host.scheduled for host in self._hosts.values()) - ready

    def when_located(self, tell: Callable[[], None]) -> None:
        """`tell` hears when `pop` may have something because it is known now where a host lives."""
        self._roster.when_located = tell

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
        key = key_of(entry.url)
        known = self._records.find(key)
        if known is not None:
            return self._found_again(known, entry)
        host = self._host(entry.host)
        if host.closed is not None and entry.state is State.WAITING:
            entry = replace(entry, state=State.SKIPPED, reason=host.closed)
        entry = replace(entry, id=self._records.new_id())
        self._records.add(entry, key)
        priority = entry.priority if entry.state is State.WAITING else -math.inf
        self._remember(entry.url, priority, entry.depth, entry.inherited)
        if entry.state is State.WAITING:
            self._enqueue(host, entry)
        return entry.state is State.WAITING

    def reprice(self, key: int, priority: float, why: str) -> bool:
        """The strategy thinks differently of a URL now, better or worse; False when it does not wait any more."""
        known = self._records.find(key)
        if known is None or known.state is not State.WAITING:
            return False
        old = self._records.read(known.id)
        if self._hosts[old.host].closed is not None:
            return False
        if known.id not in self._leased:
            self._remember(old.url, priority, old.depth, old.inherited)
            self._move(old, replace(old, priority=priority, why=why))
        return True

    # --- URLs go out -------------------------------------------------------------------------------------------------

    def pop(self, now: float, *, patient: bool = False, pages: bool = True) -> Entry | None:
        """Lease the best URL of a host that may be asked now; None when there is none. Without `pages` only errands and extras.

        Also None when `patient`, and a clearly better URL waits for a host that may be asked soon (`crawl/roster.py`).
        """
        self._wake(now)
        host = self._roster.claim(now, patient=patient, pages=pages)
        return self._lease(host) if host is not None else None

    def take_out(self, id: int) -> Entry:
        """Lease a URL out of turn, which may even have been refused: its page is here already. The host's clock is not asked."""
        entry = self._records.read(id)
        if entry.state is State.WAITING:
            self._forget_waiting(entry)
        self._leased[id] = entry
        return entry

    def put_back(self, entry: Entry) -> None:
        """Something else must be asked of the host first, which keeps the claim; its pages wait until `unblock`."""
        host = self._hosts[entry.host]
        host.blocked = True
        if self._leased_errands.pop(entry.id, None) is not None:
            host.extras.appendleft(entry)
            self._roster.schedule(host)
            return
        del self._leased[entry.id]
        if not self._refused(host, entry):
            self._remember(entry.url, entry.priority, entry.depth, entry.inherited)
            self._enqueue(host, entry)
        self._roster.schedule(host)

    def note(self, entry: Entry, why: str) -> Entry:
        """Why this URL was leased, in place of what was written when it was found; answers the entry with that."""
        noted = self._leased[entry.id] = replace(entry, why=why)
        self._records.reprice(entry, noted)
        return noted

    def unblock(self, name: str) -> None:
        """What had to be known of the host is known."""
        self._hosts[name].blocked = False
        self._roster.schedule(self._hosts[name])

    def start_errand(self, url: str) -> Entry:
        """Ask for something that is no page of the crawl (a robots.txt), with a claim on the host that is there already."""
        entry = Entry(id=-next(self._errand_numbers) - 1, url=url, host=host_of(url), priority=math.inf)
        self._leased_errands[entry.id] = entry
        return entry

    def queue_errand(self, url: str) -> int:
        """The same as soon as the host's clock allows, before all its pages; answers the id under which it will come."""
        entry = Entry(id=-next(self._errand_numbers) - 1, url=url, host=host_of(url), priority=math.inf)
        host = self._host(entry.host)
        host.errands.append(entry)
        self._roster.schedule(host)
        return entry.id

    def queue_extra(self, url: str) -> int:
        """Ask for something besides new pages, when the host's clock allows; answers the id under which it will come."""
        entry = Entry(id=-next(self._errand_numbers) - 1, url=url, host=host_of(url), priority=math.inf)
        host = self._host(entry.host)
        if host.closed is None or host.closed is Reason.HOST_BUDGET:
            host.extras.append(entry)
            self._roster.schedule(host)
        else:
            self._stranded.append((entry.id, host.closed))
        return entry.id

    def take_stranded(self) -> list[tuple[int, Reason]]:
        """The extras that nobody will be asked for, because their hosts are closed, each with the reason."""
        stranded, self._stranded = self._stranded, []
        return stranded

    def end_errand(self, id: int) -> None:
        """What was asked for came, or did not."""
        del self._leased_errands[id]

    def settle(self, entry: Entry, state: State, reason: Reason | None = None, detail: str = "") -> None:
        """The URL's life is over: done, moved, failed or skipped."""
        del self._leased[entry.id]
        self._hosts[entry.host].pages += state is State.DONE
        self._end(entry, state, reason, detail)

    def retry(self, entry: Entry, at: float, *, counts: bool = True) -> None:
        """Ask again at a later time; `counts` when this was one of the few attempts that a URL gets."""
        del self._leased[entry.id]
        if self._refused(self._hosts[entry.host], entry):
            return
        again = replace(entry, attempt=entry.attempt + counts, not_before=at)
        self._records.change(entry, again)
        self._remember(entry.url, entry.priority, entry.depth, entry.inherited)
        url = Waiting(id=entry.id, host=entry.host, priority=entry.priority, not_before=at)
        self._rest(url, self._hosts[entry.host])
        self._waiting += 1

    def free(self, name: str) -> None:
        """A request to this host is over, or was not made after all: it may be asked again when its clock says so."""
        self._roster.schedule(self._host(name))

    def close(self, closing: Closing) -> None:
        """Nothing more is asked of this host."""
        host = self._host(closing.host)
        if host.closed is not None:
            return
        host.closed = closing.reason
        gone = host.clear()
        if resting := [id for _, id, other in self._later if other is host]:
            gone += [id for id in resting if self._resting.pop(id, None) is not None]
            self._later = [item for item in self._later if item[2] is not host]
            heapify(self._later)
        self._waiting -= len(gone)
        if closing.reason is not Reason.HOST_BUDGET:  # that counts pages, and extras are none
            self._stranded += [(extra.id, closing.reason) for extra in host.extras]
            host.extras.clear()
        self._roster.schedule(host)
        self._records.close(replace(closing, waiting=tuple(gone)))

    def drop_worst(self, limit: int) -> None:
        """Let go of the least promising URLs of a queue that is too long."""
        heaps = ((-priority, id) for id, priority in self._front.items())
        resting = ((-priority, id) for id, (_, priority) in self._resting.items())
        for rank, id in nlargest(limit, chain(heaps, resting, *(host.in_the_cold() for host in self._hosts.values()))):
            entry = self._records.read(id)
            self._forget_waiting(entry, rank)
            self._end(entry, State.SKIPPED, Reason.QUEUE_FULL)

    # --- batches -----------------------------------------------------------------------------------------------------

    def take_changes(self) -> Changes:
        """All changes since the last call; they stay in memory until `committed` says that the shelf has them."""
        return self._records.take()

    def committed(self) -> None:
        """The shelf has the changes taken last."""
        self._records.committed()
        self._room = max(_MIN_PER_HOST, self._limit // max(1, len(self._hosts)))
        if len(self._front) > self._sweep_at:
            for host in self._hosts.values():
                host.trim(self._room)
            # There may be so many hosts that even the least is more than the limit: sweep rarely enough then.
            self._sweep_at = 2 * max(self._limit, len(self._front))

    # --- how it is done ----------------------------------------------------------------------------------------------

    def _host(self, name: str) -> HostQueue:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = HostQueue(name, self._front)
        return host

    def _remember_all(self) -> None:
        """What the last run left."""
        for record in self._shelf.hosts():
            host = self._host(record.name)
            host.pages, host.closed = record.pages, record.closed
        stranded: dict[str, list[int]] = {}
        for url in self._shelf.waiting():
            host = self._hosts[url.host]
            if host.closed is not None:
                stranded.setdefault(url.host, []).append(url.id)
                continue
            self._waiting += 1
            if url.not_before:
                self._rest(replace(url, not_before=min(url.not_before, self._latest)), host)
            else:
                host.keep(-url.priority, url.id)
        for host in self._hosts.values():
            self._roster.schedule(host)
        for name, ids in stranded.items():  # they were under way when their host was closed, and then we were killed
            reason = self._hosts[name].closed
            assert reason is not None
            self._records.close(Closing(host=name, state=State.SKIPPED, reason=reason, detail="", waiting=tuple(ids)))

    def _rest(self, url: Waiting, host: HostQueue) -> None:
        self._resting[url.id] = url.not_before, url.priority
        heappush(self._later, (url.not_before, url.id, host))

    def _remember(self, url: str, priority: float, depth: int, inherited: float | None) -> None:
        if len(self._recent) >= _RECENT:
            self._recent_before, self._recent = self._recent, {}
        self._recent[url] = (priority, depth, inherited)

    def _found_again(self, known: Known, entry: Entry) -> bool:
        host = self._hosts[entry.host]
        if entry.state is not State.WAITING or host.closed is not None:
            return False
        if known.state is State.SKIPPED and known.reason in _REOPENS:
            new = replace(entry, id=known.id)
            self._records.reprice(self._records.read(known.id), new)
            self._remember(entry.url, entry.priority, entry.depth, entry.inherited)
            self._enqueue(host, new)
            return True
        if known.state is not State.WAITING or known.id in self._leased:
            self._remember(entry.url, *_SETTLED)
            return False
        inherited = _larger(entry.inherited, known.inherited)
        self._remember(entry.url, max(known.priority, entry.priority), min(known.depth, entry.depth), inherited)
        if entry.priority > known.priority or entry.depth < known.depth or inherited is not known.inherited:
            old = self._records.read(known.id)
            better = entry if entry.priority > known.priority else old
            own = {"id": old.id, "attempt": old.attempt, "not_before": old.not_before}
            self._move(old, replace(better, **own, depth=min(old.depth, entry.depth), inherited=inherited))
        return False

    def _move(self, old: Entry, new: Entry) -> None:
        """A waiting URL gets another priority."""
        host = self._hosts[new.host]
        self._records.reprice(old, new)
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
        self._records.change(entry, replace(entry, state=state, reason=reason, detail=detail))
        if reason in _REOPENS:
            self._remember(entry.url, -math.inf, entry.depth, entry.inherited)

    def _enqueue(self, host: HostQueue, entry: Entry) -> None:
        self._waiting += 1
        self._push(host, entry.id, entry.priority)

    def _push(self, host: HostQueue, id: int, priority: float) -> None:
        host.push(id, priority, self._room)
        self._roster.came(host, priority)

    def _lease(self, host: HostQueue) -> Entry:
        if host.errands or host.has_extras:
            errand = host.errands.pop(0) if host.errands else host.extras.popleft()
            self._leased_errands[errand.id] = errand
            self._roster.schedule(host)
            return errand
        id = host.pop()
        self._waiting -= 1
        entry = self._leased[id] = self._records.read(id)
        self._roster.schedule(host)
        return entry

    def _peek(self, host: HostQueue) -> float | None:
        """The best -priority of a host; None when nothing waits. Errands and extras come first."""
        return -math.inf if host.errands or host.has_extras else host.best(self._room)

    def _forget_waiting(self, entry: Entry, rank: float | None = None) -> None:
        """It waits no longer, wherever it did; `rank` is its -priority there."""
        if self._front.pop(entry.id, None) is None and self._resting.pop(entry.id, None) is None:
            self._hosts[entry.host].forget(-entry.priority if rank is None else rank, entry.id)
        self._waiting -= 1

    def _wake(self, now: float) -> None:
        """Retries whose time has come."""
        while self._later and self._later[0][0] <= now:
            at, id, host = heappop(self._later)
            rest, priority = self._resting.get(id, (None, 0.0))
            if rest == at:
                del self._resting[id]
                self._push(host, id, priority)


def _larger(new: float | None, old: float | None) -> float | None:
    """Of two inheritances the larger one, the old one when they are equal; what a seed has (None) is larger than any."""
    if old is None or (new is not None and new <= old):
        return old
    return new
