"""What may be remembered of what strangers wrote? Answers about short texts, and not more of them than there is room for.

A cache whose keys come from pages, URLs or queries is a place that strangers can fill. `functools.lru_cache` counts its keys, but
not how long they are; here both have a limit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

LONGEST = 200
"""Characters of a text that is remembered. Longer ones are rare, and hardly ever come again."""

_Text = TypeVar("_Text", str, tuple[str, ...])
_Answer = TypeVar("_Answer")


def cached(*, size: int, longest: int = LONGEST) -> Callable[[Callable[[_Text], _Answer]], Callable[[_Text], _Answer]]:
    """For a pure function of one text, or of a few: it remembers its answers about texts that are not too long."""
    return lambda answer: _Remembered(answer, size, longest).__getitem__


class _Remembered(dict[_Text, _Answer]):
    """Answers by their texts. A dictionary, because it finds what it has without a call of ours: this is asked for every link.

    When it is full it forgets all, which costs little: what is asked again and again is soon here again.
    """

    def __init__(self, answer: Callable[[_Text], _Answer], size: int, longest: int) -> None:
        self._answer: Callable[[_Text], _Answer] = answer
        self._size = size
        self._longest = longest

    def __missing__(self, text: _Text) -> _Answer:
        answer = self._answer(text)
        if len(text) <= self._longest:
            if len(self) >= self._size:
                self.clear()
            self[text] = answer
        return answer
