"""`shoal migrate`: where is a crawl kept?"""

from __future__ import annotations

from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import print_json
from shoal.errors import InputError
from shoal.store import moving
from shoal.terminal import waiting
from shoal.topic import values

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
        try:
            values.database(to)
        except ValueError as error:
            raise InputError(f"--to {error}") from None
    with waiting.moving(silent=quiet or as_json) as progress:
        moved = moving.to_sqlite(folder, progress) if to == _HERE else moving.to_postgresql(folder, to, progress)
    if as_json:
        print_json(moved)
    elif not quiet:
        click.echo(f"{moved.rows:,} rows moved to {moved.to} and compared. The old copy is still there: {moved.aside}.")
        if moved.bodies_elsewhere:
            click.echo(f"The bodies of {moved.bodies_elsewhere:,} pages stay in the folders of other machines.")
    return 0
