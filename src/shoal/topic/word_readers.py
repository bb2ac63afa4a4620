"""Can these words be looked for? Readers of the words of a topic, like those of all other values in `topic/value_readers.py`.

They stand apart because only they need the analyser, which takes a tenth of a second to load.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shoal.model import Origin, Term
from shoal.text import flat, terms
from shoal.topic.value_readers import SEPARATORS, did_you_mean, is_number, line, short, weighted

_SAID_OF_A_WORD = ("weight", "factor")


def keywords(value: object) -> tuple[Term, ...]:
    """Words with their weights: a table, a list, or text such as `power grid, substation=0.8`.

    In a table a word may have weight and factor instead, `{ weight = 1, factor = 0.8 }`.
    """
    if isinstance(value, str):
        value = dict(weighted(part) for part in SEPARATORS.split(value) if part.strip())
    if isinstance(value, list | tuple):
        value = dict.fromkeys(map(line, value), 1.0)
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a table of words and weights or a list of words, not {short(value)}")
    return each_once(_term(word, said, Origin.HAND) for word, said in value.items())


def learned(value: object) -> tuple[Term, ...]:
    """Words that were learned: a table of words with their weights, or with weight and factor."""
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a table of words and weights, not {short(value)}")
    return each_once(_term(word, said, Origin.SEEDS) for word, said in value.items())


def is_weight(said: object) -> bool:
    """True for what may stand behind a word: a number, or weight and factor."""
    if isinstance(said, Mapping):
        return not said.keys() - set(_SAID_OF_A_WORD)
    return isinstance(said, int | float) and not isinstance(said, bool)


def _term(word: str, said: object, origin: Origin) -> Term:
    numbers: dict[str, Any] = {
        "weight": 1.0,
        "factor": 1.0,
        **(said if isinstance(said, Mapping) else {"weight": said}),
    }
    if wrong := [name for name in numbers if name not in _SAID_OF_A_WORD]:
        hint = did_you_mean(wrong[0], _SAID_OF_A_WORD)
        raise ValueError(f"must say weight and factor of a word, but {short(word)} has {short(wrong[0])}{hint}")
    if not terms(word):
        raise ValueError(f"must have words in them, but {short(word)} has none")
    for name, value in numbers.items():
        if not (is_number(value) and value > 0):
            raise ValueError(f"must have {name}s that are numbers above 0, but {short(word)} has {short(value)}")
    return Term(text=word.strip(), weight=float(numbers["weight"]), factor=float(numbers["factor"]), origin=origin)


def form_of(word: str) -> str:
    """What the analyser reads: words with the same form (電網, 电网; Grids, grid) are the same word."""
    return flat(terms(word)).strip()


def each_once(words: Iterable[Term]) -> tuple[Term, ...]:
    """Words of one form count once, with the larger weight."""
    kept: dict[str, Term] = {}
    for term in words:
        form = form_of(term.text)
        if form not in kept or kept[form].weight < term.weight:
            kept[form] = term
    return tuple(kept.values())
