"""Which pages answer a query, the best first?

    Query ─put right─► Query ─Matcher─► entries ─HitRanking─► hits, one page of them

A query is tried with enough of its words, then with some of them, and the notes say so. The order is total and near-copies are
joined before pages of hits are cut, so no page of hits shows what another has shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import tantivy

from shoal.errors import FolderError
from shoal.index.analyzer import tokens
from shoal.index.index_folder import complaints, last_version, opened
from shoal.index.query import Query, month_name, parse
from shoal.index.query_builder import Matcher, Must, MustNot, Should, alternatives, cut_smaller, put_right
from shoal.index.results import Explainer, FacetCount, Facets, Hit, ScoreExplanation, SearchResults
from shoal.index.schema import Freshness, factor_of
from shoal.text import terms

_MOST_COUNTED = 10
_COLUMNS = {"site": "host", "topic": "topic_name", "language": "language", "month": "month"}
_NOTHING_ASKED = "There is no word to search for in this query."
_SOME_WORDS = "No page has all these words; these have some of them."
RESCORED = 1000
"""So many of the best are looked at again by their age."""
_FIRST_LOOK = 100


def open_index(folder: Path, marks: Mapping[int, bool] = {}) -> Index:
    """The index in a folder, as it was when it was last committed; one sentence when it cannot be used.

    Pages with the ids of `marks` are relevant, or are not, whatever the judge said.
    """
    found = opened(folder)
    if isinstance(found, str):
        raise FolderError(found)
    with complaints(folder):
        return Index(found[0], marks)


class Index:
    """One state of an index. Any number may read while one writes."""

    def __init__(self, index: tantivy.Index, marks: Mapping[int, bool]) -> None:
        index.config_reader("manual")
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()
        self._matcher = Matcher(self._schema, self._searcher, marks)

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
        asked, notes, ranking, entries = self._answer(query, offset + limit + 1, fresh)
        return SearchResults(
            query=asked,
            hits=self._hits(ranking, entries[offset : offset + limit]),
            total=ranking.total,
            more=len(entries) > offset + limit,
            facets=self._facets(ranking.query) if facets and ranking.total else Facets(),
            notes=(*query.notes, *notes),
            suggestion="" if ranking.total else self._suggestion(asked),
        )

    def explain(self, query: Query, id: int, *, fresh: Freshness | None = None) -> ScoreExplanation | None:
        """What made the score of a page in `search`; None when the query does not find it."""
        asked, _, ranking, _ = self._answer(query, 1)
        explainer = Explainer(self._schema, self._searcher, self._matcher, id)
        if query.is_empty or not explainer.is_found(ranking.query):
            return None
        return explainer.explain(asked, fresh)

    def similar(self, title: str, text: str, *, exclude: int | None = None, limit: int = 10) -> tuple[Hit, ...]:
        """Pages with the same telling words as this text, without the page `exclude` and its near-copies."""
        found = likeness(self._matcher, title, text)
        if found is None:
            return ()
        if exclude is not None:
            found = self._without(found, exclude)
        ranking = HitRanking(self._searcher, found, by_words=True)
        return self._hits(ranking, ranking.first(limit))

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
    ) -> tuple[Query, list[str], HitRanking, list[RankedPage]]:
        """The query that found something, what to tell the user about it, and the best pages."""
        asked, notes = put_right(query, self._searcher)
        ranking = HitRanking(self._searcher, self._matcher.query(asked), by_words=bool(asked.wanted), fresh=fresh)
        entries = ranking.first(count)
        if asked.wanted and not entries:
            smaller = cut_smaller(asked)
            some = HitRanking(self._searcher, self._matcher.query(smaller, some=True), by_words=True, fresh=fresh)
            if found := some.first(count):
                return smaller, [*notes, _SOME_WORDS], some, found
        return asked, notes, ranking, entries

    def _suggestion(self, query: Query) -> str:
        """Another query that finds something, as it would be typed."""
        texts = map(str, alternatives(query, self._searcher))
        return next((text for text in texts if self._finds(self._matcher.query(parse(text)))), "")

    def _finds(self, query: tantivy.Query) -> bool:
        return bool(self._searcher.search(query, 1, count=False).hits)

    def _hits(self, ranking: HitRanking, entries: Sequence[RankedPage]) -> tuple[Hit, ...]:
        sizes = ranking.group_sizes(self._schema, [entry.group for entry in entries])
        return tuple(Hit(id=entry.id, score=entry.score, similar=sizes[entry.group] - 1) for entry in entries)

    def _facets(self, found: tantivy.Query) -> Facets:
        order = {"size": _MOST_COUNTED, "order": {"_count": "desc"}}
        wanted = {name: {"terms": {"field": column, **order}} for name, column in _COLUMNS.items()}
        answer: dict[str, Any] = self._searcher.aggregate(found, wanted)
        return Facets(**{name: _counts(name, answer[name]["buckets"]) for name in _COLUMNS})

    def _without(self, found: tantivy.Query, id: int) -> tantivy.Query:
        this = self._searcher.search(tantivy.Query.term_query(self._schema, "id", id), 1).hits
        groups = self._searcher.fast_field_values("group", [address for _, address in this])
        unwanted = [tantivy.Query.term_set_query(self._schema, "group", groups)] if groups else []
        return tantivy.Query.boolean_query([(Must, found), *((MustNot, query) for query in unwanted)])


def _counts(name: str, buckets: list[dict[str, Any]]) -> tuple[FacetCount, ...]:
    found = [(month_name(int(bucket["key"])) if name == "month" else str(bucket["key"]), bucket) for bucket in buckets]
    counts = [FacetCount(value=value, pages=int(bucket["doc_count"])) for value, bucket in found]
    return tuple(sorted(counts, key=lambda count: (-count.pages, count.value)))


# --- in which order they come: score, then id; newer ones first if wanted; near-copies behind the best of them --------


class RankedPage(NamedTuple):
    """A page that was found."""

    score: float
    id: int
    group: int
    day: int


class HitRanking:
    """The pages that match, in their order."""

    def __init__(
        self, searcher: tantivy.Searcher, query: tantivy.Query, *, by_words: bool, fresh: Freshness | None = None
    ) -> None:
        self._searcher = searcher
        self.query = query
        # Without words all pages match equally well, and only their weight tells them apart.
        self._order = {"weight_by_field": "weight"} if by_words else {"order_by_field": "weight"}
        self._by_words = by_words
        self._fresh = fresh
        self.total = 0
        """Pages that match, near-copies too; known after the first look."""
        self._seen: list[RankedPage] = []
        """What the last look has brought."""

    def first(self, count: int) -> list[RankedPage]:
        """The best so many, one for each group of near-copies; fewer, when there are no more."""
        limit = max(_FIRST_LOOK, 2 * count, RESCORED if self._fresh else 0)
        while True:
            entries = self._seen = self._entries(limit)
            complete = len(entries) == self.total
            found = distinct(self._refreshed(entries))
            if complete or (len(found) >= count and not (self._fresh and len(entries) < RESCORED)):
                return found[:count]
            limit = min(limit * 4, self.total)

    def group_sizes(self, schema: tantivy.Schema, groups: list[int]) -> Counter[int]:
        """How many of the pages that match are in each of these groups; to be asked after `first`."""
        if len(self._seen) == self.total:
            return Counter(entry.group for entry in self._seen)
        sizes = Counter(dict.fromkeys(groups, 1))
        # Most pages have no near-copy, and to know that is much cheaper than to run the query again.
        if joined := [group for group in groups if self._searcher.doc_freq("group", group) > 1]:
            these = tantivy.Query.const_score_query(tantivy.Query.term_set_query(schema, "group", joined), 0.0)
            both = tantivy.Query.boolean_query([(Must, self.query), (Must, these)])
            hits = self._searcher.search(both, max(1, self.total), count=False).hits
            addresses = [address for _, address in hits]
            sizes |= Counter(self._searcher.fast_field_values("group", addresses))  # type: ignore[arg-type]
        return sizes

    def _entries(self, limit: int) -> list[RankedPage]:
        """At most so many of the best, and whoever has the same score as one of them."""
        result = self._searcher.search(self.query, max(1, limit), **self._order)  # type: ignore[arg-type]
        self.total = int(result.count)  # type: ignore[attr-defined]  # missing in tantivy's own types
        hits = result.hits
        if len(hits) < self.total:
            # Of those that are as good as the last one, an arbitrary few are here.
            hits = [hit for hit in hits if hit[0] != hits[-1][0]]
        scores = [score if self._by_words else factor_of(score) for score, _ in hits]
        columns = [self._searcher.fast_field_values(name, [at for _, at in hits]) for name in ("id", "group", "day")]
        return sorted(map(RankedPage, scores, *columns), key=_order)

    def _refreshed(self, entries: list[RankedPage]) -> list[RankedPage]:
        if self._fresh is None:
            return entries
        again = [entry._replace(score=entry.score * self._fresh.factor(entry.day)) for entry in entries[:RESCORED]]
        return sorted(again, key=_order) + entries[RESCORED:]


def distinct(entries: Iterable[RankedPage]) -> list[RankedPage]:
    """The first of each group."""
    first: dict[int, RankedPage] = {}
    for entry in entries:
        first.setdefault(entry.group, entry)
    return list(first.values())


def _order(entry: RankedPage) -> tuple[float, int]:
    return -entry.score, entry.id


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
