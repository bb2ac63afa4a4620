"""What do stored pages say, and what did they say before? One page as a person wants to see it, and all of them for an index.

Each version is a row, and their numbers ascend: by them whoever follows the store (the change feed) knows how far it has come.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from shoal.model import PageSummary
from shoal.store.crawl_status import StoreAnswer, time_of
from shoal.store.database import Database
from shoal.store.packed_page import text_is_whole, unpack_both, unpack_links, unpack_text

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


# --- what does the index not know yet: pages as they were understood, in the order in which they changed --------------

_FIELDS = """
    versions.id, pages.id, url, pages.title, headings, text, language, pages.topic, published, versions.at, score, relevant,
    duplicate_of, anchor
"""
_FROM = "FROM versions JOIN pages ON pages.id = page JOIN found ON found.id = page"


class Said(StoreAnswer, frozen=True, kw_only=True):
    """What a page says, and what is known of it."""

    version: int
    page: int
    url: str
    title: str
    headings: str
    text: str | None
    """None: it asks not to be kept any more."""
    flat: str
    """Of the text, if it is known."""
    language: str
    topic: str
    published: str
    at: float
    score: float | None
    relevant: bool
    copy_of: int | None
    """The page that says nearly the same, if there is one."""
    anchor: str
    """Of the link by which it was found."""


_COLUMNS = [name for name in Said.__struct_fields__ if name != "flat"]


def last_version(connection: Database) -> int:
    """How far the store has come."""
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM versions").fetchone()
    return int(last)


def news(connection: Database, after: int, limit: int) -> list[Said]:
    """The next so many versions behind this one."""
    query = f"SELECT {_FIELDS} {_FROM} WHERE versions.id > ? ORDER BY versions.id LIMIT ?"
    return [_said(row) for row in connection.execute(query, (after, limit))]


def latest(connection: Database, pages: Iterable[int]) -> Iterator[Said]:
    """What these pages say now."""
    query = f"SELECT {_FIELDS} {_FROM} WHERE versions.page = ? ORDER BY versions.id DESC LIMIT 1"
    for page in pages:
        yield from (_said(row) for row in connection.execute(query, (page,)))


def kept(connection: Database) -> dict[int, int]:
    """Every page that is kept, with its last version."""
    last = "SELECT max(id) FROM versions GROUP BY page"
    return dict(connection.stream(f"SELECT page, id FROM versions WHERE text IS NOT NULL AND id IN ({last})"))


def titles(connection: Database) -> dict[int, str]:
    """The title of every fetched page."""
    return dict(connection.stream("SELECT id, title FROM pages"))


def keys(connection: Database) -> dict[int, int]:
    """Every fetched page by `urls.key_of` its URL."""
    return dict(connection.stream("SELECT key, pages.id FROM pages JOIN found USING (id)"))


def links(connection: Database) -> Iterator[tuple[int, array[int], list[str]]]:
    """Of every page: where it leads (`urls.key_of`), and in which words."""
    for page, targets in connection.stream("SELECT page, targets FROM links"):
        yield page, *unpack_links(targets)


class Body(StoreAnswer, frozen=True, kw_only=True):
    """Where the body of a page is, and what it must be."""

    url: str
    file: str
    offset: int
    digest: bytes


def bodies(connection: Database) -> list[Body]:
    """The body of every page that has one, in the order of the files."""
    rows = connection.stream(
        """
        SELECT url, warc_file, warc_offset, content_hash FROM pages JOIN found USING (id) WHERE warc_file <> ''
        ORDER BY warc_file, warc_offset
        """
    )
    return [Body(url=url, file=file, offset=offset, digest=digest) for url, file, offset, digest in rows]


def damaged(connection: Database) -> list[str]:
    """The URLs of the pages whose stored texts cannot be read."""
    rows = connection.stream("SELECT url, text FROM versions JOIN found ON found.id = page WHERE text IS NOT NULL")
    return list(dict.fromkeys(url for url, text in rows if not text_is_whole(text)))


def counts(connection: Database) -> tuple[int, int]:
    """How many pages were fetched, and how many versions of them are kept."""
    (pages,) = connection.execute("SELECT count(*) FROM pages").fetchone()
    (versions,) = connection.execute("SELECT count(*) FROM versions WHERE text IS NOT NULL").fetchone()
    return pages, versions


def _said(row: Iterable[Any]) -> Said:
    values = dict(zip(_COLUMNS, row, strict=True))
    text, flat = (None, "") if values["text"] is None else unpack_both(values["text"])
    relevant, copy_of = bool(values["relevant"]), values["copy_of"] or None
    return Said(**values | {"text": text, "flat": flat, "relevant": relevant, "copy_of": copy_of})
