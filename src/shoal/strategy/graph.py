"""How do the pages seen so far link to each other, and what follows from that?

`Graph` grows with the crawl, on the event loop. `Snapshot` is what it was at one moment; everything that takes long is asked
of a snapshot, in a thread, while the graph grows on. A URL's number never changes, so a list of values that was computed
from a snapshot still fits the graph; URLs that came later have no value in it yet.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values: TypeAlias = NDArray[np.float64]
"""One value for each URL of a snapshot, in the order of their numbers."""
Places: TypeAlias = NDArray[np.intp]

DAMPING = 0.85
"""The share of its rank that a page passes on to its links: d in PageRank's formula, b in that of topic PageRank."""
TOLERANCE = 1e-6
"""A computation is over when no value changes by more than this share of it in a round. With a damping of 0.85 about six
times as much is still missing then."""
MOST_ROUNDS = 1000
"""Or after so many rounds, which only a damping near 1 or a tolerance near 0 can need."""
MOST_HITS_ROUNDS = 200
"""HITS comes near its result only slowly where two groups of pages are almost equally strong. To know which of them is a
little stronger is worth no more than these rounds."""
_UNFETCHED = -1
_BITE = 2**14
"""So many links are summed up before other threads get their turn."""


class Graph:
    """Pages and their links. URLs are known by their keys (`urls.key_of`) and numbered as they are seen.

    Costs 4 bytes for each link, and for each URL its place in the table of keys. Not thread-safe.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        """Of each key, in the order of the numbers."""
        self._keys = array("q")
        self._places = array("i")
        """Of each number: its place in `_pages`, or `_UNFETCHED`."""
        self._pages = array("i")
        """The numbers of the pages that were added, in that order."""
        self._starts = array("q", [0])
        """Where the links of each page start in `_targets`, and last of all where they end."""
        self._targets = array("i")

    def __len__(self) -> int:
        """How many URLs are known, fetched or not."""
        return len(self._keys)

    def __contains__(self, key: int) -> bool:
        return key in self._numbers

    @property
    def edges(self) -> int:
        """How many links there are, each counted once for the page it stands on."""
        return len(self._targets)

    @property
    def fetched(self) -> int:
        """How many pages were added."""
        return len(self._pages)

    def number(self, key: int) -> int:
        """Where the URL stands in `Values`. It has none there if it is as large as their length: the URL came later."""
        return self._numbers[key]

    def is_fetched(self, key: int) -> bool:
        """The page was added; a URL that was only linked to, or never seen, is not."""
        return self._place(key) != _UNFETCHED

    def out_degree(self, key: int) -> int:
        """How many URLs the page links to; 0 for what was not fetched."""
        place = self._place(key)
        return 0 if place == _UNFETCHED else self._starts[place + 1] - self._starts[place]

    def targets(self, key: int) -> tuple[int, ...]:
        """The keys of the URLs that the page links to, in its order; none for what was not fetched."""
        place = self._place(key)
        if place == _UNFETCHED:
            return ()
        return tuple(self._keys[number] for number in self._targets[self._starts[place] : self._starts[place + 1]])

    def add(self, page: int, targets: Iterable[int]) -> None:
        """A page was fetched and has these links. Links to itself and repeated ones do not count, nor does a second visit."""
        if self.is_fetched(page):
            return
        links = dict.fromkeys(targets)
        links.pop(page, None)
        number = self._seen(page)
        self._places[number] = len(self._pages)
        self._pages.append(number)
        self._targets.extend(map(self._seen, links))
        self._starts.append(len(self._targets))

    def snapshot(self) -> Snapshot:
        """The graph as it is now. A copy of some bytes per link and nothing more, so it may be taken on the event loop."""
        return Snapshot(
            keys=_frozen(self._keys, np.int64),
            pages=_frozen(self._pages, np.int32),
            places=_frozen(self._places, np.int32),
            starts=_frozen(self._starts, np.int64),
            targets=_frozen(self._targets, np.int32),
        )

    def _place(self, key: int) -> int:
        number = self._numbers.get(key)
        return _UNFETCHED if number is None else self._places[number]

    def _seen(self, key: int) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._keys)
            self._keys.append(key)
            self._places.append(_UNFETCHED)
        return number


@dataclass(frozen=True, eq=False, kw_only=True)
class Snapshot:
    """A graph that changes no more. What it computes can be asked for in any thread.

    The sums over links are made in bites, between which other threads run. A computation takes some 70 bytes per link while it
    lasts.
    """

    keys: NDArray[np.int64]
    """Of every URL, in the order of their numbers."""
    pages: NDArray[np.int32]
    """The numbers of the fetched pages, in the order of fetching."""
    places: NDArray[np.int32]
    """Of every URL: where it stands in `pages`; -1 if it was not fetched."""
    starts: NDArray[np.int64]
    """Where the links of each of the `pages` start in `targets`, and last of all where they end."""
    targets: NDArray[np.int32]
    """The numbers that the links lead to, page by page."""

    def __len__(self) -> int:
        """How many URLs there are."""
        return len(self.keys)

    def pagerank(
        self, start: Values | None = None, *, damping: float = DAMPING, tolerance: float = TOLERANCE
    ) -> Values:
        """PR(i) = (1-d) + d * sum_{j in B(i)} PR(j)/N(j), with B(i) the pages that link to i and N(j) the links of j.

        A URL that was not fetched gets its rank and passes nothing on, as it has no links yet. `start` is the result of an
        earlier snapshot: the less the graph has grown since, the sooner it is done. The result is the same within tolerance.
        """
        links = _Links(self._sources, self._targets, len(self), of_page=damping * (1 / np.maximum(self._degrees, 1)))
        return self._ranks(np.full(len(self), 1 - damping), links, start, tolerance)

    def topic_pagerank(
        self, relevance: ArrayLike, start: Values | None = None, *, b: float = DAMPING, tolerance: float = TOLERANCE
    ) -> Values:
        """P(j) = (1-b) * R(j)/sum_W R(k) + b * sum_{i in B_j} P(i) * R(j)/sum_{k in F_i} R(k)  (Richardson and Domingos).

        W is all URLs, B_j the pages that link to j, F_i the URLs that i links to. `relevance` is R, 0 or more, of each URL by
        its number. Who keeps it in a growing `array` takes a copy together with the snapshot: it must not grow meanwhile.
        A sum that is 0 divides nothing but zeros, and such a share is 0: a page whose links are all irrelevant passes
        nothing on, and when nothing is relevant no page is important.
        """
        relevances = np.asarray(relevance, dtype=np.float64)
        if relevances.shape != (len(self),):
            raise ValueError(f"{relevances.size} relevances for {len(self)} URLs")
        if not (np.isfinite(relevances).all() and (relevances >= 0).all()):
            raise ValueError("a relevance is less than 0, or no number")
        linked = relevances[self.targets]
        sums = np.bincount(self._sources, weights=linked, minlength=len(self.pages))
        shares = b * _shares(linked, np.repeat(sums, self._degrees))
        links = _Links(self._sources, self._targets, len(self), of_link=shares)
        return self._ranks((1 - b) * _shares(relevances, relevances.sum()), links, start, tolerance)

    def hits(self, roots: Iterable[int], *, tolerance: float = TOLERANCE) -> tuple[Values, Values]:
        """Hubs and authorities among the roots, the pages that link to them and the URLs that they link to; else 0.

        `roots` are keys; those never seen do not count. A good hub links to good authorities, a good authority is linked to
        by good hubs: authority = sum of the hubs that link to it, hub = sum of the authorities it links to, each scaled to
        length 1, round after round, until nothing changes by more than the tolerance times the largest value. All hubs
        start equal. There is no other start: of two groups that are equally strong both shall count, and an earlier result
        would favour the one that was found first. Without a link among them all values are 0.
        """
        near = self._neighbourhood(roots)
        near_pages = near[self.pages]
        among = near[self._targets] & near_pages[self._sources]
        sources, targets = _renumbered(near_pages)[self._sources[among]], _renumbered(near)[self._targets[among]]
        hubs, authorities = np.zeros(len(self)), np.zeros(len(self))
        hubs[self.pages[near_pages]], authorities[near] = _mutual(
            _Links(sources, targets, int(near.sum())),
            _Links(targets, sources, int(near_pages.sum())),
            tolerance,
        )
        return hubs, authorities

    def best_parent(self, values: Values) -> Values:
        """For each URL the largest of the values of the pages that link to it, 0 if no page does; none may be negative."""
        best = np.zeros(len(self))
        np.maximum.at(best, self.targets, np.repeat(values[self.pages], self._degrees))
        return best

    @cached_property
    def _degrees(self) -> NDArray[np.int64]:
        """How many links each of the `pages` has."""
        return np.diff(self.starts)

    @cached_property
    def _sources(self) -> Places:
        """For each link, where the page that it stands on is in `pages`."""
        return np.repeat(np.arange(len(self.pages)), self._degrees)

    @cached_property
    def _targets(self) -> Places:
        """The same as `targets`, in the kind of number that numpy would make of them anew in every round."""
        return self.targets.astype(np.intp)

    def _ranks(self, base: Values, links: _Links, start: Values | None, tolerance: float) -> Values:
        """The solution of: rank = base + sum over the links to it of (their share * rank of the page they stand on).

        Only fetched pages pass rank on. So the rounds go among them alone, and all others get theirs in the end.
        """
        among = links.between(self.places, len(self.pages))
        fixed, ranks = base[self.pages], _begin(base, start)[self.pages]
        for _ in range(MOST_ROUNDS):
            before, ranks = ranks, fixed + among.gathered(ranks)
            if (np.abs(ranks - before) <= tolerance * ranks).all():
                break
        return base + links.gathered(ranks)

    def _neighbourhood(self, roots: Iterable[int]) -> NDArray[np.bool_]:
        """Of each URL: is it a root, does it link to one, or is it linked to by one?"""
        root = np.isin(self.keys, np.fromiter(roots, dtype=np.int64))
        near = root.copy()
        near[self.targets[root[self.pages][self._sources]]] = True
        near[self.pages[self._sources[root[self.targets]]]] = True
        return near


@dataclass(frozen=True, eq=False)
class _Links:
    """Links along which values go: a sparse matrix, as pairs of places. Sums are made in the order of the links."""

    sources: Places
    targets: Places
    size: int
    """How many there are of what the links lead to."""
    of_page: Values | None = None
    """The share of its value that each source hands to every link of its own; None: all of it."""
    of_link: Values | None = None
    """The share that each link takes of what it is handed; None: all of it."""

    def gathered(self, values: Values) -> Values:
        """What comes together at each target, when every source has a value to hand out."""
        handed = values if self.of_page is None else self.of_page * values
        sums = np.zeros(self.size)
        for first in range(0, len(self.targets), _BITE):
            bite = slice(first, first + _BITE)
            parts = handed.take(self.sources[bite])
            if self.of_link is not None:
                parts *= self.of_link[bite]
            np.add.at(sums, self.targets[bite], parts)
        return sums

    def between(self, places: NDArray[np.int32], size: int) -> _Links:
        """Those whose target has a place, and leads there."""
        targets = places.take(self.targets).astype(np.intp)
        kept = targets >= 0
        if kept.all():
            return replace(self, targets=targets, size=size)
        of_link = None if self.of_link is None else self.of_link[kept]
        return _Links(self.sources[kept], targets[kept], size, of_page=self.of_page, of_link=of_link)


def _renumbered(chosen: NDArray[np.bool_]) -> Places:
    """Of each that is chosen: the how-many-th it is."""
    return np.cumsum(chosen) - 1


def _mutual(to_authorities: _Links, to_hubs: _Links, tolerance: float) -> tuple[Values, Values]:
    """The hubs and authorities of links, which are given in both directions."""
    authorities, hubs = np.zeros(to_authorities.size), np.ones(to_hubs.size)
    for _ in range(MOST_HITS_ROUNDS):
        before = hubs, authorities
        authorities = _unit(to_authorities.gathered(hubs))
        hubs = _unit(to_hubs.gathered(authorities))
        if _settled(hubs, before[0], tolerance) and _settled(authorities, before[1], tolerance):
            break
    return hubs, authorities


def _unit(vector: Values) -> Values:
    """Scaled to length 1; zeros stay zeros."""
    # Not numpy's own norm, which would take the other cores as well, and they have a crawl to run.
    return vector / (np.sqrt(np.square(vector).sum()) or 1.0)


def _settled(now: Values, before: Values, tolerance: float) -> bool:
    """Nothing changed much, beside the largest value: the small ones of HITS go on shrinking towards 0 for ever."""
    return bool(np.abs(now - before).max(initial=0) <= tolerance * now.max(initial=0))


def _begin(base: Values, start: Values | None) -> Values:
    """Where to begin: at the earlier result, and for URLs that it does not know at what they have without any link."""
    if start is None:
        return base
    if len(start) > len(base):
        raise ValueError(f"the earlier result has {len(start)} URLs, more than the {len(base)} of this snapshot")
    return np.concatenate((start, base[len(start) :]))


def _shares(parts: Values, whole: Values | float) -> Values:
    """Parts of a whole; 0 where the whole is 0."""
    return np.divide(parts, whole, out=np.zeros_like(parts), where=np.greater(whole, 0))


def _frozen(numbers: array[int], kind: type[Any]) -> NDArray[Any]:
    """A copy that cannot be written to."""
    return np.frombuffer(numbers.tobytes(), dtype=kind)
