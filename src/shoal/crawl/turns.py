"""Who may compute now? Work that takes milliseconds and never waits takes turns with the event loop.

Answers come in bursts. If all of a burst were parsed at once, nobody would notice meanwhile that others came or send the next
requests; and hosts that are noticed together are asked together again, so that bursts would only grow. If the loop had its
turn after every page, it would read bodies in many small pieces, which costs speed.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")
SECONDS = 0.004
"""Of computing, until the event loop has its turn."""


class Turns:
    """Does one piece of work after the other, in the order of coming. Sole owner of its queue."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._waiting: deque[tuple[asyncio.Future[Any], Callable[[], Any]]] = deque()

    async def do(self, work: Callable[[], _T]) -> _T:
        """The result of some work, when its turn has come; cancelled before, it is not done."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[_T] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._turn)
        self._waiting.append((result, work))
        return await result

    def _turn(self) -> None:
        until = self._clock() + SECONDS
        while self._waiting:
            result, work = self._waiting[0]
            if not result.done():
                _fulfil(result, work)
            self._waiting.popleft()
            if self._clock() >= until:
                break
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._turn)


def _fulfil(result: asyncio.Future[_T], work: Callable[[], _T]) -> None:
    try:
        result.set_result(work())
    except Exception as error:  # whatever it is, it belongs to whoever waits for the result
        result.set_exception(error)
