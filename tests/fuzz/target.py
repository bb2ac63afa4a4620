"""What is fuzzed, and what must hold? A target makes inputs and checks what comes of each; `fuzz` runs one with a seed."""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import tests.fuzz

_MEGABYTE = 2**20
_AGAIN = 3
"""Readings of an input that was slow: what a neighbour takes of the machine counts as ours."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One reader of foreign input."""

    name: str
    make: Callable[[Random], bytes]
    """An input; the same random state makes the same one."""
    check: Callable[[bytes], object]
    """Read it. Whatever it raises left the boundary: the input is a finding."""
    runs: int
    """Inputs in `make test`; all targets together may take a minute there."""
    seconds: float = 2.0
    """Of CPU that one input may cost."""
    megabytes: int = 200
    """That the process may grow by while it reads one input."""


class Finding(AssertionError):
    """An input that got through, and what it did."""

    def __init__(self, target: Target, seed: str, data: bytes, why: str) -> None:
        super().__init__(f"{target.name}, seed {seed} ({len(data)} bytes: {data[:80]!r}…): {why}")
        self.target = target
        self.seed = seed
        self.data = data


def seeds(target: Target, seed: str) -> Iterator[str]:
    """A seed for each input, for ever."""
    number = 0
    while True:
        yield f"{target.name}:{seed}:{number}"
        number += 1


def try_one(target: Target, seed: str) -> None:
    """Make the input of a seed and read it; `Finding` when something must not be as it is."""
    judge(target, target.make(Random(seed)), seed)


def judge(target: Target, data: bytes, seed: str) -> None:
    """Read one input, and look at what it raised and what it cost; what is slow is so whenever it is read again."""
    before = _peak_from_here()
    took = _seconds_of(target, data, seed)
    grown = (_peak() - before) // _MEGABYTE
    if took > target.seconds:
        took = min(_seconds_of(target, data, seed) for _ in range(_AGAIN))
    if took > target.seconds:
        raise Finding(target, seed, data, f"it took {took:.1f} s of CPU, at most {target.seconds:g} are allowed")
    if grown > target.megabytes:
        raise Finding(target, seed, data, f"it took {grown} MB, at most {target.megabytes} are allowed")


def _seconds_of(target: Target, data: bytes, seed: str) -> float:
    """Of CPU. Others have their share of a machine's caches, so that one reading alone says little."""
    began = time.thread_time()
    try:
        target.check(data)
    except Exception as error:
        raise Finding(target, seed, data, f"{type(error).__name__}: {error}") from error
    return time.thread_time() - began


@cache
def targets() -> dict[str, Target]:
    """Every target of every `fuzz_*.py` here, by name."""
    names = [module.name for module in pkgutil.iter_modules(tests.fuzz.__path__) if module.name.startswith("fuzz_")]
    modules = [importlib.import_module(f"tests.fuzz.{name}") for name in names]
    return {target.name: target for module in modules for target in module.TARGETS}


def _peak_from_here() -> int:
    """Forget how large this process ever was; answers how large it is."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak()


def _peak() -> int:
    """The most memory that this process has had since it was asked to forget."""
    for row in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if row.startswith("VmHWM:"):
            return int(row.split()[1]) * 1024
    raise AssertionError("the kernel does not say how much memory a process has had")
