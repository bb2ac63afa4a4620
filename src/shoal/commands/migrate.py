"""`shoal migrate`: where is a crawl kept?"""

from __future__ import annotations

from pathlib import Path

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import progress_bar
from shoal.commands.output import answer, reply


@click.command()
@options.whole_crawl
@click.option("--to", required=True, metavar="URL|sqlite", help="postgresql://user:password@host/name, or sqlite.")
@options.progress
def migrate(folder: Path, to: str, as_json: bool, quiet: bool) -> int:
    """Move what a crawl remembers to a PostgreSQL database, or back into a SQLite file.

    Everything is copied and compared before anything changes, and the old copy stays. A crawl must not run meanwhile.
    """
    with progress_bar("Moving", "rows", silent=quiet or as_json) as progress:
        moved = services.backups.move_crawl(folder, to, progress)
    sentence = f"{moved.rows:,} rows moved to {moved.to} and compared. The old copy is still there: {moved.aside}."
    if moved.bodies_elsewhere:
        sentence += f"\nThe bodies of {moved.bodies_elsewhere:,} pages stay in the folders of other machines."
    return reply(moved, lambda: answer(sentence), as_json=as_json, quiet=quiet)
