"""How does a command speak to a person? In lines that can be copied whole, and that no stranger's text can steer.

All that any command prints goes through here (`tests/commands/test_output.py` holds us to it): sentences and tables are cleaned
always, data for other programs only when a terminal is what reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from shoal.printable import escaped, harmless


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


class Notes(_Clean):
    """Standard error, for progress."""

    def __init__(self, *, highlight: bool = True) -> None:
        super().__init__(stderr=True, highlight=highlight)


def speaker() -> Callable[..., None]:
    """Prints to standard output. Lines are as long as they must be: a terminal folds them itself, and can copy them whole."""
    console = Answers(soft_wrap=True, highlight=False, markup=False, emoji=False)

    def say(line: str, style: str = "") -> None:
        console.print(Text(harmless(line), style=style))

    return say


def answer(text: str) -> None:
    """Lines on standard output."""
    _print(text, sys.stdout)


def tell(sentence: str) -> None:
    """A sentence on standard error: what is worth knowing, but is not the answer."""
    _print(sentence, sys.stderr)


def _print(text: str, stream: TextIO | None) -> None:
    if stream is not None:  # None: the caller closed it
        print(harmless(text), file=stream, flush=True)


def show_json(data: bytes) -> None:
    """One JSON value on standard output, as bytes, because JSON is UTF-8 whatever the terminal speaks."""
    show_bytes(data + b"\n", is_json=True)


def show_bytes(data: bytes, *, is_json: bool = False) -> None:
    """Data on standard output as it is; to a terminal only what is harmless of it."""
    if sys.stdout is not None:
        stream = output(is_json=is_json)
        stream.write(data)
        stream.flush()


def output(*, is_json: bool) -> BinaryIO:
    """Standard output, for data."""
    sys.stdout.flush()
    return cast(BinaryIO, _ToTerminal(sys.stdout, escaped if is_json else harmless)) if _is_watched() else _buffer()


def _buffer() -> BinaryIO:
    return cast(BinaryIO, sys.stdout.buffer)


def _is_watched() -> bool:
    return sys.stdout.isatty()


class _ToTerminal:
    """Takes whole lines of data and shows them."""

    def __init__(self, stream: TextIO, clean: Callable[[str], str]) -> None:
        self._stream = stream
        self._clean = clean

    def write(self, data: bytes) -> int:
        """What is not UTF-8 is shown as such."""
        self._stream.write(self._clean(data.decode("utf-8", "replace").replace("\r\n", "\n")))
        return len(data)

    def flush(self) -> None:
        self._stream.flush()


def aligned(rows: Sequence[Sequence[str]], left: set[int]) -> Iterator[str]:
    """Columns under each other; those not in `left` are numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()
