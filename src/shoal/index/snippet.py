"""Where on a page is the answer? A few words of its text around what was asked, in the page's own spelling.

    text ─fold, in blocks─► one spelling ─find─► where each word stands ─best window─► its original text, words marked

A text is not cut into tokens: what looks like the words asked for is, and only that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter

from shoal.cache import cached
from shoal.index.analyzer import is_han, tokens
from shoal.index.query import Query
from shoal.index.query_builder import enough
from shoal.model import Value
from shoal.text import HAN, fold

_BLOCK = 1000
"""Characters that are folded at once; inside one, places are counted again when folding changed its length."""
_GLANCE, _LOOK, _STUDY = 10, 40, 10**9
"""How much of a text is looked through, in widths of a snippet: most pages say soon what they are about."""
_MOST_FINDS = 400
"""Of one word: behind so many, a better window is hardly worth the time."""
_MOST_TRIED = 20_000
"""Places of all words together that look like one and are looked at closely; each word has its share."""
_MOST_COMPARED = 2_000_000
"""Characters times tokens: of a phrase that is very long, not all of a long text is looked through."""
_MOST_TOKENS = 100
"""Of a phrase; to look for many more takes longer than to read the page."""
_LONGEST_ENDING = 8
"""Letters that a form of a word may have behind what all its forms begin with: `ch-ildren`."""
_PLAIN_LETTER, _ANY_LETTER, _NO_LETTER = "[a-z0-9]", f"[^\\W_{HAN}]", "(?!)"
_LETTERS = {letter: re.compile(letter) for letter in (_PLAIN_LETTER, _ANY_LETTER, _NO_LETTER)}
_SENTENCE = re.compile(r"[。！？!?…\n]+[”」』\"]?\s*|[.;]\s+")
_BLANKS = re.compile(r"\s+")
_MARKED = re.compile(b"\x00+|\x01+")
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
    asked = {words.tokens[:_MOST_TOKENS] for words in query.wanted if not words.light}
    asked = asked or {words.tokens[:_MOST_TOKENS] for words in query.wanted}
    first, last = _window(_Folded(text), asked, width)
    start = _start(text, first, max(0, width - (last - first) - width // 5))
    end = _end(text, start + width)
    parts = list(_marked(text[start:end], asked))
    before, after = "…" if text[:start].strip() else "", "…" if text[end:].strip() else ""
    return Snippet(parts=tuple(_tidy([(before, False), *parts, (after, False)])))


# --- the window ------------------------------------------------------------------------------------------------------


class _Folded:
    """A text in one spelling, that knows where each character came from, nearly; folded as far as somebody has looked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks: list[str] = []
        self._starts = [0]
        """Where each block begins among the folded ones; the last number is where the next one will."""

    @property
    def is_complete(self) -> bool:
        """True when the whole text has been folded."""
        return len(self._blocks) * _BLOCK >= len(self._text)

    def upto(self, length: int) -> str:
        """The beginning of the text, at least so much of it."""
        for place in range(len(self._blocks) * _BLOCK, min(length, len(self._text)), _BLOCK):
            self._blocks.append(fold(self._text[place : place + _BLOCK]))
            self._starts.append(self._starts[-1] + len(self._blocks[-1]))
        return "".join(self._blocks)

    def origin(self, place: int) -> int:
        """Where the character that is here now stood in the text as it was written, give or take a few in the same block."""
        number = min(bisect_right(self._starts, place), len(self._blocks)) - 1
        original, rest = self._text[number * _BLOCK : (number + 1) * _BLOCK], place - self._starts[number]
        if len(original) != len(self._blocks[number]):
            origins = _aligned(original)[1]
            rest = origins[min(rest, len(origins) - 1)]
        return number * _BLOCK + rest


@lru_cache(maxsize=32)
def _aligned(text: str) -> tuple[str, list[int] | range]:
    """The folded text, and for each of its characters the place of the one it was: some fold to nothing, some to several."""
    folded = fold(text)
    if text.isascii() and len(folded) == len(text):
        return folded, range(len(text))
    pieces = list(map(_fold_one, text))
    return "".join(pieces), [place for place, piece in enumerate(pieces) for _ in piece]


_fold_one = lru_cache(maxsize=20_000)(fold)  # the same few thousand characters again and again


def _window(text: _Folded, asked: set[Sequence], width: int) -> tuple[int, int]:
    """Where the first and the last find of the best window begin in the original text.

    A glance is enough when it finds a window with all words, a look when it finds as many as a page must have.
    """
    for widths, sufficient in ((_GLANCE, len(asked) + 1), (_LOOK, enough(len(asked))), (_STUDY, 0)):
        folded = text.upto(widths * width)
        end = len(folded) + text.is_complete  # what ends where the look ends may be the beginning of a longer word
        spans = ((span, sequence) for sequence in asked for span in _finds(folded, sequence, len(asked)))
        finds = sorted((start, sequence) for (start, behind), sequence in spans if behind < end)
        first, last, together = _best(finds, width)
        if together == len(asked) or len({sequence for _, sequence in finds}) >= sufficient or text.is_complete:
            break
    return (text.origin(first), text.origin(last)) if finds else (0, 0)


def _best(finds: list[tuple[int, Sequence]], width: int) -> tuple[int, int, int]:
    """Where the best window's first and last find begin, and how many different ones are in it; the first of equal ones."""
    best, first, last, together = 0, 0, 0, 0
    inside: Counter[Sequence] = Counter()
    left = kinds = 0
    for right, (place, sequence) in enumerate(finds):
        inside[sequence] += 1
        kinds += inside[sequence] == 1
        while place + len(sequence) - finds[left][0] > width * 4 // 5:
            inside[finds[left][1]] -= 1
            kinds -= inside[finds[left][1]] == 0
            left += 1
        # Different words first, then how often they stand there, up to a point.
        worth = 10 * kinds + min(5, right - left)
        if worth > best:
            best, first, last, together = worth, finds[left][0], place, kinds
    return first, last, together


def _finds(folded: str, sequence: Sequence, asked: int) -> list[tuple[int, int]]:
    """Where these tokens, one of so many sequences, stand in a folded text, one behind the other: beginnings and ends."""
    found: list[tuple[int, int]] = []
    inside = _LETTERS[_letter(sequence[0])]
    end = min(len(folded), _MOST_COMPARED // len(sequence))
    places = (
        # Looking back here, not in the pattern: one that begins with plain letters is found three times as fast.
        match
        for match in _pattern(sequence).finditer(folded, 0, end)
        if not (match.start() and inside.match(folded, match.start() - 1))
    )
    for match in islice(places, max(_MOST_FINDS, _MOST_TRIED // asked)):
        # Where the look ends in the middle of a text, a word may go on.
        if (match.end() < end or end == len(folded)) and _tokens(match.group()) == sequence:
            found.append(match.span())
            if len(found) == _MOST_FINDS:
                break
    return found


@lru_cache(maxsize=256)
def _pattern(sequence: Sequence) -> re.Pattern[str]:
    """Finds all places where the tokens may stand, and some more. Possessive and bounded, so that no text is slow."""
    return re.compile(r"[\W_]{0,3}+".join(map(_token_pattern, sequence)))


def _token_pattern(token: str) -> str:
    if is_han(token):
        return token
    return f"{re.escape(_root(token))}{_letter(token)}{{0,{_LONGEST_ENDING}}}+(?:'[a-z]{{1,2}}(?![a-z]))?+"


def _letter(token: str) -> str:
    """What a word like this is made of; nothing continues a Chinese character."""
    if is_han(token):
        return _NO_LETTER
    return _PLAIN_LETTER if token.isascii() else _ANY_LETTER


def _root(token: str) -> str:
    """How all forms of a word begin: `batteries` and `battery`, `indices` and `index`."""
    return token[:1] if token in _CHANGING else token[: max(2, len(token) - 3)]


_tokens = cached(size=10_000)(tokens)


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


def _marked(piece: str, asked: set[Sequence]) -> Iterator[tuple[str, bool]]:
    """The piece, cut at the beginnings and ends of what was asked."""
    marked = bytearray(len(piece))
    folded, origins = _aligned(piece)
    for start, end in (span for sequence in asked for span in _finds(folded, sequence, len(asked))):
        first, behind = origins[start], origins[end - 1] + 1
        marked[first:behind] = b"\x01" * (behind - first)
    for match in _MARKED.finditer(bytes(marked)):
        yield piece[match.start() : match.end()], marked[match.start()] == 1


def _tidy(parts: Iterable[tuple[str, bool]]) -> Iterator[tuple[str, bool]]:
    """One line, without blanks at its ends, neighbours of a kind joined."""
    runs = groupby((part for part in parts if part[0]), key=itemgetter(1))
    line = [(_BLANKS.sub(" ", "".join(text for text, _ in run)), is_match) for is_match, run in runs]
    if line:
        line[0] = (line[0][0].lstrip(), line[0][1])
        line[-1] = (line[-1][0].rstrip(), line[-1][1])
    return (part for part in line if part[0])
