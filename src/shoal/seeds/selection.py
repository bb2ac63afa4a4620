"""Which of all that turns up is suggested, and which of that does the user mean?

Each URL once, only what is wanted, and no more than was asked for. Of the numbered list, `1-5,8`, `all`, `none`, or `-3`
for all but the third.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec.structs import asdict

from shoal.errors import InputError
from shoal.model import Suggestion, Suggestions, Value
from shoal.text import Keywords, flattened
from shoal.topic import word_readers

# --- all that turns up -----------------------------------------------------------------------------------------------

Wanted = Callable[[str], bool]
"""Says of a URL in normal form whether the user wants to see it."""
_MARK = re.compile(r"[/_.?&=+:-]")


def everything(url: str) -> bool:
    """The filter that lets all URLs through."""
    return True


def phrases_in(words: str) -> tuple[str, ...]:
    """The words and phrases of `power grid, 电网=0.8`; ValueError with the end of a sentence when there are none."""
    return tuple(term.text for term in word_readers.keywords(words))


class SuggestionCollector:
    """The suggestions so far."""

    def __init__(self, limit: int, wanted: Wanted = everything, phrases: Sequence[str] = ()) -> None:
        self._limit = limit
        self._wanted = wanted
        self._keywords = Keywords(phrases) if phrases else None
        self._seen: set[str] = set()
        self.found: list[Suggestion] = []
        self.more = False
        """Something had to be left out because the limit was reached."""
        self.notes: list[str] = []

    def add(self, suggestion: Suggestion | None) -> bool:
        """Take it if it is wanted; True when nothing was known of its URL before."""
        if suggestion is None or suggestion.url in self._seen:
            return False
        self._seen.add(suggestion.url)
        if self._wanted(suggestion.url) and (self._keywords is None or any(_counts(self._keywords, suggestion))):
            if self.full:
                self.more = True
            else:
                self.found.append(suggestion)
        return True

    @property
    def full(self) -> bool:
        """As many as were asked for."""
        return len(self.found) >= self._limit

    @property
    def untouched(self) -> bool:
        """Not one URL has turned up, wanted or not."""
        return not self._seen

    def answer(self) -> Suggestions:
        """All of it."""
        return Suggestions(found=tuple(self.found), more=self.more, notes=tuple(self.notes))


def _counts(keywords: Keywords, suggestion: Suggestion) -> list[int]:
    """How often each of some words and phrases stands in title, snippet or address."""
    texts = (suggestion.title, suggestion.snippet, _readable(suggestion.url))
    return keywords.count("\n".join(map(flattened, texts)))


def _readable(url: str) -> str:
    """An address as words: escapes are undone, also those of the GBK that older Chinese sites write."""
    raw = unquote_to_bytes(url)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("gb18030", "replace")
    return _MARK.sub(" ", text)


# --- a list to choose from -------------------------------------------------------------------------------------------


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A suggestion with its number; all fields are there in JSON too."""

    number: int
    """From 1."""
    url: str
    title: str
    snippet: str
    source: str
    engines: tuple[str, ...]
    updated: str
    matched: tuple[str, ...]
    """The words that stand in title, snippet or address."""
    known: bool
    """It is a seed of the topic already."""


def listed(suggestions: Iterable[Suggestion], phrases: Sequence[str], known: Collection[str]) -> tuple[Listed, ...]:
    """The suggestions, numbered, with the words they have."""
    told = (*phrases, *_words_of(phrases))
    keywords = Keywords(told)
    return tuple(
        Listed(
            **asdict(one),
            number=number,
            matched=_without_repeats(tuple(compress(told, _counts(keywords, one))), phrases),
            known=one.url in known,
        )
        for number, one in enumerate(suggestions, start=1)
    )


def _words_of(phrases: Sequence[str]) -> list[str]:
    """The single words of phrases, because a page rarely has a whole question in it; `of` and its like say nothing."""
    words = dict.fromkeys(word for phrase in phrases if " " in phrase for word in phrase.split())
    return [word for word in words if not (word.isascii() and len(word) < 3) and word not in phrases]


def _without_repeats(matched: Sequence[str], phrases: Sequence[str]) -> tuple[str, ...]:
    """A word is not told again when the phrase it comes from was found."""
    told = {word for phrase in matched if phrase in phrases for word in phrase.split()}
    return tuple(word for word in matched if word in phrases or word not in told)


# --- the choice ------------------------------------------------------------------------------------------------------

HOW = "1-5,8 keeps these; -3 drops the third; all; none"
"""What can be typed, in a line."""
_PART = re.compile(r"(-?)(\d{1,6})(?:-(\d{1,6}))?")
_COMMA = re.compile(r"[,;\s]+")
_SPACED_DASH = re.compile(r"(?<=\d)\s+-\s+(?=\d)|-\s+(?=\d)")
"""`1 - 5` is one range, while `1-5 -3` drops three."""
_DASHES = str.maketrans("–—−‐‑", "-----")


class ListChoice(Value, frozen=True, kw_only=True):
    """Ranges of numbers, both ends included."""

    kept: tuple[tuple[int, int], ...] = ()
    dropped: tuple[tuple[int, int], ...] = ()
    everything: bool = False
    """All that is not dropped."""


def read_choice(text: str) -> ListChoice:
    """What was typed; one sentence when that cannot be understood."""
    # Chinese keyboards make wide digits, commas and dashes.
    plain = unicodedata.normalize("NFKC", text).translate(_DASHES).replace("、", ",").lower()
    plain = _SPACED_DASH.sub("-", plain)
    parts = [part for part in _COMMA.split(plain) if part]
    if parts == ["none"]:
        return ListChoice()
    kept: list[tuple[int, int]] = []
    dropped: list[tuple[int, int]] = []
    for part in parts:
        if part != "all":
            minus, numbers = _numbers(part)
            (dropped if minus else kept).append(numbers)
    if not parts:
        raise InputError(f"Nothing was chosen; {HOW}")
    return ListChoice(kept=tuple(kept), dropped=tuple(dropped), everything="all" in parts or not kept)


def _numbers(part: str) -> tuple[bool, tuple[int, int]]:
    """`-3-5` drops three to five."""
    match = _PART.fullmatch(part)
    if match is None:
        raise InputError(f"'{part[:50]}' is not a choice; {HOW}")
    first = int(match[2])
    last = int(match[3] or first)
    if last < first:
        raise InputError(f"'{part}' runs backwards; did you mean {last}-{first}?")
    return bool(match[1]), (first, last)


def chosen(choice: ListChoice, count: int) -> tuple[int, ...]:
    """The numbers of the list from 1 to `count` that are meant, in its order; one sentence when there is no such number."""
    for first, last in (*choice.kept, *choice.dropped):
        if first < 1 or last > count:
            wrong = first if first < 1 or first > count else last
            raise InputError(f"There is no number {wrong}; the list goes from 1 to {count}")
    kept = set(range(1, count + 1)) if choice.everything else _all_of(choice.kept)
    return tuple(sorted(kept - _all_of(choice.dropped)))


def _all_of(ranges: tuple[tuple[int, int], ...]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}
