"""What may be told of what a stranger said? Words: nothing in them that steers a terminal, turns the reading direction, or ends a
line unseen.

Titles, URLs, reasons and whole pages are what strangers wrote. A terminal obeys escape sequences, wherever they come from. What
servers say beside their pages (`legible`) is made one line of text when it comes; all else (`harmless`) when it is shown.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
from pathlib import Path
from types import TracebackType
from unicodedata import category, combining, east_asian_width

# Chinese servers write their phrases and names in GBK: every byte beyond ASCII has a neighbour then, which is rare in Latin-1.
_IN_PAIRS = re.compile(rb"(?:[\x00-\x7f]|[\xb0-\xf7][\xa1-\xfe])*+")
_PLAIN, _STRANGE = re.compile(r"[\w@%+=:,./-]++"), re.compile(r"[^\w@%+=:,./-]")
_IN_QUOTES = re.compile(r'["$`\\!]')
"""Means something to a shell also between double quotes."""


# --- when it is shown ------------------------------------------------------------------------------------------------


def harmless(text: str) -> str:
    """The text with a blank for each character that is none to look at; ends of lines stay, and wide spaces."""
    return text if text.isprintable() else "".join(map(_shown, text))


def escaped(json: str) -> str:
    """JSON that says the same, with each such character as its number."""
    return json if json.isprintable() else "".join([one if _is_harmless(one) else _number(one) for one in json])


def path_text(path: Path | str) -> str:
    """A path as JSON can hold it, even if its name is not UTF-8."""
    return os.fsencode(path).decode(errors="replace")


def typed(path: Path | str) -> str:
    """A path as a shell takes it; never with single quotes, between which sentences put commands."""
    text = str(path)
    if _PLAIN.fullmatch(text):
        return text
    return _STRANGE.sub(r"\\\g<0>", text) if _IN_QUOTES.search(text) else f'"{text}"'


def width_of(text: str) -> int:
    """How many columns of a terminal it takes: Chinese characters have twice that of Latin ones, and accents none."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1


def padded(text: str, width: int, *, left: bool = True) -> str:
    """The text with blanks behind it, or before it, so that it takes so many columns."""
    blanks = " " * (width - width_of(text))
    return text + blanks if left else blanks + text


def _shown(character: str) -> str:
    if _is_harmless(character):
        return character
    return _number(character) if category(character) == "Cs" else " "  # a byte of a name that is not UTF-8


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character == "\n" or category(character) == "Zs"


def _number(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


# --- when it comes ---------------------------------------------------------------------------------------------------


def legible(said: str | bytes) -> str:
    """One line of printable characters: control characters become blanks, and bytes are read by the encoding they look like.

    A string may have bytes that were no UTF-8 as surrogates, as the HTTP library and the system write them.
    """
    if isinstance(said, bytes):
        text = _decoded(said)
    elif said.isprintable():
        return said
    else:
        text = _decoded(_encoded(said))
    return text if text.isprintable() else "".join([sign if sign.isprintable() else " " for sign in text])


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode("utf-8", "replace")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("gbk" if _IN_PAIRS.fullmatch(data) else "latin-1", "replace")


# --- logs ------------------------------------------------------------------------------------------------------------


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
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """A traceback repeats what an exception says."""
        if sys.stderr is not None and sys.stderr.isatty():
            sys.stderr.write(harmless("".join(traceback.format_exception(kind, error, trace))))
        else:
            before(kind, error, trace)

    sys.excepthook = hook
