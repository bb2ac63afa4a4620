"""Where do pages lead, and in which words? Its links, packed: they tell what others say of a page, and how important it is."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import msgspec
from isal import isal_zlib

from shoal.cache import cached
from shoal.model import Link, LinkKind
from shoal.urls import key_of

_ANCHOR = 100
"""Characters of an anchor that are kept."""
_LEVEL = 1
_SPOKEN = frozenset((LinkKind.ANCHOR, LinkKind.AREA))
"""Kinds of links by which one page speaks of another."""
_LARGEST = 2**27
"""Bytes that packed links unpack to, at most."""
_packed = msgspec.msgpack.Decoder(tuple[bytes, list[str]])
# The pages of a site share most of their links.
_key = cached(size=50_000)(key_of)


def pack(links: Sequence[Link], own: str) -> bytes:
    """Each page that is linked to once, with the longest of its anchors; links of a page to itself say nothing."""
    said: dict[str, str] = {}
    for link in links:
        if link.kind in _SPOKEN and "nofollow" not in link.rel and len(link.anchor) >= len(said.get(link.url, "")):
            said[link.url] = link.anchor[:_ANCHOR]
    said.pop(own, None)
    if not said:
        return b""
    packed = msgspec.msgpack.encode((array("q", map(_key, said)).tobytes(), [*said.values()]))
    return bytes(isal_zlib.compress(packed, _LEVEL))


def is_whole(stored: bytes) -> bool:
    """False when nobody could read what another machine has packed."""
    try:
        opened = isal_zlib.decompressobj()
        data = opened.decompress(stored, _LARGEST)
        numbers, anchors = _packed.decode(data)
    except (isal_zlib.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # type: ignore[misc]
        return False
    return opened.eof and len(numbers) == 8 * len(anchors)


def unpack(stored: bytes) -> tuple[array[int], list[str]]:
    """`urls.key_of` of each page that is linked to, and in which words."""
    numbers, anchors = _packed.decode(isal_zlib.decompress(stored))
    keys = array("q")
    keys.frombytes(numbers)
    return keys, anchors
