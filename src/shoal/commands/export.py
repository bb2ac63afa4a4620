"""`shoal export`: take the fetched pages out of a crawl's folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.output import data_output, path_text, print_json, tell
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.store.exporters import Format


@click.command()
@options.whole_crawl
@click.option(
    "--format",
    type=options.OneOf(lambda: services.export.FORMATS),
    default="jsonl",
    show_default=True,
    help="How to write them.",
)
@options.path("--out", metavar="FILE", help="Where to write them; JSONL and CSV go to standard output without it.")
@options.relevant
@options.as_json
def export(folder: Path, format: Format, out: Path | None, relevant: bool, as_json: bool) -> int:
    """Write the fetched pages as JSONL, CSV, Parquet or WARC.

    One row per page, relevant or not, in the order in which they were fetched.
    """
    if out is None and format not in services.export.TEXT:
        raise InputError(f"The format {format} is not text: name a file with --out.")
    count = services.export.export_pages(
        folder, format, out or data_output(is_json=format == "jsonl"), relevant_only=relevant
    )
    if out is not None and as_json:
        print_json({"pages": count, "file": path_text(out), "format": format})
    elif out is not None:
        # Only bodies make a WARC file, so it has fewer pages than a table of the same crawl.
        left_out = "; exact copies and files that are not text have no record" if format == "warc" else ""
        tell(f"{count:,} pages written to {out}{left_out}.")
    return 0
