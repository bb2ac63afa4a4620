"""Best first: the most promising link of all that are known (PUSH 2.3.2.2, baseline in AVSM and RESTORE)."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.judge.registry import Parameter, Registered
from shoal.model import Candidate, Seen, Topic
from shoal.protocols import Strategy
from shoal.strategy import promising

PARENT_SHARE = 0.3
"""How much of the priority comes from the page; the rest comes from the link's own words.

Of 0, 0.2, 0.3, 0.5, 0.7 and 1, tried on three real webs: from 0.2 to 0.5 it hardly matters where links say little, and from
0.5 on it harms where they say much.
"""


class BestFirst(Strategy):
    """Links with promising words on relevant pages first. The frontier drops the worst when it is full."""

    def __init__(self, topic: Topic, *, parent_share: float = PARENT_SHARE) -> None:
        """The topic is in the scores already: the judge's verdict on the page and its hints on the links."""
        self._parent_share = parent_share

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with the mix of its page's score and its own; both count from 0 to 1."""
        if seen.verdict is None:
            return
        parent = min(max(seen.verdict.score, 0.0), 1.0)
        base, why = self._parent_share * parent, f"parent page {parent:.2f}, link text "
        own_share = 1 - self._parent_share
        for link, hint, refused in promising(seen):
            yield refused or Candidate(link=link, priority=base + own_share * hint, why=f"{why}{hint:.2f}")


CHOICE = Registered(
    name="best-first",
    summary="links with promising words on relevant pages first",
    paper="PUSH 2.3.2.2",
    make=BestFirst,
    parameters=(
        Parameter(
            "parent_share",
            PARENT_SHARE,
            least=0.0,
            most=1.0,
            what="how much of the priority comes from the page, the rest comes from the link",
        ),
    ),
)
