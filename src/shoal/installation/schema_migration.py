"""How does a database of an older Shoal become one of today? By itself, after a copy of it was made, whole or not at all.

All steps are one transaction, of which there is one at a time: whoever is killed in the middle has done nothing, and who comes
second finds nothing to do.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from typing import Protocol

from sqlalchemy import Connection, Engine, text

from shoal.errors import FolderError
from shoal.installation.installation_tables import VERSION, metadata

logger = logging.getLogger(__name__)
_VERSIONS = "alembic_version"
_STEPS = Path(__file__).parent / "migrations"
_stepping = Lock()
"""Alembic has one place in a process for the database that its steps change: two at a time would take each other's."""


class DatabasePlace(Protocol):
    """Where an installation's database is kept."""

    where: str
    """For sentences; without passwords."""
    setting: str
    """What says where that is."""
    engine: Engine
    """Connections on which no transaction begins by itself."""
    reads: tuple[str, ...]
    """How a transaction begins that only reads, and sees one moment."""
    writes: tuple[str, ...]
    """How one begins that writes; there is one at a time."""

    @property
    def is_there(self) -> bool:
        """True when somebody has written here before."""

    @property
    def may_change(self) -> bool:
        """False when nothing can be written."""

    def copied(self) -> DatabasePlace:
        """The same in memory, for those who cannot change it."""

    def make(self) -> None:
        """Make a place for the first step, or say why there is none."""

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        """Every column that is there, with its table."""

    def alone(self) -> AbstractContextManager[Connection]:
        """A transaction that may change tables; whoever else wants one waits. All of it is there in the end, or nothing."""

    def save(self, connection: Connection, before: str) -> str:
        """Copy all that is there, before a step; answers where the copy is, for sentences."""

    def saved(self, connection: Connection) -> str:
        """The newest such copy; empty when there is none."""

    def translated(self) -> AbstractContextManager[None]:
        """What a person can do something about is one sentence."""

    def opened(self) -> AbstractContextManager[None]:
        """The same, where files are made and copied as well."""

    def close(self) -> None:
        """Let go of all connections; twice does no harm."""


def version_of(connection: Connection, place: DatabasePlace) -> str:
    """By which step the database came to be; empty when there is nothing in it. A sentence when it is none of ours, or newer."""
    columns = place.columns(connection)
    if not columns:
        return ""
    found = _noted(connection) if (_VERSIONS, "version_num") in columns else []
    if len(found) != 1 or not found[0].isdecimal():
        raise FolderError(f"{place.where} is a database, but none of an installation of Shoal. {_elsewhere(place)}")
    if int(found[0]) > int(VERSION):
        raise FolderError(
            f"{place.where} was written by a newer Shoal (version {found[0]}, this one reads {VERSION}): update Shoal, "
            f"or set {place.setting} elsewhere."
        )
    if found[0] == VERSION:
        _check_whole(connection, place, columns)
    return found[0]


def _elsewhere(place: DatabasePlace) -> str:
    return f"Say with {place.setting} where Shoal may keep things."


def _noted(connection: Connection) -> list[str]:
    return [str(number) for number in connection.scalars(text(f"SELECT version_num FROM {_VERSIONS}"))]


def _check_whole(connection: Connection, place: DatabasePlace, columns: set[tuple[str, str]]) -> None:
    """What the version promises must be there; else somebody changed the tables by hand, or put two databases together."""
    missing = {(table.name, column.name) for table in metadata.sorted_tables for column in table.columns} - columns
    if missing:
        table, column = min(missing)
        copy = place.saved(connection)
        advice = f"put back the copy {copy}" if copy else "put back a copy of it"
        raise FolderError(
            f"{place.where} says that it has version {VERSION}, but lacks the column {table}.{column}: {advice}. "
            f"{_elsewhere(place)}"
        )


def bring_up_to_date(place: DatabasePlace) -> None:
    """Take the steps that are missing, after a copy of what is there."""
    with place.alone() as connection:
        version = version_of(connection, place)
        if version == VERSION:
            return
        if version:
            copy = place.save(connection, VERSION)
            logger.info("%s goes from version %s to %s; a copy is in %s", place.where, version, VERSION, copy)
        take_steps(connection, version)
        version_of(connection, place)


def take_steps(connection: Connection, version: str, to: str = VERSION) -> None:
    """From a version, or from nothing, to another one, in the transaction of this connection."""
    # Only here, because it costs as much as SQLAlchemy itself, and a database is brought up to date once in months.
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    steps = ScriptDirectory(str(_STEPS), version_locations=[str(_STEPS)])
    context = MigrationContext.configure(connection)
    with _stepping, Operations.context(context):
        for step in reversed(list(steps.walk_revisions(head=to))):
            if step.revision > version:
                step.module.upgrade()
                context.stamp(steps, step.revision)
