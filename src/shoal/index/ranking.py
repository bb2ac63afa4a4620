"""In which order do the found pages come, and which of them say the same?

    query ─each URL once─► query ─HitRanking─► folds: the best page, and behind it those that say the same

By score, then by the name of the crawl, then as they were found; newer ones first if wanted. What is decided about the first ones
never depends on how many are looked at, so pages of hits fit together wherever they are cut.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import tantivy

from shoal.index.merged_index import Fingerprints, MergedIndex
from shoal.index.query_builder import Clause, Must, MustNot
from shoal.index.schema import Freshness, factor_of
from shoal.text import NEAR, bands, similarity

RESCORED = 1000
"""So many of the best are looked at again by their age."""
_FIRST_LOOK = 100

Group = tuple[int, int]
"""A crawl, and the number of pages in it that its store knows to be near-copies."""
Hits = Sequence[tuple[Any, tantivy.DocAddress]]


class RankedPage(NamedTuple):
    """A page that was found."""

    score: float
    crawl: int
    """Its place among those that are searched."""
    id: int
    key: int
    """The same in every crawl."""
    group: Group
    day: int


Fold = list[RankedPage]
"""Pages that say the same; the best is the first, and is shown."""


class HitRanking:
    """The pages that match, in their order."""

    def __init__(
        self,
        index: MergedIndex,
        query: tantivy.Query,
        *,
        by_words: bool,
        fresh: Freshness | None = None,
        fingerprints: Fingerprints | None = None,
    ) -> None:
        """Without `fingerprints`, near-copies are known inside of each crawl only."""
        self._index = index
        self._places = {origin: place for place, origin in enumerate(index.crawls)}
        # Without words all pages match equally well, and only their weight tells them apart.
        self._order = {"weight_by_field": "weight"} if by_words else {"order_by_field": "weight"}
        self._by_words = by_words
        self._fresh = fresh
        self._fingerprints = fingerprints
        self._looks: dict[Group, bytes] = {}
        """How pages look, by crawl and id, as far as somebody asked."""
        self.everywhere = query
        """Finds a page in each crawl that has it."""
        self.query = self._each_url_once(query) if len(index.crawls) > 1 else query
        """Finds a page in one crawl."""
        self.total = 0
        """Pages that match, near-copies too; known after the first look."""
        self._seen: list[RankedPage] = []
        """What the last look has brought."""

    def first(self, count: int, without: Sequence[RankedPage] = ()) -> list[Fold]:
        """The best so many; fewer, when there are no more. With nothing that says the same as `without`."""
        limit = max(_FIRST_LOOK, 2 * count, RESCORED if self._fresh else 0)
        while True:
            entries = self._seen = self._entries(limit)
            complete = len(entries) == self.total
            found = [fold for fold in self._folded([*without, *self._refreshed(entries)]) if fold[0] not in without]
            if complete or (len(found) >= count and not (self._fresh and len(entries) < RESCORED)):
                return found[:count]
            limit = min(limit * 4, self.total)

    def sizes(self, folds: Sequence[Fold]) -> list[int]:
        """How many pages that match are in each of these; to be asked after `first`."""
        if len(self._seen) == self.total:
            return [len(fold) for fold in folds]
        groups = [{page.group for page in fold} for fold in folds]
        sizes = self._group_sizes(set().union(*groups))
        return [sum(sizes[group] for group in those) for those in groups]

    def pages(self, query: tantivy.Query) -> list[RankedPage]:
        """All pages that another query finds."""
        return sorted(self._ranked(self._search(query, self._index.searcher.num_docs).hits), key=_order)

    # --- looking -----------------------------------------------------------------------------------------------------

    def _search(self, query: tantivy.Query, limit: int) -> tantivy.SearchResult:
        return self._index.searcher.search(query, max(1, limit), **self._order)  # type: ignore[arg-type]

    def _entries(self, limit: int) -> list[RankedPage]:
        """At most so many of the best, and whoever has the same score as one of them."""
        result = self._search(self.query, limit)
        self.total = int(result.count)  # type: ignore[attr-defined]  # missing in tantivy's own types
        hits: Hits = result.hits
        if len(hits) < self.total:
            # Of those that are as good as the last one, an arbitrary few are here.
            hits = [hit for hit in hits if hit[0] != hits[-1][0]]
        return sorted(self._ranked(hits), key=_order)

    def _ranked(self, hits: Hits) -> list[RankedPage]:
        scores = [score if self._by_words else factor_of(score) for score, _ in hits]
        crawls = [self._places[origin] for origin in self._index.column("origin", hits)]
        ids, keys, numbers, days = (self._index.column(name, hits) for name in ("id", "key", "group", "day"))
        return list(map(RankedPage, scores, crawls, ids, keys, zip(crawls, numbers, strict=True), days))

    def _refreshed(self, entries: list[RankedPage]) -> list[RankedPage]:
        if self._fresh is None:
            return entries
        again = [entry._replace(score=entry.score * self._fresh.factor(entry.day)) for entry in entries[:RESCORED]]
        return sorted(again, key=_order) + entries[RESCORED:]

    # --- the same page in several crawls -----------------------------------------------------------------------------

    def _each_url_once(self, query: tantivy.Query) -> tantivy.Query:
        """Without the pages whose URL another crawl has, too, where it is a better hit."""
        hits: Hits = self._search(query, self._index.searcher.num_docs).hits
        keys = self._index.column("key", hits)
        counts = Counter(keys)
        several = [hit for hit, key in zip(hits, keys, strict=True) if counts[key] > 1]
        known, worse = set[int](), defaultdict[int, list[int]](list)
        for page in sorted(self._ranked(several), key=_order):
            if page.key in known:
                worse[page.crawl].append(page.id)
            known.add(page.key)
        origins = list(self._index.crawls)
        unwanted: list[Clause] = [
            (MustNot, self._index.pages(origins[crawl], "id", ids)) for crawl, ids in worse.items()
        ]
        return tantivy.Query.boolean_query([(Must, query), *unwanted]) if unwanted else query

    def elsewhere(self, folds: Sequence[Fold]) -> list[list[int]]:
        """For each of these: the other crawls that have the page, or, as far as they are among the best, near-copies of it."""
        if len(self._index.crawls) == 1:
            return [[] for _ in folds]
        keys = {page.key for fold in folds for page in fold}
        having = defaultdict[int, set[int]](set)
        for page in self.pages(tantivy.Query.term_set_query(self._index.schema, "key", list(keys))) if keys else ():
            having[page.key].add(page.crawl)
        return [sorted(set().union(*(having[page.key] for page in fold)) - {fold[0].crawl}) for fold in folds]

    # --- pages that say the same -------------------------------------------------------------------------------------

    def _folded(self, entries: Sequence[RankedPage]) -> list[Fold]:
        """In their order; each behind the first that says the same."""
        self._look_at(entries)
        found: list[Fold] = []
        by_group: dict[Group, Fold] = {}
        by_band: defaultdict[int, list[Fold]] = defaultdict(list)
        for page in entries:
            look = self._looks.get((page.crawl, page.id), b"")
            fold = by_group.get(page.group) or (self._like(look, page, by_band) if look else None)
            if fold is None:
                found.append(fold := [])
                for band in bands(look):
                    by_band[band].append(fold)
            by_group[page.group] = fold
            fold.append(page)
        return found

    def _like(self, look: bytes, page: RankedPage, by_band: defaultdict[int, list[Fold]]) -> Fold | None:
        """What another crawl has that says the same: inside of one, the store knows better."""
        near = (fold for band in bands(look) for fold in by_band.get(band, ()) if fold[0].crawl != page.crawl)
        return next((fold for fold in near if similarity(look, self._looks[fold[0].crawl, fold[0].id]) >= NEAR), None)

    def _look_at(self, entries: Sequence[RankedPage]) -> None:
        if self._fingerprints is None or len(self._index.crawls) == 1:
            return
        wanted = defaultdict[int, list[int]](list)
        for page in entries:
            if (page.crawl, page.id) not in self._looks:
                wanted[page.crawl].append(page.id)
        crawls = list(self._index.crawls.values())
        for crawl, ids in wanted.items():
            looks = self._fingerprints(crawls[crawl].name, ids)
            self._looks |= {(crawl, id): looks.get(id, b"") for id in ids}

    def _group_sizes(self, groups: set[Group]) -> Counter[Group]:
        """How many of the pages that match are in each of these groups."""
        sizes = Counter(dict.fromkeys(groups, 1))
        # Most pages have no near-copy, and to know that is much cheaper than to run the query again.
        numbers = {number for _, number in groups}
        if joined := [number for number in numbers if self._index.searcher.doc_freq("group", number) > 1]:
            these = tantivy.Query.term_set_query(self._index.schema, "group", joined)
            both = tantivy.Query.boolean_query(
                [(Must, self.query), (Must, tantivy.Query.const_score_query(these, 0.0))]
            )
            sizes |= Counter(page.group for page in self._ranked(self._search(both, self.total).hits))
        return sizes


def _order(page: RankedPage) -> tuple[float, int, int]:
    return -page.score, page.crawl, page.id
