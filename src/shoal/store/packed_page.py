"""What of a page goes to the disk? Its body, its text and its links, packed and ready to be written.

Packing costs more than all else that a store does with a page, and needs nothing that only the store knows. So whoever
reads a page does it (`packed`); what nobody packed the store packs.
"""

from __future__ import annotations

import hashlib

from msgspec.structs import replace

from shoal.model import Packed, Page, Seen
from shoal.settings import Learning
from shoal.store import page_links as linking
from shoal.store import page_versions as texts
from shoal.store import warc
from shoal.text import bands

_LARGEST = 2**28
"""Bytes of a body that another machine may send."""
_NO_PAGE = Page(url="", noindex=True)
"""What was not understood says nothing, and leads nowhere."""


def pack(seen: Seen) -> Packed:
    """A page, ready for the disk."""
    response, page = seen.response, seen.page or _NO_PAGE
    is_kept = response.body and (seen.page is None or not page.noindex)
    payload = warc.payload_digest(response.body)
    return Packed(
        size=len(response.body),
        digest=hashlib.blake2b(response.body, digest_size=16).digest(),
        payload=payload,
        record=warc.response_member(response, payload) if is_kept else b"",
        text=b"" if page.noindex else texts.pack(page.text, page.flat.partition("\n")[2]),
        links=linking.pack(page.links, page.url),
        images=len(page.images),
        bands=tuple(dict.fromkeys(bands(page.fingerprint))),
    )


def damage(packed: Packed) -> str:
    """What is wrong with a page that somebody else packed, in one sentence; empty when nothing is."""
    if packed.record and (packed.size > _LARGEST or not warc.is_whole(packed.record, packed.size)):
        return "The packed body of a page is damaged."
    if packed.text and not texts.is_whole(packed.text):
        return "The packed text of a page is damaged."
    return "The packed links of a page are damaged." if packed.links and not linking.is_whole(packed.links) else ""


def packed(seen: Seen, learning: Learning) -> Seen:
    """A page on its way to the coordinator: it is packed, and what nobody there will read stays here."""
    if seen.packed is not None:
        return seen
    ready, response = pack(seen), replace(seen.response, body=b"")
    page = seen.page
    if page is not None:
        learns = learning.from_seeds or learning.feedback or learning.adapt_threshold
        page = replace(page, text=page.text if learns else "", flat="", images=())
    return replace(seen, response=response, page=page, packed=ready)
