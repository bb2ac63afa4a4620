"""The clocks of all hosts in memory: a `protocols.Ledger` for tests and simulations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Clock:
    """What is known of one host; changed only by the ledgers that share it."""

    owner: str = ""
    held: int = 0
    busy_until: float = 0.0
    next_at: float = 0.0


class MemoryLedger:
    """A ledger that is forgotten with the process; crawls share it by sharing `clocks`."""

    def __init__(self, owner: str = "test", clocks: dict[str, Clock] | None = None) -> None:
        self._owner = owner
        self.clocks: dict[str, Clock] = {} if clocks is None else clocks

    has_room = True

    def claim(
        self, key: str, now: float, until: float, next_at: float = 0.0, tell: Callable[[], None] = lambda: None
    ) -> float:
        """Reserve a host until `until`: 0 when granted, else the time to ask again."""
        clock = self.clocks.setdefault(key, Clock())
        busy_until = clock.busy_until if clock.owner != self._owner else 0.0
        if max(clock.next_at, busy_until) > now:
            return max(clock.next_at, busy_until)
        clock.held = clock.held + 1 if clock.busy_until > now else 1
        clock.busy_until = max(clock.busy_until, until)
        clock.next_at = next_at
        clock.owner = self._owner
        return 0.0

    def release(self, key: str, next_at: float) -> None:
        """The request is over; nobody may ask this host before `next_at`."""
        clock = self.clocks.setdefault(key, Clock())
        clock.next_at = next_at if clock.owner == self._owner and clock.held else max(clock.next_at, next_at)
        if clock.owner == self._owner:
            clock.held = max(clock.held - 1, 0)
            clock.busy_until = clock.busy_until if clock.held else 0.0

    def flush(self) -> None:
        """The others know already."""
