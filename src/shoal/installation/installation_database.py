"""How does one get at what outlives crawls? The installation's database, made and brought up to date when it is asked.

    with writing(installation) as connection:
        crawl_registry.register(connection, ...)

What is done in one such block is there together, or not at all. All of it takes milliseconds, so it may be called where an event
loop runs. Whoever only reads makes nothing: where there is no database yet, it finds an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from sqlalchemy import Connection, Engine

from shoal.installation.installation_tables import VERSION, metadata
from shoal.installation.location import Installation
from shoal.installation.schema_migration import bring_up_to_date, version_of
from shoal.installation.sqlite_home import SqliteHome, nothing

_MACHINE = "shoal_machine"
"""An option of a connection."""


def machine_of(connection: Connection) -> str:
    """Which machine's folders are meant, when several share a database; empty, when the database is a file of one."""
    return str(connection.get_execution_options().get(_MACHINE, ""))


class InstallationDatabase:
    """Connections for a process that asks again and again; any thread may use it."""

    def __init__(self, place: SqliteHome, engine: Engine) -> None:
        self._place = place
        self._engine = engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """All that is asked in the block sees the same moment."""
        with self._place.translated(), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All that is written in the block is there at its end; nothing of it, when something goes wrong."""
        with self._place.translated(), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    def close(self) -> None:
        """Let go of it; twice does no harm."""
        self._engine.dispose()


def open_installation(installation: Installation, *, only_reading: bool = False) -> InstallationDatabase:
    """The database of an installation, made or brought up to date; a sentence when that is not possible."""
    place = SqliteHome(installation.file)
    return InstallationDatabase(place, _looked_at(place) if only_reading else _kept(place))


@contextmanager
def reading(installation: Installation) -> Iterator[Connection]:
    """A few questions; makes nothing."""
    with closing(open_installation(installation, only_reading=True)) as database, database.reading() as connection:
        yield connection


@contextmanager
def writing(installation: Installation) -> Iterator[Connection]:
    """A few changes, all of them or none."""
    with closing(open_installation(installation)) as database, database.writing() as connection:
        yield connection


def _kept(place: SqliteHome) -> Engine:
    with place.opened():
        place.make()
        return _up_to_date(place)


def _looked_at(place: SqliteHome) -> Engine:
    with place.opened():
        if not place.is_there:
            engine = nothing()
            metadata.create_all(engine)
            return engine
        if place.may_change:
            return _up_to_date(place)
        engine = place.unchanged()
        return engine if _version(place, engine) == VERSION else place.copied()


def _up_to_date(place: SqliteHome) -> Engine:
    engine = place.engine()
    if _version(place, engine) != VERSION:
        bring_up_to_date(place)
    return engine


def _version(place: SqliteHome, engine: Engine) -> str:
    with engine.connect() as connection:
        return version_of(connection, place)
