"""How does one get at what outlives crawls? The installation's database, made and brought up to date when it is asked.

    with writing(installation) as connection:
        crawl_registry.register(connection, ...)

What is done in one such block is there together, or not at all. All of it takes milliseconds, so it may be called where an event
loop runs. Whoever only reads makes nothing: where there is no database yet, it finds an empty one.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager

from sqlalchemy import Connection

from shoal.installation.installation_tables import VERSION, metadata
from shoal.installation.location import Installation
from shoal.installation.schema_migration import DatabasePlace, bring_up_to_date, version_of
from shoal.installation.sqlite_home import MemoryHome, SqliteHome

_MACHINE = "shoal_machine"
"""An option of a connection."""


def machine_of(connection: Connection) -> str:
    """Which machine's folders are meant, when several share a database; empty, when the database is a file of one."""
    return str(connection.get_execution_options().get(_MACHINE, ""))


class InstallationDatabase:
    """Connections for a process that asks again and again; any thread may use it."""

    def __init__(self, place: DatabasePlace, machine: str) -> None:
        self._place = place
        self._options = {_MACHINE: machine}

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """All that is asked in the block sees the same moment."""
        with self._block(self._place.reads) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """All that is written in the block is there at its end; nothing of it, when something goes wrong."""
        with self._block(self._place.writes) as connection:
            yield connection
            connection.commit()

    @contextmanager
    def _block(self, beginning: Iterable[str]) -> Iterator[Connection]:
        with self._place.translated(), self._place.engine.connect() as connection:
            connection.execution_options(**self._options)
            for statement in beginning:
                connection.exec_driver_sql(statement)
            yield connection

    def close(self) -> None:
        """Let go of it; twice does no harm."""
        self._place.close()


def open_installation(
    installation: Installation, *, only_reading: bool = False, machine: str = ""
) -> InstallationDatabase:
    """The database of an installation, made or brought up to date; a sentence when that is not possible.

    `machine` says on which of those that share a PostgreSQL database we are; else it is the one of this name.
    """
    place: DatabasePlace = SqliteHome(installation.file)
    if installation.database:
        # Only here, because it needs asyncpg, and most installations are on one machine.
        from shoal.installation.postgres_home import PostgresHome

        place, machine = PostgresHome(installation.database), machine or socket.gethostname()
    try:
        with place.opened():
            return InstallationDatabase(_looked_at(place) if only_reading else _kept(place), machine)
    except BaseException:
        place.close()
        raise


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


def _kept(place: DatabasePlace) -> DatabasePlace:
    place.make()
    return _up_to_date(place)


def _looked_at(place: DatabasePlace) -> DatabasePlace:
    if not place.is_there:
        place.close()
        empty = MemoryHome()
        metadata.create_all(empty.engine)
        return empty
    return _up_to_date(place if place.may_change else place.copied())


def _up_to_date(place: DatabasePlace) -> DatabasePlace:
    with place.engine.connect() as connection:
        version = version_of(connection, place)
    if version != VERSION:
        bring_up_to_date(place)
    return place
