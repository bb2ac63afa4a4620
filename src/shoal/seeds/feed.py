"""Which pages does a feed tell of? RSS, Atom and RDF by way of feedparser, and JSON Feed.

A broken feed still gives what can be read of it.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Mapping
from typing import Any

import feedparser
import msgspec

from shoal.model import Suggestion
from shoal.seeds.gathering import plain, suggestion
from shoal.seeds.listing import Listing

ROOTS = frozenset({"rss", "feed", "rdf", "channel"})
TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})
_LARGEST = 5 * 2**20
_MOST_TAGS = 20_000
"""Characters and tags of a feed that are read, because feedparser takes its time. The newest entries come first."""


def read_feed(text: str, *, base: str | None, source: str) -> Listing:
    """The pages behind the entries of an RSS, Atom or RDF feed."""
    # feedparser looks for declarations at each line in front of the root, which blank lines by the million make slow.
    lines = "\n".join(line for line in text[: _end(text)].splitlines() if line.strip())
    # A stream, because feedparser would take bytes for the name of a file first; and our header, because it would guess
    # the charset anew.
    headers = {"content-type": "application/xml; charset=utf-8"} | ({"content-location": base} if base else {})
    found = feedparser.parse(
        io.BytesIO(lines.encode("utf-8", "replace")),
        response_headers=headers,
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    pages = _usable(_entry(entry, base, source) for entry in found.entries)
    return Listing(pages=pages, problem="" if pages or not found.bozo else f"it is damaged ({found.bozo_exception})")


def _end(text: str) -> int:
    """Where to stop reading: before there are too many tags; those within CDATA are text."""
    place = -1
    for _ in range(_MOST_TAGS):
        place = text.find("<", place + 1)
        if place >= 0 and text.startswith("<![CDATA[", place):
            place = text.find("]]>", place)
        if place < 0 or place > _LARGEST:
            return _LARGEST
    return place


def _entry(entry: Mapping[str, Any], base: str | None, source: str) -> Suggestion | None:
    # Asked in this order, because feedparser answers the other way round with a warning when only one is there.
    when = entry.get("published_parsed") or entry.get("updated_parsed")
    return suggestion(
        str(entry.get("link", "")),
        base=base,
        title=plain(str(entry.get("title", ""))),
        snippet=plain(str(entry.get("summary", ""))),
        source=source,
        updated=time.strftime("%Y-%m-%d", when) if when else "",
    )


def _usable(pages: Iterable[Suggestion | None]) -> tuple[Suggestion, ...]:
    return tuple(page for page in pages if page is not None)


# --- JSON Feed -------------------------------------------------------------------------------------------------------


class _Item(msgspec.Struct):
    """One entry, as far as we need it."""

    url: str | None = None
    external_url: str | None = None
    """Where the page is that a link blog speaks of."""
    title: str | None = None
    summary: str | None = None
    content_text: str | None = None
    content_html: str | None = None
    date_modified: str | None = None
    date_published: str | None = None


class _JsonFeed(msgspec.Struct):
    version: str
    items: list[msgspec.Raw] = []


def read_json_feed(text: str, *, base: str | None, source: str) -> Listing | None:
    """The pages behind the entries of a JSON Feed; None when this is other JSON, or none at all."""
    try:
        feed = msgspec.json.decode(text, type=_JsonFeed)
    except (msgspec.DecodeError, UnicodeError):
        return None
    if "jsonfeed.org" not in feed.version:
        return None
    return Listing(pages=_usable(_item(raw, base, source) for raw in feed.items))


def _item(raw: msgspec.Raw, base: str | None, source: str) -> Suggestion | None:
    try:
        item = msgspec.json.decode(raw, type=_Item)
    except (msgspec.DecodeError, UnicodeError):
        return None
    return suggestion(
        item.url or item.external_url or "",
        base=base,
        title=item.title or "",
        snippet=item.summary or item.content_text or plain(item.content_html or ""),
        source=source,
        updated=(item.date_modified or item.date_published or "").partition("T")[0],
    )
