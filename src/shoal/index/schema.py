"""What does the index keep of a document? Its fields, and the one number by which a page is better than another.

Nothing is stored to be read back: the store has the page. Numbers by which hits are weighed, grouped or counted are columns
(`fast`), everything else is only looked up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from math import log2

import tantivy

from shoal.index.analyzer import entries, is_han, looked_up
from shoal.index.query import day_of, month_of
from shoal.model import Value
from shoal.text import flattened
from shoal.urls import host_of, key_of

FORMAT = 3
"""Raised when an index written by an older shoal can no longer be used; a change of the analyser is noticed by itself."""
TEXTS = ("title", "headings", "anchors", "body")
"""The fields in which words are looked up."""
_CHARACTERS = "characters"
"""The Chinese characters of the text, one by one; a field of their own, because to keep their places costs too much."""
MARK = "mark"
_MARK_TERM = "last"
_MOST_ANCHORS = 24
"""Different ones; the most frequent say what others call the page."""
_STEPS = 255
"""Topic score and importance are kept in so many steps, one byte each."""
_TOPIC_GAIN, _RELEVANT_GAIN, _LINK_GAIN = 0.5, 0.25, 0.1
_OLD = 0.2
"""What is left of the score of a page that is very old, where it matters that a page is new."""
_TINY = 1e-13
"""Times an id, it is less than any difference that matters, and more than what a float cannot tell apart."""
_PORT = re.compile(r":\d+$")
_ADDRESS = re.compile(r"[\d.]+|\[.*\]")


def build_schema() -> tantivy.Schema:
    """The fields of the index."""
    builder = tantivy.SchemaBuilder()
    # Signed numbers, because deleting by an unsigned one does nothing in tantivy-py 0.27.
    builder.add_integer_field("id", indexed=True, fast=True)
    builder.add_integer_field("group", indexed=True, fast=True)
    # Numbers of pages mean something in one crawl only. Where several are searched, `origin` says whose they are, and `key` which
    # of them are the same page.
    builder.add_integer_field("origin", indexed=True, fast=True)
    builder.add_integer_field("key", indexed=True, fast=True)
    for name in ("version", "day", "month", "topic_step", "link_step"):
        builder.add_integer_field(name, fast=True)
    builder.add_float_field("weight", fast=True)
    for name in (*TEXTS, "topic"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field(_CHARACTERS, tokenizer_name="whitespace", index_option="freq")
    for name in ("site", MARK):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("host", "topic_name", "language"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    builder.add_boolean_field("relevant", indexed=True)
    return builder.build()


# --- a document ------------------------------------------------------------------------------------------------------


class Document(Value, frozen=True, kw_only=True):
    """One page to be found. The index keeps what it needs to find it, never its text."""

    id: int
    """The page's number in the store; a document replaces the one with the same number."""
    version: int = 0
    """Ascending with every stored version; the largest one tells how far the index has come."""
    url: str
    title: str = ""
    headings: str = ""
    """One in each line."""
    anchors: tuple[str, ...] = ()
    """What links that point here say."""
    text: str = ""
    flat: str = ""
    """The flat form of the text (`text.flattened`), if it is known already: making it takes most of the time."""
    language: str = ""
    """A two-letter code, or empty."""
    topic: str = ""
    published: str = ""
    """ISO 8601, as exact as known (`2024` will do), or empty."""
    fetched_at: float = 0.0
    score: float | None = None
    """How much it is about the topic, 0 to 1; None when nobody judged it."""
    relevant: bool = False
    importance: float = 0.0
    """By the links that point here, 0 to 1."""
    group: int | None = None
    """The id of the page that it is a near-copy of; None for a page that is like no other."""
    key: int | None = None
    """What it is known by in other crawls; None for a page, which is known by its URL."""


def indexed(document: Document, origin: int) -> tantivy.Document:
    """What the index of this origin keeps of a document."""
    entry = tantivy.Document()
    entry.add_integer("origin", origin)
    for name, number in _numbers(document):
        entry.add_integer(name, number)
    entry.add_float("weight", _weight(document))
    entry.add_boolean("relevant", document.relevant)
    for name, text in _texts(document):
        entry.add_text(name, text)
    return entry


def mark(version: int) -> tantivy.Document:
    """An entry that is no page; it says how far the index has come, and is committed together with the pages."""
    entry = tantivy.Document()
    entry.add_integer("version", version)
    entry.add_text(MARK, _MARK_TERM)
    return entry


def mark_query(schema: tantivy.Schema) -> tantivy.Query:
    """Finds the entry that is no page."""
    return tantivy.Query.term_query(schema, MARK, _MARK_TERM)


def _numbers(document: Document) -> Iterator[tuple[str, int]]:
    day = day_of(document.published, document.fetched_at)
    yield "id", document.id
    yield "group", document.id if document.group is None else document.group
    yield "version", document.version
    yield "day", day
    yield "month", month_of(day)
    yield "topic_step", _step(document.score or 0.0)
    yield "link_step", _step(document.importance)
    yield "key", key_of(document.url) if document.key is None else document.key


def _texts(document: Document) -> Iterator[tuple[str, str]]:
    yield from _words("title", flattened(document.title))
    yield from _words("headings", flattened(document.headings))
    yield from _words("body", document.flat or flattened(document.text))
    for anchor in _distinct(document.anchors):
        yield from _words("anchors", anchor)
    host = host_of(document.url)
    yield "host", host.removeprefix("www.")
    for site in sites_of(host):
        yield "site", site
    if document.topic:
        yield from _words("topic", flattened(document.topic))
        yield "topic_name", document.topic
    if document.language:
        yield "language", document.language


def _words(name: str, flat_text: str) -> Iterator[tuple[str, str]]:
    words, characters = entries(flat_text)
    yield name, words
    if characters:  # in a value of its own, so that they are not neighbours of the words
        yield _field_of_characters(name), characters


def where(name: str, tokens: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The field and the entries, one behind the other, by which tokens are found that stand together."""
    if len(tokens) == 1:
        return (_field_of_characters(name) if is_han(tokens[0]) else name), tokens
    return name, looked_up(tokens)


def _field_of_characters(name: str) -> str:
    return _CHARACTERS if name == "body" else name


def _distinct(anchors: Iterable[str]) -> list[str]:
    """Different anchors, the most frequent first: a thousand links that say the same say it once."""
    counts = Counter(filter(None, map(flattened, anchors)))
    return [anchor for anchor, _ in counts.most_common(_MOST_ANCHORS)]


def sites_of(host: str) -> list[str]:
    """Everything that may be typed behind `site:` to find this host: with and without port, and each domain it is in."""
    name = _PORT.sub("", host)
    if _ADDRESS.fullmatch(name):
        return list(dict.fromkeys((host, name)))
    labels = name.split(".")
    return list(dict.fromkeys((host, *(".".join(labels[place:]) for place in range(len(labels))))))


# --- what makes a page better than another ---------------------------------------------------------------------------


def topic_factor(step: int, relevant: bool) -> float:
    """By how much its topic lifts a page; 1 for one that has nothing to do with it, or that nobody judged."""
    return 1 + _TOPIC_GAIN * step / _STEPS + _RELEVANT_GAIN * relevant


def link_factor(step: int) -> float:
    """By how much the links that point to it lift a page."""
    return 1 + _LINK_GAIN * step / _STEPS


class Freshness(Value, frozen=True, kw_only=True):
    """How much it matters that a page is new."""

    today: int
    """In days since 1970."""
    half_life: float = 90.0
    """Days after which a page has lost half of what it gained by being new."""

    def factor(self, day: int) -> float:
        """By what the score of a page of that day is multiplied."""
        return float(_OLD + (1 - _OLD) * 0.5 ** (max(0, self.today - day) / self.half_life))


def _step(share: float) -> int:
    return round(min(1.0, max(0.0, share)) * _STEPS)


def _weight(document: Document) -> float:
    """The number that tantivy turns into the product of both factors: it multiplies a score by `log2(2 + weight)`.

    The id makes it a little less, so that no two pages are equal and their order is always the same.
    """
    factor = topic_factor(_step(document.score or 0.0), document.relevant) * link_factor(_step(document.importance))
    return float(2**factor - 2 - document.id * _TINY)


def factor_of(weight: float) -> float:
    """What tantivy makes of a weight."""
    return log2(2 + max(0.0, weight))
