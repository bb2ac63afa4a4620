"""What did a page say, then and now? The stored page, its versions, and what changed between two of them."""

from __future__ import annotations

import difflib
import re
from datetime import datetime
from pathlib import Path
from typing import Literal

from shoal.database.sql import Database
from shoal.errors import InputError
from shoal.store import mark_log, page_versions
from shoal.store.crawl_status import StoreAnswer
from shoal.store.page_versions import StoredPage, Version
from shoal.store.warc import read_body

_SENTENCE = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+")
_LONG = 200
"""Characters of a paragraph from which on it is compared sentence by sentence."""
_CONTEXT = 2
_MANY = 4_000
Kind = Literal["same", "added", "removed", "gap"]


class StoredVersion(StoreAnswer, frozen=True, kw_only=True):
    """A page as it is kept, in one of its versions."""

    page: StoredPage
    """What is known of it now."""
    version: int
    versions: int
    at: datetime
    """When this version was first seen."""
    until: datetime
    """When it was last seen, or when the next one came."""
    title: str
    text: str


class VersionStep(StoreAnswer, frozen=True, kw_only=True):
    """One version of a page, and how it differs from the one before."""

    number: int
    at: datetime
    title: str
    characters: int
    added: int
    """Lines that the one before did not have."""
    removed: int


class DiffLine(StoreAnswer, frozen=True, kw_only=True):
    """A line of a comparison."""

    kind: Kind
    text: str


class VersionDiff(StoreAnswer, frozen=True, kw_only=True):
    """What changed from one version of a page to another."""

    url: str
    before: int
    before_at: datetime
    after: int
    after_at: datetime
    lines: tuple[DiffLine, ...]


def stored(folder: Path, url: str, version: int | None = None) -> StoredVersion:
    """What a page says, or said in an earlier version."""
    with mark_log.reading(folder) as database:
        id = mark_log.page_of(database, url)
        said = _versions(database, id, url)
        one, page = _chosen(said, version, url), page_versions.page(database, id)
    return StoredVersion(
        page=page,
        version=one.number,
        versions=len(said),
        at=one.at,
        until=page.checked_at if one is said[-1] else said[one.number].at,
        title=one.title,
        text=one.text,
    )


def body(folder: Path, url: str, version: int | None = None) -> bytes:
    """The page as the server sent it, unpacked."""
    with mark_log.reading(folder) as database:
        id = mark_log.page_of(database, url)
        one = _chosen(_versions(database, id, url), version, url)
        # An exact copy has no body of its own.
        place = page_versions.place_of_original(database, id) or (one.warc_file, one.warc_offset)
    return read_body(folder, *place)


def steps(folder: Path, url: str) -> list[VersionStep]:
    """When a page changed."""
    with mark_log.reading(folder) as database:
        said = _versions(database, mark_log.page_of(database, url), url)
    found = []
    for number, version in enumerate(said):
        lines = _compared(said[number - 1].text, version.text) if number else ()
        found.append(
            VersionStep(
                number=version.number,
                at=version.at,
                title=version.title,
                characters=len(version.text),
                added=sum(line.kind == "added" for line in lines),
                removed=sum(line.kind == "removed" for line in lines),
            )
        )
    return found


def difference(folder: Path, url: str, before: int | None = None, after: int | None = None) -> VersionDiff:
    """What changed; without numbers, between the last two versions."""
    with mark_log.reading(folder) as database:
        said = _versions(database, mark_log.page_of(database, url), url)
    if len(said) == 1 and (before, after) == (None, None):
        raise InputError(f"{url} has not changed since it was first fetched: there is one version of it.")
    new = _chosen(said, after, url)
    old = _chosen(said, before if before is not None else max(1, new.number - 1), url)
    return VersionDiff(
        url=url,
        before=old.number,
        before_at=old.at,
        after=new.number,
        after_at=new.at,
        lines=tuple(_compared(f"{old.title}\n{old.text}", f"{new.title}\n{new.text}")),
    )


def _versions(database: Database, page: int, url: str) -> list[Version]:
    if said := page_versions.versions(database, page):
        return said
    about = page_versions.page(database, page)
    why = (
        "the page asks not to be kept (noindex)"
        if about.noindex
        else f"it is no text but {about.content_type or 'a file'}"
    )
    raise InputError(f"The text of {url} is not stored: {why}.")


def _chosen(said: list[Version], number: int | None, url: str) -> Version:
    if number is None:
        return said[-1]
    if not 1 <= number <= len(said):
        raise InputError(f"{url} has {len(said)} version{'s' if len(said) > 1 else ''}; there is no number {number}.")
    return said[number - 1]


# --- comparing -------------------------------------------------------------------------------------------------------


def _compared(old: str, new: str) -> list[DiffLine]:
    """Line by line, and long lines sentence by sentence, with a little of what stayed the same around each change."""
    before, after = _lines(old), _lines(new)
    # Exact for pages as they are; a text of thousands of lines that repeat each other would take minutes.
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=len(before) + len(after) > _MANY)
    found: list[DiffLine] = []
    for number, group in enumerate(matcher.get_grouped_opcodes(_CONTEXT)):
        if number:
            found.append(DiffLine(kind="gap", text=""))
        for change, i, j, k, m in group:
            if change == "equal":
                found += [DiffLine(kind="same", text=text) for text in before[i:j]]
            else:
                found += [DiffLine(kind="removed", text=text) for text in before[i:j]]
                found += [DiffLine(kind="added", text=text) for text in after[k:m]]
    return found


def _lines(text: str) -> list[str]:
    parts: list[str] = []
    for line in text.split("\n"):
        parts += [part for part in _SENTENCE.split(line) if part] if len(line) > _LONG else [line]
    return parts
