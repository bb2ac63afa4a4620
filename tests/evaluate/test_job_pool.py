"""Jobs are shared among processes, and what goes wrong in one of them is heard of."""

from __future__ import annotations

import os
import time

import pytest

from shoal.errors import InputError
from shoal.evaluate.job_pool import Began, Ended, JobFailed, choose, share

LONG = 60.0


def square(number: int) -> tuple[int, int]:
    """Module level, because other processes look it up by name."""
    return number * number, os.getpid()


def fail_at_three(number: int) -> int:
    if number == 3:
        raise KeyError("three")
    return number


def complain(number: int) -> int:
    raise InputError(f"The number {number} cannot be used.")


def die(number: int) -> int:
    os._exit(7)


def take_long(number: int) -> int:
    time.sleep(LONG if number else 0.0)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_every_job_is_begun_and_ended_once(processes: int) -> None:
    said = list(share(square, range(5), processes))
    assert sorted(event.job for event in said if isinstance(event, Began)) == [0, 1, 2, 3, 4]
    ended = {event.job: event.result for event in said if isinstance(event, Ended)}
    assert {job: result for job, (result, _) in ended.items()} == {0: 0, 1: 1, 2: 4, 3: 9, 4: 16}
    workers = {process for _, process in ended.values()}
    assert (workers == {os.getpid()}) if processes == 1 else (os.getpid() not in workers)


@pytest.mark.slow
def test_a_bug_in_a_job_ends_everything_with_its_traceback() -> None:
    with pytest.raises(JobFailed, match=r"(?s)3 failed:.*fail_at_three.*KeyError: 'three'"):
        list(share(fail_at_three, range(6), 2))


@pytest.mark.slow
def test_what_a_user_can_put_right_stays_one_sentence() -> None:
    with pytest.raises(InputError, match=r"^The number [01] cannot be used\.$"):
        list(share(complain, range(2), 2))


@pytest.mark.slow
def test_a_process_that_dies_is_missed() -> None:
    with pytest.raises(ChildProcessError, match="died with exit code 7"):
        list(share(die, range(2), 2))


@pytest.mark.slow
def test_who_stops_listening_ends_what_is_being_done() -> None:
    started = time.monotonic()
    events = share(take_long, [0, 1], 2)
    assert next(event.job for event in events if isinstance(event, Ended)) == 0
    events.close()
    assert time.monotonic() - started < LONG / 2


@pytest.mark.parametrize(
    ("own", "taken", "job"),
    [
        (None, [], "a1"),
        (None, ["a"], "b1"),
        ("b", ["a", "b"], "b1"),
        ("c", ["a", "b", "c"], "a1"),
        ("c", ["a", "c"], "b1"),
    ],
)
def test_each_stays_with_its_group_and_out_of_others(own: str | None, taken: list[str], job: str) -> None:
    assert choose(["a1", "a2", "b1"], lambda job: job[0], own=own, taken=taken) == job


def test_no_jobs_need_no_process() -> None:
    assert list(share(square, [], 8)) == []
