"""What made the score of a page?"""

from __future__ import annotations

from collections.abc import Iterator

import tantivy

from shoal.index.query import Query
from shoal.index.query_builder import Matcher, Must, pairs
from shoal.index.ranking import Freshness
from shoal.index.results import Explanation, Part
from shoal.index.schema import TEXTS, link_factor, topic_factor


class Explainer:
    """Looks at one page that a query found, through the eyes of tantivy: each part of the query is asked for this page alone."""

    def __init__(self, schema: tantivy.Schema, searcher: tantivy.Searcher, matcher: Matcher, id: int) -> None:
        self._schema = schema
        self._searcher = searcher
        self._matcher = matcher
        self._this = tantivy.Query.const_score_query(tantivy.Query.term_query(schema, "id", id), 0.0)

    def is_found(self, query: tantivy.Query) -> bool:
        """True when the page matches."""
        return self._score(query) is not None

    def explain(self, query: Query, fresh: Freshness | None) -> Explanation:
        """The parts of the score; the page must match."""
        (_, address), *_ = self._searcher.search(self._this, 1).hits
        topic, links, day = (self._column(name, address) for name in ("topic_step", "link_step", "day"))
        relevant = self._score(tantivy.Query.term_query(self._schema, "relevant", True)) is not None
        return Explanation(
            parts=tuple(self._parts(query)),
            topic=topic_factor(topic, relevant),
            links=link_factor(links),
            freshness=fresh.factor(day) if fresh else 1.0,
        )

    def _parts(self, query: Query) -> Iterator[Part]:
        for words in query.wanted:
            for field in ("title",) if words.in_title else TEXTS:
                score = self._score(self._matcher.field(field, words.tokens))
                if score is not None:
                    yield Part(words=words.text, field=field, score=score)
        for one, other in pairs(query.wanted):
            score = self._score(self._matcher.pair(one, other))
            if score is not None:
                yield Part(words=f"{one.text} {other.text}", field="together", score=score)

    def _score(self, query: tantivy.Query) -> float | None:
        """What this page gets for a query; None when it does not match."""
        hits = self._searcher.search(tantivy.Query.boolean_query([(Must, query), (Must, self._this)]), 1).hits
        return float(hits[0][0]) if hits else None

    def _column(self, name: str, address: tantivy.DocAddress) -> int:
        return int(self._searcher.fast_field_values(name, [address])[0] or 0)
