"""How does a strategy rank URLs by the links to them? By a graph that grows with the crawl and survives a restart.

`CrawledGraph` is what strategies have in common that do so: `pagerank`, `hits`, `fish-pagerank`, `genetic`.
Ranks are computed anew only when the graph has grown by a tenth (AVSM 2.2.2: not after every page), in a thread.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from shoal.model import Int64, Repriced, Seen
from shoal.protocols import Persistent, Repricer, Strategy
from shoal.strategy import refusal
from shoal.strategy.graph import Graph, Snapshot, Values
from shoal.urls import key_of

_KEY_BYTES = 8
_Memo = TypeVar("_Memo", bound=msgspec.Struct)
_LEAST_PAGES = 50
_GROWTH = 10
"""A refresh is due when the pages have grown by one part in so many."""
_MOST_REPRICED = 10_000
"""URLs that get a new priority at once: those that come next. Others get theirs when they have come nearer."""
_SPARE = 10_000
_NOTABLE = 0.05
"""A value that changed by a smaller share than this changes no order worth the trouble."""


class LinkRanking:
    """One value for each URL that was known then. Made in a thread, read on the event loop or in a thread."""

    def __init__(self, graph: Graph, then: Snapshot, values: Sequence[float] | Values) -> None:
        """The graph may have grown since `then`, the values have not."""
        self._graph = graph
        self._then = then
        self.values: Values = np.array(values, dtype=np.float64)
        if len(self.values) != len(then):
            raise ValueError(f"{len(self.values)} values for {len(then)} URLs")
        self.largest = float(self.values.max(initial=0.0))

    def get(self, key: int, default: float) -> float:
        """The value of a URL, or the default for one that was not known then."""
        number = self._graph.number(key) if key in self._graph else len(self.values)
        return float(self.values[number]) if number < len(self.values) else default

    def waiting(self, keys: Iterable[int], lost: bytes = b"") -> dict[int, float]:
        """The values of those of the URLs that were known then, and neither fetched nor lost (by number: 1 if so)."""
        may = self._may_wait(lost)
        numbers = {key: self._graph.number(key) for key in keys if key in self._graph}
        return {key: float(self.values[at]) for key, at in numbers.items() if at < len(self.values) and may[at]}

    def best_pages(self, limit: int) -> list[tuple[int, float]]:
        """Of the fetched pages, keys and values, the largest value first; of equal ones, the URL that was found first."""
        return self._best(self._then.places >= 0, limit)

    def best_waiting(self, limit: int, lost: bytes = b"") -> list[tuple[int, float]]:
        """The same of URLs that are neither fetched nor lost."""
        return self._best(self._may_wait(lost), limit)

    def _may_wait(self, lost: bytes) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._then.places < 0
        gone = np.frombuffer(lost, dtype=np.bool_)[: len(found)]
        found[: len(gone)] &= ~gone
        return found

    def _best(self, among: NDArray[np.bool_], limit: int) -> list[tuple[int, float]]:
        chosen = np.flatnonzero(among)
        if 0 < limit < len(chosen):  # a full sort of millions would take seconds
            least = np.partition(self.values[chosen], len(chosen) - limit)[len(chosen) - limit]
            chosen = chosen[self.values[chosen] >= least]
        order = chosen[np.argsort(-self.values[chosen], kind="stable")][:limit]
        return list(zip(self._then.keys[order].tolist(), self.values[order].tolist(), strict=True))


class Noted(msgspec.Struct, frozen=True, tag="links", array_like=True):
    """A page's links, as they are stored with it."""

    page: Int64
    """What `urls.key_of` gives; a memo with any other number is not ours."""
    seed: bool
    targets: bytes
    """Keys, 8 bytes each."""

    def __post_init__(self) -> None:
        if len(self.targets) % _KEY_BYTES:
            raise ValueError("not a list of keys")


class CrawledGraph(Strategy, Repricer, Persistent):
    """A strategy that knows how pages link to each other. Sole owner of its graph; all of it runs on the event loop."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.seeds: set[int] = set()
        """The keys of the pages that the crawl started from."""
        self.ranking = LinkRanking(self.graph, self.graph.snapshot(), ())
        """What URLs were worth when they were ranked last; at first, none has a value."""
        self._ranked_at = 0
        """How many pages the graph had when URLs were ranked last."""
        self._told: dict[int, float] = {}
        """The values that waiting URLs were last re-priced with."""
        self._lost = bytearray()
        """By the number of a URL: 1 if it will not be fetched."""
        self._last_read: tuple[Seen, Noted] | None = None
        """A page is followed and then stored: its URLs are hashed once."""

    def chart(self, seen: Seen) -> Iterator[int]:
        """Take in a page's links, and answer their keys, in order; those that must not be followed do not count."""
        noted = self._read(seen)
        self._take_in(noted)
        return iter(array("q", noted.targets))

    def _read(self, seen: Seen) -> Noted:
        if self._last_read is None or self._last_read[0] is not seen:
            targets = array("q", map(key_of, _followed(seen)))
            self._last_read = seen, Noted(key_of(seen.task.url), seen.task.depth == 0, targets.tobytes())
        return self._last_read[1]

    def _take_in(self, noted: Noted) -> None:
        if noted.seed:
            self.seeds.add(noted.page)
        self.graph.add(noted.page, array("q", noted.targets))

    def lost(self, keys: Iterable[int]) -> None:
        """They have their rank, and pass on what they have, but nobody need wait for them."""
        for key in keys:
            if key in self.graph:
                number = self.graph.number(key)
                if number >= len(self._lost):
                    self._lost.extend(bytes(number + _SPARE - len(self._lost)))
                self._lost[number] = 1

    def is_lost(self, key: int) -> bool:
        """It will not be fetched."""
        number = self.graph.number(key)
        return number < len(self._lost) and bool(self._lost[number])

    @property
    def gone(self) -> bytes:
        """What was lost so far, by number: to be given to a thread."""
        return bytes(self._lost)

    def moment(self) -> Snapshot:
        """The graph as it is now, to be ranked."""
        self._ranked_at = self.graph.fetched
        return self.graph.snapshot()

    async def rank(self, compute: Callable[[Snapshot], Values]) -> None:
        """What each URL is worth in the graph as it is now; computed in a thread."""
        then = self.moment()
        self.ranking = await asyncio.to_thread(lambda: LinkRanking(self.graph, then, compute(then)))

    def pace(self) -> int:
        """So many pages until a refresh is worth the trouble; the next page, when pages were recalled and not ranked yet."""
        return max(1, self._ranked_at + self.stride() - self.graph.fetched)

    def stride(self) -> int:
        """How many pages there should be between two refreshes."""
        return max(_LEAST_PAGES, self._ranked_at // _GROWTH)

    def memo(self, seen: Seen) -> bytes:
        """The page and its links."""
        return msgspec.msgpack.encode(self._read(seen)) if seen.page is not None else b""

    def recall(self, memos: Iterable[bytes]) -> None:
        """Put the graph together again; pages that another strategy noted in another way are left out."""
        for noted in readable(memos, Noted):
            self._take_in(noted)

    async def changed(self, why: str) -> Sequence[Repriced]:
        """New priorities for URLs whose value is not what it was; `why` has a place for it."""
        told, news = await asyncio.to_thread(_news, self.ranking, self._told, self.gone)
        self._told = told | news
        return [Repriced(key=key, priority=value, why=why.format(value)) for key, value in news.items()]


def _news(ranking: LinkRanking, told: Mapping[int, float], lost: bytes) -> tuple[dict[int, float], dict[int, float]]:
    """What was told and still holds, and the largest notable changes: among the best URLs, and those that were so once."""
    now = dict(ranking.best_waiting(_MOST_REPRICED, lost))
    now |= ranking.waiting(told.keys() - now.keys(), lost)
    changes = {key: abs(value - told.get(key, 0.0)) for key, value in now.items()}
    notable = [key for key, change in changes.items() if change > _NOTABLE * abs(now[key])]
    news = {key: now[key] for key in nlargest(_MOST_REPRICED, notable, key=changes.__getitem__)}
    return {key: told[key] for key in now.keys() & told.keys()}, news


def readable(memos: Iterable[bytes], kind: type[_Memo]) -> Iterator[_Memo]:
    """The memos that are of this kind."""
    decoder = msgspec.msgpack.Decoder(kind)
    for memo in memos:
        try:
            yield decoder.decode(memo)
        except msgspec.DecodeError:  # another strategy's
            continue


def _followed(seen: Seen) -> Iterator[str]:
    if (page := seen.page) is not None:
        yield from (link.url for link in page.links if refusal(page, link) is None)
