"""How does a process end when it is asked to? The first Ctrl-C lets what is under way come home; the second ends at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

_ASKED = (signal.SIGINT, signal.SIGTERM)
Interrupted = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Whoever may end long work early, by Ctrl-C or otherwise: meanwhile they may call what they are given."""


def never_interrupted(stop: Callable[[], None]) -> AbstractContextManager[None]:
    """Nobody ends it early."""
    return nullcontext()


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Meanwhile Ctrl-C and SIGTERM call `stop`; from the second one on they cancel the task that we are in, too."""
    import asyncio  # here, because commands name this function, and most of them that are typed wrongly end before

    loop, this = asyncio.get_running_loop(), asyncio.current_task()
    assert this is not None
    asked = False

    def heard() -> None:
        nonlocal asked
        if asked:
            this.cancel()
        asked = True
        stop()

    for number in _ASKED:
        loop.add_signal_handler(number, heard)
    try:
        yield
    finally:
        for number in _ASKED:
            loop.remove_signal_handler(number)
