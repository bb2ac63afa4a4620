"""How does a test ask from several threads at the same moment?"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

_T = TypeVar("_T")


def asked_at_once(*questions: Callable[[], _T]) -> list[_T]:
    """The answers of as many threads, which all begin at the same moment."""
    begin = Barrier(len(questions))

    def ask(question: Callable[[], _T]) -> _T:
        begin.wait()
        return question()

    with ThreadPoolExecutor(len(questions)) as pool:
        return list(pool.map(ask, questions))
