"""How is the installation's database kept for many machines? In a schema of a PostgreSQL database, beside those of the crawls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Self

from sqlalchemy import Connection, Engine, create_engine

from shoal.database.postgres import PostgresDatabase, place_of
from shoal.errors import StorageFull
from shoal.installation.postgres_dialect import URL, PostgresDriver

SCHEMA = "shoal_installation"
_COPY = "shoal_before_"
_WRITING = 0x53686F616D
"""The advisory lock of whoever writes: as with SQLite there is one at a time, so what was asked in a block stays true in it."""
_ALONE = f"SELECT pg_advisory_xact_lock({_WRITING})"
_COLUMNS = f"""
SELECT relname, attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace = to_regnamespace('{SCHEMA}') AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
"""
# It says names without the schema, because that is where things are looked for. What is referred to must be there first.
_CONSTRAINTS = f"""
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = to_regnamespace('{SCHEMA}') AND contype IN ('p', 'u', 'c', 'f') ORDER BY contype = 'f'
"""
_INDEXES = f"""
SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
WHERE relnamespace = to_regnamespace('{SCHEMA}') AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
_COPIES = f"SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '{_COPY}') ORDER BY oid"


class PostgresHome:
    """A schema with all that outlives crawls; implements `installation.schema_migration.DatabasePlace`."""

    reads: tuple[str, ...] = ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",)
    writes: tuple[str, ...] = ("BEGIN", _ALONE)
    may_change = True
    setting = "SHOAL_DATABASE"

    def __init__(self, url: str) -> None:
        self.where = f"The schema {SCHEMA} at {place_of(url)}"
        self._place = place_of(url)
        self.engine: Engine = create_engine(
            URL, creator=lambda: PostgresDriver(PostgresDatabase(url, SCHEMA)), pool_pre_ping=True, hide_parameters=True
        )

    @property
    def is_there(self) -> bool:
        with self.engine.connect() as connection:
            return bool(self.columns(connection))

    def copied(self) -> Self:
        """It can be changed."""
        return self

    def make(self) -> None:
        """Comes with the first step."""

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        return {(table, column) for table, column in connection.exec_driver_sql(_COLUMNS)}

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        with self.engine.connect() as connection:
            for statement in (*self.writes, f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"):
                connection.exec_driver_sql(statement)
            yield connection
            connection.commit()

    def save(self, connection: Connection, before: str) -> str:
        """A schema beside it, in the same transaction: the copy is there when the step is, and only then."""
        taken = set(connection.exec_driver_sql(_COPIES).scalars())
        names = (f"{_COPY}{before}" + (f"_{number}" if number > 1 else "") for number in count(1))
        name = next(name for name in names if name not in taken)
        _copy(connection, sorted({table for table, _ in self.columns(connection)}), name)
        return f"the schema {name}"

    def saved(self, connection: Connection) -> str:
        found = connection.exec_driver_sql(_COPIES).scalars().all()
        return f"the schema {found[-1]}" if found else ""

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Most is said by `PostgresDatabase`; what it advises to those who crawl means nothing here."""
        try:
            yield
        except StorageFull as error:
            raise StorageFull(f"The disk of the database at {self._place} is full: make room there.") from error

    opened = translated

    def close(self) -> None:
        self.engine.dispose()


def _copy(connection: Connection, tables: list[str], name: str) -> None:
    """All of it, down to the names of constraints, so that it can take the place of the original."""
    constraints = connection.exec_driver_sql(_CONSTRAINTS).all()
    indexes = connection.exec_driver_sql(_INDEXES).scalars().all()
    connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    connection.exec_driver_sql(f"SET LOCAL search_path TO {name}")
    for table in tables:
        connection.exec_driver_sql(f'CREATE TABLE "{table}" (LIKE {SCHEMA}."{table}" INCLUDING DEFAULTS)')
        connection.exec_driver_sql(f'INSERT INTO "{table}" SELECT * FROM {SCHEMA}."{table}"')
    for table, constraint, definition in constraints:
        connection.exec_driver_sql(f'ALTER TABLE {table} ADD CONSTRAINT "{constraint}" {definition}')
    for definition in indexes:
        connection.exec_driver_sql(definition.replace(f" ON {SCHEMA}.", f" ON {name}.", 1))
    connection.exec_driver_sql(f"SET LOCAL search_path TO {SCHEMA}")
