"""Which pages were fetched? All of them, as rows or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, get_args

from shoal.store import mark_log
from shoal.store.exporters import TEXT as TEXT
from shoal.store.exporters import ExportRow as ExportRow
from shoal.store.exporters import Format as Format
from shoal.store.exporters import export, rows

FORMATS: tuple[Format, ...] = get_args(Format)
"""All that pages can be written as; those in `TEXT` are for people, too."""


def fetched_pages(folder: Path) -> list[ExportRow]:
    """Every page that was fetched, in the order of fetching."""
    with mark_log.reading(folder) as database:
        return list(rows(database, relevant_only=False))


def export_pages(folder: Path, format: Format, out: Path | BinaryIO, *, relevant_only: bool) -> int:
    """Write the fetched pages to a file or a stream; answers how many."""
    with mark_log.reading(folder) as database:
        return export(database, folder, format, out, relevant_only)
