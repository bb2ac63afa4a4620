"""`shoal reindex`: make what is stored searchable anew."""

from __future__ import annotations

from pathlib import Path

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import progress_bar
from shoal.commands.output import answer, reply


@click.command()
@options.whole_crawl
@options.progress
def reindex(folder: Path, as_json: bool, quiet: bool) -> int:
    """Make the search index anew from what is stored. It may be searched meanwhile; a crawl must not run."""
    with progress_bar("Indexing", "pages", silent=quiet or as_json, after=0.0) as progress:
        pages = services.reindex.rebuild_index(folder, progress)
    return reply({"pages": pages}, lambda: answer(f"{pages:,} pages are indexed."), as_json=as_json, quiet=quiet)
