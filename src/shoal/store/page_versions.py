"""What does a stored page say, and what did it say before? All that is known of it, and its main text in every version."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from shoal.database.sql import Database, ask_for
from shoal.model import PageSummary
from shoal.store.crawl_status import StoreAnswer, time_of
from shoal.store.packed_page import unpack_text

ADD = "INSERT INTO versions (page, at, title, headings, text, warc_file, warc_offset) VALUES (?, ?, ?, ?, ?, ?, ?)"
"""For what `row` makes."""


class Version(StoreAnswer, frozen=True, kw_only=True):
    """What a page said from one moment on."""

    number: int
    """1 is the first."""
    at: datetime
    """When it was fetched."""
    title: str
    text: str
    warc_file: str
    warc_offset: int


def versions(connection: Database, page: int) -> list[Version]:
    """All that the page has said, the oldest first; nothing when it is not kept."""
    rows = connection.execute(
        "SELECT at, title, text, warc_file, warc_offset FROM versions WHERE page = ? AND text IS NOT NULL ORDER BY id",
        (page,),
    )
    return [
        Version(number=number, at=time_of(at), title=title, text=unpack_text(text), warc_file=file, warc_offset=offset)
        for number, (at, title, text, file, offset) in enumerate(rows, start=1)
    ]


def latest_text(connection: Database, page: int) -> str | None:
    """What the page says now; None when it is not kept."""
    row = connection.execute("SELECT text FROM versions WHERE page = ? ORDER BY id DESC LIMIT 1", (page,)).fetchone()
    return unpack_text(row[0]) if row is not None and row[0] is not None else None


def fingerprints(connection: Database, pages: Iterable[int]) -> dict[int, bytes]:
    """How pages look (`text.fingerprint`)."""
    return dict(ask_for(connection, "SELECT id, fingerprint FROM pages WHERE id IN ({})", pages))


def is_news(connection: Database, id: int, page: PageSummary, text: bytes) -> bool:
    """True when the page says something else than when it was last looked at, or asks not to be kept since then."""
    last = connection.execute(
        "SELECT title, text FROM versions WHERE page = ? ORDER BY id DESC LIMIT 1", (id,)
    ).fetchone()
    if last is None or last[1] is None:
        return not page.noindex
    return page.noindex or (page.title, unpack_text(text)) != (last[0], unpack_text(last[1]))


def row(id: int, at: float, page: PageSummary, text: bytes, place: tuple[str, int]) -> tuple[object, ...] | None:
    """What a page says, as it is kept; `text` is packed, `place` is that of its body. None when it asks not to be kept."""
    return None if page.noindex else (id, at, page.title, page.headings, text, *place)


def add(connection: Database, id: int, at: float, page: PageSummary, text: bytes, place: tuple[str, int]) -> None:
    """Keep what a page says from now on, which may have said something before."""
    if (new := row(id, at, page, text, place)) is not None:
        connection.execute(ADD, new)
    # If it was kept until now, what it said goes, and a last row tells the index.
    elif connection.execute("DELETE FROM versions WHERE page = ?", (id,)).rowcount:
        connection.execute(ADD, (id, at, "", "", None, *place))


# --- one page, as a person wants to see it ---------------------------------------------------------------------------

_PAGE = """
SELECT found.url, pages.title, description, language, charset, published, fetched_at, checked_at, gone, score,
       coalesce(marks.relevant, pages.relevant), topic, noindex, content_type, original.url
FROM pages JOIN found USING (id) LEFT JOIN marks USING (id) LEFT JOIN found AS original ON original.id = duplicate_of
WHERE pages.id = ?
"""
_ORIGINAL = """
SELECT original.warc_file, original.warc_offset FROM pages JOIN pages AS original ON original.id = pages.duplicate_of
WHERE pages.id = ? AND pages.similarity = 1 AND original.warc_file <> ''
"""


class StoredPage(StoreAnswer, frozen=True, kw_only=True):
    """A page as it was last understood."""

    url: str
    title: str
    description: str
    language: str
    charset: str
    published: str
    fetched_at: datetime
    checked_at: datetime
    """When it was last seen to be so."""
    gone: str
    """Why the last look found no page any more, in one sentence; else empty."""
    score: float | None
    relevant: bool
    """By the user's mark, else by the judge."""
    topic: str
    noindex: bool
    content_type: str
    copy_of: str | None
    """The page that says the same, or nearly."""


def page(connection: Database, id: int) -> StoredPage:
    """All of it; the connection must be one of `mark_log.reading`."""
    row = connection.execute(_PAGE, (id,)).fetchone()
    values = dict(zip(StoredPage.__struct_fields__, row, strict=True))
    values |= {name: time_of(values[name]) for name in ("fetched_at", "checked_at")}
    return msgspec.convert(values, StoredPage, strict=False)  # what is a flag here is a number there


def place_of_original(connection: Database, id: int) -> tuple[str, int] | None:
    """Where the body of the page stands whose exact copy this one is."""
    place: tuple[str, int] | None = connection.execute(_ORIGINAL, (id,)).fetchone()
    return place
