"""How is a crawl on one machine kept? In one SQLite file: any number may read while one writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_BUSY_SECONDS = 30


class SqliteDatabase(sqlite3.Connection):
    """Implements `database.Database`. Any thread may use it, one at a time."""

    bite = 500

    def stream(self, question: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Rows that need not fit into memory all at once."""
        return self.execute(question, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside is there together, or not at all."""
        # At once, because a reader that becomes a writer later can be refused.
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        finally:
            if self.in_transaction:
                self.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All questions asked inside see the same moment of a crawl that goes on."""
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("COMMIT")

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file, one line each."""
        return [line for (line,) in self.execute("PRAGMA quick_check") if line != "ok"]


def open_file(path: Path | str) -> SqliteDatabase:
    """A connection as all of shoal uses them: no transaction begins by itself."""
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS, factory=SqliteDatabase
    )
    assert isinstance(connection, SqliteDatabase)
    return connection


def tune(connection: SqliteDatabase) -> None:
    """Many readers beside one writer, and few waits for the disk."""
    connection.execute("PRAGMA journal_mode = WAL")
    # With WAL, NORMAL can lose the last seconds when the power fails, never the consistency: those pages are fetched again.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA cache_size = -196608")
    connection.execute("PRAGMA temp_store = MEMORY")


def checkpoint_by_hand(connection: SqliteDatabase) -> None:
    """Nothing of the log goes into the file until somebody says so."""
    connection.execute("PRAGMA wal_autocheckpoint = 0")


def checkpoint(connection: SqliteDatabase) -> None:
    """What is in the log goes into the file, as far as nobody reads it; this waits for the disk."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
