"""`shoal backup`: save a crawl in one file."""

from __future__ import annotations

from pathlib import Path

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import progress_bar
from shoal.commands.output import answer, reply


@click.command()
@options.whole_crawl
@options.path("--out", required=True, metavar="FILE", help="A tar file.")
@options.progress
def backup(folder: Path, out: Path, as_json: bool, quiet: bool) -> int:
    """Save a crawl as it is at this moment: all that is remembered, and the bodies that are in this folder."""
    with progress_bar("Copying", "bytes", silent=quiet or as_json) as progress:
        saved = services.backups.save_crawl(folder, out, progress)
    sentence = f"{saved.pages:,} pages are saved in {saved.file} ({saved.bytes:,} bytes)."
    return reply(saved, lambda: answer(sentence), as_json=as_json, quiet=quiet)
