"""What does a short text mean, as numbers that can be learned from? The mean of its word vectors, a block per language."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt

import numpy as np

from shoal.cache import cached
from shoal.model import Topic
from shoal.topic.word_meaning import language_of, meaning_of
from shoal.topic.word_vectors import Space, Vector, direction

TEXTS_KEPT = 20_000
_FEW_WORDS = 50
"""Of a text whose meaning is remembered."""
WORDS_KEPT = 50_000
_WEAK = 0.3
"""What one Chinese character counts beside a word."""
_FAINT = 0.3
"""A text whose words cancel each other out stays short; all others get length 1."""


class Meanings:
    """Turns words into numbers. Each language has its own block of them, and a text of one language is 0 in all others."""

    def __init__(self, vectors: Sequence[Space]) -> None:
        """With no vectors at all, texts have no numbers."""
        self._spaces = {space.language: space for space in vectors}
        widths = [space.rows.shape[1] for space in vectors]
        starts = accumulate(widths, initial=0)
        self._blocks = {
            space.language: slice(start, start + width)
            for space, start, width in zip(vectors, starts, widths, strict=False)
        }
        self.width = sum(widths)
        """How many numbers a text has."""
        self._of_word = cached(size=WORDS_KEPT)(self._weighted)
        self._of_words = cached(size=TEXTS_KEPT, longest=_FEW_WORDS)(self._together)

    def of(self, words: Sequence[str]) -> Vector:
        """The meaning of a few words together."""
        return self._of_words(tuple(words))

    def of_topic(self, topic: Topic) -> Vector:
        """The meaning of all keywords together, with their weights; each language has length 1."""
        total = np.zeros(self.width, dtype=np.float32)
        for term in topic.terms:
            language = language_of(term.text)
            if language in self._spaces and (meaning := meaning_of(term.text, self._spaces[language])) is not None:
                total[self._blocks[language]] += np.float32(term.weight) * meaning.vector
        for block in self._blocks.values():
            if (pointing := direction(total[block])) is not None:
                total[block] = pointing
        return total

    def _together(self, words: tuple[str, ...]) -> Vector:
        total = np.zeros(self.width, dtype=np.float32)
        for word in words:
            if (known := self._of_word(word)) is not None:
                block, vector = known
                total[block] += vector
        total /= np.float32(max(sqrt(float(total @ total)), _FAINT))
        return total

    def _weighted(self, word: str) -> tuple[slice, Vector] | None:
        language = language_of(word)
        space = self._spaces.get(language)
        if space is None or (meaning := space.look_up(word)) is None:
            return None
        share = _WEAK if language == "zh" and len(word) == 1 else 1.0
        return self._blocks[language], np.float32(share * meaning.weight) * meaning.vector
