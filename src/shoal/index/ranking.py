"""In which order do the found pages come? Score, then id; newer ones first if wanted; near-copies behind the best of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import tantivy

from shoal.index.schema import factor_of
from shoal.model import Value

RESCORED = 1000
"""So many of the best are looked at again by their age."""
_FIRST_LOOK = 100
_OLD = 0.2
"""What is left of the score of a page that is very old."""


class Freshness(Value, frozen=True, kw_only=True):
    """How much it matters that a page is new."""

    today: int
    """In days since 1970."""
    half_life: float = 90.0
    """Days after which a page has lost half of what it gained by being new."""

    def factor(self, day: int) -> float:
        """By what the score of a page of that day is multiplied."""
        return float(_OLD + (1 - _OLD) * 0.5 ** (max(0, self.today - day) / self.half_life))


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
            both = tantivy.Query.boolean_query([(tantivy.Occur.Must, self.query), (tantivy.Occur.Must, these)])
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
