"""How is a computation ended that takes too long? By a timer of the process: it interrupts whatever Python code is running.

The timer counts CPU time, so that a machine that is busy with other things ends nothing. It interrupts Python code and regular
expressions; inside another library's function it has to wait until that returns, which is why large inputs do not run under an
alarm but in a process of their own (`crawl/reader_process.py`).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self, TypeVar

_T = TypeVar("_T")
_AGAIN = 0.05
"""Seconds until it rings again: where Python may not raise (in a destructor) the first time is lost."""


class TookTooLong(BaseException):
    """The time is over. Not an `Exception`: nothing on its way out may take it for a failure of its own, and go on."""


class Alarm:
    """Ends computations of the main thread. While it is open it owns the signal SIGPROF and its timer."""

    def __init__(self) -> None:
        self._armed = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGPROF, self._ring)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, self._before)

    def within(self, seconds: float, work: Callable[[], _T]) -> _T:
        """The result of some work; `TookTooLong` when it needs more CPU time than this."""
        try:
            self._armed = True
            signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
            try:
                return work()
            finally:
                self._armed = False
        except TookTooLong:  # it may also ring just before the line above
            self._armed = False
            raise
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._armed:
            raise TookTooLong


def can_be_used() -> bool:
    """Only the main thread can be interrupted."""
    return threading.current_thread() is threading.main_thread()
