"""The first Ctrl-C asks, the second does not ask."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from shoal.signals import stopped_by_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_one_lets_what_is_under_way_come_home(number: signal.Signals) -> None:
    async def work() -> str:
        asked = asyncio.Event()
        with stopped_by_signals(asked.set):
            os.kill(os.getpid(), number)
            await asked.wait()
            return "home"

    assert asyncio.run(work()) == "home"


def test_the_second_one_ends_it() -> None:
    asked: list[None] = []

    async def work() -> None:
        with stopped_by_signals(lambda: asked.append(None)):
            while True:
                os.kill(os.getpid(), signal.SIGTERM)
                await asyncio.sleep(0.01)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(work())
    assert len(asked) == 2


def test_afterwards_signals_mean_what_they_meant() -> None:
    before = signal.getsignal(signal.SIGTERM)

    async def work() -> None:
        with stopped_by_signals(lambda: None):
            assert signal.getsignal(signal.SIGTERM) != before

    asyncio.run(work())
    assert signal.getsignal(signal.SIGTERM) == before
