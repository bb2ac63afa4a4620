"""What does somebody see who waits for the index? A bar, once it takes longer than a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from shoal.terminal.speaking import Notes

Report = Callable[[int, int], None]
_MOMENT = 1.0
"""Seconds that nobody needs to be told about."""


@contextmanager
def indexing(*, silent: bool, at_once: bool = False) -> Iterator[Report]:
    """While pages go into the index."""
    with _bar("Indexing", "pages", silent=silent, after=0.0 if at_once else _MOMENT) as report:
        yield report


@contextmanager
def pictures(*, silent: bool) -> Iterator[Report]:
    """While pictures go into their index, or into a folder."""
    with _bar("Gathering", "pictures", silent=silent, after=_MOMENT) as report:
        yield report


@contextmanager
def moving(*, silent: bool) -> Iterator[Report]:
    """While a crawl moves from one database to another: each row is copied, and compared."""
    with _bar("Moving", "rows", silent=silent, after=_MOMENT) as report:
        yield report


@contextmanager
def saving(*, silent: bool) -> Iterator[Report]:
    """While a crawl is saved, or brought back."""
    with _bar("Copying", "bytes", silent=silent, after=_MOMENT) as report:
        yield report


@contextmanager
def checking(*, silent: bool) -> Iterator[Report]:
    """While stored pages are read."""
    with _bar("Reading", "stored pages", silent=silent, after=_MOMENT) as report:
        yield report


@contextmanager
def _bar(what: str, things: str, *, silent: bool, after: float) -> Iterator[Report]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(things),
        TimeRemainingColumn(),
    )
    progress = Progress(*columns, console=Notes(), transient=True, disable=silent)
    task = progress.add_task(what, total=None)
    start = time.monotonic()

    def report(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)
        if not progress.live.is_started and time.monotonic() - start >= after:
            progress.start()

    try:
        yield report
    finally:
        if progress.live.is_started:
            progress.stop()
