"""Where on a page is the answer? A few words of its text around what was asked, in the page's own spelling.

    text ─fold, in blocks─► one spelling ─find─► where each word stands ─best window─► its original text, words marked

The whole text is only looked through roughly; the window alone is cut into tokens, so the marks are exactly what the index
would have found there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from shoal.index.analyse import is_han, places, tokens
from shoal.index.query import Query
from shoal.model import Value
from shoal.text import HAN, fold

_BLOCK = 2000
"""Characters that are folded at once; inside one, places are counted again when folding changed its length."""
_BEGINNING = 4000
"""Characters that are looked through first: where all words stand together there, the rest of a long page need not be."""
_MOST_FINDS = 400
"""Of one word: behind so many, a better window is hardly worth the time."""
_SENTENCE = re.compile(r"[。！？!?…\n]+[”」』\"]?\s*|[.;]\s+")
_BLANKS = re.compile(r"\s+")
_PLAIN_WORD = re.compile(r"[a-zA-Z0-9]")

_CHANGING = frozenset({"man", "foot", "tooth", "mouse"})
"""Whose plurals have only their first letter in common with them."""

Sequence = tuple[str, ...]


class Snippet(Value, frozen=True, kw_only=True):
    """A piece of a text."""

    parts: tuple[tuple[str, bool], ...]
    """The piece in order; True for what was asked."""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(text for text, _ in self.parts)


def snippet(text: str, query: Query, width: int = 200) -> Snippet:
    """About `width` characters of a text with as many of the query's words as possible; else its beginning."""
    asked = [words.tokens for words in query.wanted if not words.light] or [words.tokens for words in query.wanted]
    first, last, kinds = _best(_Folded(text[:_BEGINNING]), asked, width)
    if kinds < len(set(asked)) and len(text) > _BEGINNING:
        first, last, _ = _best(_Folded(text), asked, width)
    start = _start(text, first, max(0, width - (last - first) - width // 5))
    end = _end(text, start + width)
    parts = list(_marked(text[start:end], asked))
    before, after = "…" if text[:start].strip() else "", "…" if text[end:].strip() else ""
    return Snippet(parts=tuple(_tidy([(before, False), *parts, (after, False)])))


# --- the window ------------------------------------------------------------------------------------------------------


class _Folded:
    """A text in one spelling, that knows where each character came from."""

    def __init__(self, text: str) -> None:
        self._blocks = [text[place : place + _BLOCK] for place in range(0, len(text), _BLOCK)]
        folded = list(map(fold, self._blocks))
        self._starts = [0]
        for block in folded:
            self._starts.append(self._starts[-1] + len(block))
        self.text = "".join(folded)

    def origin(self, place: int) -> int:
        """Where the character that is here now stood in the text as it was written."""
        number = min(bisect_right(self._starts, place), len(self._blocks)) - 1
        block, rest = self._blocks[number], place - self._starts[number]
        if len(block) != self._starts[number + 1] - self._starts[number]:
            lengths = [len(fold(character)) for character in block]
            origins = [at for at, length in enumerate(lengths) for _ in range(length)]
            rest = origins[min(rest, len(origins) - 1)]
        return number * _BLOCK + rest


def _best(folded: _Folded, asked: Iterable[Sequence], width: int) -> tuple[int, int, int]:
    """Where the best window's first and last find begin in the original text, and how many different ones are in it.

    Of equal windows the first one is best.
    """
    finds = sorted((place, sequence) for sequence in asked for place in _finds(folded.text, sequence))
    best, first, last, most = 0, 0, 0, 0
    inside: Counter[Sequence] = Counter()
    left = 0
    for right, (place, sequence) in enumerate(finds):
        inside[sequence] += 1
        while place + len(sequence) - finds[left][0] > width * 4 // 5:
            inside[finds[left][1]] -= 1
            left += 1
        # Different words first, then how often they stand there, up to a point.
        kinds = sum(1 for count in inside.values() if count)
        worth = 10 * kinds + min(5, right - left)
        if worth > best:
            best, first, last, most = worth, finds[left][0], place, kinds
    return (folded.origin(first), folded.origin(last), most) if finds else (0, 0, 0)


def _finds(folded: str, sequence: Sequence) -> list[int]:
    """Where these tokens stand in a folded text, one behind the other."""
    found = []
    inside = re.compile(_letter(sequence[0]))
    for match in _pattern(sequence).finditer(folded):
        # Looking back here, not in the pattern: one that begins with plain letters is found three times as fast.
        if not (match.start() and inside.match(folded, match.start() - 1)) and _says(match.group(), sequence):
            found.append(match.start())
            if len(found) == _MOST_FINDS:
                break
    return found


@lru_cache(maxsize=256)
def _pattern(sequence: Sequence) -> re.Pattern[str]:
    """Finds all places where the tokens may stand, and some more."""
    return re.compile(r"[\W_]{0,3}".join(map(_token_pattern, sequence)))


def _token_pattern(token: str) -> str:
    if is_han(token):
        return token
    return f"{re.escape(_root(token))}{_letter(token)}*(?:'[a-z]{{1,2}}(?![a-z]))?"


def _letter(token: str) -> str:
    """What a word like this is made of; nothing continues a Chinese character."""
    if is_han(token):
        return "(?!)"
    return "[a-z0-9]" if token.isascii() else f"[^\\W_{HAN}]"


def _root(token: str) -> str:
    """How all forms of a word begin: `batteries` and `battery`, `indices` and `index`."""
    return token[:1] if token in _CHANGING else token[: max(2, len(token) - 3)]


@lru_cache(maxsize=10_000)
def _says(found: str, sequence: Sequence) -> bool:
    return tokens(found) == sequence


def _start(text: str, first: int, room: int) -> int:
    """Where to begin, so that the first find has something in front of it: a sentence if possible, at least a word."""
    earliest = max(0, first - room)
    if earliest == 0:
        return 0
    ends = [match.end() for match in _SENTENCE.finditer(text, earliest, first)]
    if ends:
        return ends[-1]
    near = max(earliest, first - room // 2)
    blank = text.find(" ", near, first)
    return blank + 1 if 0 <= blank < near + 30 else near


def _end(text: str, latest: int) -> int:
    """Where to stop: not inside a word that is not Chinese."""
    if latest >= len(text) or not (_PLAIN_WORD.match(text[latest]) and _PLAIN_WORD.match(text[latest - 1])):
        return min(latest, len(text))
    blank = text.rfind(" ", latest - 30, latest)
    return blank if blank > 0 else latest


# --- the marks -------------------------------------------------------------------------------------------------------


def _marked(piece: str, asked: list[Sequence]) -> Iterator[tuple[str, bool]]:
    """The piece, cut at the beginnings and ends of what was asked."""
    marked = bytearray(len(piece))
    found = places(piece)
    by_first = {sequence[0]: [other for other in asked if other[0] == sequence[0]] for sequence in asked}
    for number, (token, start, _) in enumerate(found):
        for sequence in by_first.get(token, ()):
            run = found[number : number + len(sequence)]
            if tuple(part[0] for part in run) == sequence:
                marked[start : run[-1][2]] = b"\x01" * (run[-1][2] - start)
    for match in re.finditer(b"\x00+|\x01+", bytes(marked)):
        yield piece[match.start() : match.end()], marked[match.start()] == 1


def _tidy(parts: Iterable[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """One line, without blanks at its ends, neighbours of a kind joined."""
    line: list[tuple[str, bool]] = []
    for text, is_match in parts:
        text = _BLANKS.sub(" ", text)
        if line and line[-1][1] == is_match:
            text = _BLANKS.sub(" ", line.pop()[0] + text)
        if text:
            line.append((text, is_match))
    if line:
        line[0] = (line[0][0].lstrip(), line[0][1])
        line[-1] = (line[-1][0].rstrip(), line[-1][1])
    return iter([part for part in line if part[0]])
