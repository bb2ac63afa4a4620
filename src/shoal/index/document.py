"""What is known of a page, or a picture, that can be searched?"""

from __future__ import annotations

from shoal.model import Value


class Document(Value, frozen=True, kw_only=True):
    """One page to be found. The index keeps what it needs to find it, never its text."""

    id: int
    """The page's number in the store; a document replaces the one with the same number."""
    version: int = 0
    """Ascending with every stored version; the largest one tells how far the index has come."""
    url: str
    title: str = ""
    headings: str = ""
    """One in each line."""
    anchors: tuple[str, ...] = ()
    """What links that point here say."""
    text: str = ""
    flat: str = ""
    """The flat form of the text (`text.flattened`), if it is known already: making it takes most of the time."""
    language: str = ""
    """A two-letter code, or empty."""
    topic: str = ""
    published: str = ""
    """ISO 8601, as exact as known (`2024` will do), or empty."""
    fetched_at: float = 0.0
    score: float | None = None
    """How much it is about the topic, 0 to 1; None when nobody judged it."""
    relevant: bool = False
    importance: float = 0.0
    """By the links that point here, 0 to 1."""
    group: int | None = None
    """The id of the page that it is a near-copy of; None for a page that is like no other."""
