"""Where else can a crawl be kept? In a backup, from which it comes back, or in another database."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import InputError
from shoal.protocols import Progress, no_progress
from shoal.store import backup, migrate
from shoal.store.backup import Saved
from shoal.store.migrate import Migrated
from shoal.topic import value_readers

SQLITE = "sqlite"
"""What stands in place of a database's URL for a file in the folder."""


def save_crawl(folder: Path, out: Path, progress: Progress = no_progress) -> Saved:
    """Save a crawl in one file as it is at this moment, also while it runs."""
    return backup.save(folder, out, progress)


def restore_crawl(file: Path, folder: Path, database: str = "", progress: Progress = no_progress) -> Saved:
    """Bring a saved crawl back into a new folder, or with the URL of a database into that."""
    _check_database(database, "--database")
    return backup.bring_back(file, folder, database, progress)


def move_crawl(folder: Path, to: str, progress: Progress = no_progress) -> Migrated:
    """Move what a crawl remembers to the PostgreSQL database of this URL, or back into a file of its folder (`sqlite`)."""
    if to == SQLITE:
        return migrate.to_sqlite(folder, progress)
    _check_database(to, "--to")
    return migrate.to_postgresql(folder, to, progress)


def _check_database(url: str, option: str) -> None:
    """Whether a database is named as it must be, said before anything is done."""
    try:
        value_readers.database(url)
    except ValueError as error:
        raise InputError(f"{option} {error}") from None
