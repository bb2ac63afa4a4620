"""When may this host be asked again?

A host is asked again not before `max(delay, Crawl-delay, fetch_factor x last fetch time)` after it began to answer: counting from
the answer, not from our sending, is what makes the gap hold in the server's own log, however slowly it reads. A host that
says 429 or 503, or does not answer, rests for longer each time, and is forgiven step by step. Hosts that live at one IP
address share that address: a few requests at once, evenly spread. For that a host must be located before it is first claimed
(`fetch/addresses.py`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from shoal.histogram import Histogram
from shoal.model import Failure, Reason, Timing
from shoal.protocols import Ledger
from shoal.settings import Politeness

_TROUBLE = frozenset({Reason.CONNECT, Reason.TIMEOUT, Reason.RESET, Reason.DNS, Reason.TLS})
BUSY = frozenset({429, 503})
"""Answers that mean: not now."""
REST_BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0)
"""Seconds: from one's own host to one that said "not now" several times."""
_UNKNOWN_GAP = 2.0
"""Seconds to stay away after a crash in the very first request to a host, before its own wish is known."""
_LATENESS = 0.25
"""Seconds that a server may take to notice a request that we have sent."""
_PATIENCE = 10.0
"""Seconds after which a host that did not come for its moment (it has no more URLs, or was closed) loses it."""
_MIN_STEP = 0.02
_GRACE = 5.0
"""Seconds beyond the longest request until another crawl may take a host that was never given back."""


@dataclass(slots=True, eq=False)
class _Host:
    """The clock of one host."""

    next_at: float = 0.0
    claimed_at: float = 0.0
    """The last time; 0 when we have not claimed it yet."""
    in_flight: int = 0
    crawl_delay: float | None = None
    """What its robots.txt asks for; None as long as that is not known."""
    strikes: int = 0
    """Troubles in a row; each success takes one away."""
    was_busy: bool = False
    """The last trouble was a "not now": the host lives, and gets more patience."""
    address: str = ""
    located: bool = False
    """It was looked up; it may have no address all the same."""
    slot: float = 0.0
    """The moment that was promised to this host when its address was busy; 0 for none."""


_STRANGER = _Host()
"""The clock of every host that was never asked: never changed."""


@dataclass(slots=True, eq=False)
class _Address:
    """The clock of one IP address."""

    in_flight: int = 0
    slot_at: float = 0.0
    """The next moment that is not promised to a host yet."""
    promised: deque[_Host] = field(default_factory=deque)
    """The hosts that were promised a moment, the earliest first."""
    took: float = 0.0
    """Seconds that requests take there, the last ones counting most."""


class Clocks:
    """Knows when each host may be asked. The only owner of these clocks in this crawl; the ledger has those of all crawls."""

    def __init__(
        self,
        settings: Politeness,
        ledger: Ledger,
        *,
        longest_request: float,
        random: Random,
        wish: Callable[[str], float | None] = lambda host: None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """`wish` tells what the robots.txt of a host asked for when it was read in an earlier run.

        With a `clock` the times of a request that somebody tells are held to what can be, by that clock: it lay between our
        claim and now. Others may have another clock, or one that was set meanwhile.
        """
        self._settings = settings
        self._clock = clock
        self._wish = wish
        self._ledger = ledger
        self._hold = longest_request + _GRACE
        self._random = random
        # More in flight is only for the user's own hosts, and then there is nothing to share with other crawls.
        self._shared = settings.per_host == 1
        self._per_address = max(settings.per_address, settings.per_host)
        self._hosts: dict[str, _Host] = {}
        self._addresses: dict[str, _Address] = {}
        self._inherited: set[str] = set()
        """Hosts that a request of an earlier run is under way to, for all we know."""
        self.unpublished_claims = False
        """True when other crawls wait for `publish`."""
        self.rests = Histogram(REST_BOUNDS)
        """Seconds for which hosts were left alone after a request; counted here, read by those who watch."""

    def next_at(self, host: str) -> float:
        """The earliest moment at which it makes sense to claim this host."""
        return self._hosts.get(host, _STRANGER).next_at

    def busy(self, host: str) -> bool:
        """True when as many requests are under way to this host as it gets at once."""
        return self._hosts.get(host, _STRANGER).in_flight >= self._settings.per_host

    def in_flight(self, host: str) -> int:
        """How many requests are under way to this host."""
        return self._hosts.get(host, _STRANGER).in_flight

    @property
    def has_room(self) -> bool:
        """False when so many claims are under way that another one would only wait."""
        return self._ledger.has_room

    def claim(self, host: str, now: float, tell: Callable[[], None] = lambda: None) -> float:
        """Reserve the host for one request: 0 when granted, else the time to ask again: infinity is when `tell` is called."""
        clock = self._hosts.get(host) or self._meet(host)
        if clock.next_at > now:
            return clock.next_at
        at = self._address_free_at(clock, now)
        if at > now:
            return at
        if self._shared:
            self.unpublished_claims = True
            at = self._ledger.claim(host, now, now + self._hold, now + self._gap_if_we_die(clock), tell)
            if at > now:
                return at
        clock.in_flight += 1
        clock.claimed_at = now
        self._take_slot(clock, now)
        if self._settings.per_host > 1:
            clock.next_at = now + self._gap(clock, took=0.0)
        return 0.0

    def _meet(self, host: str) -> _Host:
        clock = self._hosts[host] = _Host()
        # Known before the first request: we may be killed in it.
        if (wish := self._wish(host)) is not None:
            self.set_crawl_delay(host, wish)
        return clock

    def release(self, host: str, timing: Timing, failure: Failure | None = None) -> float:
        """The request is over; answers when the host may be asked again."""
        clock = self._give_back(host)
        timing = self._believed(timing, clock.claimed_at if self._shared else 0.0)
        gap = self._gap(clock, took=timing.ended - timing.started)
        rest = self._rest(clock, failure)
        clock.next_at = max(clock.next_at, timing.answered + max(gap, rest))
        self.rests.add(max(0.0, clock.next_at - timing.ended))
        if timing.address and clock.in_flight == 0:  # with requests under way their address must stay the counted one
            self._move(clock, timing.address)
            address = self._addresses[timing.address]
            address.took += (timing.ended - timing.started - address.took) / 4
        if self._shared:
            self._ledger.release(host, clock.next_at)
        return clock.next_at

    def cancel(self, host: str) -> None:
        """Nothing was asked after all."""
        clock = self._give_back(host)
        if self._shared:
            self._ledger.release(host, clock.next_at)

    def inherit(self, hosts: Iterable[str]) -> None:
        """Requests of a run that died are under way to these hosts; to be told before anybody asks for a host."""
        for host in hosts:
            self._inherited.add(host)
            (self._hosts.get(host) or self._meet(host)).in_flight += 1

    def came_late(self, host: str) -> None:
        """A request is over that was not in flight for us any more, or that an earlier run made; `release` follows."""
        if host in self._inherited:
            self._inherited.discard(host)
            return
        clock = self._hosts.get(host) or self._meet(host)
        clock.in_flight += 1
        if clock.address:
            self._addresses[clock.address].in_flight += 1

    def disinherit(self, host: str) -> bool:
        """The time of a request that an earlier run made is over; False when that is known already."""
        if host not in self._inherited:
            return False
        self._inherited.discard(host)
        self.cancel(host)
        return True

    def publish(self) -> None:
        """Let other crawls know what was claimed and released; after claims at once, because meanwhile they wait."""
        self.unpublished_claims = False
        self._ledger.flush()

    def set_crawl_delay(self, host: str, seconds: float | None) -> None:
        """What the host's robots.txt asks for."""
        clock = self._hosts.setdefault(host, _Host())
        clock.crawl_delay = min(seconds or 0.0, self._settings.max_crawl_delay)

    def in_trouble(self, host: str) -> bool:
        """The last requests to this host met trouble, and it was not forgiven yet."""
        return self._hosts.get(host, _STRANGER).strikes > 0

    def still_hopes(self, host: str) -> bool:
        """False when the host was in trouble so often in a row that nothing more should be asked of it."""
        clock = self._hosts[host]
        patience = self._settings.attempts * (2 if clock.was_busy else 1)
        return clock.strikes < patience

    def retry_at(self, failure: Failure, attempt: int) -> float:
        """When a URL that failed may be asked for again, as far as the URL itself is concerned."""
        answered = self._believed(failure.timing).answered
        if failure.retry_after is not None:
            return answered + self._bounded(failure.retry_after)
        return answered + min(self._settings.backoff_first * 2.0 ** (attempt - 1), self._settings.backoff_cap)

    @property
    def longest_wait(self) -> float:
        """Seconds for which a host, or a URL that failed, is left alone at most."""
        polite = self._settings
        slow = polite.fetch_factor * self._hold
        return max(polite.delay, polite.max_crawl_delay, slow, polite.backoff_cap, polite.max_retry_after)

    @property
    def longest_own_wait(self) -> float:
        """The same, when no server asked for more."""
        polite = self._settings
        return max(polite.delay, polite.max_crawl_delay, polite.fetch_factor * self._hold, 1.25 * polite.backoff_cap)

    def _bounded(self, retry_after: float) -> float:
        """What a host asked for, as far as we wait; in this order it holds for what is no number, too."""
        return min(self._settings.max_retry_after, max(0.0, retry_after))

    def _believed(self, timing: Timing, claimed_at: float = 0.0) -> Timing:
        """The times of a request, as far as they can be; else the latest that can be, which is now."""
        if self._clock is None:
            return timing
        now = self._clock()
        earliest = claimed_at or now - self._hold
        if earliest <= timing.started <= timing.answered <= timing.ended <= now:
            return timing
        answered = timing.answered if earliest <= timing.answered <= now else now
        took = min(max(0.0, timing.ended - timing.started), now - earliest)
        return Timing(started=now - took, answered=answered, ended=now, address=timing.address)

    def _give_back(self, host: str) -> _Host:
        clock = self._hosts[host]
        clock.in_flight -= 1
        if clock.address:
            self._addresses[clock.address].in_flight -= 1
        return clock

    def _gap(self, clock: _Host, took: float) -> float:
        # A delay of 0 means: my own host, as fast as one request in flight allows; only its robots.txt can slow that down.
        slow = self._settings.fetch_factor * took if self._settings.delay else 0.0
        return max(self._settings.delay, clock.crawl_delay or 0.0, slow)

    def _gap_if_we_die(self, clock: _Host) -> float:
        """How long a host must be left alone when nobody will be there to see it answer."""
        if clock.crawl_delay is None:
            return max(self._settings.delay, _UNKNOWN_GAP)
        gap = max(self._settings.delay, clock.crawl_delay)
        return gap + _LATENESS if gap else 0.0

    def _rest(self, clock: _Host, failure: Failure | None) -> float:
        """How long trouble keeps us away, and the count of troubles brought up to date."""
        if failure is None or not (failure.reason in _TROUBLE or failure.status in BUSY):
            clock.strikes = max(0, clock.strikes - 1)
            return 0.0
        clock.strikes += 1
        clock.was_busy = failure.status in BUSY
        if failure.retry_after is not None:
            return self._bounded(failure.retry_after)
        doubled = self._settings.backoff_first * math.pow(2, min(clock.strikes - 1, 30))
        return min(doubled * self._random.uniform(0.75, 1.25), self._settings.backoff_cap)

    # --- shared addresses --------------------------------------------------------------------------------------------

    def is_located(self, host: str) -> bool:
        """True when the address of a host is known, or that nobody knows it."""
        clock = self._hosts.get(host, _STRANGER)
        return clock.located or bool(clock.address)

    def locate(self, host: str, address: str) -> None:
        """The host was looked up, and lives there; empty when nobody knows where."""
        clock = self._hosts.get(host) or self._meet(host)
        clock.located = True
        if address and not clock.address and clock.in_flight == 0:
            self._move(clock, address)

    def _address_free_at(self, clock: _Host, now: float) -> float:
        """Hosts that must wait for their shared address are promised moments one after the other, and get them in that order."""
        address = self._addresses.get(clock.address)
        if address is None:
            return 0.0
        while address.promised and address.promised[0].slot < now - _PATIENCE:
            address.promised.popleft().slot = 0.0
        free = max(0, self._per_address - address.in_flight)
        if not clock.slot:
            if free > len(address.promised) and address.slot_at <= now:
                return 0.0
            clock.slot = address.slot_at = max(address.slot_at, now) + self._step(address)
            address.promised.append(clock)
        if clock.slot > now:
            return clock.slot
        return 0.0 if clock in islice(address.promised, free) else now + self._step(address)

    def _take_slot(self, clock: _Host, now: float) -> None:
        address = self._addresses.get(clock.address)
        if address is not None:
            self._leave_queue(clock, address)
            address.slot_at = max(address.slot_at, now + self._settings.delay / self._per_address)
            address.in_flight += 1

    def _step(self, address: _Address) -> float:
        """Moments are promised no faster than the address can keep the promises."""
        return max(_MIN_STEP, max(self._settings.delay, address.took) / self._per_address)

    def _move(self, clock: _Host, address: str) -> None:
        if clock.address != address:
            if clock.address:
                self._leave_queue(clock, self._addresses[clock.address])
            clock.address = address
            self._addresses.setdefault(address, _Address())

    def _leave_queue(self, clock: _Host, address: _Address) -> None:
        if clock.slot:
            clock.slot = 0.0
            address.promised.remove(clock)
