"""What of a page goes to the disk? Its body, its text and its links, packed and ready to be written.

Packing costs more than all else that a store does with a page, and needs nothing that only the store knows. So whoever
reads a page does it.
"""

from __future__ import annotations

import hashlib

from shoal.model import Packed, Page, Response, Seen
from shoal.store import page_links, page_versions, warc
from shoal.text import bands

_LARGEST = 2**28
"""Bytes of a body that another machine may send."""
_NO_PAGE = Page(url="", noindex=True)
"""What was not understood says nothing, and leads nowhere."""


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
        links=page_links.pack(page.links, page.url),
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
    return "The packed links of a page are damaged." if packed.links and not page_links.is_whole(packed.links) else ""
