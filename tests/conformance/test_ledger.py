"""What every ledger of hosts must do, in memory or on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shoal.protocols import Ledger
from shoal.store.clocks import PostgresLedger
from shoal.store.sqlite_ledger import SqliteLedger
from shoal.testing.memory_ledger import Clock, MemoryLedger

NOW = 1_800_000_000.0


class Prompt:
    """A ledger that tells the others everything at once."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def claim(self, key: str, now: float, until: float, next_at: float = 0.0) -> float:
        granted = self._ledger.claim(key, now, until, next_at)
        self._ledger.flush()
        return granted

    def release(self, key: str, next_at: float) -> None:
        self._ledger.release(key, next_at)
        self._ledger.flush()


OpenLedger = Callable[[str], Prompt]


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def open_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenLedger]:
    """Opens the ledger of this test for one crawl after another."""
    clocks: dict[str, Clock] = {}
    opened: list[SqliteLedger | PostgresLedger] = []

    def open_sqlite(owner: str) -> Ledger:
        opened.append(SqliteLedger(tmp_path / "hosts.sqlite", owner, lambda: NOW))
        return opened[-1]

    def open_postgres(owner: str) -> Ledger:
        opened.append(PostgresLedger(request.getfixturevalue("postgres"), owner, lambda: NOW))
        return opened[-1]

    def open_memory(owner: str) -> Ledger:
        return MemoryLedger(owner, clocks)

    openers = {"memory": open_memory, "sqlite": open_sqlite, "postgresql": open_postgres}
    opener = openers[request.param]
    yield lambda owner: Prompt(opener(owner))
    for ledger in opened:
        ledger.close()


def test_a_host_nobody_asked_is_granted_at_once(open_ledger: OpenLedger) -> None:
    assert open_ledger("a").claim("example.org", NOW, NOW + 60) == 0


def test_a_released_host_is_granted_at_its_time_and_not_before(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    ledger.claim("example.org", NOW, NOW + 60)
    ledger.release("example.org", NOW + 2)
    assert ledger.claim("example.org", NOW + 1.9, NOW + 60) == NOW + 2
    assert ledger.claim("example.org", NOW + 2, NOW + 60) == 0


def test_hosts_do_not_wait_for_each_other(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    ledger.claim("one.example", NOW, NOW + 60)
    ledger.release("one.example", NOW + 100)
    assert ledger.claim("two.example", NOW, NOW + 60) == 0


def test_another_crawl_waits_while_a_request_is_in_flight(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    assert first.claim("example.org", NOW, NOW + 60) == 0
    assert second.claim("example.org", NOW, NOW + 60) > NOW
    assert second.claim("example.org", NOW + 59, NOW + 119) > NOW + 59


def test_two_crawls_share_the_delay_of_a_host(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    first.claim("example.org", NOW, NOW + 60)
    first.release("example.org", NOW + 5)
    assert second.claim("example.org", NOW + 1, NOW + 61) == NOW + 5
    assert second.claim("example.org", NOW + 5, NOW + 65) == 0
    assert first.claim("example.org", NOW + 5, NOW + 65) > NOW + 5


def test_a_claim_that_ran_out_is_free_for_others(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    first.claim("example.org", NOW, NOW + 60)
    assert second.claim("example.org", NOW + 60, NOW + 120) == 0


def test_a_late_release_does_not_end_the_claim_of_another_crawl(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    first.claim("example.org", NOW, NOW + 60)
    second.claim("example.org", NOW + 61, NOW + 121)
    first.release("example.org", NOW + 62)
    assert first.claim("example.org", NOW + 63, NOW + 123) > NOW + 63


def test_a_crawl_may_hold_a_host_more_than_once(open_ledger: OpenLedger) -> None:
    first, second = open_ledger("a"), open_ledger("b")
    assert first.claim("example.org", NOW, NOW + 60) == 0
    assert first.claim("example.org", NOW, NOW + 60) == 0
    first.release("example.org", NOW)
    assert second.claim("example.org", NOW + 1, NOW + 61) > NOW + 1  # the other request is still in flight
    first.release("example.org", NOW)
    assert second.claim("example.org", NOW + 1, NOW + 61) == 0


def test_the_longest_wait_wins(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    ledger.release("example.org", NOW + 100)
    ledger.release("example.org", NOW + 1)
    assert ledger.claim("example.org", NOW + 2, NOW + 62) == NOW + 100


def test_a_host_whose_asker_died_is_left_alone_for_its_own_delay(open_ledger: OpenLedger) -> None:
    dead, other = open_ledger("dead"), open_ledger("other")
    dead.claim("example.org", NOW, NOW + 60, next_at=NOW + 90)
    assert other.claim("example.org", NOW + 61, NOW + 121) == NOW + 90


def test_a_release_says_better_when_the_host_may_be_asked_than_the_claim_did(open_ledger: OpenLedger) -> None:
    ledger = open_ledger("a")
    ledger.claim("example.org", NOW, NOW + 60, next_at=NOW + 90)
    ledger.release("example.org", NOW + 1)
    assert ledger.claim("example.org", NOW + 1, NOW + 61) == 0
