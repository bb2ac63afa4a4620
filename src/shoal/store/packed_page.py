"""What of a page goes to the disk? Its body, its text and its links, packed and ready to be written.

Packing costs more than all else that a store does with a page, and needs nothing that only the store knows. So whoever
reads a page does it.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence

import msgspec
from isal import isal_zlib

from shoal.cache import cached
from shoal.model import Link, LinkKind, Packed, Page, Response, Seen
from shoal.store import page_versions, warc
from shoal.text import bands
from shoal.urls import key_of

_LARGEST = 2**28
"""Bytes of a body that another machine may send."""
_NO_PAGE = Page(url="", noindex=True)
"""What was not understood says nothing, and leads nowhere."""
_ANCHOR = 100
"""Characters of an anchor that are kept."""
_LEVEL = 1
_SPOKEN = frozenset((LinkKind.ANCHOR, LinkKind.AREA))
"""Kinds of links by which one page speaks of another."""
_LARGEST_LINKS = 2**27
"""Bytes that packed links unpack to, at most."""
_packed = msgspec.msgpack.Decoder(tuple[bytes, list[str]])
# The pages of a site share most of their links.
_key = cached(size=50_000)(key_of)


def pack(response: Response, understood: Page | None) -> Packed:
    """A page, ready for the disk; None when it was not understood."""
    page = understood or _NO_PAGE
    is_kept = response.body and (understood is None or not page.noindex)
    payload = warc.payload_digest(response.body)
    return Packed(
        size=len(response.body),
        digest=hashlib.blake2b(response.body, digest_size=16).digest(),
        payload=payload,
        record=warc.response_member(response, payload) if is_kept else b"",
        text=b"" if page.noindex else page_versions.pack(page.text, page.flat.partition("\n")[2]),
        links=pack_links(page.links, page.url),
        images=len(page.images),
        bands=tuple(dict.fromkeys(bands(page.fingerprint))),
    )


def damage(seen: Seen) -> str:
    """What is wrong with a page that somebody else packed, in one sentence; empty when nothing is."""
    packed = seen.packed
    if not packed.text and seen.page is not None and not seen.page.noindex:
        return "The packed text of a page is missing."
    if packed.record and (packed.size > _LARGEST or not warc.is_whole(packed.record, packed.size)):
        return "The packed body of a page is damaged."
    if packed.text and not page_versions.is_whole(packed.text):
        return "The packed text of a page is damaged."
    return "The packed links of a page are damaged." if packed.links and not _are_whole(packed.links) else ""


def pack_links(links: Sequence[Link], own: str) -> bytes:
    """Where a page leads: each page that is linked to once, with the longest of its anchors; links to itself say nothing."""
    said: dict[str, str] = {}
    for link in links:
        if link.kind in _SPOKEN and "nofollow" not in link.rel and len(link.anchor) >= len(said.get(link.url, "")):
            said[link.url] = link.anchor[:_ANCHOR]
    said.pop(own, None)
    if not said:
        return b""
    packed = msgspec.msgpack.encode((array("q", map(_key, said)).tobytes(), [*said.values()]))
    return bytes(isal_zlib.compress(packed, _LEVEL))


def _are_whole(stored: bytes) -> bool:
    """False when nobody could read what another machine has packed."""
    try:
        opened = isal_zlib.decompressobj()
        data = opened.decompress(stored, _LARGEST_LINKS)
        numbers, anchors = _packed.decode(data)
    except (isal_zlib.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # type: ignore[misc]
        return False
    return opened.eof and len(numbers) == 8 * len(anchors)


def unpack_links(stored: bytes) -> tuple[array[int], list[str]]:
    """`urls.key_of` of each page that is linked to, and in which words."""
    numbers, anchors = _packed.decode(isal_zlib.decompress(stored))
    keys = array("q")
    keys.frombytes(numbers)
    return keys, anchors
