"""Who may compute now, and for how long? Work takes turns with the event loop, and what takes too long is ended.

Answers come in bursts. If all of a burst were parsed at once, nobody would notice meanwhile that others came or send the next
requests; and hosts that are noticed together are asked together again, so that bursts would only grow. If the loop had its
turn after every page, it would read bodies in many small pieces, which costs speed.

What ends a computation is a timer of the process, which interrupts whatever Python code is running. It counts CPU time, so that
a machine that is busy with other things ends nothing. It interrupts Python code and regular expressions; inside another library's
function it has to wait until that returns, which is why large inputs do not run under an alarm but in a process of their own
(`crawl/page_reader.py`).
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self, TypeVar

_T = TypeVar("_T")
SECONDS = 0.004
"""Of computing, until the event loop has its turn."""
_AGAIN = 0.05
"""Seconds until an alarm rings again: where Python may not raise (in a destructor, or when a weak reference dies) it is lost."""


def collect_seldom() -> None:
    """What travels has no cycles: looking for them among millions of small objects again and again finds nothing."""
    gc.set_threshold(100_000, 50, 100)


class _Collector:
    """Of garbage, of which a process has one, however many crawls it runs. Owned by this module."""

    users = 0
    before: tuple[int, int, int] = gc.get_threshold()
    changing = threading.Lock()


_collector = _Collector()


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """The same until the last crawl of this process is over; the program around them may have a lot of garbage."""
    with _collector.changing:
        if not _collector.users:
            _collector.before = gc.get_threshold()
            collect_seldom()
        _collector.users += 1
    try:
        yield
    finally:
        with _collector.changing:
            _collector.users -= 1
            if not _collector.users:
                gc.set_threshold(*_collector.before)


# --- in turns --------------------------------------------------------------------------------------------------------


class TimeSlices:
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


# --- against the clock -----------------------------------------------------------------------------------------------


class TookTooLong(BaseException):
    """The time is over. Not an `Exception`: nothing on its way out may take it for a failure of its own, and go on."""


class _Bell:
    """The signal SIGPROF, of which a process has one, however many alarms it has open. Owned by this module.

    So is, meanwhile, what Python does with exceptions that may not be raised: a bell that was not heard is nothing to report.
    """

    users = 0
    armed = False
    before: Any = None
    report: Callable[[sys.UnraisableHookArgs], object] = staticmethod(sys.__unraisablehook__)

    def take(self) -> None:
        if not self.users:
            self.before = signal.signal(signal.SIGPROF, self._ring)
            self.report, sys.unraisablehook = sys.unraisablehook, self._report
        self.users += 1

    def leave(self) -> None:
        self.users -= 1
        if not self.users:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, self.before)
            sys.unraisablehook = self.report

    def _report(self, unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, TookTooLong):
            self.report(unraisable)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self.armed:
            raise TookTooLong


_bell = _Bell()


class Alarm:
    """Ends computations of the main thread, one at a time; to be opened there."""

    def __enter__(self) -> Self:
        _bell.take()
        return self

    def __exit__(self, *_: object) -> None:
        _bell.leave()

    def within(self, seconds: float, work: Callable[[], _T]) -> _T:
        """The result of some work; `TookTooLong` when it needs more CPU time than this."""
        try:
            _bell.armed = True
            signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
            try:
                return work()
            finally:
                _bell.armed = False
        except TookTooLong:  # it may also ring just before the line above
            _bell.armed = False
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)


def can_be_used() -> bool:
    """Only the main thread can be interrupted."""
    return threading.current_thread() is threading.main_thread()
