"""A short run of every fuzzer, with a fixed seed; `make fuzz` goes on from there."""

from __future__ import annotations

from itertools import islice
from mmap import mmap
from random import Random

import pytest

from tests.fuzz.target import Finding, Target, judge, seeds, targets, try_one

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sorted(targets()))
def test_nothing_gets_through(name: str) -> None:
    target = targets()[name]
    for seed in islice(seeds(target, "0"), target.runs):
        try_one(target, seed)


@pytest.mark.parametrize("name", sorted(targets()))
def test_the_same_seed_makes_the_same_input_and_another_one_another(name: str) -> None:
    make = targets()[name].make
    assert make(Random("a")) == make(Random("a"))
    assert len({make(Random(str(number))) for number in range(20)}) > 10


def _target(check: object, **limits: float) -> Target:
    return Target(name="made up", make=lambda random: b"x", check=check, runs=1, **limits)  # type: ignore[arg-type]


def _raise(data: bytes) -> None:
    raise ValueError("out")


def test_what_is_raised_is_a_finding() -> None:
    with pytest.raises(Finding, match="ValueError: out"):
        judge(_target(_raise), b"x", "s")


def test_what_takes_too_long_is_a_finding() -> None:
    with pytest.raises(Finding, match="of CPU"):
        judge(_target(lambda data: sum(range(10**6)), seconds=0.0001), b"x", "s")


def _fill(data: bytes) -> None:
    """Straight from the system: what an allocator gives may be memory that this process has had before."""
    with mmap(-1, 50 * 2**20) as room:
        room.write(bytes(50 * 2**20))


def test_what_takes_too_much_memory_is_a_finding() -> None:
    with pytest.raises(Finding, match="MB"):
        judge(_target(_fill, megabytes=20), b"x", "s")
