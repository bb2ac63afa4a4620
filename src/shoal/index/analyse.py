"""Which tokens stand in a text, for the index and for what is looked up in it?

    text ─flattened─► one spelling ─spaced─► "智 能 电 网 grid"      every Chinese character is a token of its own

A Chinese word is found as a phrase of its characters, so it is found however the text would have been cut. Single characters
make a smaller index than pairs: 0.47 of the text instead of 0.73.
"""

from __future__ import annotations

import re
from functools import lru_cache

from shoal.text import HAN, flattened, fold, terms

_HAN_RUN = re.compile(f"[{HAN}]+")
_HAN_OR_NOT = re.compile(f"[{HAN}]+|[^{HAN}]+")
_HAN_STOP = re.compile(f"(?<=[{HAN}])[\\W_]+(?=[{HAN}])")
_HAN_OR_WORD = re.compile(f"[{HAN}]|[^\\W_{HAN}]+(?:['’‘ʼ＇][a-zA-Z]{{1,2}}(?![a-zA-Z]))?")


def spaced(flat_text: str) -> str:
    """The flat form with a blank around every Chinese character: its words are the tokens."""
    if flat_text.isascii():  # most English pages: a third of the time of indexing one
        return flat_text
    return _HAN_RUN.sub(lambda run: f" {' '.join(run.group())} ", flat_text)


def tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text, in order."""
    return tuple(spaced(flattened(text)).split())


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


def places(text: str) -> list[tuple[str, int, int]]:
    """Each token of a short text with where it begins and ends in the text as it was written."""
    folded, origins = _folded_with_origins(text)
    found = []
    for match in _HAN_OR_WORD.finditer(folded):
        start, end = origins[match.start()], origins[match.end() - 1] + 1
        found += [(token, start, end) for token in _tokens_of_word(match.group())]
    return found


def _folded_with_origins(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the place of the character it was."""
    pieces = list(map(_fold_one, text))
    origins = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), origins


# Snippets ask for the same few thousand characters and words again and again.
_fold_one = lru_cache(maxsize=20_000)(fold)
_tokens_of_word = lru_cache(maxsize=20_000)(tokens)
