"""What is known about one picture of the generated web: where it is, what the server sends, and what it really shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Sent = Literal["picture", "gone", "html", "bomb"]
"""What comes for a picture: itself, a 404, a page instead, or a few bytes that claim to be an enormous picture."""
Way = Literal["plain", "figure", "lazy", "srcset", "picture", "background", "thumbnail"]
"""How a page shows a picture."""
LEAST_SIDE = 64
"""What is smaller on one side is an icon, a line or a tracker, and nothing to look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPicture:
    """One file, with its ground truth."""

    url: str
    """In normal form."""
    motif: str
    """Files that show the same picture, in whatever size and wherever they are, have the same motif."""
    width: int
    height: int
    topics: frozenset[str] = frozenset()
    """What can be seen on it."""
    sent: Sent = "picture"
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
        return self.allowed and self.sent == "picture" and not self.is_icon


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A picture as it will stand on a page."""

    files: tuple[WebPicture, ...]
    """The same picture in several sizes, the smallest first."""
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
