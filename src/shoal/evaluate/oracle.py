"""How well can one crawl at all? Who knows every page and every link fetches like this.

The omniscient crawler takes a relevant page that is known (a seed, or linked from a fetched page) and not yet fetched; if
there is none, the known page from which the fewest links lead to a relevant page, and of several such the one with the most
links to relevant pages. What is still equal goes in the order of discovery. It is not the best order there is, which nobody
can compute, but no crawler that does not know the web comes near it, and every strategy is measured against it alike.

With a depth limit the links of a page at the limit are not followed, so a way that would lead beyond it is none. A page's
depth is the number of links on the shortest way over fetched pages; when a shorter one turns up, the page and all behind it
rise.

Pages are numbers here; `survey.py` gives them their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Flags: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Some links of every page, one page's behind the other's."""

    starts: Numbers
    """Where the links of a page begin; those of the next begin where they end."""
    ends: Numbers
    """The page at the other end of each link."""

    def of(self, page: int) -> Numbers:
        """The pages that one page is linked with, in the order of the page."""
        return self.ends[self.starts[page] : self.starts[page + 1]]

    def of_all(self, pages: Numbers) -> Numbers:
        """Those of several pages, one page's behind the other's."""
        first, counts = self.starts[pages], self.starts[pages + 1] - self.starts[pages]
        before = np.concatenate(([0], np.cumsum(counts)[:-1]))
        return self.ends[np.repeat(first - before, counts) + np.arange(counts.sum())]


@dataclass(frozen=True, slots=True)
class SurveyGraph:
    """Which page links to which, both ways; each pair once."""

    forward: Adjacency
    backward: Adjacency

    @property
    def pages(self) -> int:
        return len(self.forward.starts) - 1


def graph_of(starts: Sequence[int], ends: Sequence[int]) -> SurveyGraph:
    """The graph of these links: page p has those from `starts[p]` to `starts[p + 1]`. A negative end leads nowhere."""
    bounds, targets = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
    pages = len(bounds) - 1
    sources = np.repeat(np.arange(pages), np.diff(bounds))
    useful = (targets >= 0) & (targets != sources)
    # A page that links twice to another links once; the first place counts, because it says when the other was discovered.
    _, first = np.unique(sources[useful] * max(pages, 1) + targets[useful], return_index=True)
    first.sort()
    sources, targets = sources[useful][first], targets[useful][first]
    return SurveyGraph(_grouped(sources, targets, pages), _grouped(*_by(targets, sources), pages))


def _by(keys: Numbers, others: Numbers) -> tuple[Numbers, Numbers]:
    order = np.argsort(keys, kind="stable")
    return keys[order], others[order]


def _grouped(keys: Numbers, others: Numbers, pages: int) -> Adjacency:
    """Pairs in the order of their keys as links."""
    return Adjacency(np.searchsorted(keys, np.arange(pages + 1)).astype(np.int64), others)


def reachable(graph: SurveyGraph, seeds: Iterable[int], max_depth: int | None = None) -> list[int]:
    """Every page that link following can fetch, the nearest first; `max_depth` is the number of links from a seed."""
    known = np.zeros(graph.pages, dtype=np.bool_)
    level = _new(np.asarray(list(dict.fromkeys(seeds)), dtype=np.int64), known)
    found: list[int] = level.tolist()
    depth = 0
    while level.size and (max_depth is None or depth < max_depth):
        level = _new(graph.forward.of_all(level), known)
        found += level.tolist()
        depth += 1
    return found


def _new(pages: Numbers, known: Flags) -> Numbers:
    """Those that are not known, each once, in their order; from now on they are."""
    fresh = pages[~known[pages]]
    _, first = np.unique(fresh, return_index=True)
    fresh = fresh[np.sort(first)]
    known[fresh] = True
    return fresh


def omniscient(
    graph: SurveyGraph, seeds: Iterable[int], relevant: Iterable[int], pages: int, max_depth: int | None = None
) -> list[int]:
    """The first `pages` pages that the omniscient crawler fetches; it ends when nothing relevant is left to find."""
    crawler = _Omniscient(graph, list(dict.fromkeys(seeds)), relevant, max_depth)
    fetched: list[int] = []
    while len(fetched) < pages and (page := crawler.next()) is not None:
        crawler.fetch(page)
        fetched.append(page)
    return fetched


class _Omniscient:
    """Owns what is known, what was fetched, and what is still to be found."""

    def __init__(
        self, graph: SurveyGraph, seeds: Sequence[int], relevant: Iterable[int], max_depth: int | None
    ) -> None:
        self._graph = graph
        # Without a limit nobody needs depths: all pages count as seeds, and no way is longer than there are pages.
        self._step, self._limit = (0, graph.pages) if max_depth is None else (1, max_depth)
        self._wanted = np.zeros(graph.pages, dtype=np.bool_)
        """Relevant and not fetched yet."""
        self._wanted[list(relevant)] = True
        self._links_to_wanted = _links_into(graph, self._wanted)
        self._discovered = np.full(graph.pages, _NEVER)
        """The how-many-th page to be known."""
        self._open = np.zeros(graph.pages, dtype=np.bool_)
        """Known and not fetched yet."""
        self._known = 0
        self._depth = np.full(graph.pages, _NEVER)
        """Links from a seed, as far as is known."""
        self._distance: Numbers | None = None
        """Links to the nearest wanted page, as far as it had to be looked for; None when that has changed."""
        self._discover(np.asarray(seeds, dtype=np.int64), 0)

    def next(self) -> int | None:
        """The page to fetch now."""
        if not self._wanted.any():
            return None
        choice = np.flatnonzero(self._open & self._wanted)
        if not choice.size:
            choice = self._best(np.flatnonzero(self._open & (self._links_to_wanted > 0) & (self._depth < self._limit)))
        if not choice.size:
            choice = self._nearest()
        return int(choice[np.argmin(self._discovered[choice])]) if choice.size else None

    def fetch(self, page: int) -> None:
        """Its links are known from now on, unless it lies at the limit."""
        self._open[page] = False
        if self._wanted[page]:
            self._wanted[page] = False
            self._links_to_wanted[self._graph.backward.of(page)] -= 1
            self._distance = None
        changed = [page]
        for source in changed:  # grows: what was fetched before and is nearer now may have links to follow, too
            depth = int(self._depth[source]) + self._step
            if depth <= self._limit:
                nearer = self._discover(self._graph.forward.of(source), depth)
                changed += nearer[~self._open[nearer]].tolist()

    def _discover(self, pages: Numbers, depth: int) -> Numbers:
        """These pages are known to lie at this depth; gives back those that were deeper or unknown before."""
        nearer = pages[self._depth[pages] > depth]
        self._depth[nearer] = depth
        new = nearer[self._discovered[nearer] == _NEVER]
        self._discovered[new] = np.arange(self._known, self._known + new.size)
        self._known += new.size
        self._open[new] = True
        return nearer

    def _best(self, choice: Numbers) -> Numbers:
        """Of pages that link to wanted ones, those with the most such links."""
        return choice[self._links_to_wanted[choice] == self._links_to_wanted[choice].max()] if choice.size else choice

    def _nearest(self) -> Numbers:
        """The known pages with the fewest links to a wanted one, when that is more than one link."""
        # On the way to a wanted page the distances stay true: the next page on it is one nearer, and known by then.
        if self._distance is None:
            self._distance = self._distances()
        choice = np.flatnonzero(self._open & (self._distance < _NEVER))
        choice = choice[self._depth[choice] + self._distance[choice] <= self._limit]
        return choice[self._distance[choice] == self._distance[choice].min()] if choice.size else choice

    def _distances(self) -> Numbers:
        """From all wanted pages backwards, level by level, until a known page turns up that is not too deep."""
        distance = np.full(self._graph.pages, _NEVER)
        seen = self._wanted.copy()
        level, links = np.flatnonzero(seen), 0
        while level.size:
            distance[level] = links
            if (self._open[level] & (self._depth[level] <= self._limit - links)).any():
                break
            level, links = _new(self._graph.backward.of_all(level), seen), links + 1
        return distance


def _links_into(graph: SurveyGraph, chosen: Flags) -> Numbers:
    """How many links each page has to chosen ones."""
    forward = graph.forward
    sources = np.repeat(np.arange(graph.pages), np.diff(forward.starts))
    return np.bincount(sources[chosen[forward.ends]], minlength=graph.pages)
