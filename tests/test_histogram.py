"""Are things counted where they belong? Sizes between their bounds, and hosts left alone for as long as they were."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shoal.frontier.politeness import Clocks
from shoal.histogram import Histogram
from shoal.model import Failure, Reason, Timing
from shoal.settings import Politeness
from shoal.testing.memory_ledger import MemoryLedger


def test_a_size_that_is_a_bound_belongs_below_it() -> None:
    histogram = Histogram((0.5, 1.0))
    for size in (0.1, 0.5, 0.6, 1.0, 7.0):
        histogram.add(size)
    assert histogram.snapshot().counts == (2, 2, 1)
    assert histogram.snapshot().total == pytest.approx(9.2)


@given(some.lists(some.floats(0.0, 100.0)))
def test_every_size_is_counted_once(sizes: list[float]) -> None:
    histogram = Histogram((1.0, 10.0, 50.0))
    for size in sizes:
        histogram.add(size)
    below = [sum(size <= bound for size in sizes) for bound in (1.0, 10.0, 50.0)]
    counts = histogram.snapshot().counts
    assert [sum(counts[: place + 1]) for place in range(3)] == below
    assert sum(counts) == len(sizes)


def test_a_snapshot_does_not_change() -> None:
    histogram = Histogram((1.0,))
    before = histogram.snapshot()
    histogram.add(0.5)
    assert before.counts == (0, 0)


def test_how_long_a_host_is_left_alone_is_counted() -> None:
    clocks = Clocks(Politeness(delay=2.0), MemoryLedger(), longest_request=60.0, random=Random(1))
    clocks.claim("a.test", 100.0)
    clocks.release("a.test", Timing(started=100.0, answered=100.1, ended=100.2))
    assert clocks.rests.snapshot().total == pytest.approx(clocks.next_at("a.test") - 100.2)
    asked = Timing(started=200.0, answered=200.0, ended=200.0)
    busy = Failure(url="http://a.test/", reason=Reason.STATUS, status=429, retry_after=30.0, timing=asked)
    clocks.claim("a.test", 200.0)
    clocks.release("a.test", asked, busy)
    assert clocks.rests.snapshot().total == pytest.approx(1.9 + 30.0)
