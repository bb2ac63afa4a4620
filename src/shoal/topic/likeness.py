"""How near is a word, or a text, to the topic?

A page that says 变压器 and 输电线路 is near the topic 电网 without saying so. A cosine alone does not tell: with 50 numbers any
two words may have one of 0.2. So it is compared with the cosines that words usually have with the same keyword:

    z = (cosine - mean) / deviation,    likeness = (z - 2) / 4, at least 0 and at most 1

English and Chinese have spaces of their own: a word is compared with the keywords of its language only. Words against the topic
(`Topic.negative`) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import sqrt
from typing import Self

import numpy as np
from numpy.typing import NDArray

from shoal.model import Topic
from shoal.text import HAN, flattened, fold, terms
from shoal.topic.vectors import Meaning, Space, Vector, direction

CHANCE = 2.0
"""So many standard deviations above the mean are nothing special: that far, a few words in a hundred are by chance."""
CERTAIN = 6.0
"""So many are as near as words get."""
WORDS_KEPT = 100_000
VECTORS_KEPT = 20_000
LONGEST = 100
"""Characters; what is longer is data, not a word, and would fill the memory."""
_IS_HAN = re.compile(f"[{HAN}]")


def likeness_of(topic: Topic, vectors: Sequence[Space]) -> Likeness | None:
    """The likeness to a topic, by the word vectors that there are (`vectors.spaces()`); None when they know none of its words."""
    aims = (_Aim.at(topic, space) for space in vectors)
    known = {aim.space.language: aim for aim in aims if aim is not None}
    return Likeness(known) if known else None


class Likeness:
    """Compares words and texts with one topic. Answers are remembered, because links say the same words again and again."""

    def __init__(self, aims: Mapping[str, _Aim]) -> None:
        self.languages = tuple(aims)
        """Those in which the topic has words with a vector."""
        self._aims = aims
        self._word = lru_cache(maxsize=WORDS_KEPT)(partial(_of_word, aims))
        self._weighted = lru_cache(maxsize=VECTORS_KEPT)(partial(_weighted, aims))

    def word(self, text: str) -> float:
        """How near a word or phrase is to the keyword that is nearest to it, 0 to 1; 0 for a word without a vector."""
        return self._word(text) if len(text) <= LONGEST else 0.0

    def text(self, words: Iterable[str]) -> float:
        """How near the words of a text together are to all keywords together, 0 to 1; the nearest language counts."""
        found: dict[str, list[Vector]] = {}
        for language, vector in filter(None, (self._weighted(word) for word in words if len(word) <= LONGEST)):
            found.setdefault(language, []).append(vector)
        return max((self._aims[language].of_text(vectors) for language, vectors in found.items()), default=0.0)


def _of_word(aims: Mapping[str, _Aim], text: str) -> float:
    aim = aims.get(language_of(text))
    meaning = meaning_of(text, aim.space) if aim is not None else None
    return 0.0 if aim is None or meaning is None else aim.of_word(meaning.vector)


def _weighted(aims: Mapping[str, _Aim], text: str) -> tuple[str, Vector] | None:
    """The language of a word, and what it adds to a text."""
    language = language_of(text)
    meaning = meaning_of(text, aims[language].space) if language in aims else None
    return None if meaning is None else (language, np.float32(meaning.weight) * meaning.vector)


# --- one language ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Aim:
    """The words of a topic in one language, each divided by the deviation of its cosines: z is one product and one difference."""

    space: Space
    keywords: NDArray[np.float32]
    means: Vector
    whole: Vector
    """The weighted mean of the keywords."""
    whole_mean: float

    @classmethod
    def at(cls, topic: Topic, space: Space) -> Self | None:
        """None when the space knows no word of the topic."""
        wanted = [term for term in topic.terms if term.weight > 0 and language_of(term.text) == space.language]
        found = [(term.weight, meaning_of(term.text, space)) for term in wanted]
        known = [(weight, meaning.vector) for weight, meaning in found if meaning is not None]
        scaled = [pair for _, vector in known if (pair := _scaled(vector, space)) is not None]
        if not scaled:
            return None
        whole = direction(np.sum([np.float32(weight) * vector for weight, vector in known], axis=0))
        # Keywords that cancel each other out have no direction in common; no text is near to that.
        of_all = (None if whole is None else _scaled(whole, space)) or (np.zeros_like(space.centre), 0.0)
        return cls(
            space=space,
            keywords=np.stack([vector for vector, _ in scaled]),
            means=np.array([mean for _, mean in scaled], dtype=np.float32),
            whole=of_all[0],
            whole_mean=of_all[1],
        )

    def of_word(self, vector: Vector) -> float:
        return _likeness(float((self.keywords @ vector - self.means).max()))

    def of_text(self, vectors: list[Vector]) -> float:
        # Twice as fast as adding one after the other.
        total = np.concatenate(vectors).reshape(len(vectors), -1).sum(axis=0)
        length = sqrt(float(total @ total))
        return _likeness(float(self.whole @ total) / length - self.whole_mean) if length else 0.0


def _scaled(vector: Vector, space: Space) -> tuple[Vector, float] | None:
    """A direction and its mean cosine, divided by the deviation; None when all words are equally near to it."""
    mean, deviation = space.nearness(vector)
    return (vector / np.float32(deviation), mean / deviation) if deviation > 1e-6 else None


def _likeness(z: float) -> float:
    return min(1.0, max(0.0, (z - CHANCE) / (CERTAIN - CHANCE)))


# --- one word --------------------------------------------------------------------------------------------------------


def language_of(text: str) -> str:
    """Chinese when there is a Chinese character in it."""
    return "zh" if _IS_HAN.search(text) else "en"


def meaning_of(text: str, space: Space) -> Meaning | None:
    """What the space says of a word as a whole, or else of its parts taken together."""
    form = flattened(text).strip()
    # The analyser takes the s from Siemens too.
    spellings = (form, fold(text).strip(), f"{form}s")
    whole = next(filter(None, map(space.look_up, spellings)), None)
    return whole or _together(list(_parts(form, space)))


def _together(parts: Sequence[Meaning]) -> Meaning | None:
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
