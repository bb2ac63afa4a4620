"""How does what was learned outlive the process? As a memo of each page, and as knowledge for another crawl.

A memo says what a page was worth, what it led to, and the rows of the links that it brought: who reads the memos of a crawl in
order knows all that the crawl knew. Knowledge is the sum of it, without the links.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
import numpy as np

from shoal.errors import InputError
from shoal.model import Int64
from shoal.strategy.link_model.hashing import BUCKETS
from shoal.strategy.link_model.link_rows import Rows, row_type
from shoal.strategy.link_model.valuation import LinkModel

MOST_KNOWN = 20.0
"""Pages that another crawl's experience with a token counts for at most: this crawl must be able to think differently."""
_MOST_BYTES = 64 * 2**20
_Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


class Memo(msgspec.Struct, frozen=True, tag="learned", array_like=True):
    """One page, as it is stored with it."""

    key: Int64
    worth: _Share
    leads: Annotated[float, msgspec.Meta(ge=0.0, le=100.0)]
    relevant: bool
    ordered: bool
    """Fetched to explore, or as a check."""
    width: Annotated[int, msgspec.Meta(ge=0, le=10_000)]
    """How many numbers of a row say what its words mean."""
    rows: bytes
    """Of links that were new, or better than known before; compressed."""
    again: bytes
    """The keys of links that waited already when the page named them once more, 8 bytes each."""


class Knowledge(msgspec.Struct, frozen=True, tag="learned-1", array_like=True):
    """What a crawl learned. The number rises when features or tokens change their meaning."""

    pages: Annotated[int, msgspec.Meta(ge=0)]
    means: tuple[float, float, float]
    worth: bytes
    leads: bytes
    tokens: bytes
    """Numbers of tokens, 4 bytes each; then their pages, worth and leads, 4 bytes each."""


def pack_rows(rows: Rows) -> bytes:
    """Rows as they are stored."""
    return zlib.compress(rows.tobytes(), 1) if len(rows) else b""


def read_memos(stored: Iterable[bytes], width: int) -> Iterator[tuple[Memo, Rows, list[int]]]:
    """The memos that are ours, each with its rows, and the keys of links that it named again; others are left out.

    When word vectors were installed or removed since, rows of this `width` mean nothing until their links are found anew.
    """
    decoder = msgspec.msgpack.Decoder(Memo)
    for data in stored:
        try:
            memo = decoder.decode(data)
            again = np.frombuffer(memo.again, dtype="<i8").tolist()
            yield memo, _fitted(_unpacked(memo.rows, memo.width), width), again
        except (msgspec.DecodeError, zlib.error, ValueError):  # another strategy's, or an older form
            continue


def _unpacked(data: bytes, width: int) -> Rows:
    if not data:
        return np.zeros(0, dtype=row_type(width))
    rows = np.frombuffer(zlib.decompressobj().decompress(data, _MOST_BYTES), dtype=row_type(width))
    tokens = [rows[name] for name in ("places", "anchor", "address")]
    if any(one.size and (one.min() < 0 or one.max() >= BUCKETS) for one in tokens):
        raise ValueError("not rows of links")
    return rows


def _fitted(rows: Rows, width: int) -> Rows:
    if rows.dtype == row_type(width):
        return rows
    fitted = np.zeros(len(rows), dtype=row_type(width))
    for name in row_type(0).names or ():
        fitted[name] = rows[name]
    return fitted


def knowledge_of(model: LinkModel) -> bytes:
    """What the model knows, for another crawl; empty when it has seen nothing."""
    if not model.pages:
        return b""
    counts = model.counts
    numbers = np.flatnonzero(counts.pages).astype("<i4")
    sums = [values[numbers].astype("<f4").tobytes() for values in (counts.pages, counts.worth, counts.leads)]
    return msgspec.msgpack.encode(
        Knowledge(
            pages=model.pages,
            means=counts.means,
            worth=model.worth.state(),
            leads=model.leads.state(),
            tokens=numbers.tobytes() + b"".join(sums),
        )
    )


def restore(model: LinkModel, data: bytes) -> None:
    """Give a new model what another crawl learned."""
    try:
        known = msgspec.msgpack.decode(data, type=Knowledge)
        numbers, pages, worth, leads = _token_table(known.tokens)
        if not np.isfinite(known.means).all() or known.means[0] <= 0:
            raise ValueError("not means")
        model.worth.restore(known.worth)
        model.leads.restore(known.leads)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InputError(
            "The model was learned by another version of the strategy 'learned', or is damaged."
        ) from error
    share = np.minimum(1.0, MOST_KNOWN / pages)
    model.counts.pages[numbers] = pages * share
    model.counts.worth[numbers] = worth * share
    model.counts.leads[numbers] = leads * share
    model.counts.means = known.means
    model.solve()


def _token_table(data: bytes) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    table = np.frombuffer(data, dtype="<i4").reshape(4, -1)
    numbers = table[0]
    pages, worth, leads = table[1:].view("<f4")
    sound = np.isfinite(table[1:].view("<f4")).all() and (pages > 0).all()
    if not sound or (numbers.size and (numbers.min() < 0 or numbers.max() >= BUCKETS)):
        raise ValueError("not tokens")
    return numbers, pages, worth, leads
