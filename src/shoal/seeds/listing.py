"""What was read from a document that lists pages? The shape of the answer, and how bytes become text."""

from __future__ import annotations

import codecs
import re
import zlib

from shoal.model import Suggestion, Value

LARGEST = 50 * 2**20
"""Bytes of a document after unpacking: what the sitemap protocol allows. What stands behind them is not read."""
_GZIP = b"\x1f\x8b"
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
    room = largest
    while body.startswith(_GZIP):
        unpacking = zlib.decompressobj(wbits=31)
        try:
            part = unpacking.decompress(body, room)
        except zlib.error:
            return b"".join(parts), "its gzip is damaged"
        parts.append(part)
        room -= len(part)
        if room <= 0:
            return b"".join(parts), f"it is larger than {largest // 2**20} MiB"
        if not unpacking.eof:
            return b"".join(parts), "its gzip ends too early"
        body = unpacking.unused_data
    return (b"".join(parts), "") if parts else (body[:largest], "")


def decoded(body: bytes, content_type: str = "") -> str:
    """The text of a document, whatever it or the server say about its charset: UTF-8 and GBK prove themselves."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    declared = _DECLARATION.search(body[:1000])
    in_header = _CHARSET.search(content_type)
    labels = ["utf-8", in_header[1] if in_header else "", declared[1].decode("ascii") if declared else "", "gb18030"]
    for label in filter(None, labels):
        if (text := _strictly(body, label)) is not None:
            return text
    return body.decode("utf-8", "replace")


def _strictly(body: bytes, label: str) -> str | None:
    """The text, or None when the bytes are not in this charset; they may end in the middle of a character."""
    codec = "gb18030" if label.lower() in ("gb2312", "gbk", "x-gbk", "cp936") else label
    try:
        return codecs.getincrementaldecoder(codec)().decode(body)
    except (LookupError, UnicodeError, TypeError, ValueError):
        return None
