"""How near is a text to the topic? Both as vectors over the topic's words; the words that speak against it included."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from operator import mul

from shoal.model import Evidence, Topic
from shoal.text import Keywords

MAX_EVIDENCE = 10
"""More reasons than this nobody reads."""


class TopicVector:
    """The topic as one weighted vector: a wanted word counts `weight`, an unwanted one `-weight`."""

    def __init__(self, topic: Topic) -> None:
        self.words = tuple(term.text for term in (*topic.terms, *topic.negative))
        # Only the direction counts, so the largest weight becomes 1: no weight is too large or too small to square.
        largest = max((term.weight for term in (*topic.terms, *topic.negative)), default=1.0)
        self._weights = [term.weight / largest for term in topic.terms]
        self._weights += [-term.weight / largest for term in topic.negative]
        self._norm = sqrt(sum(weight * weight for weight in self._weights))
        self._keywords = Keywords(self.words)

    def count(self, flat_text: str) -> list[int]:
        """How often each word of the topic stands in a flat text (`text.flat`)."""
        return self._keywords.count(flat_text)

    def may_stand_in(self, texts: Sequence[str]) -> set[int]:
        """The places of those texts in which any of the topic's words may stand."""
        return self._keywords.may_stand_in(texts)

    def shares(self, counts: Sequence[int]) -> list[float]:
        """What each word adds to the cosine; their sum is the cosine, negative when the unwanted words prevail."""
        norm = self._norm * sqrt(sum(map(mul, counts, counts)))
        if not norm:
            return [0.0] * len(counts)
        return [count * weight / norm for count, weight in zip(counts, self._weights, strict=True)]

    def cosine(self, counts: Sequence[int]) -> float:
        """From 0 (nothing, or more against than for) to 1 (the words in the proportions of the topic)."""
        length = sqrt(sum(map(mul, counts, counts)))
        return within_unit(sum(map(mul, counts, self._weights)) / (length * self._norm)) if length else 0.0


def within_unit(value: float) -> float:
    """The value, cut to 0..1 (a rounding error may lie above 1)."""
    return min(max(value, 0.0), 1.0)


def strongest(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The reasons that matter most, for or against, in the order of their weight."""
    return tuple(sorted(evidence, key=lambda one: -abs(one.amount))[:MAX_EVIDENCE])
