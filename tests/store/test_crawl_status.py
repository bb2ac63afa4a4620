"""What the database says about a crawl as a whole."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec

from shoal.model import Reason, State
from shoal.store.crawl_status import ClosedHost, HostCounts, ReasonCount, status
from tests.store.conftest import NOW, HandMade


def test_the_status_of_an_empty_crawl_has_no_rates(crawl: HandMade) -> None:
    found = status(crawl.connection, running=False)
    assert (found.waiting, found.pages, found.bytes, found.hosts, found.elapsed) == (0, 0, 0, 0, 0)
    assert (found.harvest_rate, found.pages_per_second, found.first_fetch, found.last_fetch) == (None,) * 4


def test_every_state_is_counted_with_its_reasons(crawl: HandMade) -> None:
    crawl.page("https://a.example/", 1)
    crawl.url("https://a.example/1")
    crawl.url("https://a.example/2")
    crawl.url("https://a.example/3", State.FAILED, reason=Reason.TIMEOUT)
    for number in range(3):
        crawl.url(f"https://a.example/f{number}", State.FAILED, reason=Reason.STATUS)
    crawl.url("https://a.example/admin", State.SKIPPED, reason=Reason.ROBOTS)
    crawl.url("https://a.example/moved", State.MOVED)
    found = status(crawl.connection, running=False)
    assert (found.waiting, found.done, found.failed, found.skipped, found.moved) == (2, 1, 4, 1, 1)
    assert found.failures == (ReasonCount(reason="status", count=3), ReasonCount(reason="timeout", count=1))
    assert found.skips == (ReasonCount(reason="robots", count=1),)


def test_urls_under_way_count_as_fetching_only_while_a_crawl_runs(crawl: HandMade) -> None:
    crawl.url("https://a.example/1")
    crawl.url("https://a.example/2")
    crawl.meta("fetching", ["https://a.example/1"])
    running, stopped = status(crawl.connection, running=True), status(crawl.connection, running=False)
    assert (running.waiting, running.fetching) == (1, 1)
    assert running.fetching_urls == ("https://a.example/1",)
    assert (stopped.waiting, stopped.fetching, stopped.fetching_urls) == (2, 0, ())


def test_rates_count_every_page_and_survive_missing_scores(crawl: HandMade) -> None:
    crawl.page("https://a.example/1", 1, bytes=100)
    crawl.page("https://a.example/2", 2, bytes=200, relevant=0)
    crawl.page("https://a.example/3", 3, bytes=300, score=None, threshold=None, relevant=0)
    crawl.page("https://a.example/4", 4, bytes=400, score=None, threshold=None, relevant=0)
    crawl.meta("elapsed", 8.0)
    found = status(crawl.connection, running=False)
    assert (found.pages, found.judged, found.relevant, found.bytes) == (4, 2, 1, 1000)
    assert (found.harvest_rate, found.elapsed, found.pages_per_second) == (0.25, 8.0, 0.5)
    assert found.first_fetch == datetime.fromtimestamp(NOW + 1, UTC)
    assert found.last_fetch == datetime.fromtimestamp(NOW + 4, UTC)


def test_without_a_record_of_active_time_the_fetches_tell(crawl: HandMade) -> None:
    crawl.page("https://a.example/1", 1, fetched_at=NOW)
    assert status(crawl.connection, running=False).pages_per_second is None
    crawl.page("https://a.example/2", 2, fetched_at=NOW + 4)
    assert status(crawl.connection, running=False).pages_per_second == 0.5


def test_hosts_are_listed_by_their_pages(crawl: HandMade) -> None:
    crawl.page("https://b.example/1", 1)
    crawl.page("https://b.example/2", 2, relevant=0)
    crawl.page("https://b.example/3", 3, score=None, relevant=0)
    crawl.page("https://a.example/1", 4)
    crawl.url("https://b.example/4")
    crawl.url("https://b.example/5", State.FAILED, reason=Reason.TIMEOUT)
    crawl.url("https://c.example/1")
    crawl.host("d.example", closed="dns")
    crawl.host("a.example", closed="host-budget")
    found = status(crawl.connection, running=False)
    assert (found.hosts, found.hosts_waiting) == (4, 2)
    assert found.top_hosts == (
        HostCounts(host="b.example", pages=3, relevant=1, waiting=1, failed=1),
        HostCounts(host="a.example", pages=1, relevant=1, waiting=0, failed=0),
    )
    assert found.hosts_closed == (ReasonCount(reason="dns", count=1), ReasonCount(reason="host-budget", count=1))
    assert found.closed == (
        ClosedHost(host="a.example", reason="host-budget"),
        ClosedHost(host="d.example", reason="dns"),
    )


def test_only_the_ten_largest_hosts_are_listed(crawl: HandMade) -> None:
    for number in range(15):
        crawl.page(f"https://h{number:02}.example/", number + 1)
    found = status(crawl.connection, running=False).top_hosts
    assert [counts.host for counts in found] == [f"h{number:02}.example" for number in range(10)]


def test_a_status_can_be_printed_as_json(crawl: HandMade) -> None:
    crawl.page("https://a.example/", 1)
    printed = json.loads(msgspec.json.encode(status(crawl.connection, running=False)))
    assert printed["first_fetch"] == "2027-01-15T08:00:01Z"
