"""What if a batch cannot be written? Then something in it is not as it should be, and costs itself, not the crawl.

First every text is made one that a database can hold. If that was not it, each page is tried by itself (`CrawlStore` does, and
takes it back), and those that cannot be written end as failed. What a disk or a server says against a batch is another matter.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from shoal.errors import ShoalError
from shoal.model import Entry, Reason, State
from shoal.remembered import Changes, Look, PictureFate


@dataclass(frozen=True)
class Lost:
    """What cannot be written, by number, and what it raised."""

    pages: dict[int, Exception] = field(default_factory=dict)
    pictures: dict[int, Exception] = field(default_factory=dict)
    looks: dict[int, Exception] = field(default_factory=dict)
    """By the number of the page."""


_OF_THE_DISK = (ShoalError, OSError, MemoryError, sqlite3.OperationalError)


def is_about_content(error: Exception) -> bool:
    """True when another batch could be written: neither disk nor database are to blame."""
    if type(error) is sqlite3.DatabaseError:  # the file is damaged
        return False
    return not isinstance(error, _OF_THE_DISK)


def encodable(value: Any) -> Any:
    """The same value, with every text in it such that it can be written."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if type(value) is str else value  # words of ours are right
    if isinstance(value, tuple):
        return tuple(map(encodable, value))
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return replace(value, **{name: encodable(field) for name, field in fields.items()})
    return value


def without(changes: Changes, lost: Lost) -> Changes:
    """The same batch, in which these failed."""
    gone = len(lost.pages)
    tally = ((State.DONE, None, -gone), (State.FAILED, Reason.INTERNAL, gone)) if gone else ()
    return replace(
        changes,
        pages=tuple(page for page in changes.pages if page.seen.task.id not in lost.pages),
        added=tuple(_fate(entry, lost) for entry in changes.added),
        changed=tuple(_fate(entry, lost) for entry in changes.changed),
        tally=(*changes.tally, *tally),
        pictures=tuple(_picture(fate, lost) for fate in changes.pictures),
        looks=tuple(_look(look, lost) for look in changes.looks),
    )


def _fate(entry: Entry, lost: Lost) -> Entry:
    if (error := lost.pages.get(entry.id)) is None:
        return entry
    return replace(entry, state=State.FAILED, reason=Reason.INTERNAL, detail=_why(error))


def _picture(fate: PictureFate, lost: Lost) -> PictureFate:
    if (error := lost.pictures.get(fate.id)) is None:
        return fate
    return replace(fate, state=State.FAILED, reason=Reason.INTERNAL, detail=_why(error), came=None)


def _look(look: Look, lost: Lost) -> Look:
    error = lost.looks.get(look.page)
    return look if error is None else replace(look, seen=None, gone=_why(error))


def _why(error: Exception) -> str:
    return f"Shoal could not store it, which is our fault: {type(error).__name__}."
