"""How does a process end when it is asked to? The first Ctrl-C lets what is under way come home; the second ends at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ASKED = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Meanwhile Ctrl-C and SIGTERM call `stop`; from the second one on they cancel the task that we are in, too."""
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
