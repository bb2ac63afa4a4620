"""Work that never waits, in turns with the event loop; the clock stands still unless the work moves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from shoal.crawl.turns import SECONDS, Turns


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def work(clock: Clock, done: list[str], name: str, seconds: float) -> Callable[[], str]:
    def compute() -> str:
        clock.now += seconds
        done.append(name)
        return name.upper()

    return compute


async def test_work_is_done_in_the_order_of_coming_and_everybody_gets_his_own_result() -> None:
    clock, done = Clock(), list[str]()
    turns = Turns(clock)
    results = await asyncio.gather(*(turns.do(work(clock, done, name, 0.0)) for name in "abc"))
    assert (results, done) == (["A", "B", "C"], ["a", "b", "c"])


@pytest.mark.parametrize(("seconds", "in_first_turn"), [(SECONDS / 4, 4), (SECONDS * 2, 1)])
async def test_the_event_loop_has_its_turn_when_the_time_is_up(seconds: float, in_first_turn: int) -> None:
    clock, done = Clock(), list[str]()
    turns = Turns(clock)
    waiting = [asyncio.ensure_future(turns.do(work(clock, done, name, seconds))) for name in "abcdef"]
    await asyncio.sleep(0)  # all have come
    await asyncio.sleep(0)  # the first turn
    assert len(done) == in_first_turn
    await asyncio.gather(*waiting)
    assert done == list("abcdef")


async def test_work_that_nobody_waits_for_any_more_is_not_done() -> None:
    clock, done = Clock(), list[str]()
    turns = Turns(clock)
    first, second = (asyncio.ensure_future(turns.do(work(clock, done, name, 0.0))) for name in "ab")
    await asyncio.sleep(0)
    first.cancel()
    assert await second == "B"
    assert done == ["b"]


async def test_a_mistake_in_the_work_belongs_to_who_wanted_it() -> None:
    turns = Turns()
    broken, whole = await asyncio.gather(turns.do(lambda: 1 // 0), turns.do(lambda: 1), return_exceptions=True)
    assert isinstance(broken, ZeroDivisionError)
    assert whole == 1


async def test_work_that_comes_later_is_done_too() -> None:
    turns = Turns()
    assert await turns.do(lambda: 1) == 1
    assert await turns.do(lambda: 2) == 2
