"""How does a worker look in a terminal? One line now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING

from shoal.crawl.figures import WorkerFigures
from shoal.terminal.speaking import tell

if TYPE_CHECKING:
    from shoal.cluster.worker_broker import Hand

Watch = Callable[["Hand"], Coroutine[None, None, None]]
_LINE_SECONDS = 10.0


class Tally:
    """What a worker has done, for its last words. Filled by whoever watches it."""

    def __init__(self) -> None:
        self._hand: Hand | None = None

    def figures(self) -> dict[str, int]:
        """What it did in all."""
        counts = self._hand.figures if self._hand is not None else WorkerFigures()
        return {"visits": counts.visits, "failures": counts.failures, "bytes": counts.bytes}

    async def watch_only(self, hand: Hand) -> None:
        """Show nothing."""
        self._hand = hand

    def progress(self, name: str, broker: str) -> Watch:
        """A line at the start, and one whenever something was done."""

        async def watch(hand: Hand) -> None:
            self._hand = hand
            tell(f"Worker {name} at {broker}; Ctrl-C lets what is under way come home.")
            before = 0
            while True:
                await asyncio.sleep(_LINE_SECONDS)
                now = hand.figures.visits
                if now != before:
                    tell(line(hand, (now - before) / _LINE_SECONDS))
                before = now

        return watch


def line(hand: Hand, rate: float) -> str:
    """How a worker stands, in one line."""
    counts = hand.figures
    return f"{counts.visits:,} visits, {counts.failures:,} failed, {rate:.1f} a second, {hand.busy} under way"
