"""Which word did the user mean? The nearest one that is in the index."""

from __future__ import annotations

from collections.abc import Iterator

import tantivy

from shoal.index.schema import TEXTS, where

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST, _LONG = 4, 8
"""Words of 4 to 7 letters may have one mistake, longer ones two; in shorter ones every mistake is another word."""

_MOST_TRIED = 20_000
"""The most frequent ones; a mistake is hardly ever made in a word that hardly anybody uses."""


def nearest(searcher: tantivy.Searcher, word: str, *, generous: bool = False) -> str:
    """The indexed word with the fewest mistakes, of several the most frequent; empty when none is near.

    A mistake is a letter too many, too few, wrong, or two swapped. With `generous`, short words may have two as well, and one of
    them at their second letter.
    """
    if not (word.isascii() and word.isalpha() and len(word) >= _SHORTEST):
        return ""
    if found := _best(searcher, _one_mistake(word)):
        return found
    if not (generous or len(word) >= _LONG):
        return ""
    # There, mistakes are rare.
    return _best(searcher, _two_mistakes(searcher, word, alike=1 if generous else 2))


def is_known(searcher: tantivy.Searcher, token: str) -> bool:
    """True when some page has the word."""
    return _frequency(searcher, token) > 0


def _best(searcher: tantivy.Searcher, words: Iterator[str]) -> str:
    known = {word: frequency for word in words if (frequency := _frequency(searcher, word))}
    return min(known, key=lambda word: (-known[word], word), default="")


def _frequency(searcher: tantivy.Searcher, token: str) -> int:
    places = (where(field, (token,)) for field in TEXTS)
    return max(searcher.doc_freq(field, entry) for field, (entry,) in places)


def _one_mistake(word: str) -> Iterator[str]:
    """Every string that is one mistake away."""
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in _LETTERS)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in _LETTERS if letter != after[0])
        if len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:]


def _two_mistakes(searcher: tantivy.Searcher, word: str, *, alike: int) -> Iterator[str]:
    """The indexed words two mistakes away, of those whose first letters are alike."""
    letters = set(word)
    for other, _ in searcher.terms_with_prefix("body", word[:alike], limit=_MOST_TRIED):
        # Two mistakes change at most four letters of the set: most words need no closer look.
        if abs(len(other) - len(word)) > 2 or len(letters.symmetric_difference(other)) > 4 or not other.isalpha():
            continue
        if mistakes(word, other) <= 2:
            yield other


def mistakes(one: str, other: str) -> int:
    """How many letters must be put in, left out, changed or swapped with their neighbour."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        here = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(last[column] + 1, here[-1] + 1, last[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        before, last = last, here
    return last[-1]
