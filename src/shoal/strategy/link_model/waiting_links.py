"""Which links wait, and what is known of each? One row of numbers per URL, found by its key.

A row takes some 200 bytes. When there are more than `MOST`, those that promise least are let go: they keep their place and
their last price in the frontier, and get a row again when another page links to them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.strategy.link_model.hashing import MOST_TOKENS

Rows: TypeAlias = NDArray[np.void]
Slots: TypeAlias = NDArray[np.int64]
MOST = 400_000
"""Rows kept: some 80 megabytes."""
_SPARE = 8
"""When there are too many, one in so many is let go."""
_FIRST = 4_096
PLACES = ("host", "section", "folder", "shape", "page", "list", "frame")
"""Groups that a link belongs to: the first four by its own address; the page it stands on, the list on that page, and where
on all pages of that site it stands."""
SAME_SITE, NEXT_PAGE, SAME_FOLDER, TWIN = 1, 2, 4, 8
"""Flags of a row."""

_FIELDS = [
    ("key", "<i8"),
    ("named", "<f4"),  # how much the anchor names the topic, 0 to 1
    ("around", "<f4"),  # the same of what stands around the link
    ("spelt", "<f4"),  # the same of the address
    ("score", "<f4"),  # of the page it stands on
    ("above", "<f4"),  # of that page and the pages above it, halved with each step
    ("beside", "<f4"),  # how much the links in the same list promise on average
    ("leads", "<f4"),  # what the page it stands on led to
    ("position", "<f4"),  # on that page, 0 to 1
    ("crowd", "<f4"),  # how many links that page has
    ("length", "<f4"),  # of the anchor, 0 to 1
    ("depth", "u1"),
    ("flags", "u1"),
    ("places", "<i4", (len(PLACES),)),
    ("anchor", "<i4", (MOST_TOKENS,)),
    ("address", "<i4", (MOST_TOKENS,)),
]


def row_type(width: int) -> np.dtype[np.void]:
    """What a row is made of; `width` numbers say what its words mean, if word vectors are installed."""
    return np.dtype([*_FIELDS, ("meaning", "<f2", (width,))] if width else _FIELDS)


class LinkTable:
    """The rows of all links that wait. Sole owner of them."""

    def __init__(self, width: int = 0, most: int = MOST) -> None:
        self.width = width
        self._most = most
        self._slots: dict[int, int] = {}
        """By key."""
        self._free: list[int] = []
        self.rows: Rows = np.zeros(0, dtype=row_type(width))
        self.open: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        """By slot: whether it holds a row."""
        self.ways: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        """How many pages link there."""
        self.value: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        """What the link is worth, as far as known."""
        self.expected: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        """What its page is expected to score, 0 to 1."""
        self.told: NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        """The price that the frontier has."""

    def __len__(self) -> int:
        return len(self._slots)

    def find(self, key: int) -> int | None:
        """The slot of a URL."""
        return self._slots.get(key)

    def slots(self) -> Slots:
        """All slots that hold a row."""
        return np.flatnonzero(self.open)

    def put(self, rows: Rows) -> Slots:
        """Take in rows, or replace those of the same URLs; answers where they are now."""
        while len(self._free) < len(rows):
            self._grow()
        places = [self._place(key) for key in rows["key"].tolist()]
        slots = np.array(places, dtype=np.int64)
        self.rows[slots] = rows
        self.open[slots] = True
        return slots

    def name_again(self, keys: Iterable[int]) -> None:
        """One more page links to those of them that wait."""
        slots = [slot for key in keys if (slot := self._slots.get(key)) is not None]
        self.ways[slots] += 1

    def drop(self, keys: Iterable[int]) -> None:
        """They do not wait any more."""
        for key in keys:
            if (slot := self._slots.pop(key, None)) is not None:
                self.open[slot] = False
                self._free.append(slot)

    def shed(self) -> None:
        """Let go of those that promise least, if there are too many."""
        if len(self) <= self._most:
            return
        slots = self.slots()
        excess = len(slots) - self._most + self._most // _SPARE
        worst = slots[np.argpartition(self.value[slots], excess)[:excess]]
        self.drop(self.rows["key"][worst].tolist())

    def _place(self, key: int) -> int:
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = self._free.pop()
            self.ways[slot] = self.value[slot] = self.expected[slot] = self.told[slot] = 0.0
        return slot

    def _grow(self) -> None:
        old = len(self.rows)
        new = max(_FIRST, 2 * old)
        for name in ("rows", "open", "ways", "value", "expected", "told"):
            before = getattr(self, name)
            after = np.zeros(new, dtype=before.dtype)
            after[:old] = before
            setattr(self, name, after)
        self._free.extend(range(new - 1, old - 1, -1))
