"""How long does one wait for an answer that needs nothing? CPU of version, help and mistyped options, in turns, as ratios.

`python -m benchmarks.start_up [--against ../before] [--repeat 5] [--only status]`

Beside each stands what Python itself needs (`python -c pass`), and with `--against`, a work tree of the same repository
(`git worktree add ../before COMMIT`), what the same line costs there. Both run in this environment.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.crawlers import REPOSITORY
from shoal.cli import COMMANDS

TARGET = 0.2
"""Seconds of CPU that version, help and word of a mistake may take. The help of a command may load what it lists."""
PASS = ("-c", "pass")
GROUPS = {"topic": ("show", "learn"), "seeds": ("find", "read"), "model": ("export", "show")}
"""Commands that have commands of their own."""


def lines(only: Sequence[str]) -> list[tuple[str, ...]]:
    """What is typed: the tool itself, then a wrong option and the help of each command."""
    commands = [(name, *part.split()) for name in COMMANDS for part in GROUPS.get(name, ("",))]
    typed = [("--version",), ("--help",), ("sttus",)] + [
        (*words, end) for words in commands for end in ("--bogus", "--help")
    ]
    return [line for line in typed if not only or line[0] in only]


def cpu_of(arguments: Sequence[str], tree: Path, home: str) -> float:
    """Seconds of CPU, user and system, of one run of Python."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "SHOAL_HOME": home, "SHOAL_STATE_DIR": home}
    with subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def medians(line: Sequence[str], trees: Iterable[Path], repeat: int, home: str) -> list[float]:
    """Of Python alone, and of this line in each tree, in turns."""
    places = list(trees)
    turns = [
        (cpu_of(PASS, places[0], home), *(cpu_of(("-m", "shoal", *line), tree, home) for tree in places))
        for _ in range(repeat)
    ]
    return [statistics.median(column) for column in zip(*turns, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU of answers that need nothing.")
    parser.add_argument("--against", type=Path, help="a work tree with the code before")
    parser.add_argument("--repeat", type=int, default=5, help="turns of each line (default: 5)")
    parser.add_argument("--only", action="append", default=[], metavar="COMMAND", help="only this command; repeatable")
    chosen = parser.parse_args()
    trees = [REPOSITORY, *([chosen.against.resolve()] if chosen.against else [])]
    slow = []
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as home:
        for line in lines(chosen.only):
            python, here, *there = medians(line, trees, chosen.repeat, home)
            before = f"   there {there[0]:.3f} s: {here / there[0]:.2f}" if there else ""
            print(f"shoal {' '.join(line):<24} {here:.3f} s, {here / python:4.1f} x python -c pass{before}", flush=True)
            if here > TARGET and line[1:] != ("--help",):
                slow.append(" ".join(line))
    verdict = f"not met by {', '.join(slow)}" if slow else "met"
    print(f"target: at most {TARGET} s of CPU for version, help and mistakes: {verdict}")


if __name__ == "__main__":
    main()
