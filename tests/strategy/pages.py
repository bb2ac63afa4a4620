"""Visited pages for the tests of strategies, and the queue that their links wait in."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from shoal.frontier.frontier import Frontier
from shoal.frontier.host_schedule import HostSchedule
from shoal.frontier.intake import Intake
from shoal.frontier.pending import PendingChanges
from shoal.frontier.politeness import Clocks
from shoal.frontier.scope import ScopeRule
from shoal.frontier.traps import TrapDetector
from shoal.model import Entry, Link, Page, Response, Seen, Task, Timing, Topic, Verdict
from shoal.protocols import Strategy
from shoal.settings import Budget, Politeness, Scope
from shoal.store.packed_page import pack
from shoal.testing.memory_ledger import MemoryLedger
from shoal.testing.memory_url_index import MemoryUrlIndex
from shoal.urls import host_of

URL = "http://x.example/page"
HOME = "http://x.example/"
TOPIC = Topic(name="x", terms=())
"""For strategies that do not look at it."""


def seen(
    *,
    score: float,
    hints: Sequence[float],
    links: Sequence[Link] = (),
    depth: int = 0,
    nofollow: bool = False,
    url: str = URL,
    inherited: float | None = None,
    ended: float = 0.0,
) -> Seen:
    """A page with this score and links with these hints came back."""
    links = links or [Link(url=f"http://x.example/{place}", position=place) for place in range(len(hints))]
    timing = Timing(started=ended, answered=ended, ended=ended)
    response = Response(url=url, status=200, headers=(), body=b"", timing=timing)
    page = Page(url=url, links=tuple(links), nofollow=nofollow)
    return Seen(
        task=Task(id=1, url=url, depth=depth, inherited=inherited),
        response=response,
        packed=pack(response, page),
        page=page,
        verdict=Verdict(score=score, threshold=0.15),
        hints=tuple(hints),
    )


def page(
    name: str,
    *names: str,
    score: float = 0.0,
    hint: float = 0.0,
    depth: int = 1,
    inherited: float | None = None,
    ended: float = 0.0,
) -> Seen:
    """The page of this name came, with links to those; a name is a path on one host, or a whole URL."""
    links = [Link(url=url_of(other), position=place) for place, other in enumerate(names)]
    hints = [hint] * len(names)
    return seen(url=url_of(name), score=score, hints=hints, links=links, depth=depth, inherited=inherited, ended=ended)


def url_of(name: str) -> str:
    return name if name.startswith("http") else HOME + name


class Queue:
    """What a strategy's links go through in a crawl: the real intake and frontier, with hosts that never need to rest."""

    def __init__(self) -> None:
        politeness = Politeness(delay=0.0, fetch_factor=0.0, per_host=1000, per_address=1000)
        clocks = Clocks(politeness, MemoryLedger(), longest_request=60, random=Random(1))
        url_index = MemoryUrlIndex()
        records = PendingChanges(url_index)
        self.frontier = Frontier(url_index, records, HostSchedule(clocks))
        scope = ScopeRule(Scope(), (HOME,))
        self._intake = Intake(self.frontier, records, scope, TrapDetector(2026), Budget(), lost=lambda keys: None)

    def follow(self, strategy: Strategy, visit: Seen) -> None:
        """A page's links come in."""
        parent = Entry(id=1, url=visit.task.url, host=host_of(visit.task.url), priority=0.0, depth=visit.task.depth)
        for candidate in strategy.follow(visit):
            self._intake.link(candidate, parent)

    def pop(self) -> Entry | None:
        """The next URL to fetch."""
        task = self.frontier.pop(1000.0)
        return self.frontier.leased[task.id] if task is not None else None

    def order(self) -> list[str]:
        """The names of all that wait, in the order of fetching."""
        return [entry.url.removeprefix(HOME) for entry in iter(self.pop, None)]
