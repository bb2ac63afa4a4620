"""What is known of the links of a page when it comes? A row for each that is worth one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

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
from shoal.strategy.link_model.waiting_links import NEXT_PAGE, SAME_FOLDER, SAME_SITE, TWIN, Rows, row_type
from shoal.topic.text_vectors import Meanings

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

    @property
    def place(self) -> int:
        """The number under which its links are siblings."""
        return page_place(self.key)


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link that may be followed."""

    link: Link
    key: int
    hint: float
    """What the judge says of its words."""


def page_place(key: int) -> int:
    """The number of a page as a place where links stand."""
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
        source.place,
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
