"""Does work grow with its input, or faster? Measured in CPU time of this thread, at two sizes."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SHORT, LONG, LONGER = 1200, 3000, 9000
"""Characters: every series is tried when it is short; only those that take time are then measured when they are longer."""
_NOISE = 0.00025
"""Seconds of CPU for a short series. A linear pattern takes less; one that takes more is looked at closely."""
_PLAIN_GROWTH = 3.0
"""From short to long, 2.5 times the length: who grows no faster has a square so small that it would pass below, too (4.7)."""
_MOST_GROWTH = 5.5
"""For three times the length: a linear pattern takes 3 times as long, one that is bounded up to 4, a quadratic one 9 times."""
_AGAIN = 3
"""Times that a growth which may be noise is measured anew."""
_END = 1.0
"""Seconds of CPU after which a search is ended: it would not end by itself."""


class _Endless(Exception):
    """It took so long that it was ended."""


def complaint(work: Callable[[Any], object], make: Callable[[int], Any]) -> str:
    """What is wrong with the growth of some work on what is made of a length; empty when nothing is."""
    try:
        with _ended_by_a_signal():
            short = make(SHORT)
            if _once(work, short) < _NOISE or (took := _cost(work, short)) < _NOISE:
                return ""
            if _once(work, make(LONG)) < _PLAIN_GROWTH * took:
                return ""
            grows, long = _growth(work, make)
            for _ in range(_AGAIN):
                if grows > _MOST_GROWTH:  # something else may have been in the way: a neighbour's turn counts as ours
                    grows, long = min((grows, long), _growth(work, make))
    except _Endless:
        return f"was not done after {_END:g} s of CPU"
    return f"takes {grows:.1f} times as long for three times the text ({long:.3f} s)" if grows > _MOST_GROWTH else ""


def _growth(work: Callable[[Any], object], make: Callable[[int], Any]) -> tuple[float, float]:
    """How many times as long the longer one takes, at most, and how long."""
    short, long = _cost(work, make(LONG)), _once(work, make(LONGER))
    return long / short, long


def _cost(work: Callable[[Any], object], text: Any) -> float:
    return min(_once(work, text), _once(work, text))


def _once(work: Callable[[Any], object], text: Any) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, _END)
    began = time.thread_time()
    work(text)
    return time.thread_time() - began


@contextmanager
def _ended_by_a_signal() -> Iterator[None]:
    """Searches look for signals from time to time, so even an exponential one can be ended."""

    def end(number: int, frame: FrameType | None) -> None:
        raise _Endless

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
