"""How is a page kept? Its row, its body, what it says, where it leads, and whether an earlier page says the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from shoal.database.sql import Database, Steps, ask_for, in_bites, question_marks, upsert
from shoal.model import PageSummary, Seen
from shoal.model.stored import Duplicate, FetchedPage
from shoal.store import page_versions
from shoal.store.warc import Bodies, Position, revisit_member
from shoal.text import NEAR, similarity

_NO_PAGE = PageSummary(url="")
_EXACT = "SELECT id, content_hash FROM pages WHERE similarity < 1 AND content_hash IN ({})"
_BANDED = "SELECT band, page FROM bands WHERE band IN ({})"
_FINGERPRINTS = "SELECT id, fingerprint FROM pages WHERE id IN ({})"


class DuplicateFinder:
    """All that the pages of one batch may repeat. `add` tells it of pages of the batch that are settled."""

    def __init__(self, database: Database, batch: Sequence[Seen]) -> None:
        self._exact: defaultdict[bytes, set[int]] = defaultdict(set)
        """Pages with these bytes that are no exact copy themselves."""
        self._banded: defaultdict[int, set[int]] = defaultdict(set)
        self._fingerprints: dict[int, bytes] = {}
        for id, digest in ask_for(database, _EXACT, {seen.packed.digest for seen in batch}):
            self._exact[digest].add(id)
        for band, page in ask_for(database, _BANDED, {band for seen in batch for band in seen.packed.bands}):
            self._banded[band].add(page)
        self._fingerprints.update(ask_for(database, _FINGERPRINTS, set().union(*self._banded.values())))

    def originals(self) -> set[int]:
        """The stored pages that have the very bytes of one of the batch."""
        return set().union(*self._exact.values())

    def of(self, seen: Seen) -> Duplicate | None:
        """The earlier page that says the same, or nearly; of several, the one that was found first."""
        id, packed, page = seen.task.id, seen.packed, seen.page or _NO_PAGE
        if exact := self._exact[packed.digest] - {id}:
            return Duplicate(page=id, of=min(exact), similarity=1.0)
        others = set().union(*(self._banded[band] for band in packed.bands)) - {id}
        alike = [(similarity(page.fingerprint, self._fingerprints[other]), -other) for other in others]
        best, other = max(alike, default=(0.0, 0))
        # Texts that agree in everything that was compared may still differ elsewhere: only equal bytes are exact copies.
        return Duplicate(page=id, of=-other, similarity=min(best, 0.999)) if best >= NEAR else None

    def add(self, seen: Seen, twin: Duplicate | None) -> None:
        """This page is stored from now on; copies are found through their original."""
        id, packed, page = seen.task.id, seen.packed, seen.page or _NO_PAGE
        if twin is None or twin.similarity < 1:
            self._exact[packed.digest].add(id)
        if twin is None:
            self._fingerprints[id] = page.fingerprint
            for band in packed.bands:
                self._banded[band].add(id)


# --- how is a page kept ----------------------------------------------------------------------------------------------

_NOWHERE = ("", 0)
_COLUMNS = (
    "fetch_order", "fetched_at", "status", "content_type", "bytes", "truncated", "took", "address", "etag", "last_modified",
    "title", "description", "language", "charset", "published", "canonical", "noindex", "links", "images", "score", "threshold",
    "relevant", "why", "content_hash", "fingerprint", "duplicate_of", "similarity", "warc_file", "warc_offset", "topic",
    "checked_at", "gone",
)  # fmt: skip
"""Of a page, behind its id."""
_INSERT = f"INSERT INTO pages (id, {', '.join(_COLUMNS)}) VALUES ({question_marks(len(_COLUMNS) + 1)})"
_REPLACE = f"UPDATE pages SET {', '.join(f'{column} = ?' for column in _COLUMNS)} WHERE id = ?"
_BAND = "INSERT INTO bands VALUES (?, ?)"
_LINKS = upsert("links", "page", "targets")
_ORIGINALS = "SELECT id, url, fetched_at FROM found JOIN pages USING (id) WHERE warc_file <> '' AND id IN ({})"
_GONE = "UPDATE pages SET checked_at = CASE WHEN checked_at > ? THEN checked_at ELSE ? END, gone = ? WHERE id = ?"


class PageWriter:
    """Writes pages inside the transaction of `store.crawl_store.CrawlStore.commit`, whose connection and WARC file it uses."""

    def __init__(self, database: Database, warc: Bodies) -> None:
        self._database = database
        self._warc = warc

    def write(self, pages: Sequence[FetchedPage]) -> Steps[list[Duplicate]]:
        """Pages that came for the first time; answers which ones they repeat, as far as they do."""
        if not pages:
            return []
        batch = _Batch(self._database, [page.seen for page in pages])
        yield None
        for page in pages:
            self._take(batch, page)
            yield None
        yield from in_bites(self._database, _INSERT, batch.rows)
        yield from in_bites(self._database, _BAND, batch.bands)
        yield from in_bites(self._database, page_versions.ADD, batch.versions)
        yield from in_bites(self._database, _LINKS, batch.links)
        return batch.duplicates

    def _take(self, batch: _Batch, stored: FetchedPage) -> None:
        seen, id, packed = stored.seen, stored.seen.task.id, stored.seen.packed
        twin = batch.twins.of(seen) if packed.size else None
        place = self._write_body(seen, batch.original(twin))
        batch.settle(seen, twin, place)
        batch.rows.append((id, *_row(seen, stored.fetch_order, twin, place)))
        if seen.page is None:
            return
        if (version := page_versions.row(id, seen.response.timing.answered, seen.page, packed.text, place)) is not None:
            batch.versions.append(version)
        if packed.links:
            batch.links.append((id, packed.links))

    def write_again(self, seen: Seen) -> None:
        """A page that was looked at once more."""
        id, response, at = seen.task.id, seen.response, seen.response.timing.answered
        if seen.page is None:
            self.note_gone(id, at, f"It is no page any more, but {response.content_type or 'a file'}.")
        elif page_versions.is_news(self._database, id, seen.page, seen.packed.text):
            self._replace(seen, seen.page)
        else:  # what else moved on it (a clock, an advertisement) is not kept
            self.note_unchanged(id, at)
            marks = response.header("etag"), response.header("last-modified")
            self._database.execute("UPDATE pages SET etag = ?, last_modified = ? WHERE id = ?", (*marks, id))

    def _replace(self, seen: Seen, page: PageSummary) -> None:
        id, packed = seen.task.id, seen.packed
        (order,) = self._database.execute("SELECT fetch_order FROM pages WHERE id = ?", (id,)).fetchone()
        batch = _Batch(self._database, [seen])
        twin = batch.twins.of(seen)
        place = self._write_body(seen, batch.original(twin))
        self._database.execute(_REPLACE, (*_row(seen, order, twin, place), id))
        self._database.execute("DELETE FROM bands WHERE page = ?", (id,))
        if twin is None:
            self._database.executemany(_BAND, [(band, id) for band in packed.bands])
        page_versions.add(self._database, id, seen.response.timing.answered, page, packed.text, place)
        if packed.links:
            self._database.execute(_LINKS, (id, packed.links))

    def note_unchanged(self, id: int, at: float) -> None:
        """A page that was looked at once more and says what it said."""
        self._database.execute("UPDATE pages SET checked_at = ?, gone = '' WHERE id = ?", (at, id))

    def note_gone(self, id: int, at: float, why: str) -> None:
        """A page that was looked at once more and is not there; what it said is kept."""
        self._database.execute(_GONE, (at, at, why, id))

    def _write_body(self, seen: Seen, original: tuple[str, float] | None) -> Position:
        """Where the body went; pages that ask not to be kept have none."""
        packed = seen.packed
        if not packed.record:
            return _NOWHERE
        if original is None:
            return self._warc.append(packed.record)
        # A copy only says where its bytes are; but a page that asks not to be kept has no body to refer to.
        return self._warc.append(revisit_member(seen.response, packed.size, packed.payload, *original))


class _Batch:
    """Pages on their way: what they are compared with, and the rows that they become."""

    def __init__(self, database: Database, pages: Sequence[Seen]) -> None:
        self.twins = DuplicateFinder(database, pages)
        originals = ask_for(database, _ORIGINALS, self.twins.originals())
        self._originals: dict[int, tuple[str, float]] = {id: (url, at) for id, url, at in originals}
        """URL and time of the pages with a body that exact copies can refer to."""
        self.rows: list[tuple[object, ...]] = []
        self.bands: list[tuple[int, int]] = []
        self.versions: list[tuple[object, ...]] = []
        self.links: list[tuple[int, bytes]] = []
        self.duplicates: list[Duplicate] = []

    def original(self, twin: Duplicate | None) -> tuple[str, float] | None:
        """What an exact copy refers to."""
        return self._originals.get(twin.of) if twin is not None and twin.similarity == 1.0 else None

    def settle(self, seen: Seen, twin: Duplicate | None, place: Position) -> None:
        """The pages behind this one may repeat it."""
        if seen.packed.size:
            self.twins.add(seen, twin)
        if place != _NOWHERE:
            self._originals[seen.task.id] = seen.task.url, seen.response.timing.answered
        if twin is not None:
            self.duplicates.append(twin)
        else:
            self.bands += [(band, seen.task.id) for band in seen.packed.bands]


def _row(seen: Seen, order: int, twin: Duplicate | None, place: Position) -> tuple[object, ...]:
    response, page, verdict, packed = seen.response, seen.page or _NO_PAGE, seen.verdict, seen.packed
    return (
        order, response.timing.answered, response.status, response.content_type,
        packed.size, response.truncated, response.timing.ended - response.timing.started, response.timing.address,
        response.header("etag"), response.header("last-modified"), page.title, page.description, page.language,
        page.charset, page.published, page.canonical, page.noindex, len(page.links), packed.images,
        verdict and verdict.score, verdict and verdict.threshold, verdict is not None and verdict.relevant,
        msgspec.json.encode(verdict.why if verdict else ()).decode(), packed.digest, page.fingerprint,
        twin.of if twin else 0, twin.similarity if twin else 0.0, *place,
        verdict.topic if verdict else "", response.timing.answered, "",
    )  # fmt: skip
