"""The genetic factor: a page passes its value on, whole to promising links, a part of it to others (AVSM 2.3).

Nothing is thrown away: where the main channel is blocked, links with less value are a side channel, which opens when nothing
better waits.
"""

from __future__ import annotations

from collections.abc import Iterable

from shoal.judge.registry import Parameter, Registered
from shoal.model import Candidate, Seen, Topic
from shoal.protocols import Strategy
from shoal.strategy import promising

INITIAL = 100.0
"""The value of seeds."""
THRESHOLD, FACTOR = 0.15, 0.8
_SECOND = 1e-9
"""Among links of the same value the link's own relevance decides. It adds this share of the value at most, so that it never
counts as much as a step of the value, however small that has become."""
PARAMETERS = (
    Parameter("f", THRESHOLD, least=0.0, most=1.0, what="the relevance from which a link promises"),
    Parameter("r", FACTOR, least=0.01, most=1.0, what="what is left of the value where it does not"),
)


class GeneticFactor(Strategy):
    """Order: the inherited value, then the link's own relevance."""

    def __init__(self, topic: Topic, *, f: float = THRESHOLD, r: float = FACTOR) -> None:
        """The topic is in the judge's hints."""
        self._f, self._r = f, r

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with the value it inherits."""
        parent = INITIAL if seen.task.inherited is None else min(seen.task.inherited, INITIAL)
        for link, hint, refused in promising(seen):
            value = self.inherit(parent, hint)
            why = f"value {value:.3g} of {INITIAL:.0f}, link {hint:.2f}"
            yield refused or Candidate(link=link, priority=value * (1 + _SECOND * hint), why=why, inherited=value)

    def inherit(self, parent: float, relevance: float) -> float:
        """The value of a link of this relevance on a page of this value."""
        return parent if relevance >= self._f else parent * self._r


CHOICE = Registered(
    name="genetic-factor",
    summary="links inherit their page's value, less of it where they do not promise anything",
    paper="AVSM 2.3",
    make=GeneticFactor,
    judge="cosine",
    parameters=PARAMETERS,
)
