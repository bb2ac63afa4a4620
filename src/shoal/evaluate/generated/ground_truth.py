"""What is true about a page or an image of the generated web? What the server sends, what it is about, what it really shows."""

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
    images: tuple[str, ...] = ()
    """The addresses of all image files that the page names, in every size."""


# --- images -----------------------------------------------------------------------------------------------------------

Sent = Literal["image", "gone", "html", "bomb"]
"""What comes for an image: itself, a 404, a page instead, or a few bytes that claim to be an enormous image."""
Way = Literal["plain", "figure", "lazy", "srcset", "picture", "background", "thumbnail"]
"""How a page shows an image."""
LEAST_SIDE = 64
"""What is smaller on one side is an icon, a line or a tracker, and nothing to look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebImage:
    """One file, with its ground truth."""

    url: str
    """In normal form."""
    motif: str
    """Files that show the same image, in whatever size and wherever they are, have the same motif."""
    width: int
    height: int
    topics: frozenset[str] = frozenset()
    """What can be seen on it."""
    sent: Sent = "image"
    allowed: bool = True
    """Whether the host's robots.txt lets Shoal fetch it."""
    delay: float = 0.0
    """Seconds until it is answered."""

    @property
    def is_icon(self) -> bool:
        return min(self.width, self.height) < LEAST_SIDE

    @property
    def can_be_had(self) -> bool:
        """Whether a polite crawler gets something to look at."""
        return self.allowed and self.sent == "image" and not self.is_icon


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownImage:
    """An image as it will stand on a page."""

    files: tuple[WebImage, ...]
    """The same image in several sizes, the smallest first."""
    way: Way = "plain"
    before: int = 0
    """The paragraph in front of which it stands, from 0."""
    alt: str | None = None
    """None: the page forgets it."""
    title: str = ""
    caption: str = ""
    says_size: bool = False
    """Whether the page gives width and height."""
    is_shared: bool = False
    """Whether the page names it as the one to be shown beside links to it (Open Graph)."""
