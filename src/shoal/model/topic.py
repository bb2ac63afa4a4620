"""What does the user want to know about? A topic: weighted words, and when a page is about it."""

from __future__ import annotations

from enum import StrEnum

from shoal.model.value import Value


class Origin(StrEnum):
    """Where a word of a topic comes from."""

    HAND = "hand"
    SEEDS = "seeds"
    ADAPTED = "adapted"


class Term(Value, frozen=True, kw_only=True):
    """One word or phrase of a topic."""

    text: str
    """As the user wrote it; the analyser decides what matches it."""
    weight: float = 1.0
    factor: float = 1.0
    """What one occurrence on a page counts: `log(N/n + 0.1) x C` of AVSM 2.1; 1 while no samples are known."""
    origin: Origin = Origin.HAND


class Topic(Value, frozen=True, kw_only=True):
    """What the user wants to know about."""

    name: str
    terms: tuple[Term, ...]
    negative: tuple[Term, ...] = ()
    """Words that speak against a page; their weights are positive numbers."""
    languages: tuple[str, ...] = ()
    """Languages to ask servers for, best first (`zh`, `en`); empty means whatever comes."""
    threshold: float | None = None
    """A page scoring at least this is relevant; None means the judge's own default."""
    version: int = 1
    """Raised whenever terms or threshold change during a crawl."""
    any: tuple[Topic, ...] = ()
    """Several topics at once, each judged on its own: a page counts when one of them matches. `terms` has the words of all."""

    @property
    def each(self) -> tuple[Topic, ...]:
        """The topics to judge one by one: those of `any`, or just this one."""
        return self.any or (self,)
