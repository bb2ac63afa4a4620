"""What was this crawl, when its database is lost? A small file beside it knows: its name and its settings, without secrets.

It is written whenever somebody opens the folder to write to it, so the folders of an older shoal get one, too. A crawl in
PostgreSQL has none: its database is not in the folder, and has its own backups.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from shoal.errors import FolderError
from shoal.files import replaced
from shoal.settings import Settings, SettingsPart
from shoal.store import secrets
from shoal.store.ownership import COPY, DATABASE


class Spare(SettingsPart, frozen=True, kw_only=True):
    """What cannot be read from the page files."""

    format: int = 1
    crawl: str
    """The name under which others know the crawl."""
    settings: Settings


def write(folder: Path, crawl: str, settings: Settings) -> None:
    """Keep this, if it is not what is kept already."""
    spare = Spare(crawl=crawl, settings=secrets.masked(settings))
    data = msgspec.json.format(msgspec.json.encode(spare), indent=2) + b"\n"
    path = folder / COPY
    if path.is_file() and path.read_bytes() == data:
        return
    if os.path.lexists(path) and not _is_ours(path):
        raise FolderError(f"The file {path} is not shoal's: move it away, because a crawl needs this name.")
    with replaced(path) as stream:
        stream.write(data)


def read(folder: Path) -> Spare | None:
    """What is kept; None when nothing is, or it cannot be read."""
    try:
        return msgspec.json.decode((folder / COPY).read_bytes(), type=Spare)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def from_remains(folder: Path) -> Spare | None:
    """The same out of a damaged database, if so much of it can still be read."""
    try:
        with closing(sqlite3.connect(f"{(folder / DATABASE).absolute().as_uri()}?mode=ro", uri=True)) as database:
            meta = dict(database.execute("SELECT key, value FROM meta WHERE key IN ('crawl', 'settings')"))
            decode = msgspec.json.decode
            return Spare(crawl=decode(meta["crawl"], type=str), settings=decode(meta["settings"], type=Settings))
    except (sqlite3.Error, msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError):
        return None


def _is_ours(path: Path) -> bool:
    """Also one that another version has written, or that is damaged behind its first lines."""
    try:
        with path.open("rb") as file:
            head = file.read(200)
    except OSError:
        return False
    return not head or (b'"format"' in head and b'"crawl"' in head)
