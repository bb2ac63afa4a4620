"""What is known about one page of the generated web: what the server sends, and what is true about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Note = Literal["article", "hub", "home", "navigation", "near-duplicate", "redirect", "trap", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """One page, with its ground truth."""

    url: str
    """In normal form."""
    note: Note
    body: bytes
    content_type: str = "text/html"
    """The header, with or without a charset."""
    charset: str = "utf-8"
    """What the bytes really are, whatever header and meta tag say."""
    language: str = ""
    """`en`, `zh`, or `en+zh` for a page in both; empty for what has no text."""
    topics: frozenset[str] = frozenset()
    """What the page is about: the topics that most of its sentences were made of."""
    links: tuple[str, ...] = ()
    """Where a polite crawler may go from here: without nofollow links, in the order of the page."""
    status: int = 200
    location: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    """Besides Content-Type and Location."""
    delay: float = 0.0
    """Seconds until it is answered."""
    allowed: bool = True
    """Whether the host's robots.txt lets Shoal fetch it."""
    noindex: bool = False
    """Whether it asks not to be kept."""
    original: str = ""
    """Of a near-duplicate, the page it repeats."""
    pictures: tuple[str, ...] = ()
    """The addresses of all picture files that the page names, in every size."""
