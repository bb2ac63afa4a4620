"""How does a crawl stand? Each thing that happened is counted once, and the rate is that of the last moments."""

from __future__ import annotations

from msgspec.structs import replace

from shoal.crawl.metrics import Meter, WorkerFigures
from shoal.model import Failure, Missed, Reason, Task, Timing
from shoal.model.stored import Totals

WHEN = Timing(started=10.0, answered=10.5, ended=12.0)
TASK = Task(id=1, url="http://a.test/", host="a.test")


def test_what_is_no_failure_is_not_counted_as_one() -> None:
    numbers = WorkerFigures()
    unchanged = Failure(url=TASK.url, reason=Reason.UNCHANGED, timing=WHEN)
    no_rules = Failure(url=TASK.url, reason=Reason.STATUS, status=404, timing=WHEN)
    numbers.visited(Missed(task=TASK, failure=unchanged))
    numbers.visited(Missed(task=replace(TASK, kind="robots"), failure=no_rules))
    assert numbers.snapshot().failures == {}
    numbers.visited(Missed(task=TASK, failure=no_rules))
    assert numbers.snapshot().failures == {Reason.STATUS: 1}


def test_time_does_not_count_while_it_is_paused() -> None:
    meter = Meter(Totals(elapsed=10.0), 100.0)
    meter.pause(105.0)
    assert meter.elapsed(1_000.0) == 15.0
    meter.go_on(1_000.0)
    assert (meter.elapsed(1_001.0), meter.time_of(20.0)) == (16.0, 1_005.0)
