"""How is a page kept? Its row, its body, what it says, where it leads, and whether another page says the same."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from shoal.model import Packed, Page, Seen
from shoal.remembered import Duplicate, StoredPage
from shoal.store import page_versions as texts
from shoal.store.database import Database, ask_for, question_marks
from shoal.store.packed_page import pack
from shoal.store.steps import Steps, in_bites
from shoal.store.twins import Likeness, Twins, likeness
from shoal.store.warc import Bodies, Position, revisit_member

_NO_PAGE = Page(url="")
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
_LINKS = "INSERT INTO links VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET targets = excluded.targets"
_ORIGINALS = "SELECT id, url, fetched_at FROM found JOIN pages USING (id) WHERE warc_file <> '' AND id IN ({})"
_GONE = "UPDATE pages SET checked_at = CASE WHEN checked_at > ? THEN checked_at ELSE ? END, gone = ? WHERE id = ?"


class PageWriter:
    """Writes pages inside the transaction of `store.crawl.CrawlStore.commit`, whose connection and WARC file it uses."""

    def __init__(self, database: Database, warc: Bodies) -> None:
        self._database = database
        self._warc = warc

    def write(self, pages: Sequence[StoredPage]) -> Steps[list[Duplicate]]:
        """Pages that came for the first time; answers which ones they repeat, as far as they do."""
        if not pages:
            return []
        packed: list[Packed] = []
        for stored in pages:
            packed.append(stored.seen.packed or pack(stored.seen))
            yield None
        batch = _Batch(self._database, [likeness(page.seen, ready) for page, ready in zip(pages, packed, strict=True)])
        yield None
        for stored, ready, like in zip(pages, packed, batch.likenesses, strict=True):
            self._take(batch, stored, ready, like)
            yield None
        yield from in_bites(self._database, _INSERT, batch.rows)
        yield from in_bites(self._database, _BAND, batch.bands)
        yield from in_bites(self._database, texts.ADD, batch.versions)
        yield from in_bites(self._database, _LINKS, batch.links)
        return batch.duplicates

    def _take(self, batch: _Batch, stored: StoredPage, packed: Packed, like: Likeness) -> None:
        seen, id = stored.seen, stored.seen.task.id
        twin = batch.twins.of(like) if packed.size else None
        place = self._write_body(seen, packed, batch.original(twin))
        batch.settle(seen, packed, like, twin, place)
        batch.rows.append((id, *_row(seen, packed, stored.fetch_order, twin, place)))
        if seen.page is None:
            return
        if (version := texts.row(id, seen.response.timing.answered, seen.page, packed.text, place)) is not None:
            batch.versions.append(version)
        if packed.links:
            batch.links.append((id, packed.links))

    def write_again(self, seen: Seen) -> bool:
        """A page that was looked at once more; True when it says something else than it did."""
        id, response, page = seen.task.id, seen.response, seen.page
        if page is None:
            self.note_gone(
                id, response.timing.answered, f"It is no page any more, but {response.content_type or 'a file'}."
            )
            return False
        if not texts.is_news(self._database, id, page, _text_of(seen, page)):
            # What else moved on it (a clock, an advertisement) is not kept.
            self.note_unchanged(id, response.timing.answered)
            marks = response.header("etag"), response.header("last-modified")
            self._database.execute("UPDATE pages SET etag = ?, last_modified = ? WHERE id = ?", (*marks, id))
            return False
        self._replace(seen, page)
        return True

    def _replace(self, seen: Seen, page: Page) -> None:
        id = seen.task.id
        (order,) = self._database.execute("SELECT fetch_order FROM pages WHERE id = ?", (id,)).fetchone()
        packed = seen.packed or pack(seen)
        like = likeness(seen, packed)
        batch = _Batch(self._database, [like])
        twin = batch.twins.of(like)
        place = self._write_body(seen, packed, batch.original(twin))
        self._database.execute(_REPLACE, (*_row(seen, packed, order, twin, place), id))
        self._database.execute("DELETE FROM bands WHERE page = ?", (id,))
        if twin is None:
            self._database.executemany(_BAND, [(key, id) for key in like.keys])
        texts.add(self._database, id, seen.response.timing.answered, page, packed.text, place)
        if packed.links:
            self._database.execute(_LINKS, (id, packed.links))

    def note_unchanged(self, id: int, at: float) -> None:
        """A page that was looked at once more and says what it said."""
        self._database.execute("UPDATE pages SET checked_at = ?, gone = '' WHERE id = ?", (at, id))

    def note_gone(self, id: int, at: float, why: str) -> None:
        """A page that was looked at once more and is not there; what it said is kept."""
        self._database.execute(_GONE, (at, at, why, id))

    def _write_body(self, seen: Seen, packed: Packed, original: tuple[str, float] | None) -> Position:
        """Where the body went; pages that ask not to be kept have none."""
        if not packed.record:
            return _NOWHERE
        if original is None:
            return self._warc.append(packed.record)
        # A copy only says where its bytes are; but a page that asks not to be kept has no body to refer to.
        return self._warc.append(revisit_member(seen.response, packed.size, packed.payload, *original))


class _Batch:
    """Pages on their way: what they are compared with, and the rows that they become."""

    def __init__(self, database: Database, likenesses: Sequence[Likeness]) -> None:
        self.likenesses = likenesses
        self.twins = Twins(database, likenesses)
        self._originals: dict[int, tuple[str, float]] = {}
        """URL and time of the pages with a body that exact copies can refer to."""
        for id, url, at in ask_for(database, _ORIGINALS, self.twins.originals()):
            self._originals[id] = url, at
        self.rows: list[tuple[object, ...]] = []
        self.bands: list[tuple[int, int]] = []
        self.versions: list[tuple[object, ...]] = []
        self.links: list[tuple[int, bytes]] = []
        self.duplicates: list[Duplicate] = []

    def original(self, twin: Duplicate | None) -> tuple[str, float] | None:
        """What an exact copy refers to."""
        return self._originals.get(twin.of) if twin is not None and twin.similarity == 1.0 else None

    def settle(self, seen: Seen, packed: Packed, like: Likeness, twin: Duplicate | None, place: Position) -> None:
        """The pages behind this one may repeat it."""
        if packed.size:
            self.twins.add(like, twin)
        if place != _NOWHERE:
            self._originals[like.id] = seen.task.url, seen.response.timing.answered
        if twin is not None:
            self.duplicates.append(twin)
        else:
            self.bands += [(key, like.id) for key in like.keys]


def _text_of(seen: Seen, page: Page) -> str:
    """What the page says, wherever it is: most pages that are looked at again need not be packed."""
    return texts.unpack(seen.packed.text) if seen.packed is not None and seen.packed.text else page.text


def _row(seen: Seen, packed: Packed, order: int, twin: Duplicate | None, place: Position) -> tuple[object, ...]:
    response, page, verdict = seen.response, seen.page or _NO_PAGE, seen.verdict
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
