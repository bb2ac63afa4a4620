"""What was read from a document that lists pages? The shape of the answer, unpacked, and as it can be shown."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

from shoal.model import Suggestion, Value
from shoal.parse.html import plain_text
from shoal.parse.metadata import iso_date
from shoal.text import shortened
from shoal.urls import normalise

LARGEST = 50 * 2**20
"""Bytes of a document after unpacking: what the sitemap protocol allows. What stands behind them is not read."""
UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What is raised for JSON that is none, or that nests deeper than anything a person means."""
_GZIP = b"\x1f\x8b"
_AT_ONCE = 2**16
"""Bytes that are unpacked at once: what is left of them is copied, however small a part was."""
_MOST_MEMBERS = 10_000
"""Parts of a file that is packed in parts; the usual ones have 64 KiB."""
_LONGEST_TITLE = 200
_LONGEST_SNIPPET = 300
_LONGEST_MARKUP = 5000
"""Characters of a text with tags that are looked at: enough for a snippet, however long the article."""
_DAY = len("2025-03-01")


class ListDocument(Value, frozen=True, kw_only=True):
    """Bytes that may list pages, from the web or from a file."""

    name: str
    """Its URL or path, for people."""
    body: bytes
    base: str | None = None
    """What its addresses are relative to; None for a file."""
    content_type: str = ""
    """With its parameters."""


class Listing(Value, frozen=True, kw_only=True):
    """What a document lists."""

    pages: tuple[Suggestion, ...] = ()
    lists: tuple[str, ...] = ()
    """The addresses of further documents that list pages."""
    problem: str = ""
    """Why it was not read to its end: half a sentence, such as `line 3 is not XML (mismatched tag)`."""


def unpacked(body: bytes, largest: int = LARGEST) -> tuple[bytes, str]:
    """The body without gzip around it, and what was wrong with that; a bomb gets no further than `largest`."""
    parts: list[bytes] = []
    place, room = 0, largest
    for _ in range(_MOST_MEMBERS):
        if not body.startswith(_GZIP, place):
            return (b"".join(parts), "") if parts else (body[:largest], "")
        unpacking = zlib.decompressobj(wbits=31)
        while not unpacking.eof:
            if place >= len(body):
                return b"".join(parts), "its gzip ends too early"
            some = body[place : place + _AT_ONCE]
            try:
                part = unpacking.decompress(some, room)
            except zlib.error:
                return b"".join(parts), "its gzip is damaged"
            parts.append(part)
            room -= len(part)
            if room <= 0:
                return b"".join(parts), f"it is larger than {largest // 2**20} MiB"
            place += len(some) - len(unpacking.unconsumed_tail) - len(unpacking.unused_data)
    return b"".join(parts), f"its gzip has more than {_MOST_MEMBERS:,} parts"


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
        title=shortened(title, _LONGEST_TITLE),
        snippet=shortened(snippet, _LONGEST_SNIPPET),
        source=source,
        engines=tuple(engines),
        updated=iso_date(updated)[:_DAY],
    )


def plain(markup: str) -> str:
    """The text of a piece of HTML, as far as it is shown."""
    return plain_text(markup[:_LONGEST_MARKUP].replace("\x00", ""))
