"""How does a line, a bar or progress reach the screen? What draws it is loaded when something is drawn (`terminal.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

BAR = 12
"""Characters of a full bar of blocks."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MOMENT = 1.0
"""Seconds that nobody needs to be told about."""


def say(line: str | Text, style: str = "") -> None:
    """A line on standard output, as long as it must be: a terminal folds it itself, and can copy it whole."""
    from shoal.commands import terminal  # here, because whoever mistypes an option needs no colours

    terminal.print_line(line, style)


def bar(share: float) -> str:
    """A share of 1 as a bar of block characters, an eighth of one exact; never nothing for more than nothing."""
    eighths = max(round(min(max(share, 0.0), 1.0) * BAR * 8), 1 if share > 0 else 0)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


@contextmanager
def progress_bar(
    what: str, things: str, *, silent: bool, after: float = _MOMENT
) -> Iterator[Callable[[int, int], None]]:
    """What somebody sees who waits, once it takes longer than a moment: what happens, and to how many things of how many."""
    if silent:
        yield lambda done, total: None
        return
    from shoal.commands import terminal  # here for the same reason

    with terminal.drawn_progress(what, things, after=after) as report:
        yield report
