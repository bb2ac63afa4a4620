"""What is known of one stored page? What a person wants to see of it, the user's mark laid over the judge's verdict."""

from __future__ import annotations

from datetime import datetime

from shoal.store.crawl_status import Answer, time_of
from shoal.store.database import Database

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


class StoredPage(Answer, frozen=True, kw_only=True):
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
    """All of it; the connection must be one of `marked.reading`."""
    row = connection.execute(_PAGE, (id,)).fetchone()
    values = dict(zip(StoredPage.__struct_fields__, row, strict=True))
    values |= {name: time_of(values[name]) for name in ("fetched_at", "checked_at")}
    values |= {name: bool(values[name]) for name in ("relevant", "noindex")}
    return StoredPage(**values)


def place_of_original(connection: Database, id: int) -> tuple[str, int] | None:
    """Where the body of the page stands whose exact copy this one is."""
    place: tuple[str, int] | None = connection.execute(_ORIGINAL, (id,)).fetchone()
    return place
