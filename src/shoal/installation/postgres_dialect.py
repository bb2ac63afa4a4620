"""How does SQLAlchemy talk to PostgreSQL? Through `database.postgres.PostgresDatabase`, as all of Shoal does.

So a URL means the same everywhere, a server that is gone is told in the same words, and there is one driver
(`docs/decisions/0026-the-installations-database.md`). This is a driver as PEP 249 wants it, as far as SQLAlchemy asks for it, and
a dialect that knows it. As with our SQLite connections no transaction begins by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Boolean, Double, Float, Integer, LargeBinary, String
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.engine.interfaces import BindTyping

from shoal.database.postgres import PostgresDatabase

URL = "postgresql+shoal://"
"""For `create_engine`, with a `creator` that knows where the server is."""
registry.register("postgresql.shoal", __name__, "ShoalDialect")


# --- the driver ------------------------------------------------------------------------------------------------------

apilevel, threadsafety, paramstyle = "2.0", 1, "numeric_dollar"


class Error(Exception):
    """What PEP 249 wants to be raised; its names are fixed."""


class InterfaceError(Error):
    """Never raised, but asked for."""


class DatabaseError(Error):
    """What the server says of a statement."""


class OperationalError(DatabaseError):
    """Never raised: who cannot reach the server is told by a `ShoalError`."""


class IntegrityError(DatabaseError):
    """Two rows that must differ do not, or a row refers to none."""


class PostgresDriver:
    """A connection by PEP 249."""

    def __init__(self, database: PostgresDatabase) -> None:
        self.database = database
        self.has_failed = False
        """A statement of this transaction was refused: the server forgets all of it, and says nothing at its end."""

    def cursor(self) -> PostgresCursor:
        return PostgresCursor(self)

    def commit(self) -> None:
        """Raises when what was written is not there, also because the connection was lost meanwhile."""
        if self.has_failed:
            self.rollback()
            raise DatabaseError("nothing was written, because a statement before was refused")
        if self.database.in_transaction or self.database.is_lost:
            self.database.execute("COMMIT")

    def rollback(self) -> None:
        self.has_failed = False
        if self.database.in_transaction:
            self.database.execute("ROLLBACK")

    def close(self) -> None:
        self.database.close()


class PostgresCursor:
    """A statement and its answer by PEP 249."""

    arraysize = 1
    description: Sequence[tuple[Any, ...]] | None = None
    rowcount = -1

    def __init__(self, driver: PostgresDriver) -> None:
        self._driver = driver
        self._rows: list[Any] = []

    def execute(self, statement: str, values: Sequence[object] = ()) -> None:
        try:
            names, result = self._driver.database.answered(statement, values)
        except Exception as error:
            self._driver.has_failed = self._driver.database.in_transaction
            if not (state := getattr(error, "sqlstate", "")):  # a `ShoalError`, or a bug
                raise
            raise (IntegrityError if state.startswith("23") else DatabaseError)(str(error)) from error
        self.description = [(name, None, None, None, None, None, None) for name in names] or None
        self.rowcount = result.rowcount
        self._rows = result.fetchall()

    def executemany(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        for values in rows:
            self.execute(statement, values)

    def fetchone(self) -> Any:
        return self._rows.pop(0) if self._rows else None

    def fetchmany(self, size: int = 1) -> list[Any]:
        taken, self._rows = self._rows[:size], self._rows[size:]
        return taken

    def fetchall(self) -> list[Any]:
        taken, self._rows = self._rows, []
        return taken

    def close(self) -> None:
        self._rows = []

    def setinputsizes(self, *sizes: object) -> None:
        """The server knows them."""

    def setoutputsize(self, *sizes: object) -> None:
        """The server knows them."""


# --- the dialect -----------------------------------------------------------------------------------------------------


def _told(kind: type[Any]) -> type[Any]:
    """A type that is said with each value: in some places the server cannot see it by itself."""
    return type(f"Told{kind.__name__}", (kind,), {"render_bind_cast": True})


class ShoalDialect(PGDialect):
    """PostgreSQL as SQLAlchemy knows it, over our connections."""

    driver = "shoal"
    default_paramstyle = paramstyle
    supports_statement_cache = True
    bind_typing = BindTyping.RENDER_CASTS
    colspecs = {  # noqa: RUF012
        **PGDialect.colspecs,
        **{kind: _told(kind) for kind in (String, Integer, BigInteger, Boolean, Float, Double, LargeBinary)},
    }

    @classmethod
    def import_dbapi(cls) -> Any:
        return sys.modules[__name__]

    def do_ping(self, dbapi_connection: Any) -> bool:
        """Before a connection is used again: one that was lost is made anew."""
        if dbapi_connection.database.is_lost:
            dbapi_connection.database.reconnect()
        return True
