"""Whose clock is right? The coordinator's, whatever it says."""

from __future__ import annotations

import gzip

import pytest

from shoal.cluster.clock_offset import ClockOffset, shifted
from shoal.model import (
    DecodedImage,
    Failure,
    Missed,
    Moved,
    Reason,
    Redirect,
    Response,
    RobotsRead,
    Seen,
    SeenImage,
    Task,
    Timing,
    Visit,
    timing_of,
)
from shoal.store import warc
from shoal.store.packed_page import pack

TASK = Task(id=1, url="http://a.test/")
TIMING = Timing(started=100.0, answered=101.0, ended=102.0, address="192.0.2.1")
RESPONSE = Response(url=TASK.url, status=200, headers=(), body=b"x", timing=TIMING)
IMAGE = DecodedImage(format="png", width=1, height=1, fingerprint=b"", thumbnail=b"")
VISITS: list[Visit] = [
    Seen(task=TASK, response=RESPONSE, packed=pack(RESPONSE, None)),
    SeenImage(task=TASK, response=RESPONSE, image=IMAGE),
    Moved(task=TASK, redirect=Redirect(url=TASK.url, status=301, target=TASK.url, timing=TIMING)),
    Missed(task=TASK, failure=Failure(url=TASK.url, reason=Reason.DNS, timing=TIMING)),
    RobotsRead(task=TASK, text="", timing=TIMING),
]


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: type(visit).__name__)
def test_all_times_of_a_visit_move_and_nothing_else_does(visit: Visit) -> None:
    moved = shifted(visit, 5.0)
    assert timing_of(moved) == Timing(started=105.0, answered=106.0, ended=107.0, address="192.0.2.1")
    assert shifted(moved, -5.0) == visit


def test_where_nothing_was_heard_our_own_clock_must_do() -> None:
    assert ClockOffset().seconds == 0


def test_a_clock_that_is_ahead_is_known_by_half_the_way_there_and_back() -> None:
    offset = ClockOffset()
    offset.heard(sent=100.0, there=107.1, back=100.2)
    assert offset.seconds == pytest.approx(7.0)


def test_of_several_answers_the_quickest_is_believed() -> None:
    offset = ClockOffset()
    offset.heard(sent=100.0, there=109.0, back=104.0)
    offset.heard(sent=200.0, there=193.0, back=200.1)
    offset.heard(sent=300.0, there=302.0, back=310.0)
    assert offset.seconds == pytest.approx(-7.05)


def test_a_difference_that_the_way_may_explain_is_none() -> None:
    offset = ClockOffset()
    offset.heard(sent=100.0, there=100.9, back=101.0)
    assert offset.seconds == 0


def test_an_old_answer_does_not_count_for_ever_because_clocks_are_set() -> None:
    offset = ClockOffset()
    offset.heard(sent=100.0, there=150.0, back=100.001)
    for at in range(200, 220):
        offset.heard(sent=at, there=at + 0.05, back=at + 0.1)
    assert offset.seconds == 0


def test_what_goes_to_the_disk_tells_the_same_time() -> None:
    moved = shifted(VISITS[0], 5.0)
    assert isinstance(moved, Seen)
    assert warc.is_whole(moved.packed.record, moved.packed.size)
    assert b"\r\nWARC-Date: 1970-01-01T00:01:46" in gzip.decompress(moved.packed.record)
