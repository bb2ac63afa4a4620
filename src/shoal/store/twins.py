"""Which earlier page says the same? Asked for a whole batch at once: its pages may repeat stored ones, and each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from shoal.model import Packed, Seen, Value
from shoal.remembered import Duplicate
from shoal.store.database import Database, ask_for
from shoal.text import similarity

NEAR = 0.75
"""Pages that share this much of their MinHash count as near-duplicates."""
_EXACT = "SELECT id, content_hash FROM pages WHERE similarity < 1 AND content_hash IN ({})"
_BANDED = "SELECT band, page FROM bands WHERE band IN ({})"
_FINGERPRINTS = "SELECT id, fingerprint FROM pages WHERE id IN ({})"


class Likeness(Value, frozen=True):
    """What a page is compared by."""

    id: int
    digest: bytes
    """BLAKE2b-128 of the body."""
    fingerprint: bytes
    keys: tuple[int, ...]
    """`text.bands` of the fingerprint, each once."""


def likeness(seen: Seen, packed: Packed) -> Likeness:
    """What this page is compared by."""
    return Likeness(seen.task.id, packed.digest, seen.page.fingerprint if seen.page else b"", packed.bands)


class Twins:
    """All that the pages of one batch may repeat. `add` tells it of pages of the batch that are settled."""

    def __init__(self, database: Database, batch: Sequence[Likeness]) -> None:
        self._exact: defaultdict[bytes, set[int]] = defaultdict(set)
        """Pages with these bytes that are no exact copy themselves."""
        self._banded: defaultdict[int, set[int]] = defaultdict(set)
        self._fingerprints: dict[int, bytes] = {}
        for id, digest in ask_for(database, _EXACT, {one.digest for one in batch}):
            self._exact[digest].add(id)
        for band, page in ask_for(database, _BANDED, {key for one in batch for key in one.keys}):
            self._banded[band].add(page)
        self._fingerprints.update(ask_for(database, _FINGERPRINTS, set().union(*self._banded.values())))

    def originals(self) -> set[int]:
        """The stored pages that have the very bytes of one of the batch."""
        return set().union(*self._exact.values())

    def of(self, one: Likeness) -> Duplicate | None:
        """The earlier page that says the same, or nearly; of several, the one that was found first."""
        if exact := self._exact[one.digest] - {one.id}:
            return Duplicate(page=one.id, of=min(exact), similarity=1.0)
        others = set().union(*(self._banded[key] for key in one.keys)) - {one.id}
        alike = [(similarity(one.fingerprint, self._fingerprints[other]), -other) for other in others]
        best, other = max(alike, default=(0.0, 0))
        # Texts that agree in everything that was compared may still differ elsewhere: only equal bytes are exact copies.
        return Duplicate(page=one.id, of=-other, similarity=min(best, 0.999)) if best >= NEAR else None

    def add(self, one: Likeness, twin: Duplicate | None) -> None:
        """This page is stored from now on; copies are found through their original."""
        if twin is None or twin.similarity < 1:
            self._exact[one.digest].add(one.id)
        if twin is None:
            self._fingerprints[one.id] = one.fingerprint
            for key in one.keys:
                self._banded[key].add(one.id)
