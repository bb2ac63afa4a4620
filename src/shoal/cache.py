"""What may be remembered of what strangers wrote? Answers about short texts, and not more of them than there is room for.

A cache whose keys come from pages, URLs or queries is a place that strangers can fill. `functools.lru_cache` counts its keys, but
not how long they are; here both have a limit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

LONGEST = 200
"""Characters of a text that is remembered. Longer ones are rare, and hardly ever come again."""

_Text = TypeVar("_Text", str, tuple[str, ...])
_Answer = TypeVar("_Answer")


def cached(*, size: int, longest: int = LONGEST) -> Callable[[Callable[[_Text], _Answer]], Callable[[_Text], _Answer]]:
    """For a pure function of one text, or of a few: it remembers its last answers about texts that are not too long."""

    def decorate(answer: Callable[[_Text], _Answer]) -> Callable[[_Text], _Answer]:
        remembered = lru_cache(maxsize=size)(answer)

        def ask(text: _Text) -> _Answer:
            return remembered(text) if len(text) <= longest else answer(text)

        ask.__doc__ = answer.__doc__
        return ask

    return decorate
