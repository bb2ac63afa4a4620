"""How is a page kept? Its row, its body, what it says, where it leads, and whether another page says the same."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from shoal.model import Page, Seen
from shoal.remembered import Duplicate, StoredPage
from shoal.store import linking, texts
from shoal.store.database import Database, ask_for, question_marks
from shoal.store.steps import Steps, in_bites
from shoal.store.twins import Likeness, Twins, likeness
from shoal.store.warc import Position, WarcWriter

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

    def __init__(self, database: Database, warc: WarcWriter) -> None:
        self._database = database
        self._warc = warc

    def write(self, pages: Sequence[StoredPage]) -> Steps[list[Duplicate]]:
        """Pages that came for the first time; answers which ones they repeat, as far as they do."""
        if not pages:
            return []
        batch = _Batch(self._database, [likeness(stored.seen) for stored in pages])
        yield None
        for stored, like in zip(pages, batch.likenesses, strict=True):
            self._take(batch, stored, like)
            yield None
        yield from in_bites(self._database, _INSERT, batch.rows)
        yield from in_bites(self._database, _BAND, batch.bands)
        yield from in_bites(self._database, texts.ADD, batch.versions)
        yield from in_bites(self._database, _LINKS, batch.links)
        return batch.duplicates

    def _take(self, batch: _Batch, stored: StoredPage, like: Likeness) -> None:
        seen, id = stored.seen, stored.seen.task.id
        twin = batch.twins.of(like) if seen.response.body else None
        place = self._write_body(seen, batch.original(twin))
        batch.settle(seen, like, twin, place)
        batch.rows.append((id, *_row(seen, stored.fetch_order, like.digest, twin, place)))
        if seen.page is None:
            return
        if (version := texts.row(id, seen.response.timing.answered, seen.page, place)) is not None:
            batch.versions.append(version)
        if targets := linking.pack(seen.page.links, seen.page.url):
            batch.links.append((id, targets))

    def write_again(self, seen: Seen) -> bool:
        """A page that was looked at once more; True when it says something else than it did."""
        id, response, page = seen.task.id, seen.response, seen.page
        if page is None:
            self.note_gone(
                id, response.timing.answered, f"It is no page any more, but {response.content_type or 'a file'}."
            )
            return False
        if not texts.is_news(self._database, id, page):
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
        like = likeness(seen)
        batch = _Batch(self._database, [like])
        twin = batch.twins.of(like)
        place = self._write_body(seen, batch.original(twin))
        self._database.execute(_REPLACE, (*_row(seen, order, like.digest, twin, place), id))
        self._database.execute("DELETE FROM bands WHERE page = ?", (id,))
        if twin is None:
            self._database.executemany(_BAND, [(key, id) for key in like.keys])
        texts.add(self._database, id, seen.response.timing.answered, page, place)
        if targets := linking.pack(page.links, page.url):
            self._database.execute(_LINKS, (id, targets))

    def note_unchanged(self, id: int, at: float) -> None:
        """A page that was looked at once more and says what it said."""
        self._database.execute("UPDATE pages SET checked_at = ?, gone = '' WHERE id = ?", (at, id))

    def note_gone(self, id: int, at: float, why: str) -> None:
        """A page that was looked at once more and is not there; what it said is kept."""
        self._database.execute(_GONE, (at, at, why, id))

    def _write_body(self, seen: Seen, original: tuple[str, float] | None) -> Position:
        """Where the body went; pages that ask not to be kept have none."""
        response, page = seen.response, seen.page
        if not response.body or (page is not None and page.noindex):
            return _NOWHERE
        # A copy only says where its bytes are; but a page that asks not to be kept has no body to refer to.
        return self._warc.write(response) if original is None else self._warc.write_revisit(response, *original)


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

    def settle(self, seen: Seen, like: Likeness, twin: Duplicate | None, place: Position) -> None:
        """The pages behind this one may repeat it."""
        if seen.response.body:
            self.twins.add(like, twin)
        if place != _NOWHERE:
            self._originals[like.id] = seen.task.url, seen.response.timing.answered
        if twin is not None:
            self.duplicates.append(twin)
        else:
            self.bands += [(key, like.id) for key in like.keys]


def _row(seen: Seen, order: int, digest: bytes, twin: Duplicate | None, place: Position) -> tuple[object, ...]:
    response, page, verdict = seen.response, seen.page or _NO_PAGE, seen.verdict
    return (
        order, response.timing.answered, response.status, response.content_type,
        len(response.body), response.truncated, response.timing.ended - response.timing.started, response.timing.address,
        response.header("etag"), response.header("last-modified"), page.title, page.description, page.language,
        page.charset, page.published, page.canonical, page.noindex, len(page.links), len(page.images),
        verdict and verdict.score, verdict and verdict.threshold, verdict is not None and verdict.relevant,
        msgspec.json.encode(verdict.why if verdict else ()).decode(), digest, page.fingerprint,
        twin.of if twin else 0, twin.similarity if twin else 0.0, *place,
        verdict.topic if verdict else "", response.timing.answered, "",
    )  # fmt: skip
