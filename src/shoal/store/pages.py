"""How is a page kept? Its row, its body, what it says, where it leads, and whether another page says the same."""

from __future__ import annotations

import hashlib
import sqlite3

import msgspec

from shoal.model import Page, Seen
from shoal.remembered import Duplicate, StoredPage
from shoal.store import linking, texts
from shoal.store.warc import Position, WarcWriter
from shoal.text import bands, similarity

NEAR = 0.75
"""Pages that share this much of their MinHash count as near-duplicates."""
_NO_PAGE = Page(url="")
_NOWHERE = ("", 0)
_INSERT = f"INSERT OR REPLACE INTO pages VALUES ({', '.join('?' * 33)})"


class PageWriter:
    """Writes pages inside the transaction of `store.crawl.CrawlStore.commit`, whose connection and WARC file it uses."""

    def __init__(self, database: sqlite3.Connection, warc: WarcWriter) -> None:
        self._database = database
        self._warc = warc

    def write(self, stored: StoredPage) -> Duplicate | None:
        """A page that came for the first time; answers which one it repeats, if it does."""
        seen = stored.seen
        page, keys = seen.page or _NO_PAGE, bands(seen.page.fingerprint if seen.page else b"")
        digest = _digest(seen.response.body)
        twin = self._twin(seen.task.id, digest, page.fingerprint, keys) if seen.response.body else None
        place = self._write_body(seen, twin)
        self._insert(seen, stored.fetch_order, digest, twin, place)
        if twin is None:  # copies are found through their original
            self._insert_bands(seen.task.id, keys)
        if seen.page is not None:
            texts.add(self._database, seen.task.id, seen.response.timing.answered, page, place)
            self._write_links(seen.task.id, page)
        return twin

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
        (order,) = self._database.execute("SELECT fetch_order FROM pages WHERE id = ?", (id,)).fetchone()
        digest, keys = _digest(response.body), bands(page.fingerprint)
        twin = self._twin(id, digest, page.fingerprint, keys)
        place = self._write_body(seen, twin)
        self._insert(seen, order, digest, twin, place)
        self._database.execute("DELETE FROM bands WHERE page = ?", (id,))
        if twin is None:
            self._insert_bands(id, keys)
        texts.add(self._database, id, response.timing.answered, page, place)
        self._write_links(id, page)
        return True

    def note_unchanged(self, id: int, at: float) -> None:
        """A page that was looked at once more and says what it said."""
        self._database.execute("UPDATE pages SET checked_at = ?, gone = '' WHERE id = ?", (at, id))

    def note_gone(self, id: int, at: float, why: str) -> None:
        """A page that was looked at once more and is not there; what it said is kept."""
        self._database.execute("UPDATE pages SET checked_at = max(checked_at, ?), gone = ? WHERE id = ?", (at, why, id))

    def _insert(self, seen: Seen, order: int, digest: bytes, twin: Duplicate | None, place: Position) -> None:
        response, page, verdict = seen.response, seen.page or _NO_PAGE, seen.verdict
        self._database.execute(_INSERT, (
            seen.task.id, order, response.timing.answered, response.status, response.content_type,
            len(response.body), response.truncated, response.timing.ended - response.timing.started, response.timing.address,
            response.header("etag"), response.header("last-modified"), page.title, page.description, page.language,
            page.charset, page.published, page.canonical, page.noindex, len(page.links), len(page.images),
            verdict and verdict.score, verdict and verdict.threshold, verdict is not None and verdict.relevant,
            msgspec.json.encode(verdict.why if verdict else ()).decode(), digest, page.fingerprint,
            twin.of if twin else 0, twin.similarity if twin else 0.0, *place,
            verdict.topic if verdict else "", response.timing.answered, "",
        ))  # fmt: skip

    def _insert_bands(self, id: int, keys: tuple[int, ...]) -> None:
        self._database.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?)", [(key, id) for key in keys])

    def _write_links(self, id: int, page: Page) -> None:
        if targets := linking.pack(page.links, page.url):
            self._database.execute("INSERT OR REPLACE INTO links VALUES (?, ?)", (id, targets))

    def _write_body(self, seen: Seen, twin: Duplicate | None) -> Position:
        """Where the body went; pages that ask not to be kept have none."""
        response, page = seen.response, seen.page
        if not response.body or (page is not None and page.noindex):
            return _NOWHERE
        if twin is not None and twin.similarity == 1.0:
            original = self._database.execute(
                "SELECT url, fetched_at FROM found JOIN pages USING (id) WHERE id = ? AND warc_file <> ''", (twin.of,)
            ).fetchone()
            if original is not None:  # a page that asks not to be kept has no body to refer to
                return self._warc.write_revisit(response, *original)
        return self._warc.write(response)

    def _twin(self, id: int, digest: bytes, fingerprint: bytes, keys: tuple[int, ...]) -> Duplicate | None:
        """The earlier page that says the same, or nearly."""
        exact = self._database.execute(
            "SELECT id FROM pages WHERE content_hash = ? AND similarity < 1 AND id <> ? LIMIT 1", (digest, id)
        ).fetchone()
        if exact:
            return Duplicate(page=id, of=exact[0], similarity=1.0)
        if not keys:
            return None
        marks = ", ".join("?" * len(keys))
        rows = self._database.execute(
            f"""
            SELECT id, fingerprint FROM pages
            WHERE id IN (SELECT page FROM bands WHERE band IN ({marks})) AND id <> ?
            """,
            (*keys, id),
        )
        alike = [(similarity(fingerprint, blob), -other) for other, blob in rows]
        best, other = max(alike, default=(0.0, 0))
        # Texts that agree in everything that was compared may still differ elsewhere: only equal bytes are exact copies.
        return Duplicate(page=id, of=-other, similarity=min(best, 0.999)) if best >= NEAR else None


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=16).digest()
