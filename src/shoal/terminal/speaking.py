"""How does a command speak to a person? In lines that can be copied whole, and that no stranger's text can steer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.text import Text


class Answers(Console):
    """Standard output; whoever reads it may stop, and that is not ours to judge."""

    def on_broken_pipe(self) -> None:
        """Leave it to the caller; rich would end the process."""
        raise BrokenPipeError


def speaker() -> Callable[..., None]:
    """Prints to standard output. Lines are as long as they must be: a terminal folds them itself, and can copy them whole."""
    console = Answers(soft_wrap=True, highlight=False, markup=False, emoji=False)

    def say(line: str, style: str = "") -> None:
        console.print(Text(harmless(line), style=style))

    return say


def harmless(text: str) -> str:
    """A stranger's title must not steer the terminal: no escape sequences, nothing that turns the reading direction."""
    return "".join(character if character.isprintable() or character == "\n" else " " for character in text)


def aligned(rows: Sequence[Sequence[str]], left: set[int]) -> Iterator[str]:
    """Columns under each other; those not in `left` are numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()
