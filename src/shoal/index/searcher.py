"""Which pages answer a query, the best first?

    Query ─put right─► Query ─Matcher─► entries ─Ranking─► hits, one page of them

A query is tried with enough of its words, then with some of them, and the notes say so. The order is total and near-copies are
joined before pages of hits are cut, so no page of hits shows what another has shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tantivy

from shoal.errors import FolderError
from shoal.index.dates import month_name, today
from shoal.index.explain import Explainer
from shoal.index.index_folder import complaints, last_version, opened
from shoal.index.query import Query, parse
from shoal.index.query_builder import Matcher, Must, MustNot
from shoal.index.ranking import Entry, Freshness, Ranking
from shoal.index.results import Count, Explanation, Facets, Hit, Results
from shoal.index.similar import likeness
from shoal.index.wording import alternatives, cut_smaller, put_right

_MOST_COUNTED = 10
_COLUMNS = {"site": "host", "topic": "topic_name", "language": "language", "month": "month"}
_NOTHING_ASKED = "There is no word to search for in this query."
_SOME_WORDS = "No page has all these words; these have some of them."


def open_index(folder: Path) -> Index:
    """The index in a folder, as it was when it was last committed; one sentence when it cannot be used."""
    found = opened(folder)
    if isinstance(found, str):
        raise FolderError(found)
    with complaints(folder):
        return Index(found[0])


class Index:
    """One state of an index; `refresh` moves on to what was committed since. Any number may read while one writes."""

    def __init__(self, index: tantivy.Index) -> None:
        self._index = index
        self._index.config_reader("manual")
        self._schema = index.schema
        self._marks: Mapping[int, bool] = {}
        self.refresh()

    def refresh(self) -> None:
        """See what was committed meanwhile."""
        self._index.reload()
        self._searcher = self._index.searcher()
        self._matcher = Matcher(self._schema, self._searcher)
        self._matcher.marks = self._marks

    def lay_over(self, marks: Mapping[int, bool]) -> None:
        """From now on pages with these ids are relevant, or are not, whatever the judge said."""
        self._marks = marks
        self._matcher.marks = marks

    # --- searching ---------------------------------------------------------------------------------------------------

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        offset: int = 0,
        fresh: bool = False,
        now: float = 0.0,
        half_life: float = 90.0,
        facets: bool = True,
    ) -> Results:
        """One page of hits. With `fresh`, newer pages come first; `half_life` is in days, `now` in seconds since 1970."""
        if query.is_empty:
            return Results(query=query, notes=(*query.notes, _NOTHING_ASKED))
        freshness = Freshness(today=today(now), half_life=half_life) if fresh else None
        asked, notes, ranking, entries = self._answer(query, offset + limit + 1, freshness)
        return Results(
            query=asked,
            hits=self._hits(ranking, entries[offset : offset + limit]),
            total=ranking.total,
            more=len(entries) > offset + limit,
            facets=self._facets(ranking.query) if facets and ranking.total else Facets(),
            notes=(*query.notes, *notes),
            suggestion="" if ranking.total else self._suggestion(asked),
        )

    def explain(
        self, query: Query, id: int, *, fresh: bool = False, now: float = 0.0, half_life: float = 90.0
    ) -> Explanation | None:
        """What made the score of a page in `search`; None when the query does not find it."""
        asked, _, ranking, _ = self._answer(query, 1)
        explainer = Explainer(self._schema, self._searcher, self._matcher, id)
        if query.is_empty or not explainer.is_found(ranking.query):
            return None
        return explainer.explain(asked, Freshness(today=today(now), half_life=half_life) if fresh else None)

    def similar(self, title: str, text: str, *, exclude: int | None = None, limit: int = 10) -> tuple[Hit, ...]:
        """Pages with the same telling words as this text, without the page `exclude` and its near-copies."""
        found = likeness(self._matcher, title, text)
        if found is None:
            return ()
        if exclude is not None:
            found = self._without(found, exclude)
        ranking = Ranking(self._searcher, found, by_words=True)
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
    ) -> tuple[Query, list[str], Ranking, list[Entry]]:
        """The query that found something, what to tell the user about it, and the best pages."""
        asked, notes = put_right(query, self._searcher)
        ranking = Ranking(self._searcher, self._matcher.query(asked), by_words=bool(asked.wanted), fresh=fresh)
        entries = ranking.first(count)
        if asked.wanted and not entries:
            smaller = cut_smaller(asked)
            some = Ranking(self._searcher, self._matcher.query(smaller, some=True), by_words=True, fresh=fresh)
            if found := some.first(count):
                return smaller, [*notes, _SOME_WORDS], some, found
        return asked, notes, ranking, entries

    def _suggestion(self, query: Query) -> str:
        """Another query that finds something, as it would be typed."""
        texts = map(str, alternatives(query, self._searcher))
        return next((text for text in texts if self._finds(self._matcher.query(parse(text)))), "")

    def _finds(self, query: tantivy.Query) -> bool:
        return bool(self._searcher.search(query, 1, count=False).hits)

    def _hits(self, ranking: Ranking, entries: Sequence[Entry]) -> tuple[Hit, ...]:
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


def _counts(name: str, buckets: list[dict[str, Any]]) -> tuple[Count, ...]:
    found = [(month_name(int(bucket["key"])) if name == "month" else str(bucket["key"]), bucket) for bucket in buckets]
    counts = [Count(value=value, pages=int(bucket["doc_count"])) for value, bucket in found]
    return tuple(sorted(counts, key=lambda count: (-count.pages, count.value)))
