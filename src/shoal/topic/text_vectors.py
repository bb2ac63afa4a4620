"""What does a short text mean, as numbers that can be learned from? The mean of its word vectors, a block per language.

People spell words as they like, and most phrases have no vector of their own: 電網 is 电网, and 智能电网 is the mean of 智能 and
电网. English and Chinese have spaces of their own; `language_of` says which one to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import sqrt

import numpy as np

from shoal.cache import cached
from shoal.model import Topic
from shoal.text import HAN, flattened, fold, terms
from shoal.topic.word_vectors import Meaning, Space, Vector, direction

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


# --- one word or phrase -----------------------------------------------------------------------------------------------

_IS_HAN = re.compile(f"[{HAN}]")


def language_of(text: str) -> str:
    """Chinese when there is a Chinese character in it."""
    return "zh" if _IS_HAN.search(text) else "en"


def meaning_of(text: str, space: Space) -> Meaning | None:
    """What the space says of a word as a whole, or else of its parts taken together."""
    form = flattened(text).strip()
    # The analyser takes the s from Siemens too.
    spellings = (form, fold(text).strip(), f"{form}s")
    whole = next(filter(None, map(space.look_up, spellings)), None)
    return whole or _mean_of(list(_parts(form, space)))


def _mean_of(parts: Sequence[Meaning]) -> Meaning | None:
    """The weighted mean of the parts, so that 的 and `of` do not count in a phrase."""
    if not parts:
        return None
    vector = direction(np.sum([np.float32(part.weight) * part.vector for part in parts], axis=0))
    return None if vector is None else Meaning(vector, sum(part.weight for part in parts) / len(parts))


def _parts(form: str, space: Space) -> Iterator[Meaning]:
    """What is known of the words of a phrase, and of the pieces of Chinese words that are not known."""
    for word in terms(form):
        if (known := space.look_up(word)) is not None:
            yield known
        elif _IS_HAN.search(word):
            yield from _pieces(word, space)


def _pieces(word: str, space: Space) -> Iterator[Meaning]:
    """From left to right two characters where they are a known word, else one."""
    place = 0
    while place < len(word):
        size, piece = next(
            ((size, known) for size in (2, 1) if (known := space.look_up(word[place : place + size])) is not None),
            (1, None),
        )
        if piece is not None:
            yield piece
        place += size
