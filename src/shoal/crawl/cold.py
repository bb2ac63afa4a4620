"""Where are the URLs of a host that are not its best? Here, with 16 bytes each, until their turn comes."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator

import numpy as np

_NONE = (math.inf, 0)


class Cold:
    """Ranks (-priority) and ids of waiting URLs, of which the best comes out first. Sole owner of both."""

    __slots__ = ("_gone", "_ids", "_left", "_ranks", "_sorted", "bound")

    def __init__(self) -> None:
        self._ranks = array("d")
        self._ids = array("q")
        self._sorted = True
        """The best stands last."""
        self._left: Counter[tuple[float, int]] = _NOBODY
        """Those that went away out of turn and still stand there."""
        self._gone = 0
        """How many they are."""
        self.bound = _NONE
        """No (rank, id) in here stands before this one; that costs nothing to know."""

    def __len__(self) -> int:
        return len(self._ids) - self._gone

    def __iter__(self) -> Iterator[tuple[float, int]]:
        left = self._left.copy()
        for item in zip(self._ranks, self._ids, strict=True):
            if left[item] > 0:
                left[item] -= 1
            else:
                yield item

    def add(self, rank: float, id: int) -> None:
        """One more that can wait."""
        self._ranks.append(rank)
        self._ids.append(id)
        self._sorted = False
        if (item := (rank, id)) < self.bound:
            self.bound = item

    def discard(self, rank: float, id: int) -> None:
        """One that is in here goes away."""
        if self._left is _NOBODY:
            self._left = Counter()
        self._left[rank, id] += 1
        self._gone += 1

    def pop(self) -> tuple[float, int]:
        """The best, which is then no longer in here."""
        self._settle()
        item = self._ranks.pop(), self._ids.pop()
        self._settle()
        return item

    def _settle(self) -> None:
        """Let the best stand last, and `bound` say which it is."""
        if not self._sorted:
            self._sort()
        while self._gone and (item := (self._ranks[-1], self._ids[-1])) in self._left:
            self._forget(item)
            self._ranks.pop()
            self._ids.pop()
        self.bound = (self._ranks[-1], self._ids[-1]) if self._ids else _NONE

    def _forget(self, item: tuple[float, int]) -> None:
        self._gone -= 1
        self._left[item] -= 1
        if not self._left[item]:
            del self._left[item]

    def _sort(self) -> None:
        ranks, ids = np.array(self._ranks), np.array(self._ids)
        order = np.lexsort((ids, ranks))[::-1]
        self._ranks, self._ids = array("d", ranks[order].tobytes()), array("q", ids[order].tobytes())
        self._sorted = True


_NOBODY: Counter[tuple[float, int]] = Counter()
"""Shared by all that nobody left, which are nearly all: never changed."""
