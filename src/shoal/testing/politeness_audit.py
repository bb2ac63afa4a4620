"""Was a crawl polite? Read from the server's own access log, not from what the crawler says of itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from protego import Protego

from shoal.testing.webserver import Access

TOLERANCE = 0.001
"""Seconds: only for the rounding of floats and clocks, not for crawlers that are nearly polite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing that a polite crawler would not have done."""

    kind: Literal["too soon", "disallowed", "too many at once"]
    host: str
    sentence: str
    """Names the requests."""

    def __str__(self) -> str:
        return self.sentence


def violations(
    log: Iterable[Access],
    delays: Callable[[str], float],
    robots: Mapping[str, str],
    per_host: int = 1,
    agent: str = "Shoal",
) -> list[Violation]:
    """All that was impolite, host by host.

    `delays` gives the seconds between two requests to a host (start to start), `robots` the text of a host's
    robots.txt: a longer Crawl-delay in it wins, and its rules forbid paths. The robots.txt itself may always be asked for.
    """
    by_host: dict[str, list[Access]] = defaultdict(list)
    for access in log:
        by_host[access.host].append(access)
    found: list[Violation] = []
    for host, requests in sorted(by_host.items()):
        requests.sort(key=lambda access: access.started)
        rules = Protego.parse(robots.get(host, "").removeprefix("\ufeff"))
        delay = max(delays(host), float(rules.crawl_delay(agent) or 0.0))
        found += _too_soon(requests, delay)
        found += _disallowed(requests, rules, agent)
        found += _too_many(requests, per_host)
    return found


def _too_soon(requests: list[Access], delay: float) -> Iterator[Violation]:
    for earlier, later in pairwise(requests):
        gap = later.started - earlier.started
        if gap < delay - TOLERANCE:
            sentence = (
                f"{later.host} was asked for {later.path} only {gap:.3f} s after {earlier.path}, "
                f"but wants {delay:g} s between requests"
            )
            yield Violation(kind="too soon", host=later.host, sentence=sentence)


def _disallowed(requests: list[Access], rules: Protego, agent: str) -> Iterator[Violation]:
    for request in requests:
        if request.path != "/robots.txt" and not rules.can_fetch(request.path, agent):
            sentence = f"{request.host} was asked for {request.path}, which its robots.txt forbids to {agent}"
            yield Violation(kind="disallowed", host=request.host, sentence=sentence)


def _too_many(requests: list[Access], per_host: int) -> Iterator[Violation]:
    """Requests count as in flight until they ended; one that starts at that very moment does not overlap."""
    in_flight: list[Access] = []
    for request in requests:
        in_flight = [open_one for open_one in in_flight if open_one.ended > request.started]
        in_flight.append(request)
        if len(in_flight) > per_host:
            paths = " and ".join(access.path for access in in_flight)
            sentence = f"{request.host} had {len(in_flight)} requests in flight ({paths}), but {per_host} may be"
            yield Violation(kind="too many at once", host=request.host, sentence=sentence)
