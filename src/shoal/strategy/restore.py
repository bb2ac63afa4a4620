"""Inherited and restored relevance: a promising link gets the full value back, wherever it is found (RESTORE 3.3).

The paper's four queues are the states of a URL: waiting, fetching, failed, done (`shoal status`).
"""

from __future__ import annotations

from shoal.judge.registry import Parameter, Registered
from shoal.model import Topic
from shoal.strategy.genetic_factor import INITIAL, GeneticFactor

THRESHOLD, FACTOR = 0.2, 0.8


class Restore(GeneticFactor):
    """`genetic-factor` on the anchor text, with new main channels."""

    def __init__(self, topic: Topic, *, f: float = THRESHOLD, b: float = FACTOR) -> None:
        super().__init__(topic, f=f, r=b)

    def inherit(self, parent: float, relevance: float) -> float:
        """A relevant link below a page that has lost value is a new main channel."""
        return INITIAL if relevance >= self._f else super().inherit(parent, relevance)


CHOICE = Registered(
    name="restore",
    summary="links inherit their page's value, and get all of it back where the anchor promises",
    paper="RESTORE 3.3",
    make=Restore,
    judge="anchor",
    parameters=(
        Parameter("f", THRESHOLD, least=0.0, most=1.0, what="the relevance from which an anchor promises"),
        Parameter("b", FACTOR, least=0.01, most=1.0, what="what is left of the value where it does not"),
    ),
)
