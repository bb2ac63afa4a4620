"""What of a page goes to the disk? Its body, its text and its links, packed and ready to be written.

Packing costs more than all else that a store does with a page, and needs nothing that only the store knows. So whoever
reads a page does it.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from struct import Struct
from struct import error as StructError

import msgspec
from isal import isal_zlib

from shoal.cache import cached
from shoal.errors import FolderError
from shoal.model import Link, LinkKind, Packed, Page, Response, Seen
from shoal.store import warc
from shoal.text import bands, stamp
from shoal.urls import key_of

_LARGEST = 2**28
"""Bytes of a body that another machine may send."""
_NO_PAGE = Page(url="", noindex=True)
"""What was not understood says nothing, and leads nowhere."""
_ANCHOR = 100
"""Characters of an anchor that are kept."""
_LEVEL_OF_LINKS = 1
# Half of the text's size in a third of zlib's time.
_LEVEL_OF_TEXT = 2
_HEAD = Struct("<II")
"""Which analyser made the flat form (`text.stamp`), and how many bytes the text has in front of it."""
_SPOKEN = frozenset((LinkKind.ANCHOR, LinkKind.AREA))
"""Kinds of links by which one page speaks of another."""
_LARGEST_UNPACKED = 2**27
"""Bytes of texts or links, at most; a page has 10 MB, and its text and its flat form are shorter."""
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
        text=b"" if page.noindex else pack_text(page.text, page.flat.partition("\n")[2]),
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
    if packed.text and not text_is_whole(packed.text):
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
    return bytes(isal_zlib.compress(packed, _LEVEL_OF_LINKS))


def _are_whole(stored: bytes) -> bool:
    """False when nobody could read what another machine has packed."""
    try:
        numbers, anchors = _packed.decode(_unpacked(stored))
    except (isal_zlib.error, msgspec.DecodeError, ValueError, RecursionError):  # type: ignore[misc]
        return False
    return len(numbers) == 8 * len(anchors)


def unpack_links(stored: bytes) -> tuple[array[int], list[str]]:
    """`urls.key_of` of each page that is linked to, and in which words."""
    numbers, anchors = _packed.decode(_unpacked(stored))
    keys = array("q")
    keys.frombytes(numbers)
    return keys, anchors


def pack_text(text: str, flat: str = "") -> bytes:
    """The text as it is stored, together with its flat form: to make that anew costs more than all else that an index does."""
    body, rest = (form.encode("utf-8", "replace") for form in (text, flat))
    return bytes(isal_zlib.compress(_HEAD.pack(stamp(), len(body)) + body + rest, _LEVEL_OF_TEXT))


def unpack_text(stored: bytes) -> str:
    """The text as it was."""
    return unpack_both(stored)[0]


def unpack_both(stored: bytes) -> tuple[str, str]:
    """The text and its flat form; that is empty when it was not stored, or made by another analyser."""
    try:
        data = _unpacked(stored)
        made_by, length = _HEAD.unpack_from(data)
        end = _HEAD.size + length
        if end > len(data):
            raise ValueError("it is shorter than it says")
        text, flat = data[_HEAD.size : end].decode(), data[end:].decode()
    except (isal_zlib.error, StructError, ValueError) as error:  # type: ignore[misc]  # wrong in isal's own types
        raise FolderError(f"The stored text of a page is damaged: {error}.") from error
    return text, flat if made_by == stamp() else ""


def text_is_whole(stored: bytes) -> bool:
    """False when nobody could read what is stored here, or what another machine has packed."""
    try:
        unpack_both(stored)
    except FolderError:
        return False
    return True


def _unpacked(stored: bytes) -> bytes:
    """What was packed; if that is more than any page has, it is not unpacked."""
    opened = isal_zlib.decompressobj()
    data = bytes(opened.decompress(stored, _LARGEST_UNPACKED))
    if not opened.eof:
        raise ValueError("its end is missing")
    return data
