"""What has changed since? Pages as they were understood, in the order in which they changed, for all who follow the store.

Each version is a row, and their numbers ascend: by them whoever follows (the index) knows how far it has come.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from shoal.database.sql import Database
from shoal.store.crawl_status import StoreAnswer
from shoal.store.packed_page import text_is_whole, unpack_both, unpack_links

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
