"""What waits in the cold comes out best first, whatever left before its turn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.frontier.host_queue import Overflow


def test_nothing_is_in_an_empty_one() -> None:
    cold = Overflow()
    assert (len(cold), list(cold), cold.bound) == (0, [], (math.inf, 0))


@pytest.mark.parametrize("count", [7, 3000])
def test_the_best_comes_out_first_and_of_equals_the_first_known(count: int) -> None:
    cold = Overflow()
    items = [(-float(id * 7 % 5), id) for id in range(1, count)]
    for item in items:
        cold.add(*item)
    assert cold.bound == min(items)
    assert [cold.pop() for _ in range(len(cold))] == sorted(items)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["add", "leave", "pop"]), st.integers(0, 3), st.integers(1, 4))))
def test_it_holds_what_a_plain_list_would_hold(steps: list[tuple[str, int, int]]) -> None:
    cold, plain = Overflow(), list[tuple[float, int]]()
    for step, rank, id in steps:
        if step == "add":
            cold.add(-float(rank), id)
            plain.append((-float(rank), id))
        elif plain and step == "leave":
            item = plain.pop(id % len(plain))
            cold.discard(*item)
        elif plain:
            plain.sort()
            assert cold.pop() == plain.pop(0)
        assert (len(cold), sorted(cold)) == (len(plain), sorted(plain))
        assert cold.bound <= min(plain, default=(math.inf, 0))


def test_many_that_went_away_cost_no_more_than_one_each() -> None:
    """The work is counted, not timed: every look at what is left behind goes through the counter."""
    cold, looks = Overflow(), 0
    for id in range(2_000):
        cold.add(float(id), id)
    for id in range(1_000):
        cold.discard(float(id), id)

    class Watched(Counter[tuple[float, int]]):
        def __iter__(self) -> Iterator[tuple[float, int]]:
            nonlocal looks
            looks += 1
            return super().__iter__()

    cold._left = Watched(cold._left)
    looks = 0
    assert len(cold) == 1_000
    assert cold.pop() == (1_000.0, 1_000)
    assert len(cold) == 999
    assert looks == 0, "nobody went through all of them"
