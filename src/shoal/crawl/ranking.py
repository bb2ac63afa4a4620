"""What is each URL worth by the links to it? The values that were computed from one moment of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from shoal.crawl.graph import Graph, Snapshot, Values


class Ranking:
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

    def unfetched(self, keys: Iterable[int]) -> dict[int, float]:
        """The values of those of the URLs that were known then, but not fetched."""
        numbers = {key: self._graph.number(key) for key in keys if key in self._graph}
        known = {key: number for key, number in numbers.items() if number < len(self.values)}
        return {key: float(self.values[number]) for key, number in known.items() if self._then.places[number] < 0}

    def best(self, limit: int, *, fetched: bool) -> list[tuple[int, float]]:
        """Keys and values, the largest value first; of equal ones, the URL that was found first."""
        chosen = np.flatnonzero((self._then.places >= 0) == fetched)
        if 0 < limit < len(chosen):  # a full sort of millions would take seconds
            least = np.partition(self.values[chosen], len(chosen) - limit)[len(chosen) - limit]
            chosen = chosen[self.values[chosen] >= least]
        order = chosen[np.argsort(-self.values[chosen], kind="stable")][:limit]
        return list(zip(self._then.keys[order].tolist(), self.values[order].tolist(), strict=True))
