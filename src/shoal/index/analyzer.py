"""As what does the index keep the words of a text? Chinese as every pair of neighbours, all other words as they are.

    "智能电网 grid" ─entries─► 智能 能电 电网 网 grid, and 智 能 电 网

A Chinese word is found as the pairs it is made of, so it is found however the text would have been cut. Most words are one pair:
one look-up, where a phrase of two characters that every page has would be compared place by place. Beside a word of another
script a character stands alone, too, so that `B超` is found in `B超检查`. Single characters are kept apart from the pairs.
"""

from __future__ import annotations

import re
from array import array
from operator import add

from shoal.cache import cached
from shoal.index.analyse import is_han
from shoal.text import HAN

_RUN = re.compile(f"[{HAN}]+")
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

    def written(run: re.Match[str]) -> str:
        runs.append(run.group())
        return _beside(run.group(), run.start() > 0, run.end() < end)

    found = _RUN.sub(written, flat_text)
    return found, " ".join("".join(runs))


@cached(size=10_000, longest=_FEW_TOKENS)
def looked_up(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The entries of some tokens that stand together; a single Chinese character has none."""
    return tuple(entries("".join(token if is_han(token) else f" {token} " for token in tokens))[0].split())


def _beside(run: str, is_behind_word: bool, is_before_word: bool) -> str:
    return f" {run[0] if is_behind_word else ''} {_pairs(run)} {run[-1] if is_before_word else ''} "


def _pairs(run: str) -> str:
    if len(run) < _LONG:
        return " ".join(map(add, run, run[1:]))
    # First characters, second characters and blanks are laid out as columns: a fifth of the time for a page of Chinese.
    units, pairs = array("H", run.encode(_UNITS)), array("H", ("   " * (len(run) - 1)).encode(_UNITS))
    pairs[::3], pairs[1::3] = units[:-1], units[1:]
    return pairs.tobytes().decode(_UNITS)
