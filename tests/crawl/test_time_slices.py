"""What takes too long is ended; what does not is left alone."""

from __future__ import annotations

import re
import signal
import threading
import time

import pytest

from shoal.crawl.alarm import Alarm, TookTooLong, can_be_used


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


def test_it_rings_again_where_it_could_not_be_heard() -> None:
    class Deaf:
        def __del__(self) -> None:
            began = time.thread_time()
            try:
                while time.thread_time() < began + 0.2:
                    pass
            except TookTooLong:  # as Python does with whatever is raised in a destructor
                return

    def work() -> None:
        Deaf()
        _for_ever()

    with Alarm() as alarm, pytest.raises(TookTooLong):
        alarm.within(0.05, work)


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
