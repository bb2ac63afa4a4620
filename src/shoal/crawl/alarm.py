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
from typing import Any, Self, TypeVar

_T = TypeVar("_T")
_AGAIN = 0.05
"""Seconds until it rings again: where Python may not raise (in a destructor) the first time is lost."""


class TookTooLong(BaseException):
    """The time is over. Not an `Exception`: nothing on its way out may take it for a failure of its own, and go on."""


class _Bell:
    """The signal SIGPROF, of which a process has one, however many alarms it has open. Owned by this module."""

    users = 0
    armed = False
    before: Any = None

    def take(self) -> None:
        if not self.users:
            self.before = signal.signal(signal.SIGPROF, self._ring)
        self.users += 1

    def leave(self) -> None:
        self.users -= 1
        if not self.users:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, self.before)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self.armed:
            raise TookTooLong


_bell = _Bell()


class Alarm:
    """Ends computations of the main thread, one at a time; to be opened there."""

    def __enter__(self) -> Self:
        _bell.take()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
