"""What a stranger may say, and what of it no terminal may get."""

from __future__ import annotations

EVIL = "\x1b]0;owned\x07 \x1b[2J \x9b31m \u202egpj.exe \u2028 \u2066 \x00 \x7f \r"
"""A title for the window, a cleared screen, a CSI of one byte, text that runs backwards, an end of line of another kind."""


def dangerous(text: str) -> str:
    """Every character of a text that a terminal does not simply show."""
    return "".join(character for character in text if not character.isprintable() and character not in "\n\u3000\xa0")
