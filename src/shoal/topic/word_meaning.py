"""What does one word or phrase mean? The direction that its word vectors point in.

People spell words as they like, and most phrases have no vector of their own: 電網 is 电网, and 智能电网 is the mean of 智能 and
电网. English and Chinese have spaces of their own; `language_of` says which one to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from shoal.text import HAN, flattened, fold, terms
from shoal.topic.word_vectors import Meaning, Space, direction

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
