"""What may a crawl still spend, and what is scarce?"""

from __future__ import annotations

import pytest

from shoal.crawl.allowance import Allowance, Ending
from shoal.crawl.statistics import Meter
from shoal.crawl.termination import Finish
from shoal.remembered import Totals
from shoal.settings import Budget

START = 1000.0


def allowance(budget: Budget, *, pages: int = 50, size: int = 5_000, elapsed: float = 60.0) -> Allowance:
    """Of a crawl that is resumed at START, after so much."""
    totals = Totals(pages=pages, relevant=0, bytes=size, elapsed=elapsed)
    return Allowance(budget, Meter(totals, START), Finish(None))


@pytest.mark.parametrize(
    ("budget", "ending"),
    [
        (Budget(), None),
        (Budget(max_pages=51, max_bytes=5_001, max_time=61.0), None),
        (Budget(max_pages=50), Ending.PAGES),
        (Budget(max_bytes=5_000), Ending.BYTES),
        (Budget(max_time=60.0), Ending.TIME),
    ],
)
def test_says_what_there_is_no_more_of(budget: Budget, ending: Ending | None) -> None:
    assert allowance(budget).spent(START) is ending


def test_pages_in_flight_are_as_good_as_spent() -> None:
    assert allowance(Budget(max_pages=53)).spent(START, in_flight=2) is None
    assert allowance(Budget(max_pages=53)).spent(START, in_flight=3) is Ending.PAGES


def test_the_deadline_counts_what_earlier_runs_took() -> None:
    assert allowance(Budget(max_time=100.0)).deadline() == START + 40
    assert allowance(Budget()).deadline() is None


@pytest.mark.parametrize(
    ("budget", "scarce"),
    [
        (Budget(), False),
        (Budget(max_time=100.0), False),
        (Budget(max_pages=1_000), True),
        (Budget(max_bytes=1_000_000), True),
        (Budget(max_pages=100, max_time=100.0), False),  # half of the pages, and more of the time, are spent
        (Budget(max_pages=80, max_time=100.0), True),
        (Budget(max_pages=1_000, max_bytes=6_000, max_time=100.0), True),
    ],
)
def test_pages_and_bytes_are_scarce_unless_time_runs_out_before_them(budget: Budget, scarce: bool) -> None:
    assert allowance(budget).is_scarce(START) == scarce


def test_time_that_goes_by_makes_time_scarce() -> None:
    both = allowance(Budget(max_pages=80, max_time=100.0))
    assert both.is_scarce(START + 2.5)
    assert not both.is_scarce(START + 2.6)
