"""What did a stranger say, as text? One line that can be stored, sent to another process, and shown on a terminal."""

from __future__ import annotations

import re

# Chinese servers write their phrases and names in GBK: every byte beyond ASCII has a neighbour then, which is rare in Latin-1.
_IN_PAIRS = re.compile(rb"(?:[\x00-\x7f]|[\xb0-\xf7][\xa1-\xfe])*+")


def legible(said: str | bytes) -> str:
    """The same as printable characters: control characters become blanks, and bytes are read by the encoding they look like.

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
