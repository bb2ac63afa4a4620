"""Work that never waits goes in turns with the event loop, and what takes too long is ended."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
import time
from collections.abc import Callable

import pytest

from shoal.crawl.time_slices import SECONDS, Alarm, TimeSlices, TookTooLong, can_be_used


class Clock:
    """Stands still unless the work moves it."""

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
    turns = TimeSlices(clock)
    results = await asyncio.gather(*(turns.do(work(clock, done, name, 0.0)) for name in "abc"))
    assert (results, done) == (["A", "B", "C"], ["a", "b", "c"])


@pytest.mark.parametrize(("seconds", "in_first_turn"), [(SECONDS / 4, 4), (SECONDS * 2, 1)])
async def test_the_event_loop_has_its_turn_when_the_time_is_up(seconds: float, in_first_turn: int) -> None:
    clock, done = Clock(), list[str]()
    turns = TimeSlices(clock)
    waiting = [asyncio.ensure_future(turns.do(work(clock, done, name, seconds))) for name in "abcdef"]
    await asyncio.sleep(0)  # all have come
    await asyncio.sleep(0)  # the first turn
    assert len(done) == in_first_turn
    await asyncio.gather(*waiting)
    assert done == list("abcdef")


async def test_work_that_nobody_waits_for_any_more_is_not_done() -> None:
    clock, done = Clock(), list[str]()
    turns = TimeSlices(clock)
    first, second = (asyncio.ensure_future(turns.do(work(clock, done, name, 0.0))) for name in "ab")
    await asyncio.sleep(0)
    first.cancel()
    assert await second == "B"
    assert done == ["b"]


async def test_a_mistake_in_the_work_belongs_to_who_wanted_it() -> None:
    turns = TimeSlices()
    broken, whole = await asyncio.gather(turns.do(lambda: 1 // 0), turns.do(lambda: 1), return_exceptions=True)
    assert isinstance(broken, ZeroDivisionError)
    assert whole == 1


async def test_work_that_comes_later_is_done_too() -> None:
    turns = TimeSlices()
    assert await turns.do(lambda: 1) == 1
    assert await turns.do(lambda: 2) == 2


# --- against the clock -----------------------------------------------------------------------------------------------


def _for_ever() -> None:
    while True:
        sum(range(100))


def _swallows() -> None:
    while True:
        try:
            _for_ever()
        except Exception as error:
            raise AssertionError("it was taken for a failure of the work") from error


def test_what_is_done_in_time_has_its_result() -> None:
    with Alarm() as alarm:
        assert alarm.within(5.0, lambda: "done") == "done"


@pytest.mark.parametrize("work", [_for_ever, _swallows], ids=["a loop", "a loop that catches exceptions"])
def test_python_code_is_ended(work: object) -> None:
    with Alarm() as alarm, pytest.raises(TookTooLong):
        alarm.within(0.05, work)  # type: ignore[arg-type]


def test_a_regular_expression_is_ended() -> None:
    endless = re.compile(r"(?:a|aa)+$")
    with Alarm() as alarm, pytest.raises(TookTooLong):
        alarm.within(0.05, lambda: endless.match("a" * 200 + "b"))


class _Deaf:
    """Python raises nothing out of a destructor: it reports what it would be."""

    def __init__(self, error: type[Exception] | None = None) -> None:
        self.error = error

    def __del__(self) -> None:
        if self.error:
            raise self.error
        _for_ever()


def test_it_rings_again_where_it_could_not_be_heard_and_nobody_reads_of_that(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: reported.append(unraisable.exc_type))

    def work() -> None:
        _Deaf()
        _for_ever()

    with Alarm() as alarm:
        with pytest.raises(TookTooLong):
            alarm.within(0.05, work)
        assert reported == []
        _Deaf(ZeroDivisionError)
    assert reported == [ZeroDivisionError], "whatever else is lost there is reported as before"
    _Deaf(ZeroDivisionError)
    assert len(reported) == 2


def test_what_the_work_raises_is_passed_on() -> None:
    with Alarm() as alarm, pytest.raises(ZeroDivisionError):
        alarm.within(5.0, lambda: 1 / 0)


def test_afterwards_nothing_rings() -> None:
    with Alarm() as alarm:
        with pytest.raises(TookTooLong):
            alarm.within(0.02, _for_ever)
        assert alarm.within(5.0, lambda: "done") == "done"
        until = time.thread_time() + 0.15
        while time.thread_time() < until:
            sum(range(100))
        assert signal.getitimer(signal.ITIMER_PROF)[0] == 0.0


@pytest.mark.slow
def test_a_machine_that_is_busy_with_other_things_ends_nothing() -> None:
    with Alarm() as alarm:
        assert alarm.within(0.05, lambda: threading.Event().wait(0.2)) is False, "waiting costs no CPU"


def test_the_signal_is_given_back() -> None:
    before = signal.getsignal(signal.SIGPROF)
    with Alarm():
        assert signal.getsignal(signal.SIGPROF) != before
    assert signal.getsignal(signal.SIGPROF) == before


def test_of_several_each_rings_whichever_was_opened_or_closed_first() -> None:
    before = signal.getsignal(signal.SIGPROF)
    first, second = Alarm(), Alarm()
    first.__enter__()
    second.__enter__()
    with pytest.raises(TookTooLong):
        first.within(0.02, _for_ever)
    first.__exit__(None, None, None)
    with pytest.raises(TookTooLong):
        second.within(0.02, _for_ever)
    second.__exit__(None, None, None)
    assert signal.getsignal(signal.SIGPROF) == before


def test_only_a_main_thread_can_have_one() -> None:
    heard: list[bool] = []
    thread = threading.Thread(target=lambda: heard.append(can_be_used()))
    thread.start()
    thread.join()
    assert (can_be_used(), heard) == (True, [False])
