"""Time jumps, nothing really waits, and what would never end is noticed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

from shoal.testing.clock import Endless, JumpingClock, in_no_time

_T = TypeVar("_T")


def run(main: Callable[[], Coroutine[Any, Any, _T]], clock: JumpingClock | None = None) -> _T:
    return in_no_time(clock or JumpingClock(1000.0), main, longest=100_000.0, turns=1000)


# The second is a time of today: beside it a nanosecond vanishes, and with it asyncio's own idea of "now".
@pytest.mark.parametrize("start", [0.0, 1_767_225_600.0])
def test_hours_go_by_at_once_and_in_order(start: float) -> None:
    clock = JumpingClock(start)
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        for _ in range(3):
            await asyncio.sleep(seconds)
            woken.append((name, round(clock() - start, 3)))

    async def main() -> None:
        await asyncio.gather(sleeper("slow", 3600.0), sleeper("quick", 1000.1), sleeper("at once", 0.0))

    before = time.monotonic()
    run(main, clock)
    assert woken == [
        *[("at once", 0.0)] * 3,
        ("quick", 1000.1),
        ("quick", 2000.2),
        ("quick", 3000.3),
        ("slow", 3600.0),
        ("slow", 7200.0),
        ("slow", 10800.0),
    ]
    assert time.monotonic() - before < 60


def test_timeouts_and_the_loop_go_by_the_same_clock() -> None:
    clock = JumpingClock(1000.0)

    async def main() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(50):
                await asyncio.sleep(60)
        return asyncio.get_running_loop().time()

    assert run(main, clock) == 1050.0


def test_what_belongs_into_a_thread_runs_at_once() -> None:
    async def main() -> tuple[bool, float]:
        return await asyncio.to_thread(lambda: threading.current_thread() is threading.main_thread()), 0.0

    clock = JumpingClock(1000.0)
    assert run(main, clock) == (True, 0.0)
    assert clock.now == 1000.0


def test_a_mistake_in_a_thread_comes_home() -> None:
    async def main() -> None:
        await asyncio.to_thread(int, "x")

    with pytest.raises(ValueError, match="invalid literal"):
        run(main)


async def _deadlock() -> None:
    await asyncio.Event().wait()


async def _too_patient() -> None:
    while True:  # noqa: ASYNC110
        await asyncio.sleep(10_000)


async def _restless() -> None:
    while True:  # noqa: ASYNC110
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("main", "why"), [(_deadlock, "everybody waits"), (_too_patient, "never happens"), (_restless, "round and round")]
)
def test_what_never_ends_is_an_error(main: Callable[[], Coroutine[Any, Any, None]], why: str) -> None:
    with pytest.raises(Endless, match=why):
        run(main)


def test_what_failed_leaves_nothing_running() -> None:
    ended: list[str] = []

    async def other() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            ended.append("other")

    async def main() -> None:
        task = asyncio.create_task(other())
        await asyncio.sleep(1)
        raise LookupError(task.get_name())

    with pytest.raises(LookupError):
        run(main)
    assert ended == ["other"]
