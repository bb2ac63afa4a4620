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
    """The topic as one weighted vector: a wanted word counts `weight`, an unwanted one `-weight`.

    A text is a vector of what its words amount to: how often each stands in it, times the word's factor. Factors are those
    of the topic (`Term.factor`, of unwanted words too), or others that a judge gives. Only their proportions count.
    """

    def __init__(self, topic: Topic, factors: Sequence[float] | None = None) -> None:
        words = (*topic.terms, *topic.negative)
        self.words = tuple(term.text for term in words)
        # Only directions count, so the largest weight becomes 1: no weight is too large or too small to square.
        weights = _scaled([term.weight for term in words])
        wanted = len(topic.terms)
        self._weights = weights[:wanted] + [-weight for weight in weights[wanted:]]
        self._norm = sqrt(sum(map(mul, weights, weights)))
        if factors is None:
            factors = [term.factor for term in words]
        scaled = _scaled(factors)
        # Of a topic that was typed by hand all are 1: then no time is spent on them.
        self._factors = scaled if any(factor != 1.0 for factor in scaled) else None
        self._keywords = Keywords(self.words)

    def count(self, flat_text: str) -> list[int]:
        """How often each word of the topic stands in a flat text (`text.flat`)."""
        return self._keywords.count(flat_text)

    def may_stand_in(self, texts: Sequence[str]) -> set[int]:
        """The places of those texts in which any of the topic's words may stand."""
        return self._keywords.may_stand_in(texts)

    def shares(self, counts: Sequence[int]) -> list[float]:
        """What each word adds to the cosine; their sum is the cosine, negative when the unwanted words prevail."""
        amounts = self._amounts(counts)
        norm = self._norm * sqrt(sum(map(mul, amounts, amounts)))
        if not norm:
            return [0.0] * len(counts)
        return [amount * weight / norm for amount, weight in zip(amounts, self._weights, strict=True)]

    def cosine(self, counts: Sequence[int]) -> float:
        """From 0 (nothing, or more against than for) to 1 (the words in the proportions of the topic)."""
        amounts = self._amounts(counts)
        length = sqrt(sum(map(mul, amounts, amounts)))
        return within_unit(sum(map(mul, amounts, self._weights)) / (length * self._norm)) if length else 0.0

    def _amounts(self, counts: Sequence[int]) -> Sequence[float]:
        return counts if self._factors is None else list(map(mul, counts, self._factors))


def _scaled(numbers: Sequence[float]) -> list[float]:
    """The numbers in their proportions, the largest being 1."""
    largest = max(numbers, default=1.0)
    return [number / largest for number in numbers]


def within_unit(value: float) -> float:
    """The value, cut to 0..1 (a rounding error may lie above 1)."""
    return min(max(value, 0.0), 1.0)


def strongest(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The reasons that matter most, for or against, in the order of their weight."""
    return tuple(sorted(evidence, key=lambda one: -abs(one.amount))[:MAX_EVIDENCE])
