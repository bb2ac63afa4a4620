"""What does a search answer?"""

from __future__ import annotations

from shoal.index.query import Query
from shoal.model import Value


class Hit(Value, frozen=True, kw_only=True):
    """A page that was found, standing for all its near-copies that were found too."""

    id: int
    score: float
    similar: int = 0
    """How many near-copies it stands for."""


class Count(Value, frozen=True, kw_only=True):
    """How many of the found pages have this value."""

    value: str
    pages: int


class Facets(Value, frozen=True, kw_only=True):
    """Of what the found pages are, the most frequent first, at most ten of each."""

    site: tuple[Count, ...] = ()
    topic: tuple[Count, ...] = ()
    language: tuple[Count, ...] = ()
    month: tuple[Count, ...] = ()
    """`2024-05`, of the page's date: when it was published, else when it was fetched."""


class Results(Value, frozen=True, kw_only=True):
    """The answer to a query."""

    query: Query
    """What was searched in the end, with typing mistakes put right: the snippets are made for this."""
    hits: tuple[Hit, ...] = ()
    total: int = 0
    """All pages that match, near-copies too."""
    more: bool = False
    """There are hits behind these."""
    facets: Facets = Facets()
    notes: tuple[str, ...] = ()
    """Sentences for the user."""
    suggestion: str = ""
    """When nothing was found: a query that finds something."""


class Part(Value, frozen=True, kw_only=True):
    """One summand of a score."""

    words: str
    field: str
    """`title`, `headings`, `anchors`, `body`; `together` for words that stand one behind the other."""
    score: float


class Explanation(Value, frozen=True, kw_only=True):
    """What made a page's score: the sum of the parts x topic x links x freshness."""

    parts: tuple[Part, ...] = ()
    """None for a query without words: then their sum is 1."""
    topic: float = 1.0
    links: float = 1.0
    freshness: float = 1.0

    @property
    def score(self) -> float:
        """As the hit has it."""
        total = sum(part.score for part in self.parts) if self.parts else 1.0
        return total * self.topic * self.links * self.freshness
