"""Breadth and depth first together: a queue within a depth and a width (PUSH 2.3.1)."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.judge.registry import Parameter, Registered
from shoal.model import Candidate, Link, Reason, Seen, Topic
from shoal.protocols import Strategy
from shoal.strategy import refusal

WIDTH, DEPTH = 100, 5


class Bounded(Strategy):
    """Level by level, but only the first links of each page, and only so far from the seeds."""

    def __init__(self, topic: Topic, *, width: float = WIDTH, depth: float = DEPTH) -> None:
        """The topic is not looked at, as in `breadth`."""
        self._width, self._depth = width, depth

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """The links within the bounds, one level below their page; the others are refused."""
        if (page := seen.page) is None:
            return
        place = 0  # among the links that may be followed
        for link in page.links:
            refused = refusal(page, link)
            yield refused or self._within(link, place, seen.task.depth + 1)
            place += refused is None

    def _within(self, link: Link, place: int, depth: int) -> Candidate:
        if depth > self._depth:
            why = f"on level {depth}, the last one is {self._depth:.0f}"
            return Candidate(link=link, priority=float(-depth), why=why, refused=Reason.BOUND)
        if place >= self._width:
            why = f"link number {place + 1} of its page, {self._width:.0f} are allowed"
            return Candidate(link=link, priority=float(-depth), why=why, refused=Reason.BOUND)
        return Candidate(link=link, priority=float(-depth), why=f"on level {depth} of {self._depth:.0f}")


CHOICE = Registered(
    name="bounded",
    summary="level by level within a depth and a width, whatever the pages say",
    paper="PUSH 2.3.1",
    make=Bounded,
    parameters=(
        Parameter("width", WIDTH, least=1, most=10_000, what="links followed of each page"),
        Parameter("depth", DEPTH, least=1, most=1_000, what="links followed from a seed"),
    ),
)
