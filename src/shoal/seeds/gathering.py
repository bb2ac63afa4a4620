"""Which of all that turns up is suggested? Each URL once, only what the user wants, and no more than was asked for."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from urllib.parse import unquote_to_bytes

from shoal.model import Suggestion, Suggestions
from shoal.text import Keywords, flattened
from shoal.topic.value_readers import keywords
from shoal.urls import normalise

Wanted = Callable[[str], bool]
"""Says of a URL in normal form whether the user wants to see it."""
_LONGEST_TITLE = 200
_LONGEST_SNIPPET = 300
_LONGEST_MARKUP = 5000
"""Characters of a text with tags that are looked at: enough for a snippet, however long the article."""
_MARK = re.compile(r"[/_.?&=+:-]")
_TAG = re.compile(r"<[^<>]{0,1000}+>")
_NO_CHARACTER = re.compile(r"&#[0-9]{9,}+;?")


def everything(url: str) -> bool:
    """The filter that lets all URLs through."""
    return True


def phrases_in(words: str) -> tuple[str, ...]:
    """The words and phrases of `power grid, 电网=0.8`; ValueError with the end of a sentence when there are none."""
    return tuple(term.text for term in keywords(words))


class Gathering:
    """The suggestions so far."""

    def __init__(self, limit: int, wanted: Wanted = everything, phrases: Sequence[str] = ()) -> None:
        self._limit = limit
        self._wanted = wanted
        self._phrases = WordsSaid(phrases) if phrases else None
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
        if self._wanted(suggestion.url) and (self._phrases is None or self._phrases.by(suggestion)):
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


class WordsSaid:
    """Finds which of some words and phrases a suggestion has."""

    def __init__(self, phrases: Sequence[str]) -> None:
        self._phrases = tuple(phrases)
        self._keywords = Keywords(self._phrases)

    def by(self, suggestion: Suggestion) -> tuple[str, ...]:
        """Those that stand in its title, its snippet or its address."""
        texts = (suggestion.title, suggestion.snippet, _readable(suggestion.url))
        counts = self._keywords.count("\n".join(map(flattened, texts)))
        return tuple(phrase for phrase, count in zip(self._phrases, counts, strict=True) if count)


def _readable(url: str) -> str:
    """An address as words: escapes are undone, also those of the GBK that older Chinese sites write."""
    raw = unquote_to_bytes(url)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("gb18030", "replace")
    return _MARK.sub(" ", text)


def suggestion(
    url: str,
    *,
    base: str | None = None,
    title: str = "",
    snippet: str = "",
    source: str = "",
    engines: Sequence[str] = (),
    updated: str = "",
) -> Suggestion | None:
    """A suggestion as it can be shown, made of what a stranger wrote; None when it is no http(s) URL."""
    address = normalise(url.strip(), base) if url.strip() else None
    if address is None:
        return None
    return Suggestion(
        url=address,
        title=_shortened(title, _LONGEST_TITLE),
        snippet=_shortened(snippet, _LONGEST_SNIPPET),
        source=source,
        engines=tuple(engines),
        updated=updated.strip()[:40],
    )


def plain(markup: str) -> str:
    """The text of a piece of HTML."""
    return unescaped(_TAG.sub(" ", markup[:_LONGEST_MARKUP]))


def unescaped(text: str) -> str:
    """`&amp;` and its like undone; a number of thousands of digits, which Python refuses to read, is no character."""
    return html.unescape(_NO_CHARACTER.sub("\ufffd", text) if "&#" in text else text)


def _shortened(text: str, length: int) -> str:
    """One line; what is left out is marked."""
    text = " ".join(text[: 4 * length].split())
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
