"""How is something kept on one machine? In a SQLite file, with many readers beside one writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shoal.database.sql import between

_BUSY_SECONDS = 30


class SqliteDatabase(sqlite3.Connection):
    """Implements `database.sql.Database`. Any thread may use it, one at a time."""

    bite = 500

    def stream(self, question: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        return self.execute(question, values)

    def transaction(self) -> AbstractContextManager[None]:
        # At once, because a reader that becomes a writer later can be refused.
        return between(self, "BEGIN IMMEDIATE")

    def snapshot(self) -> AbstractContextManager[None]:
        return between(self, "BEGIN")

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file, one line each."""
        return [line for (line,) in self.execute("PRAGMA quick_check") if line != "ok"]


def open_file(path: Path | str, *, uri: bool = False) -> SqliteDatabase:
    """A connection as all of shoal uses them: no transaction begins by itself."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS, factory=SqliteDatabase, uri=uri
    )
    assert isinstance(connection, SqliteDatabase)
    return connection


def open_unchanged(path: Path) -> SqliteDatabase:
    """A connection to a file in a folder where nothing may be written, not even what many readers agree by."""
    log = path.with_name(f"{path.name}-wal")
    how = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    return open_file(f"file:{quote(str(path))}?{how}", uri=True)


def tune(connection: SqliteDatabase) -> None:
    """Many readers beside one writer, and few waits for the disk."""
    connection.execute("PRAGMA journal_mode = WAL")
    # With WAL, NORMAL can lose the last seconds when the power fails, never the consistency: those pages are fetched again.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -196608")
    connection.execute("PRAGMA temp_store = MEMORY")
