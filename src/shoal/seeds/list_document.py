"""What was read from a document that lists pages? The shape of the answer, and how bytes become text."""

from __future__ import annotations

import codecs
import re
import zlib

import msgspec

from shoal.charsets import codec_of
from shoal.model import Suggestion, Value

LARGEST = 50 * 2**20
"""Bytes of a document after unpacking: what the sitemap protocol allows. What stands behind them is not read."""
UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What is raised for JSON that is none, or that nests deeper than anything a person means."""
_GZIP = b"\x1f\x8b"
_AT_ONCE = 2**16
"""Bytes that are unpacked at once: what is left of them is copied, however small a part was."""
_MOST_MEMBERS = 10_000
"""Parts of a file that is packed in parts; the usual ones have 64 KiB."""
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_DECLARATION = re.compile(rb"<\?xml[^>]{1,200}?encoding\s*=\s*[\"']([\w.:-]+)", re.IGNORECASE)


class Document(Value, frozen=True, kw_only=True):
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


def decoded(body: bytes, content_type: str = "") -> str:
    """The text of a document, whatever it or the server say about its charset: UTF-8 and GBK prove themselves."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    declared = _DECLARATION.search(body[:1000])
    in_header = _CHARSET.search(content_type)
    said = (in_header[1] if in_header else "", declared[1].decode("ascii") if declared else "")
    for codec in ("utf-8", *filter(None, map(codec_of, said)), "gb18030"):
        if (text := _strictly(body, codec)) is not None:
            return text
    return body.decode("utf-8", "replace")


def _strictly(body: bytes, codec: str) -> str | None:
    """The text, or None when the bytes are not in this charset; they may end in the middle of a character."""
    try:
        return codecs.getincrementaldecoder(codec)().decode(body)
    except UnicodeError:
        return None
