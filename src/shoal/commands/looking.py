"""`shoal status`, `explain` and `export`: what is in a crawl's folder?"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click
from msgspec.structs import asdict

from shoal.commands import options
from shoal.commands.answer import path_text, print_json
from shoal.errors import InputError
from shoal.services import crawls as app
from shoal.services.cluster_status import attendance
from shoal.store.exporters import TEXT, Format
from shoal.terminal import crawl as screen
from shoal.terminal.attending import show_attendance
from shoal.terminal.speaking import output, tell


@click.command()
@options.folder
@options.as_json
def status(folder: Path, as_json: bool) -> int:
    """How does a crawl stand: its queues, hosts, workers and rates."""
    found, cluster = app.crawl_status(folder), attendance(folder)
    if as_json:
        print_json(asdict(found) | {"cluster": cluster})
        return 0
    screen.show_status(folder, found)
    if cluster is not None:
        show_attendance(cluster)
    return 0


@click.command()
@click.argument("url", metavar="URL")
@options.folder
@options.as_json
def explain(url: str, folder: Path, as_json: bool) -> int:
    """Why was this URL fetched, why this score, or why not."""
    found = app.explain_url(folder, url)
    if as_json:
        print_json(found)
    else:
        screen.show_explanation(found)
    return 0


@click.command(short_help="Write the fetched pages as JSONL, CSV, Parquet or WARC.")
@options.folder
@click.option(
    "--format", type=click.Choice(get_args(Format)), default="jsonl", show_default=True, help="How to write them."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write them; JSONL and CSV go to standard output without it.",
)
@click.option("--relevant", is_flag=True, help="Only the relevant pages, as marked by you or else judged.")
@options.as_json
def export(folder: Path, format: Format, out: Path | None, relevant: bool, as_json: bool) -> int:
    """Write the fetched pages as JSONL, CSV, Parquet or WARC.

    One row per page, relevant or not, in the order in which they were fetched.
    """
    if out is None and format not in TEXT:
        raise InputError(f"The format {format} is not text: name a file with --out.")
    count = app.export_pages(folder, format, out or output(is_json=format == "jsonl"), relevant_only=relevant)
    if out is not None and as_json:
        print_json({"pages": count, "file": path_text(out), "format": format})
    elif out is not None:
        # Only bodies make a WARC file, so it has fewer pages than a table of the same crawl.
        left_out = "; exact copies and files that are not text have no record" if format == "warc" else ""
        tell(f"{count:,} pages written to {out}{left_out}.")
    return 0
