"""`shoal restore`: bring a saved crawl back."""

from __future__ import annotations

from pathlib import Path

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import progress_bar
from shoal.commands.output import answer, reply


@click.command()
@click.argument("file", type=options.PATH)
@click.option("--name", metavar="NAME", help=f"{options.NEW} Default: that of the file.")
@options.path("--dir", "folder", metavar="FOLDER", help="Keep it there, not in the installation's home.")
@click.option("--database", default="", metavar="URL", help="Into PostgreSQL: postgresql://user:password@host/name.")
@options.progress
def restore(file: Path, name: str | None, folder: Path | None, database: str, as_json: bool, quiet: bool) -> int:
    """Bring a crawl back that shoal backup saved; shoal resume goes on with it."""
    folder = options.new_crawl(name, folder, services.catalog.name_of(file.name.partition(".")[0]))
    with progress_bar("Copying", "bytes", silent=quiet or as_json) as progress:
        saved = services.backups.restore_crawl(file, folder, database, progress)
    sentence = f"{saved.pages:,} pages are back in {folder}. The first search makes their index anew."
    return reply(saved, lambda: answer(sentence), as_json=as_json, quiet=quiet)
