"""Depth first: a stack (PUSH 2.3.1)."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.judge.registry import Registered
from shoal.model import Candidate, Seen, Topic
from shoal.protocols import Strategy
from shoal.strategy import refusal


class Depth(Strategy):
    """The links of the page that came last, the first of them first; what a page says does not matter."""

    def __init__(self, topic: Topic) -> None:
        """The topic is not looked at: that is the point of the baseline."""

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Every link on top of the stack. When the page came is its height there, which a restart does not change.

        A URL that is found again comes to the top: it is then reached from the page that is deepest.
        """
        if (page := seen.page) is None:
            return
        came, why = seen.response.timing.ended, f"on level {seen.task.depth + 1}, the newest links first"
        for link in page.links:
            yield refusal(page, link) or Candidate(link=link, priority=came, why=why)


CHOICE = Registered(name="depth", summary="always deeper, whatever the pages say", paper="PUSH 2.3.1", make=Depth)
