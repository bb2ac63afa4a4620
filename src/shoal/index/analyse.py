"""Which tokens stand in a text, and in something that is looked up?

    text ─flattened─► one spelling ─tokens─► 智 能 电 网 grid           every Chinese character is a token of its own

What a word is, is asked of queries only (`cut`): a text has its characters, and `entries.py` says as what the index keeps them.
"""

from __future__ import annotations

import re

from shoal.text import HAN, flattened, fold, terms

_HAN_RUN = re.compile(f"[{HAN}]+")
_HAN_OR_NOT = re.compile(f"[{HAN}]+|[^{HAN}]+")
_HAN_STOP = re.compile(f"(?<=[{HAN}])[\\W_]+(?=[{HAN}])")


def tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text, in order."""
    return tuple(_HAN_RUN.sub(lambda run: f" {' '.join(run.group())} ", flattened(text)).split())


def is_han(token: str) -> bool:
    """True for a Chinese character; a token is either one of them or a word of another script."""
    return _HAN_RUN.match(token) is not None


def chunks(text: str) -> list[tuple[str, ...]]:
    """The tokens of something typed without a blank, cut where the script changes: `Python教程` says two things.

    Chinese is cut at punctuation, other words are not: `x-ray` is one thing.
    """
    flat_text = " ".join(map(flattened, _HAN_STOP.split(fold(text))))
    found: list[tuple[str, ...]] = []
    for run in _HAN_OR_NOT.findall(flat_text):
        if parts := tuple(run) if is_han(run) else tuple(run.split()):
            found.append(parts)
    return found


def cut(characters: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words of a run of Chinese characters."""
    return [tuple(word) for word in terms("".join(characters))]
