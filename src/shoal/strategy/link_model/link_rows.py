"""What is known of a link, when its page comes and while it waits? One row of numbers per URL, found by its key.

A row takes some 200 bytes. When there are more than `MOST`, those that promise least are let go: they keep their place and
their last price in the frontier, and get a row again when another page links to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.model import Link
from shoal.strategy.link_model.hashing import (
    MOST_TOKENS,
    NO_TOKEN,
    UrlTokens,
    anchor_tokens,
    hash_token,
    is_next_page,
    url_tokens,
    words_in,
)
from shoal.topic.word_vectors import Meanings

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


Named = Callable[[Link], tuple[float, float, float]]
"""How much a link's anchor, what stands around it, and its address name the topic, 0 to 1 each."""
_LONG_ANCHOR = 60
_DEEPEST = 255
_SILENT = (0.0, 0.0, 0.0)
_NAMES = list(row_type(0).names or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """The page that links stand on."""

    key: int
    url: str
    depth: int
    score: float
    above: float
    """Its own score, or half of that of the page above, or a quarter of the next …"""
    links: int


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link that may be followed."""

    link: Link
    key: int
    hint: float
    """What the judge says of its words."""


def page_place(key: int) -> int:
    """The number of a page as a place where links stand: there they are siblings."""
    return hash_token(f"p:{key}")


def hints_beside(found: Iterable[FoundLink]) -> dict[str, float]:
    """The mean hint of the links of each list of a page, by the tags that lead to it."""
    sums: dict[str, list[float]] = {}
    for one in found:
        sums.setdefault(one.link.path, []).append(one.hint)
    return {path: sum(hints) / len(hints) for path, hints in sums.items()}


def rows_of(
    found: Sequence[FoundLink], source: SourcePage, beside: dict[str, float], named: Named, meanings: Meanings
) -> Rows:
    """A row for each link; what the page leads to is filled in when that is known."""
    home = url_tokens(source.url)
    rows = np.zeros(len(found), dtype=row_type(meanings.width))
    rows[_NAMES] = np.array([_row(one, source, home, beside[one.link.path], named) for one in found], dtype=row_type(0))
    if meanings.width and len(found):
        rows["meaning"] = [meanings.of(words_in(one.link.anchor)) for one in found]
    return rows


def _row(one: FoundLink, source: SourcePage, home: UrlTokens, beside: float, named: Named) -> tuple[object, ...]:
    link, address = one.link, url_tokens(one.link.url)
    places = (
        address.host,
        address.section,
        address.folder,
        address.shape,
        page_place(source.key),
        hash_token(f"q:{source.key}:{link.path}"),
        hash_token(f"w:{home.host}:{link.path}"),
    )
    return (
        one.key,
        # Where the judge found none of the topic's words at all, nobody need look again.
        *(named(one.link) if one.hint else _SILENT),
        source.score,
        source.above,
        beside,
        0.0,
        min(link.position / max(source.links, 1), 1.0),
        source.links,
        min(len(link.anchor), _LONG_ANCHOR) / _LONG_ANCHOR,
        min(source.depth + 1, _DEEPEST),
        _flags(link, address, home),
        places,
        _filled(anchor_tokens(link.anchor)),
        _filled(address.words),
    )


def _flags(link: Link, address: UrlTokens, home: UrlTokens) -> int:
    flags = SAME_SITE if address.host == home.host else 0
    flags |= NEXT_PAGE if is_next_page(link.anchor) else 0
    flags |= SAME_FOLDER if address.folder == home.folder else 0
    return flags | (TWIN if address.twin == home.twin else 0)


def _filled(tokens: tuple[int, ...]) -> tuple[int, ...]:
    return tokens + (NO_TOKEN,) * (MOST_TOKENS - len(tokens))
