"""How often was something how large? Counted between fixed bounds, as plainly as can be."""

from __future__ import annotations

from bisect import bisect_left

from shoal.model import Value


class Distribution(Value, frozen=True, kw_only=True):
    """How often something was how large."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    """For each bound how many were not larger, and larger than the bound before; at the end those beyond all bounds."""
    total: float
    """The sum of all."""


class Histogram:
    """Counts sizes; the mutable side of a `Distribution`, owned by whoever adds to it."""

    __slots__ = ("_bounds", "_counts", "_total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._total = 0.0

    def add(self, size: float) -> None:
        """One more."""
        self._counts[bisect_left(self._bounds, size)] += 1
        self._total += size

    def snapshot(self) -> Distribution:
        """All of them, at this moment."""
        return Distribution(bounds=self._bounds, counts=tuple(self._counts), total=self._total)
