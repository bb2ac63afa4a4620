"""Fish search: fish breed where they find food, and starve where they find none for too long (PUSH table 3-1).

The queue has three parts: the first links of relevant pages, then the first links of others, then all the rest. Among equals
the frontier keeps the order of arrival. The first links are the first that lead to something new: those at the top of every
page of a real site are its menu, whose pages were fetched long ago. How far a fish may still swim without food is what a page
leaves to its links.
"""

from __future__ import annotations

from collections.abc import Iterable

from shoal.judge.registry import Parameter, Registered
from shoal.model import Candidate, Link, Reason, Seen, Topic, Verdict
from shoal.protocols import Persistent, Strategy
from shoal.strategy import refusal
from shoal.urls import key_of

WIDTH, DEPTH, BREEDING = 10, 3, 1.5
_MARK = b"eaten:"
PARAMETERS = (
    Parameter("width", WIDTH, least=1, most=10_000, what="links favoured on a page that is not relevant"),
    Parameter("depth", DEPTH, least=1, most=1_000, what="pages in a row without food that a fish survives"),
    Parameter("breeding", BREEDING, least=1.0, most=100.0, what="how many times more links on a relevant page"),
)


class Fish(Strategy, Persistent):
    """Follows many links of relevant pages and few of others, and gives up after some irrelevant pages in a row."""

    def __init__(self, topic: Topic, *, width: float = WIDTH, depth: float = DEPTH, breeding: float = BREEDING) -> None:
        """The topic is in the judge's verdict."""
        self._width, self._depth, self._breeding = width, depth, breeding
        self._eaten: set[int] = set()
        """The keys of the pages that were fetched: they are nobody's offspring any more."""

    def score(self, verdict: Verdict) -> float:
        """What the favoured links of a page are worth."""
        return 1.0 if verdict.relevant else 0.5

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """The first links of the page score, the others do not; where a fish starves, no link is followed."""
        if (page := seen.page) is None or (verdict := seen.verdict) is None:
            return
        # Never more than the depth: the user may have made it less, or another strategy has left something else.
        strength = self._depth if seen.task.inherited is None else min(seen.task.inherited, self._depth)
        left = self._depth if verdict.relevant else strength - 1
        favoured = self._width * (self._breeding if verdict.relevant else 1)
        self._eaten.add(key_of(seen.task.url))
        place = 0  # among the links that may be followed and lead to something new
        for link in page.links:
            if refused := refusal(page, link):
                yield refused
                continue
            key = key_of(link.url)
            yield self._offspring(link, key, verdict, left, favoured=place < favoured)
            place += key not in self._eaten

    def _offspring(self, link: Link, key: int, verdict: Verdict, left: float, *, favoured: bool) -> Candidate:
        food = "a relevant page" if verdict.relevant else "a page without food"
        if left < 0:
            why = f"{self._depth + 1:.0f} pages in a row were without food"
            return Candidate(link=link, priority=0.0, why=why, refused=Reason.BOUND, inherited=0.0, key=key)
        score = self.score(verdict) if favoured else 0.0
        why = f"{'among the first links of' if favoured else 'further down on'} {food}, {left:.0f} more without"
        return Candidate(link=link, priority=score, why=why, inherited=left, key=key)

    def memo(self, seen: Seen) -> bytes:
        """That the page was fetched."""
        return _MARK + key_of(seen.task.url).to_bytes(8, "big", signed=True) if seen.page is not None else b""

    def recall(self, memos: Iterable[bytes]) -> None:
        """What was fetched before."""
        ours = (memo.removeprefix(_MARK) for memo in memos if memo.startswith(_MARK))
        self._eaten.update(int.from_bytes(key, "big", signed=True) for key in ours)


CHOICE = Registered(
    name="fish",
    summary="many links of relevant pages, few of others, none after some bad pages in a row",
    paper="PUSH table 3-1",
    make=Fish,
    judge="boolean",
    parameters=PARAMETERS,
)
