"""What time is it, whatever is done to the computer's clock? A crawl goes by a clock that never jumps.

It begins with the time of the computer, and then counts seconds. So no wait, lease or budget of a running crawl becomes longer or
shorter when somebody, or a time server, sets the computer's clock. What other crawls read is told by the computer's clock
(`WallLedger`), and what an earlier run has written is held to what can be where it is read.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from shoal.protocols import Ledger

logger = logging.getLogger(__name__)
_JUMP = 1.0
"""Seconds; less than this happens to every clock, and does no harm."""


def seconds_up() -> float:
    """Seconds since some moment, those included in which the computer slept, where the system counts them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def evenly(wall: Callable[[], float], seconds: Callable[[], float]) -> Callable[[], float]:
    """A clock for something short: it has the time of this moment, and goes on by the seconds."""
    epoch = wall() - seconds()
    return lambda: epoch + seconds()


class SteadyClock:
    """Seconds since the epoch, for one run. Call it for the time now."""

    def __init__(self, wall: Callable[[], float] = time.time, seconds: Callable[[], float] = seconds_up) -> None:
        self._wall = wall
        self._seconds = seconds
        self._epoch = wall() - seconds()
        self._ahead = 0.0

    def __call__(self) -> float:
        """The time by this clock; when the computer's has jumped, that is said, once for each jump."""
        now = self._epoch + self._seconds()
        ahead = self._wall() - now
        if abs(ahead - self._ahead) > _JUMP:
            _tell(ahead - self._ahead)
            self._ahead = ahead
        return now

    @property
    def ahead(self) -> float:
        """Seconds that the computer's clock is ahead of this one; 0 as long as nobody has set it."""
        self()
        return self._ahead


def _tell(seconds: float) -> None:
    way = "ahead" if seconds > 0 else "back"
    logger.warning(
        "The clock of this computer was set %s by %s: the crawl goes on as if it had not been.",
        way,
        _length(abs(seconds)),
    )


def _length(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds"


class WallLedger:
    """A ledger that other crawls read too, for a crawl that tells times by a steady clock. Implements `protocols.Ledger`."""

    def __init__(self, ledger: Ledger, clock: SteadyClock) -> None:
        self._ledger = ledger
        self._clock = clock

    @property
    def has_room(self) -> bool:
        return self._ledger.has_room

    def claim(
        self, key: str, now: float, until: float, next_at: float = 0.0, tell: Callable[[], None] = lambda: None
    ) -> float:
        ahead = self._clock.ahead
        again = self._ledger.claim(key, now + ahead, until + ahead, next_at + ahead, tell)
        return again - ahead if again else 0.0

    def release(self, key: str, next_at: float) -> None:
        self._ledger.release(key, next_at + self._clock.ahead)

    def flush(self) -> None:
        self._ledger.flush()
