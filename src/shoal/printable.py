"""What may reach a terminal? Words: nothing in them that steers it, turns the reading direction, or ends a line unseen.

Titles, URLs, reasons and whole pages are what strangers wrote. A terminal obeys escape sequences, wherever they come from.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from types import TracebackType
from unicodedata import category


def harmless(text: str) -> str:
    """The text with a blank for each character that is none to look at; ends of lines stay, and wide spaces."""
    return text if text.isprintable() else "".join(map(_shown, text))


def escaped(json: str) -> str:
    """JSON that says the same, with each such character as its number."""
    return json if json.isprintable() else "".join([one if _is_harmless(one) else _number(one) for one in json])


def _shown(character: str) -> str:
    if _is_harmless(character):
        return character
    return _number(character) if category(character) == "Cs" else " "  # a byte of a name that is not UTF-8


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character == "\n" or category(character) == "Zs"


def _number(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


class Formatter(logging.Formatter):
    """Logs go to terminals, and tell what strangers said."""

    def format(self, record: logging.LogRecord) -> str:
        """The whole of it, with its traceback."""
        return harmless(super().format(record).replace("\t", " "))


def log_to_stderr() -> None:
    """Warnings of all modules, and the traceback of a bug, one below the other."""
    handler = logging.StreamHandler()
    handler.setFormatter(Formatter("%(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    sys.excepthook = _hook(sys.excepthook)


_Hook = Callable[[type[BaseException], BaseException, TracebackType | None], object]


def _hook(before: _Hook) -> _Hook:
    """A traceback repeats what an exception says."""
    import traceback  # here, because most commands end without one

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(harmless("".join(traceback.format_exception(kind, error, trace))))
        else:
            before(kind, error, trace)

    return hook
