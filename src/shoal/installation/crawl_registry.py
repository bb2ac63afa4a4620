"""Which crawls were made here, wherever their folders are, and whose are they? The list says what was true when it was written:
a folder that was moved or removed stays on it until somebody says so.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Collection, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select, update

from shoal.errors import InputError
from shoal.installation.installation_database import machine_of
from shoal.installation.installation_tables import crawls
from shoal.installation.names import checked_name, made_of, normal_name

_A_CRAWL = "A crawl"
_UNNAMED = "crawl"


class RegisteredCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl on the list."""

    id: str
    """Of the entry: a copy of a crawl in another folder has another one."""
    crawl: str
    """The crawl's own id, which its folder keeps."""
    name: str
    folder: Path
    machine: str
    """Where the folder is, when several machines share the list; empty, when the list is a file of one machine."""
    is_here: bool
    """False when the folder is on another machine."""
    owner: str | None
    """The id of a person; None for the operator."""
    topic: str
    made_at: float


def register(
    connection: Connection,
    *,
    crawl: str,
    folder: Path,
    now: float,
    name: str = "",
    owner: str | None = None,
    topic: str = "",
    id: str = "",
    avoid: Collection[str] = (),
) -> RegisteredCrawl:
    """Put a crawl on the list, or find it there, also in a folder that was moved. Without a name it gets that of its folder, but
    none of those to be avoided, which are of crawls that are on no list.

    What else was in that folder before is no longer there, so its entry goes.
    """
    place, chosen = _place(folder), name and checked_name(name, _A_CRAWL)
    if (here := by_folder(connection, folder)) is not None and here.crawl != crawl:
        forget(connection, here.id)
        here = None
    if (known := here or _moved(connection, crawl)) is None:
        chosen = _free(connection, chosen) if chosen else free_name(connection, folder.name, avoid)
        new = {"id": id or uuid.uuid4().hex, "crawl": crawl, "name": chosen, "machine": machine_of(connection)}
        rest = {"folder": place, "owner": owner, "topic": topic, "made_at": now}
        connection.execute(insert(crawls).values(new | rest))
        return _entry(connection, new["id"])
    if known.is_here:
        now_true = {"folder": place, "topic": topic or known.topic}
        connection.execute(update(crawls).where(crawls.c.id == known.id).values(now_true))
    return rename(connection, known.id, chosen) if chosen else _entry(connection, known.id)


def rename(connection: Connection, id: str, name: str) -> RegisteredCrawl:
    """Give a crawl on the list another name."""
    chosen = checked_name(name, _A_CRAWL)
    if (taken := by_name(connection, chosen)) is None or taken.id != id:
        connection.execute(update(crawls).where(crawls.c.id == id).values(name=_free(connection, chosen)))
    return _entry(connection, id)


def forget(connection: Connection, id: str) -> bool:
    """Take a crawl off the list; its folder stays. False when it was not on it."""
    return connection.execute(delete(crawls).where(crawls.c.id == id)).rowcount > 0


def by_name(connection: Connection, name: str) -> RegisteredCrawl | None:
    """The crawl of this name."""
    return _one(connection, crawls.c.name == normal_name(name))


def by_folder(connection: Connection, folder: Path) -> RegisteredCrawl | None:
    """The crawl in this folder of this machine."""
    return _one(connection, crawls.c.machine == machine_of(connection), crawls.c.folder == _place(folder))


def all_crawls(connection: Connection) -> Sequence[RegisteredCrawl]:
    """The whole list, by name."""
    return sorted((_read(connection, row) for row in connection.execute(select(crawls))), key=lambda entry: entry.name)


def free_name(connection: Connection, text: str, avoid: Collection[str] = ()) -> str:
    """A name that can be typed, made of any text, such as that of a folder; a number tells it from others."""
    wanted = made_of(text) or _UNNAMED
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
    return next(name for name in names if name not in avoid and by_name(connection, name) is None)


def _free(connection: Connection, name: str) -> str:
    if (taken := by_name(connection, name)) is not None:
        raise InputError(f"There is a crawl named {name} already, in {taken.folder}: choose another name.")
    return name


def _moved(connection: Connection, crawl: str) -> RegisteredCrawl | None:
    """The entry of a crawl whose folder is no longer where it was, or is on another machine; a copy gets one of its own."""
    entries = [_read(connection, row) for row in connection.execute(select(crawls).where(crawls.c.crawl == crawl))]
    left = [entry for entry in entries if not entry.is_here or not os.path.lexists(entry.folder)]
    return min(left, key=lambda entry: (not entry.is_here, entry.made_at), default=None)


def _place(folder: Path) -> str:
    """A folder as it is kept: the same for all ways that lead there."""
    path = os.path.realpath(folder)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{path!r} is no text in UTF-8, so it cannot be kept on the list: rename the folder."
        ) from None
    return path


def _one(connection: Connection, *conditions: Any) -> RegisteredCrawl | None:
    row = connection.execute(select(crawls).where(*conditions)).one_or_none()
    return None if row is None else _read(connection, row)


def _entry(connection: Connection, id: str) -> RegisteredCrawl:
    found = _one(connection, crawls.c.id == id)
    if found is None:
        raise InputError("That crawl is no longer on the list.")
    return found


def _read(connection: Connection, row: Row[Any]) -> RegisteredCrawl:
    values = row._asdict()
    return RegisteredCrawl(
        **values | {"folder": Path(row.folder), "is_here": row.machine == machine_of(connection)},
    )
