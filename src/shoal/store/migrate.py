"""How does a crawl move from one database to another? All of it is copied and compared; only then the folder says where it is.

Until that moment nothing has changed for anybody; afterwards the old copy is still there, under another name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from shoal.database.postgres import PostgresDatabase, place_of
from shoal.database.sql import Database, insert, portions
from shoal.database.sqlite import SqliteDatabase, open_file
from shoal.errors import FolderError, InputError
from shoal.files import created, place, set_aside, unfinished
from shoal.protocols import Progress
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, ownership
from shoal.store import shared_crawl as clusters
from shoal.store.crawl_status import StoreAnswer
from shoal.store.upgrades import schema
from shoal.store.warc import is_elsewhere

_TABLE = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)
_OF_THE_COORDINATOR = ("coordinator", "commits", "run", "live", "wish")
"""What `meta` says about a connection or a run, which does not move."""
_NUMBERED = ("versions", "mark_log")
"""Tables that number their rows themselves."""


class Migrated(StoreAnswer, frozen=True, kw_only=True):
    """What moved, and where the old copy is."""

    to: str
    rows: int
    tables: int
    aside: str
    """The name of the old copy: a file, or a schema of the database."""
    bodies_elsewhere: int = 0
    """Pages whose bodies are in the folders of other machines, and stay there."""


def to_postgresql(folder: Path, url: str, progress: Progress) -> Migrated:
    """Move a crawl out of its SQLite file."""
    with folders.lock_existing(folder):
        if folders.is_remote(folder):
            raise InputError(
                f"The crawl of {folder} is in a PostgreSQL database already: move it back with --to sqlite."
            )
        home = clusters.new_home(folder, Cluster(database=url, broker=folders.read_cluster(folder).broker))
        with closing(folders.connect_file(folder)) as source:
            folders.hide_secrets(folder, source)
            home = replace(home, proxy=clusters.read(folder).proxy)
            clusters.prepare(folder, home)
            with closing(clusters.connect(folder, home)) as target:
                rows = _copied(source, target, progress)
                _copy_files(folder, target)
            crawl = folders.read_meta(source, "crawl", str) or ""
            source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        clusters.register(folder, home, crawl)
        with folders.storage_errors(folder):
            clusters.write(folder, home)
            aside = _set_aside(folder / folders.DATABASE)
    return Migrated(to=place_of(url), rows=rows, tables=len(_tables()), aside=aside)


def to_sqlite(folder: Path, progress: Progress) -> Migrated:
    """Move a crawl out of PostgreSQL into its folder."""
    if not folders.find(folder) or not folders.is_remote(folder):
        raise InputError(f"There is no crawl in {folder} that is in a PostgreSQL database.")
    home, said = clusters.read(folder), mark_log.all_said(folder)
    if os.path.lexists(path := folder / folders.DATABASE):  # not ours to replace
        raise FolderError(f"There is a file {path} already: move it away, because the crawl needs this name.")
    with folders.lock(folder) as source, folders.storage_errors(folder), unfinished(folder) as part:
        assert source is not None
        with closing(open_file(part)) as target:
            target.executescript(schema())
            rows = _copied(source, target, progress)
            bodies = target.execute("SELECT warc_file, count(*) FROM pages WHERE warc_file <> '' GROUP BY warc_file")
            elsewhere = sum(count for name, count in bodies if is_elsewhere(folder, name))
        _place_model(folder, clusters.model_of(source))
        place(part, path)
        clusters.write(
            folder, clusters.Home(broker=home.broker, proxy=home.proxy)
        )  # from here on the file is the crawl
        aside = clusters.set_aside(home)
    if said:
        mark_log.add(folder, said)
    return Migrated(to=str(path), rows=rows, tables=len(_tables()), aside=aside, bodies_elsewhere=elsewhere)


# --- rows ------------------------------------------------------------------------------------------------------------


def _copied(source: Database, target: SqliteDatabase | PostgresDatabase, progress: Progress) -> int:
    """Copy every table, and prove that the copy says the same; answers how many rows there are."""
    total, done = sum(_count(source, table) for table in _tables()), 0

    def go_on(rows: int) -> None:
        nonlocal done
        done += rows
        progress(done, 2 * total)

    for table, expected in copy_tables(source, target, go_on).items():
        if (found := _summed(_portions(target, table))) != expected:
            raise FolderError(
                f"The copy of the table {table} is not what was copied ({found[0]:,} rows of {expected[0]:,}), "
                "so nothing was moved."
            )
        go_on(expected[0])
    if isinstance(target, PostgresDatabase):
        _go_on_numbering(target)
    return total


def copy_tables(
    source: Database, target: Database, go_on: Callable[[int], None] = lambda rows: None
) -> dict[str, tuple[int, int]]:
    """Copy every table; answers how many rows each has, and a sum of their hashes."""
    sums = {}
    for table in _tables():
        with target.transaction():
            sums[table] = _summed(_copying(source, target, table, go_on))
    return sums


def _copying(source: Database, target: Database, table: str, go_on: Callable[[int], None]) -> Iterator[list[Any]]:
    for portion in _portions(source, table):
        insert(target, table, portion)
        go_on(len(portion))
        yield portion


def _portions(database: Database, table: str) -> Iterator[list[Any]]:
    return portions(database, f"SELECT * FROM {table}{_wanted(table)}")


def _wanted(table: str) -> str:
    return f" WHERE key NOT IN {_OF_THE_COORDINATOR}" if table == "meta" else ""


def _count(database: Database, table: str) -> int:
    (count,) = database.execute(f"SELECT count(*) FROM {table}{_wanted(table)}").fetchone()
    return int(count)


def _summed(portions: Iterable[list[Any]]) -> tuple[int, int]:
    """How many rows there are, and a sum of their hashes, so that it does not matter in which order they come."""
    count = digest = 0
    for row in chain.from_iterable(portions):
        # PostgreSQL has no zero bytes in texts.
        plain = [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in row]
        digest += int.from_bytes(blake2b(msgspec.msgpack.encode(plain), digest_size=16).digest())
        count += 1
    return count, digest % 2**128


def _go_on_numbering(database: PostgresDatabase) -> None:
    for table in _NUMBERED:
        database.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), coalesce(max(id), 0) + 1, false) FROM {table}"
        )


# --- files -----------------------------------------------------------------------------------------------------------


def _copy_files(folder: Path, target: PostgresDatabase) -> None:
    said = [(mark.url, mark.relevant, mark.at) for mark in mark_log.all_said(folder)]
    target.executemany("INSERT INTO mark_log (url, relevant, at) VALUES (?, ?, ?)", said)
    if (model := folder / folders.MODEL).exists():
        target.execute(clusters.MODEL, (model.read_bytes(),))


def _place_model(folder: Path, model: bytes) -> None:
    path = folder / folders.MODEL
    if model and not (path.is_file() and path.read_bytes() == model):  # a crawl that moved away left it there
        with unfinished(folder) as part:
            with created(part) as stream:
                stream.write(model)
            place(part, path)


def _set_aside(path: Path) -> str:
    """Under a name by which nobody takes it for the crawl."""
    aside = path.with_name(ownership.MOVED)
    try:
        place(path, aside)
    except FileExistsError:  # it has moved before
        aside = set_aside(path, "moved")
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    return str(aside)


def _tables() -> list[str]:
    return _TABLE.findall(schema())
