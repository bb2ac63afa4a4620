"""How does a crawl stand? Each thing that happened is counted once, and the rate is that of the last moments."""

from __future__ import annotations

from msgspec.structs import replace

from shoal.crawl.metrics import WorkerFigures
from shoal.model import Failure, Missed, Reason, Task, Timing

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
