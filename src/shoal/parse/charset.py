"""Which charset are these bytes in? Nothing that a page or server says about it is trusted unseen.

The order: byte-order mark, HTTP header, meta tag, strict UTF-8, statistics. A label that the bytes contradict is dropped.
"""

from __future__ import annotations

import codecs
import re

from turbohtml.detect import Detection, detect

from shoal.cache import cached
from shoal.charsets import LABELS as _LABELS

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_NAMES = {label: row.split()[0] for row in _LABELS.values() for label in row.split()}
_CODECS = {row.split()[0]: codec for codec, row in _LABELS.items()}

_HEADER = re.compile(r"charset\s*+=\s*+[\"']?+\s*+([^\s\"';,]++)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->|(<!--.*+)", re.DOTALL)
"""A comment; one that is not closed is found once, not from each of its beginnings, and stays."""
_META = re.compile(
    rb"<meta\s[^<>]*?charset\s*+=\s*+[\"']?+\s*+([\w.:-]++)|<\?xml\s[^<>]*?encoding\s*+=\s*+[\"']([\w.:-]++)", re.I
)
_TAG = re.compile(rb"<[^<>]{0,2000}+>")
_PRESCAN = 4096
_SAMPLE = 50_000
"""Bytes that the statistics look at; more does not make them surer, only slower."""
_HIGH = bytes(range(0x80, 0x100))


def decode(body: bytes, content_type: str = "", host: str = "") -> tuple[str, str]:
    """The text of a body and the name of its charset; bytes that mean nothing are replaced."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace"), codec
    label = _declared(body, content_type)
    if not (body.isascii() and label in _CODECS):
        try:
            # Bytes of another charset that are valid UTF-8 by chance are so rare that every label is overruled.
            return body.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            pass
    return _decode_by_evidence(body, label, host)


def encoder(charset: str) -> str:
    """The Python codec that writes what a page of this charset would send."""
    return _CODECS.get(charset, "utf-8")


def _declared(body: bytes, content_type: str) -> str:
    """The charset that header or meta tag name, or an empty string."""
    match = _HEADER.search(content_type)
    by_header = _NAMES.get(match.group(1).lower(), "") if match else ""
    # Many servers add Latin-1 to everything; the author's tag knows better.
    if by_header and by_header != "windows-1252":
        return by_header
    head = body[:_PRESCAN]
    tag = _META.search(_COMMENT.sub(rb"\1", head) if b"<!--" in head else head)
    by_meta = (tag.group(1) or tag.group(2)).decode("ascii", "replace").lower() if tag else ""
    return _NAMES.get(by_meta, "") or by_header


def _decode_by_evidence(body: bytes, label: str, host: str) -> tuple[str, str]:
    """By the label unless the bytes contradict it, else by statistics."""
    high = len(body) - len(body.translate(None, _HIGH))
    if label == "windows-1252" and high > len(body) // 10:
        label = ""  # every byte is valid in it, so only this many accents can tell that it is wrong
    if label:
        text = body.decode(_CODECS[label], "replace")
        if text.count("\ufffd") <= high // 20:
            return text, label
    guess = _guess(body, host)
    if guess == "windows-1252" and (text := body.decode("utf-8", "replace")).count("\ufffd") <= high // 20:
        return text, "utf-8"
    return body.decode(_CODECS[guess], "replace"), guess


def _guess(body: bytes, host: str) -> str:
    """What the statistics say about the text; tags are cut out, because the detector would believe what they say."""
    sample = _TAG.sub(b" ", body[: 4 * _SAMPLE])[:_SAMPLE]
    found = detect(sample, _hint(host.rpartition(".")[2].lower())).encoding or ""
    return _NAMES.get(found.lower(), "windows-1252")


@cached(size=1000)
def _hint(top_level: str) -> Detection:
    """A host in `.cn` or `.jp` tells about the charset of its pages."""
    return Detection(tld=top_level if top_level.isascii() and top_level.isalpha() else None)
