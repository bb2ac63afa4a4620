"""Which tokens stand in a text, and as what does the index keep them? Chinese as bigrams, all other words as they are.

    text ─flattened─► one spelling ─tokens─► 智 能 电 网 grid           every Chinese character is a token of its own
                                   ─entries─► 智能 能电 电网 网 grid, and 智 能 电 网

A Chinese word is found as the pairs it is made of, so it is found however the text would have been cut. Most words are one pair:
one look-up, where a phrase of two characters that every page has would be compared place by place. Beside a word of another
script a character stands alone, too, so that `B超` is found in `B超检查`. Single characters are kept apart from the pairs.
What a word is, is asked of queries only (`cut`).
"""

from __future__ import annotations

import re
from array import array
from operator import add

from shoal.cache import cached
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


# --- bigrams ----------------------------------------------------------------------------------------------------------

_LONG = 24
"""Characters; shorter runs are paired one by one, which begins faster."""
_FEW_TOKENS = 20
"""Of a phrase whose entries are remembered."""
_UNITS = "utf-16-le"
"""Two bytes for every Chinese character that `HAN` has."""


def entries(flat_text: str) -> tuple[str, str]:
    """The entries of a text, given in its flat form, and its Chinese characters; both with blanks between them."""
    if flat_text.isascii():  # most English pages
        return flat_text, ""
    end, runs = len(flat_text), list[str]()

    def written(match: re.Match[str]) -> str:
        runs.append(run := match.group())
        behind_word, before_word = match.start() > 0, match.end() < end
        return f" {run[0] if behind_word else ''} {_pairs(run)} {run[-1] if before_word else ''} "

    found = _HAN_RUN.sub(written, flat_text)
    return found, " ".join("".join(runs))


@cached(size=10_000, longest=_FEW_TOKENS)
def looked_up(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The entries of some tokens that stand together; a single Chinese character has none."""
    return tuple(entries("".join(token if is_han(token) else f" {token} " for token in tokens))[0].split())


def _pairs(run: str) -> str:
    if len(run) < _LONG:
        return " ".join(map(add, run, run[1:]))
    # First characters, second characters and blanks are laid out as columns: a fifth of the time for a page of Chinese.
    units, pairs = array("H", run.encode(_UNITS)), array("H", ("   " * (len(run) - 1)).encode(_UNITS))
    pairs[::3], pairs[1::3] = units[:-1], units[1:]
    return pairs.tobytes().decode(_UNITS)
