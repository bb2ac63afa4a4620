"""Who has what, and until when? Worked examples, with time as an argument."""

from __future__ import annotations

from shoal.cluster.leases import BEGIN_WITHIN, Leases, longest
from shoal.cluster.wire import Assigned
from shoal.model import Term, Topic
from shoal.settings import Fetching, Settings

NOW = 1000.0


def assigned(number: int) -> Assigned:
    return Assigned(
        id=number, url=f"http://a.test/{number}", crawl="c", run="r", lease=number, until=NOW + BEGIN_WITHIN
    )


def test_a_lease_lasts_until_its_result_comes() -> None:
    leases = Leases()
    leases.add(assigned(7), NOW + 10)
    assert len(leases) == 1
    lease = leases.end(7)
    assert lease is not None
    assert lease.task.url == "http://a.test/7"
    assert len(leases) == 0
    assert leases.end(7) is None
    assert leases.ended(NOW + 99) == []


def test_or_until_its_time_is_over_and_not_a_moment_longer() -> None:
    leases = Leases()
    for number, seconds in ((1, 30), (2, 10), (3, 20)):
        leases.add(assigned(number), NOW + seconds)
    assert leases.ended(NOW + 9.9) == []
    assert [lease.task.lease for lease in leases.ended(NOW + 20)] == [2, 3]
    assert leases.ended(NOW + 20) == []
    assert leases.find(2) is None
    assert leases.find(1) is not None


def test_every_lease_has_a_number_of_its_own() -> None:
    leases = Leases()
    assert len({leases.new_number() for _ in range(100)}) == 100


def test_when_a_lease_is_over_nobody_who_began_in_time_can_still_be_asking() -> None:
    settings = Settings(topic=Topic(name="t", terms=(Term(text="t"),)), seeds=(), fetching=Fetching(total_timeout=33.0))
    assert longest(settings) > BEGIN_WITHIN + 33.0
