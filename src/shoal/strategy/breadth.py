"""Breadth first: a queue. The baseline every focused strategy must beat (PUSH 2.3.1)."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.judge.registry import Registered
from shoal.model import Candidate, Seen, Topic
from shoal.protocols import Strategy
from shoal.strategy import refusal


class Breadth(Strategy):
    """Pages near a seed before pages far from it; what a page says does not matter."""

    def __init__(self, topic: Topic) -> None:
        """The topic is not looked at: that is the point of the baseline."""

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Every link one level below its page; on one level the frontier keeps the order of arrival."""
        if (page := seen.page) is None:
            return
        depth = seen.task.depth + 1
        priority, why = float(-depth), f"{depth} links from a seed" if depth > 1 else "1 link from a seed"
        for link in page.links:
            yield refusal(page, link) or Candidate(link=link, priority=priority, why=why)


CHOICE = Registered(name="breadth", summary="level by level, whatever the pages say", paper="PUSH 2.3.1", make=Breadth)
