"""When may a host be asked again? Worked examples, with time as an argument."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

from shoal.frontier.politeness import Clocks
from shoal.model import Failure, Reason, Timing
from shoal.settings import Politeness
from shoal.testing.memory_ledger import Clock, MemoryLedger

NOW = 1000.0


def clocks(shared: dict[str, Clock] | None = None, owner: str = "me", seed: int = 1, **changes: Any) -> Clocks:
    ledger = MemoryLedger(owner, shared)
    return Clocks(Politeness(**changes), ledger, longest_request=60, random=Random(seed))


def timing(at: float = NOW, took: float = 0.0, address: str = "") -> Timing:
    return Timing(started=at, answered=at + took, ended=at + took, address=address)


def failure(reason: Reason = Reason.STATUS, at: float = NOW, **changes: Any) -> Failure:
    return Failure(url="http://a.test/", reason=reason, timing=timing(at), **changes)


BUSY = failure(status=503)


@pytest.mark.parametrize(
    ("settings", "crawl_delay", "took", "gap"),
    [
        ({"delay": 1.0}, None, 0.1, 1.0),
        ({"delay": 1.0}, 7.0, 0.1, 7.0),
        ({"delay": 10.0}, 7.0, 0.1, 10.0),
        ({"delay": 1.0, "fetch_factor": 2.0}, None, 3.0, 6.0),
        ({"delay": 1.0, "max_crawl_delay": 30.0}, 900.0, 0.1, 30.0),
        ({"delay": 0.0}, None, 3.0, 0.0),
        ({"delay": 0.0}, 4.0, 0.1, 4.0),
    ],
)
def test_the_gap_is_the_longest_of_delay_crawl_delay_and_slowness(
    settings: dict[str, Any], crawl_delay: float | None, took: float, gap: float
) -> None:
    host = clocks(**settings)
    assert host.claim("a.test", NOW) == 0
    host.set_crawl_delay("a.test", crawl_delay)
    assert host.release("a.test", timing(took=took)) == pytest.approx(NOW + took + gap)
    assert host.claim("a.test", NOW + took + gap - 0.01) == pytest.approx(NOW + took + gap)


def test_a_host_is_busy_while_a_request_is_under_way() -> None:
    host = clocks()
    assert not host.busy("a.test")
    host.claim("a.test", NOW)
    assert host.busy("a.test")
    host.release("a.test", timing())
    assert not host.busy("a.test")


def test_a_request_that_was_not_made_costs_no_delay() -> None:
    host = clocks(delay=5)
    host.claim("a.test", NOW)
    host.cancel("a.test")
    assert host.claim("a.test", NOW) == 0


def test_trouble_doubles_the_rest_within_the_bounds_of_chance_and_never_above_the_cap() -> None:
    for seed in range(50):
        host, now = clocks(seed=seed, delay=1, backoff_first=5, backoff_cap=60), NOW
        for doubled in [5, 10, 20, 40, 60, 60]:
            assert host.claim("a.test", now) == 0
            rest = host.release("a.test", timing(now), failure(Reason.TIMEOUT, now)) - now
            assert 0.75 * doubled <= rest <= min(1.25 * doubled, 60)
            now += rest


def test_success_forgives_one_trouble_at_a_time() -> None:
    host, now = clocks(attempts=4), NOW
    hopes = []
    for came in [BUSY, BUSY, None, None, failure(Reason.CONNECT), failure(Reason.CONNECT), failure(Reason.CONNECT)]:
        now += 10_000
        assert host.claim("a.test", now) == 0
        host.release("a.test", timing(now), came)
        hopes.append(host.still_hopes("a.test"))
    assert all(hopes)
    host.claim("a.test", now + 10_000)
    host.release("a.test", timing(now + 10_000), failure(Reason.CONNECT))
    assert not host.still_hopes("a.test")


@pytest.mark.parametrize(
    ("asked", "rest"),
    [
        (120.0, 120.0),
        (0.5, 1.0),
        (5000.0, 5000.0),
        (90_000.0, 86_400.0),
        (math.inf, 86_400.0),
        (math.nan, 1.0),
        (-90_000.0, 1.0),
    ],
)
def test_retry_after_is_honoured_up_to_a_day_and_never_shortens_the_delay(asked: float, rest: float) -> None:
    host = clocks(delay=1, backoff_cap=3600)
    host.claim("a.test", NOW)
    assert host.release("a.test", timing(), failure(status=429, retry_after=asked)) == NOW + rest


def test_a_page_that_is_missing_is_no_trouble_of_its_host() -> None:
    host = clocks(delay=1)
    host.claim("a.test", NOW)
    assert host.release("a.test", timing(), failure(status=404)) == NOW + 1


def test_two_crawls_share_the_clock_of_a_host() -> None:
    shared: dict[str, Clock] = {}
    mine, yours = clocks(shared, "me", delay=5), clocks(shared, "you", delay=5)
    assert mine.claim("a.test", NOW) == 0
    assert yours.claim("a.test", NOW) > NOW
    mine.release("a.test", timing())
    assert yours.claim("a.test", NOW + 4) == NOW + 5
    assert yours.claim("a.test", NOW + 5) == 0


def test_ones_own_host_gets_several_requests_at_once_a_delay_apart() -> None:
    host = clocks(per_host=2, delay=1)
    assert host.claim("a.test", NOW) == 0
    assert host.claim("a.test", NOW + 0.5) == NOW + 1
    assert host.claim("a.test", NOW + 1) == 0
    assert host.busy("a.test")


# --- hosts that share an address -------------------------------------------------------------------------------------


def neighbours(count: int, **changes: Any) -> tuple[Clocks, list[str]]:
    """Hosts that are known to live at one address, none of them under way, all free to be asked at NOW."""
    hosts, names = clocks(**changes), [f"host{number}.test" for number in range(count)]
    for name in names:
        assert hosts.claim(name, NOW - 1000) == 0
        hosts.release(name, timing(NOW - 1000, address="192.0.2.1"))
    return hosts, names


def test_an_address_gets_a_few_requests_at_once_whatever_the_hosts() -> None:
    hosts, names = neighbours(10, delay=0, per_address=3)
    granted = [name for name in names if hosts.claim(name, NOW) == 0]
    assert len(granted) == 3
    hosts.release(granted[0], timing(address="192.0.2.1"))
    assert sum(hosts.claim(name, NOW + 60) == 0 for name in names if name not in granted) == 1


def test_the_requests_to_an_address_are_spread_evenly() -> None:
    hosts, names = neighbours(8, delay=1, per_address=4)
    moments = [hosts.claim(name, NOW) for name in names]
    assert moments[0] == 0
    assert moments[1:] == [pytest.approx(NOW + 0.25 * turn) for turn in range(2, 9)]


def test_no_host_starves_at_a_busy_address() -> None:
    """The first of the list always ask first, as hosts of high priority do; the last must get their turn all the same."""
    hosts, names = neighbours(12, delay=0.5, per_address=2)
    under_way: dict[str, float] = {}
    at, served = dict.fromkeys(names, NOW), dict.fromkeys(names, 0)
    for tick in range(2400):
        now = NOW + tick * 0.05
        for name in [name for name, end in under_way.items() if end <= now]:
            del under_way[name]
            at[name] = hosts.release(name, timing(now - 1, took=1, address="192.0.2.1"))
            served[name] += 1
        for name in names:
            if name not in under_way and at[name] <= now:
                at[name] = hosts.claim(name, now)
                if not at[name]:
                    under_way[name] = now + 1
        assert len(under_way) <= 2
    assert sum(served.values()) > 100, "the address is used well"
    assert max(served.values()) <= 2 * min(served.values())


def test_a_host_that_does_not_come_for_its_moment_does_not_hold_up_the_others() -> None:
    hosts, names = neighbours(3, delay=0, per_address=1)
    assert hosts.claim(names[0], NOW) == 0
    gone, waits = hosts.claim(names[1], NOW), hosts.claim(names[2], NOW)
    assert NOW < gone < waits
    hosts.release(names[0], timing(address="192.0.2.1"))
    assert hosts.claim(names[2], waits) > waits, "it is the other one's turn"
    assert hosts.claim(names[2], NOW + 60) == 0


def test_a_claim_refused_by_another_crawl_does_not_cost_the_moment_at_the_address() -> None:
    shared: dict[str, Clock] = {}
    other = clocks(shared, "other", delay=1)
    hosts, names = neighbours(2, shared=shared, delay=1, per_address=1)
    assert hosts.claim(names[0], NOW) == 0
    mine = hosts.claim(names[1], NOW)
    hosts.release(names[0], timing(address="192.0.2.1"))
    assert other.claim(names[1], mine) == 0
    assert hosts.claim(names[1], mine) > mine
    other.release(names[1], timing(mine))
    assert hosts.claim(names[1], mine + 1) == 0
