"""How does a command answer? In sentences, or as JSON when asked to; with an exit code.

Here and in `console.py` is all that any command prints (`tests/commands/test_output.py` holds us to it): sentences are cleaned of
what would steer a terminal always, data for other programs only when a terminal is what reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from shutil import get_terminal_size
from typing import Any, BinaryIO, TextIO, TypeVar, cast

import click
import msgspec

from shoal.errors import InputError
from shoal.printable import escaped, harmless, padded, width_of
from shoal.printable import path_text as path_text

STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""
_Result = TypeVar("_Result")


def run_async(main: Coroutine[Any, Any, _Result], *, stopped: str = "") -> _Result:
    """Run to the end on the fast event loop; with a sentence for who stops it at once, that ends the command."""
    import asyncio  # here, because most commands need no event loop

    import uvloop  # nor this one

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(main)
    except asyncio.CancelledError:  # the second Ctrl-C
        if not stopped:
            raise
        tell(stopped)
        raise click.exceptions.Exit(STOPPED) from None


def reply(value: object, show: Callable[[], None], *, as_json: bool, quiet: bool = False) -> int:
    """The answer of a command that went well, for a program or for a person; its exit code."""
    if as_json:
        print_json(value)
    elif not quiet:
        show()
    return 0


def is_watched() -> bool:
    """True when standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()  # None: the caller closed it


# --- sentences -------------------------------------------------------------------------------------------------------


def answer(text: str) -> None:
    """Lines on standard output."""
    _print(text, sys.stdout)


def tell(sentence: str) -> None:
    """A sentence on standard error: what is worth knowing, but is not the answer."""
    _print(sentence, sys.stderr)


def teller(*, silent: bool) -> Callable[[str], None]:
    """Tells what a long command has to say meanwhile, or keeps it to itself."""
    return (lambda sentence: None) if silent else tell


def to_pager(text: str) -> None:
    """What there is to read, in the user's pager when it is longer than their screen; into a pipe as it is."""
    _paged(harmless(text))


def drawn_to_pager(text: str) -> None:
    """The same for what was drawn, and cleaned, for a terminal (`terminal.py`)."""
    _paged(text)


def _paged(text: str) -> None:
    if is_watched() and text.count("\n") + 1 >= get_terminal_size().lines:
        try:
            click.echo_via_pager(text)
        except ValueError as error:  # a quotation without an end
            raise InputError(f"PAGER is no command that can be run: {error}.") from error
    elif sys.stdout is not None:
        print(text, flush=True)


def _print(text: str, stream: TextIO | None) -> None:
    if stream is not None:  # None: the caller closed it
        print(harmless(text), file=stream, flush=True)


def counted(count: int, noun: str) -> str:
    """How many there are of it: `1 page`, `2,000 pages`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def aligned(rows: Sequence[Sequence[str]], left: set[int]) -> Iterator[str]:
    """Columns under each other; those not in `left` are numbers."""
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            padded(cell, width, left=place in left) for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()


# --- data ------------------------------------------------------------------------------------------------------------


def print_json(value: object) -> None:
    """One value on standard output, as bytes, because JSON is UTF-8 whatever the terminal speaks."""
    print_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n", is_json=True)


def whole(value: Any) -> Any:
    """A struct with its defaults, because who reads JSON does not know them."""
    if isinstance(value, msgspec.Struct):
        return {name: whole(part) for name, part in msgspec.structs.asdict(value).items()}
    return [whole(part) for part in value] if isinstance(value, tuple) else value


def print_bytes(data: bytes, *, is_json: bool = False) -> None:
    """Data on standard output as it is; to a terminal only what is harmless of it."""
    if sys.stdout is not None:
        stream = data_output(is_json=is_json)
        stream.write(data)
        stream.flush()


def data_output(*, is_json: bool) -> BinaryIO:
    """Standard output, for data."""
    sys.stdout.flush()
    to_terminal = _ToTerminal(sys.stdout, escaped if is_json else harmless)
    return cast(BinaryIO, to_terminal if sys.stdout.isatty() else sys.stdout.buffer)


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
