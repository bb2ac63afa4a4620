"""`shoal migrate`, `backup` and `restore`: where is a crawl kept, and where is its copy?"""

from __future__ import annotations

from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import print_json
from shoal.errors import InputError
from shoal.store import backup as backups
from shoal.store import migrate as moving
from shoal.terminal import waiting
from shoal.terminal.speaking import answer
from shoal.topic import value_readers as values

_HERE = "sqlite"


@click.command(short_help="Move a crawl to PostgreSQL, or back.")
@options.folder
@click.option("--to", required=True, metavar="URL|sqlite", help="postgresql://user:password@host/name, or sqlite.")
@options.progress
def migrate(folder: Path, to: str, as_json: bool, quiet: bool) -> int:
    """Move what a crawl remembers to a PostgreSQL database, or back into a SQLite file.

    Everything is copied and compared before anything changes, and the old copy stays. A crawl must not run meanwhile.
    """
    if to != _HERE:
        _check(to, "--to")
    with waiting.moving(silent=quiet or as_json) as progress:
        moved = moving.to_sqlite(folder, progress) if to == _HERE else moving.to_postgresql(folder, to, progress)
    if as_json:
        print_json(moved)
    elif not quiet:
        answer(f"{moved.rows:,} rows moved to {moved.to} and compared. The old copy is still there: {moved.aside}.")
        if moved.bodies_elsewhere:
            answer(f"The bodies of {moved.bodies_elsewhere:,} pages stay in the folders of other machines.")
    return 0


@click.command(short_help="Save a crawl in one file, also while it runs.")
@options.folder
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="A tar file.")
@options.progress
def backup(folder: Path, out: Path, as_json: bool, quiet: bool) -> int:
    """Save a crawl as it is at this moment: all that is remembered, and the bodies that are in this folder."""
    with waiting.saving(silent=quiet or as_json) as progress:
        saved = backups.save(folder, out, progress)
    if as_json:
        print_json(saved)
    elif not quiet:
        answer(f"{saved.pages:,} pages are saved in {saved.file} ({saved.bytes:,} bytes).")
    return 0


@click.command(short_help="Bring a saved crawl back.")
@click.argument("file", type=click.Path(path_type=Path))
@options.folder
@click.option("--database", default="", metavar="URL", help="Into PostgreSQL: postgresql://user:password@host/name.")
@options.progress
def restore(file: Path, folder: Path, database: str, as_json: bool, quiet: bool) -> int:
    """Bring a crawl back that shoal backup saved; shoal resume goes on with it."""
    _check(database, "--database")
    with waiting.saving(silent=quiet or as_json) as progress:
        saved = backups.bring_back(file, folder, database, progress)
    if as_json:
        print_json(saved)
    elif not quiet:
        answer(f"{saved.pages:,} pages are back in {folder}. The first search makes their index anew.")
    return 0


def _check(url: str, option: str) -> None:
    try:
        values.database(url)
    except ValueError as error:
        raise InputError(f"{option} {error}") from None
