"""The checker finds what is impolite, and only that."""

from __future__ import annotations

import pytest

from shoal.testing.politeness_audit import violations
from shoal.testing.webserver import Access

ROBOTS = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n"


def asked(path: str, started: float, ended: float | None = None, host: str = "a.test") -> Access:
    return Access(host=host, path=path, started=started, ended=started if ended is None else ended, status=200)


def one_second(host: str) -> float:
    return 1.0


CASES = {
    "a polite crawl": ([asked("/1", 0, 0.2), asked("/2", 1.0, 1.3), asked("/3", 2.5)], {}, []),
    "half a millisecond is rounding": ([asked("/1", 0), asked("/2", 0.9995)], {}, []),
    "two milliseconds are not": ([asked("/1", 0), asked("/2", 0.998)], {}, ["too soon"]),
    "two hosts at once": ([asked("/1", 0, 0.5), asked("/1", 0.1, 0.5, host="b.test")], {}, []),
    "the log need not be in order": ([asked("/2", 1.0), asked("/3", 1.2), asked("/1", 0)], {}, ["too soon"]),
    "Crawl-delay is longer": ([asked("/1", 0), asked("/2", 1.5)], {"a.test": ROBOTS}, ["too soon"]),
    "Crawl-delay is kept": ([asked("/1", 0), asked("/2", 2.0)], {"a.test": ROBOTS}, []),
    "robots.txt counts for the delay": ([asked("/robots.txt", 0), asked("/1", 0.3)], {}, ["too soon"]),
    "a forbidden path": ([asked("/private/1?x=2", 0)], {"a.test": ROBOTS}, ["disallowed"]),
    "forbidden elsewhere": ([asked("/private/1", 0, host="b.test")], {"a.test": ROBOTS}, []),
    "robots.txt may always be read": ([asked("/robots.txt", 0)], {"a.test": "User-agent: *\nDisallow: /\n"}, []),
    "a robots.txt with a byte order mark": ([asked("/private/1", 0)], {"a.test": "\ufeff" + ROBOTS}, ["disallowed"]),
    "rules for us alone": (
        [asked("/open", 0)],
        {"a.test": "User-agent: *\nDisallow: /\n\nUser-agent: shoal\nDisallow: /closed\n"},
        [],
    ),
    "a second request before the first has ended": (
        [asked("/1", 0, 1.5), asked("/2", 1.0, 1.2)],
        {},
        ["too many at once"],
    ),
    "the next when the last has just ended": ([asked("/1", 0, 1.0), asked("/2", 1.0, 1.2)], {}, []),
    "three at once are two violations": (
        [asked("/1", 0, 9), asked("/2", 1, 9), asked("/3", 2, 9)],
        {},
        ["too many at once", "too many at once"],
    ),
}


@pytest.mark.parametrize(("log", "robots", "kinds"), CASES.values(), ids=CASES.keys())
def test_finds_exactly_what_is_impolite(log: list[Access], robots: dict[str, str], kinds: list[str]) -> None:
    assert [violation.kind for violation in violations(log, one_second, robots)] == kinds


def test_more_requests_in_flight_are_allowed_where_the_user_said_so() -> None:
    log = [asked("/1", 0, 9), asked("/2", 1, 9), asked("/3", 2, 9)]
    assert [violation.kind for violation in violations(log, one_second, {}, per_host=2)] == ["too many at once"]
    assert violations(log, one_second, {}, per_host=3) == []


def test_each_host_has_its_own_delay() -> None:
    log = [asked("/1", 0), asked("/2", 0.1), asked("/1", 0, host="b.test"), asked("/2", 0.1, host="b.test")]
    found = violations(log, {"a.test": 0.0, "b.test": 1.0}.__getitem__, {})
    assert [violation.host for violation in found] == ["b.test"]


def test_a_sentence_names_the_requests() -> None:
    log = [asked("/private/1", 0, 2), asked("/2", 0.25, 0.5)]
    assert [str(violation) for violation in violations(log, one_second, {"a.test": ROBOTS})] == [
        "a.test was asked for /2 only 0.250 s after /private/1, but wants 2 s between requests",
        "a.test was asked for /private/1, which its robots.txt forbids to Shoal",
        "a.test had 2 requests in flight (/private/1 and /2), but 1 may be",
    ]
