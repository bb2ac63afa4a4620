"""How does a crawl of hours run in seconds? On an event loop whose time jumps to the next thing that is to happen.

Nothing else is different: what waits, waits in the same order as it would by a real clock, so that a run can be repeated
exactly. What would run in a thread runs at once, for the same reason.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

_T = TypeVar("_T")
RESOLUTION = 1e-6
"""Seconds; what is less far apart happens at one moment."""


class JumpingClock:
    """The time of a simulation. Call it for the time now; only the event loop moves it."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.now = start

    def __call__(self) -> float:
        return self.now


class Endless(AssertionError):
    """It would never be over: everybody waits for somebody, or it turns round and round."""


def in_no_time(
    clock: JumpingClock,
    main: Callable[[], Coroutine[Any, Any, _T]],
    *,
    longest: float,
    turns: int,
) -> _T:
    """Run until it is over, by the time of the clock.

    What takes longer than `longest` seconds of that time, or turns the loop `turns` times at one moment, is `Endless`.
    """
    loop = _JumpingLoop(clock, longest, turns)
    try:
        return loop.run_until_complete(main())
    finally:
        loop.run_until_complete(_cancel_the_rest())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _cancel_the_rest() -> None:
    """What a failed run left behind must not complain when the loop closes."""
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


class _JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop that does not wait for a timer, but sets the clock to it."""

    def __init__(self, clock: JumpingClock, longest: float, turns: int) -> None:
        self._clock = clock
        self._end = clock.start + longest
        self._turns_allowed = turns
        self._turns = 0
        super().__init__(_Impatient(self._jump))
        self.set_default_executor(_Inline())
        # asyncio runs timers that are due within this time. Its own value vanishes beside the seconds since 1970: a timer for
        # this very moment would never be due. There is no public switch.
        self._clock_resolution = RESOLUTION

    def time(self) -> float:
        """The time of the simulation."""
        return self._clock.now

    def _jump(self, seconds: float) -> None:
        self._turns = 0 if seconds else self._turns + 1
        self._clock.now += seconds
        if self._turns >= self._turns_allowed:
            self._fail("it turns round and round without waiting")
        if self._clock.now >= self._end:
            self._fail("it waits for something that never happens")

    def _fail(self, why: str) -> None:
        # Once: the loop is needed again, to clean up.
        self._turns, self._end = 0, float("inf")
        raise Endless(why)


class _Impatient(selectors.DefaultSelector):
    """Waits for nothing; what it was to wait for is told to the clock."""

    def __init__(self, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events:
            if timeout is None:
                raise Endless("everybody waits, and nobody will ever do anything")
            self._jump(max(timeout, 0.0))
        return events


class _Inline(ThreadPoolExecutor):
    """What would run in a thread runs at once: a simulation has only one."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # whatever it is, it belongs to whoever waits for the future
            future.set_exception(error)
        return future
