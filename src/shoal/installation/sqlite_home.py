"""How is the installation's database kept on one machine? In `shoal.sqlite`, of which a copy is made before it is changed."""

from __future__ import annotations

import fcntl
import filecmp
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Engine, NullPool, Pool, StaticPool, create_engine
from sqlalchemy.exc import DBAPIError

from shoal.database.sqlite import open_file, open_unchanged
from shoal.errors import DatabaseDamaged, FolderBusy, FolderError, ShoalError, StorageFull
from shoal.files import is_full, may, place, sync, unfinished
from shoal.installation.home import ELSEWHERE, make_home

_PRIVATE = 0o600
_READS, _WRITES = ("BEGIN",), ("BEGIN IMMEDIATE",)
"""At once, because a reader that becomes a writer later can be refused."""
_COLUMNS = """
SELECT tables.name, columns.name FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'
"""
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class SqliteHome:
    """A file with all that outlives crawls; implements `installation.schema_migration.DatabasePlace`."""

    reads: tuple[str, ...] = _READS
    writes: tuple[str, ...] = _WRITES
    setting = "SHOAL_HOME"

    def __init__(self, file: Path) -> None:
        self.where = str(file)
        self._file = file
        self.engine = _engine(lambda: _prepared(open_file(file)), NullPool)

    @property
    def is_there(self) -> bool:
        """False as well for the empty file that is left when the first steps were not finished."""
        try:
            return self._file.stat().st_size > 0
        except FileNotFoundError:
            return False
        except OSError as error:
            raise FolderError(f"{self._file} cannot be read: {error.strerror}. {ELSEWHERE}") from error

    @property
    def may_change(self) -> bool:
        """False on a disk that is only for reading."""
        return may(self._file.parent, os.W_OK) and (not self._file.exists() or may(self._file, os.W_OK))

    def copied(self) -> MemoryHome:
        """A copy in memory, for those who want to read a file that they cannot change, even one of an older Shoal."""
        with closing(open_unchanged(self._file)) as file:
            memory = _prepared(open_file(":memory:"))
            file.backup(memory)
        return MemoryHome(self.where, memory)

    def make(self) -> None:
        """The home and an empty file, which nobody else may read, if they are not there."""
        make_home(self._file.parent)
        if not self.may_change:
            raise FolderError(f"{self._file.parent} is the home of Shoal, but cannot be written. {ELSEWHERE}")
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE))

    # --- as a place ----------------------------------------------------------------------------------------------------

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        return _columns(connection)

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        # The lock of the file is not enough: others wait for it for a while only, and a copy may take longer.
        with self._file.with_name(f"{self._file.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with closing(open_file(self._file)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
            with _changing(self.engine) as changing:
                yield changing

    def save(self, connection: Connection, before: str) -> str:
        """A file beside it, as whole as it is; the same as the last one when that has the very same in it."""
        name = self._file.with_name(f"{self._file.name}.before-{before}")
        with unfinished(self._file.parent) as part:
            os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE))
            with closing(open_file(self._file)) as source, closing(open_file(part)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # so that it is one file
            sync(part)
            for path in _numbered(name):
                if not path.exists():
                    place(part, path)
                    sync(path.parent)
                elif not filecmp.cmp(part, path, shallow=False):
                    continue  # somebody's: the next number
                return str(path)
        raise AssertionError("numbers do not end")

    def saved(self, connection: Connection) -> str:
        copies = self._file.parent.glob(f"{self._file.name}.before-*")
        return max((str(path) for path in copies), key=lambda path: Path(path).stat().st_mtime, default="")

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def translated(self) -> Iterator[None]:
        """What the database says of the disk is one sentence; what is a bug stays one."""
        try:
            yield
        except DBAPIError as error:
            if isinstance(error.orig, sqlite3.Error) and (said := self._sentence(error.orig)):
                raise said from error
            raise

    @contextmanager
    def opened(self) -> Iterator[None]:
        """The same for all that is done with the file itself."""
        try:
            with self.translated():
                yield
        except sqlite3.Error as error:
            if said := self._sentence(error):
                raise said from error
            raise
        except OSError as error:
            if is_full(error):
                raise self._full() from error
            raise FolderError(f"{self.where} cannot be used: {error.strerror or error}. {ELSEWHERE}") from error

    def _sentence(self, error: sqlite3.Error) -> ShoalError | None:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return self._full()
        if code in _DAMAGED:
            return DatabaseDamaged(
                f"{self.where} is damaged, or no database ({error}): put a copy of it in its place, or move it away."
            )
        if code in _BUSY:
            return FolderBusy(f"{self.where} is being changed by somebody else, for a long time: try again.")
        if code == sqlite3.SQLITE_IOERR:
            return FolderError(f"{self.where} cannot be read or written ({error}): is the disk in order?")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            return FolderError(f"{self.where} cannot be used: {error}. {ELSEWHERE}")
        return None

    def _full(self) -> StorageFull:
        return StorageFull(f"There is no room left for {self.where}; what was written before is safe.")


class MemoryHome:
    """A database that is gone with who holds it; implements `installation.schema_migration.DatabasePlace`."""

    reads: tuple[str, ...] = _READS
    writes: tuple[str, ...] = _WRITES
    is_there = may_change = True
    setting = "SHOAL_HOME"

    def __init__(self, where: str = "", connection: sqlite3.Connection | None = None) -> None:
        self.where = where
        self._connection = connection or _prepared(open_file(":memory:"))
        self.engine = _engine(lambda: self._connection, StaticPool)

    def copied(self) -> Self:
        """It can be changed."""
        return self

    def make(self) -> None:
        """It is made."""

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        return _columns(connection)

    def alone(self) -> AbstractContextManager[Connection]:
        return _changing(self.engine)

    def save(self, connection: Connection, before: str) -> str:
        """It is a copy itself."""
        return self.where

    def saved(self, connection: Connection) -> str:
        return ""

    def translated(self) -> AbstractContextManager[None]:
        return nullcontext()

    def opened(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        self.engine.dispose()


def _engine(connect: Callable[[], sqlite3.Connection], pool: type[Pool]) -> Engine:
    return create_engine("sqlite://", creator=connect, poolclass=pool, hide_parameters=True)


@contextmanager
def _changing(engine: Engine) -> Iterator[Connection]:
    """A transaction that may change tables."""
    with engine.connect() as connection:
        # What refers to a table must not be changed with it; that all of it still leads somewhere is seen in the end.
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection
        lost = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        assert not lost, f"a step lost what rows refer to: {lost}"
        connection.commit()


def _columns(connection: Connection) -> set[tuple[str, str]]:
    return {(table, column) for table, column in connection.exec_driver_sql(_COLUMNS)}


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    """What people decide is on the disk when they are told so, unlike pages, which can be fetched again."""
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _numbered(path: Path) -> Iterator[Path]:
    yield path
    for number in count(2):
        yield path.with_name(f"{path.name}-{number}")
