"""How does a crawl stand?"""

from __future__ import annotations

from pathlib import Path

from shoal.store import crawl_folder as folders
from shoal.store import crawl_status as report
from shoal.store import mark_log, ownership
from shoal.store.crawl_status import Status as Status


def crawl_status(folder: Path) -> Status:
    """How a crawl stands, whether it is running or not."""
    with mark_log.reading(folder) as database:
        return report.status(database, running=folders.is_running(folder))


def most_pages(folder: Path) -> int | None:
    """How many pages a crawl may fetch over all its runs; None when nobody said."""
    with folders.reading(folder) as database:
        return folders.read_settings(folder, database).budget.max_pages


def internal_errors_file(folder: Path) -> Path:
    """Where a crawl writes down what is our own fault."""
    return folder / ownership.LOG
