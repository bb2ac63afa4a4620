"""What is each URL worth by the links to it? The values that were computed from one moment of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.strategy.graph import Graph, Snapshot, Values


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

    def waiting(self, keys: Iterable[int], lost: bytes = b"") -> dict[int, float]:
        """The values of those of the URLs that were known then, and neither fetched nor lost (by number: 1 if so)."""
        numbers = {key: self._graph.number(key) for key in keys if key in self._graph}
        known = {key: number for key, number in numbers.items() if number < len(self.values)}
        may = self._may_wait(lost)
        return {key: float(self.values[number]) for key, number in known.items() if may[number]}

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
