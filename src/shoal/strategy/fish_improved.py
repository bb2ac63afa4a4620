"""Fish search with a finer sense of taste: links are worth what their page is, not just all or half (PUSH table 3-3)."""

from __future__ import annotations

from shoal.judge.registry import Registered
from shoal.model import Verdict
from shoal.strategy.fish import PARAMETERS, Fish


class ImprovedFish(Fish):
    """`fish`, with the judge's value in place of 1 and 0.5."""

    def score(self, verdict: Verdict) -> float:
        """The page's own score."""
        return verdict.score


CHOICE = Registered(
    name="fish-improved",
    summary="fish search whose links are worth what their page is",
    paper="PUSH table 3-3",
    make=ImprovedFish,
    judge="zones",
    parameters=PARAMETERS,
)
