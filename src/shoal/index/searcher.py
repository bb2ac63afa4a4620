"""Which pages answer a query, the best first?

    Query ─put right─► Query ─Matcher─► query of tantivy ─HitRanking─► folds ─► hits, one page of them

A query is tried with enough of its words, then with some of them, and the notes say so. The order is total and near-copies are
joined before pages of hits are cut, so no page of hits shows what another has shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

import tantivy

from shoal.index.analyzer import tokens
from shoal.index.index_folder import last_version
from shoal.index.merged_index import Fingerprints, IndexedCrawl, MergedIndex, open_merged
from shoal.index.query import Query, month_name, parse
from shoal.index.query_builder import Matcher, Should, alternatives, cut_smaller, put_right
from shoal.index.ranking import Fold, HitRanking
from shoal.index.results import Explainer, FacetCount, Facets, Hit, ScoreExplanation, SearchResults
from shoal.index.schema import Freshness
from shoal.text import terms

_MOST_COUNTED = 10
_FACETS = {"site": "host", "topic": "topic_name", "language": "language", "month": "month"}
_NOTHING_ASKED = "There is no word to search for in this query."
_SOME_WORDS = "No page has all these words; these have some of them."


def open_index(folder: Path, marks: Mapping[int, bool] = {}) -> Index:
    """The index in a folder, as it was when it was last committed; one sentence when it cannot be used.

    Pages with the ids of `marks` are relevant, or are not, whatever the judge said.
    """
    return Index(open_merged([IndexedCrawl(place=folder, marks=marks)]))


class Index:
    """What can be asked of one state of an index, or of several that are searched together."""

    def __init__(self, merged: MergedIndex, fingerprints: Fingerprints | None = None) -> None:
        """`fingerprints` is how near-copies in several crawls are known."""
        self._merged = merged
        self._searcher = merged.searcher
        self._crawls = [crawl.name for crawl in merged.crawls.values()]
        self._matcher = Matcher(merged)
        self._fingerprints = fingerprints

    # --- searching ---------------------------------------------------------------------------------------------------

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        offset: int = 0,
        fresh: Freshness | None = None,
        facets: bool = True,
    ) -> SearchResults:
        """One page of hits. With `fresh`, newer pages come first."""
        if query.is_empty:
            return SearchResults(query=query, notes=(*query.notes, _NOTHING_ASKED))
        asked, notes, ranking, folds = self._answer(query, offset + limit + 1, fresh)
        return SearchResults(
            query=asked,
            hits=self._hits(ranking, folds[offset : offset + limit]),
            total=ranking.total,
            more=len(folds) > offset + limit,
            facets=self._facets(ranking) if facets and ranking.total else Facets(),
            notes=(*query.notes, *notes),
            suggestion="" if ranking.total else self._suggestion(asked),
        )

    def explain(
        self, query: Query, id: int, *, crawl: str = "", fresh: Freshness | None = None
    ) -> ScoreExplanation | None:
        """What made the score of a page in `search`; None when the query does not find it."""
        asked, _, ranking, _ = self._answer(query, 1)
        explainer = Explainer(self._merged, self._matcher, self._page(crawl, id))
        if query.is_empty or not explainer.is_found(ranking.everywhere):
            return None
        return explainer.explain(asked, fresh)

    def similar(
        self, title: str, text: str, *, exclude: Collection[tuple[str, int]] = (), limit: int = 10
    ) -> tuple[Hit, ...]:
        """Pages with the same telling words as this text, without those of `exclude` (crawl, id) and their near-copies."""
        found = likeness(self._matcher, title, text)
        if found is None:
            return ()
        ranking = self._ranking(found)
        without = [page for crawl, id in exclude for page in ranking.pages(self._page(crawl, id))]
        return self._hits(ranking, ranking.first(limit, without))

    # --- what is in it -----------------------------------------------------------------------------------------------

    def versions(self) -> dict[int, int]:
        """The id of every document, with its version."""
        hits = self._searcher.search(
            tantivy.Query.exists_query("id"), max(1, self._searcher.num_docs), count=False
        ).hits
        addresses = [address for _, address in hits]
        ids, versions = (self._searcher.fast_field_values(name, addresses) for name in ("id", "version"))
        return dict(zip(ids, versions, strict=True))  # type: ignore[arg-type]

    def last_version(self) -> int:
        """How far the index has come (`IndexWriter.last_version`)."""
        return last_version(self._searcher)

    # --- inside ------------------------------------------------------------------------------------------------------

    def _answer(
        self, query: Query, count: int, fresh: Freshness | None = None
    ) -> tuple[Query, list[str], HitRanking, list[Fold]]:
        """The query that found something, what to tell the user about it, and the best pages."""
        asked, notes = put_right(query, self._searcher)
        ranking = self._ranking(self._matcher.query(asked), by_words=bool(asked.wanted), fresh=fresh)
        folds = ranking.first(count)
        if asked.wanted and not folds:
            smaller = cut_smaller(asked)
            some = self._ranking(self._matcher.query(smaller, some=True), fresh=fresh)
            if found := some.first(count):
                return smaller, [*notes, _SOME_WORDS], some, found
        return asked, notes, ranking, folds

    def _ranking(self, query: tantivy.Query, *, by_words: bool = True, fresh: Freshness | None = None) -> HitRanking:
        return HitRanking(self._merged, query, by_words=by_words, fresh=fresh, fingerprints=self._fingerprints)

    def _page(self, crawl: str, id: int) -> tantivy.Query:
        return self._merged.pages(self._merged.origin(crawl), "id", [id])

    def _suggestion(self, query: Query) -> str:
        """Another query that finds something, as it would be typed."""
        texts = map(str, alternatives(query, self._searcher))
        return next((text for text in texts if self._finds(self._matcher.query(parse(text)))), "")

    def _finds(self, query: tantivy.Query) -> bool:
        return bool(self._searcher.search(query, 1, count=False).hits)

    def _hits(self, ranking: HitRanking, folds: Sequence[Fold]) -> tuple[Hit, ...]:
        return tuple(
            Hit(
                id=fold[0].id,
                score=fold[0].score,
                similar=size - 1,
                crawl=self._crawls[fold[0].crawl],
                also_in=tuple(self._crawls[place] for place in others),
            )
            for fold, size, others in zip(folds, ranking.sizes(folds), ranking.elsewhere(folds), strict=True)
        )

    def _facets(self, ranking: HitRanking) -> Facets:
        counts = self._counts(ranking.query, _FACETS)
        if len(self._crawls) > 1:
            counts |= self._counts(ranking.everywhere, {"crawl": "origin"})
        return Facets(**counts)

    def _counts(self, found: tantivy.Query, columns: Mapping[str, str]) -> dict[str, tuple[FacetCount, ...]]:
        order = {"size": _MOST_COUNTED, "order": {"_count": "desc"}}
        wanted = {name: {"terms": {"field": column, **order}} for name, column in columns.items()}
        answer: dict[str, Any] = self._searcher.aggregate(found, wanted)
        return {name: tuple(self._sorted(name, answer[name]["buckets"])) for name in columns}

    def _sorted(self, name: str, buckets: list[dict[str, Any]]) -> list[FacetCount]:
        counts = [FacetCount(value=self._value(name, one["key"]), pages=int(one["doc_count"])) for one in buckets]
        return sorted(counts, key=lambda count: (-count.pages, count.value))

    def _value(self, name: str, key: Any) -> str:
        if name == "month":
            return month_name(int(key))
        return self._merged.crawls[int(key)].name if name == "crawl" else str(key)


# --- pages like this one ----------------------------------------------------------------------------------------------

_READ = 20_000
"""Characters of the text that are read: enough to know it by."""
_IN_TITLE = 3
"""A word of the title counts like so many in the text."""
_CLOSER_LOOK, _KEPT = 60, 25
_SHARE = 0.2
"""Of those words, so many must be on another page."""


def likeness(matcher: Matcher, title: str, text: str) -> tantivy.Query | None:
    """Finds pages with the same telling words; None when there are no such words."""
    telling = telling_words(matcher, title, text)
    if not telling:
        return None
    clauses = [(Should, tantivy.Query.boost_query(matcher.scored(words), weight)) for words, weight in telling.items()]
    return tantivy.Query.boolean_query(clauses, max(1, round(_SHARE * len(clauses))))


def telling_words(matcher: Matcher, title: str, text: str) -> dict[tuple[str, ...], float]:
    """The words that stand often here and on few pages, with how much of the page each one is (tf, 0 to 1)."""
    counts = Counter(terms(text[:_READ]))
    for word in terms(title):
        counts[word] += _IN_TITLE
    often = {tokens(word): 1 + log(count) for word, count in counts.items() if len(word) > 1 and not word.isdigit()}
    # The rarest pair of characters is a cheap bound; the pages with the whole word are counted for the best only.
    bound = sorted(often, key=lambda words: -often[words] * matcher.rarest(words))[:_CLOSER_LOOK]
    exact = {words: often[words] * matcher.rarity(words) for words in bound if matcher.pages_with(words) > 1}
    best = sorted(exact, key=lambda words: (-exact[words], words))[:_KEPT]
    return {words: often[words] for words in best}
