"""How do colours and tables reach a terminal? In lines that can be copied whole, and that no stranger's text can steer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from shoal.printable import harmless


class _Clean(Console):
    """A console on which what strangers wrote is only words; what rich itself says to the terminal passes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of what is printed, each of them harmless."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)


class Answers(_Clean):
    """Standard output; whoever reads it may stop, and that is not ours to judge."""

    def on_broken_pipe(self) -> None:
        """Leave it to the caller; rich would end the process."""
        raise BrokenPipeError


Notes = partial(_Clean, stderr=True)
"""Standard error, for progress."""


def print_line(line: str | Text, style: str = "") -> None:
    """A line on standard output, as long as it must be: a terminal folds it itself, and can copy it whole."""
    console = Answers(soft_wrap=True, highlight=False, markup=False, emoji=False)
    console.print(Text(harmless(line), style=style) if isinstance(line, str) else line)


def section(console: Console, heading: str, *parts: RenderableType) -> None:
    """A part of an answer, under what it is about."""
    console.print(Text(f"\n{heading}\n", style="bold cyan"))
    for part in parts:
        console.print(part)


def plain_table(first: Column, *figures: str, gap: int = 2) -> Table:
    """A table without lines: what its rows are about, and columns of figures."""
    columns = [first, *(Column(name, justify="right") for name in figures)]
    return Table(*columns, box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="dim")


def one_line(text: str, style: str = "dim") -> Text:
    """What is too long for the window ends with an ellipsis."""
    return Text(text, style=style, overflow="ellipsis", no_wrap=True)


def where_to_look(console: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Which files and commands say more, each beside what it says; whole, because they are there to be copied."""
    section(console, "Where to look next")
    listed = list(rows)
    width = max(len(what) for what, _ in listed)
    for what, where in listed:
        console.print(Text.assemble((f"{what:{width}}   ", "dim"), where), soft_wrap=True)


@contextmanager
def drawn_progress(what: str, things: str, *, after: float) -> Iterator[Callable[[int, int], None]]:
    """What somebody sees who waits, once it takes longer than a moment: what happens, and to how many things of how many."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(things),
        TimeRemainingColumn(),
    )
    progress = Progress(*columns, console=Notes(), transient=True)
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
