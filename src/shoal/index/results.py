"""What does a search answer, and what made the score of a page?"""

from __future__ import annotations

from collections.abc import Iterator

import tantivy

from shoal.index.merged_index import MergedIndex
from shoal.index.query import Query
from shoal.index.query_builder import Matcher, Must, fields_of, pairs
from shoal.index.schema import Freshness, link_factor, topic_factor
from shoal.model import Value


class Hit(Value, frozen=True, kw_only=True):
    """A page that was found, standing for all its near-copies that were found too."""

    id: int
    """In its crawl."""
    score: float
    similar: int = 0
    """How many near-copies it stands for."""
    crawl: str = ""
    """The name of its crawl."""
    also_in: tuple[str, ...] = ()
    """Other crawls that have it, or near-copies of it that are good hits, too."""


class FacetCount(Value, frozen=True, kw_only=True):
    """How many of the found pages have this value."""

    value: str
    pages: int


class Facets(Value, frozen=True, kw_only=True):
    """Of what the found pages are, the most frequent first, at most ten of each."""

    site: tuple[FacetCount, ...] = ()
    topic: tuple[FacetCount, ...] = ()
    language: tuple[FacetCount, ...] = ()
    month: tuple[FacetCount, ...] = ()
    """`2024-05`, of the page's date: when it was published, else when it was fetched."""
    crawl: tuple[FacetCount, ...] = ()
    """Where several are searched. A page counts in each crawl that has it, elsewhere once."""


class SearchResults(Value, frozen=True, kw_only=True):
    """The answer to a query."""

    query: Query
    """What was searched in the end, with typing mistakes put right: the snippets are made for this."""
    hits: tuple[Hit, ...] = ()
    total: int = 0
    """All pages that match, near-copies too; a URL that several crawls have counts once."""
    more: bool = False
    """There are hits behind these."""
    facets: Facets = Facets()
    notes: tuple[str, ...] = ()
    """Sentences for the user."""
    suggestion: str = ""
    """When nothing was found: a query that finds something."""


class ScorePart(Value, frozen=True, kw_only=True):
    """One summand of a score."""

    words: str
    field: str
    """`title`, `headings`, `anchors`, `body`; `together` for words that stand one behind the other."""
    score: float


class ScoreExplanation(Value, frozen=True, kw_only=True):
    """What made a page's score: the sum of the parts x topic x links x freshness."""

    parts: tuple[ScorePart, ...] = ()
    """None for a query without words: then their sum is 1."""
    topic: float = 1.0
    links: float = 1.0
    freshness: float = 1.0

    @property
    def score(self) -> float:
        """As the hit has it."""
        total = sum(part.score for part in self.parts) if self.parts else 1.0
        return total * self.topic * self.links * self.freshness


class Explainer:
    """Looks at one page that a query found, through the eyes of tantivy: each part of the query is asked for this page alone."""

    def __init__(self, index: MergedIndex, matcher: Matcher, page: tantivy.Query) -> None:
        self._schema = index.schema
        self._searcher = index.searcher
        self._matcher = matcher
        self._this = tantivy.Query.const_score_query(page, 0.0)

    def is_found(self, query: tantivy.Query) -> bool:
        """True when the page matches."""
        return self._score(query) is not None

    def explain(self, query: Query, fresh: Freshness | None) -> ScoreExplanation:
        """The parts of the score; the page must match."""
        (_, address), *_ = self._searcher.search(self._this, 1).hits
        topic, links, day = (self._column(name, address) for name in ("topic_step", "link_step", "day"))
        relevant = self._score(tantivy.Query.term_query(self._schema, "relevant", True)) is not None
        return ScoreExplanation(
            parts=tuple(self._parts(query)),
            topic=topic_factor(topic, relevant),
            links=link_factor(links),
            freshness=fresh.factor(day) if fresh else 1.0,
        )

    def _parts(self, query: Query) -> Iterator[ScorePart]:
        for words in query.wanted:
            for field in fields_of(words):
                score = self._score(self._matcher.field(field, words.tokens))
                if score is not None:
                    yield ScorePart(words=words.text, field=field, score=score)
        for one, other in pairs(query.wanted):
            score = self._score(self._matcher.pair(one, other))
            if score is not None:
                yield ScorePart(words=f"{one.text} {other.text}", field="together", score=score)

    def _score(self, query: tantivy.Query) -> float | None:
        """What this page gets for a query; None when it does not match."""
        hits = self._searcher.search(tantivy.Query.boolean_query([(Must, query), (Must, self._this)]), 1).hits
        return float(hits[0][0]) if hits else None

    def _column(self, name: str, address: tantivy.DocAddress) -> int:
        return int(self._searcher.fast_field_values(name, [address])[0] or 0)
