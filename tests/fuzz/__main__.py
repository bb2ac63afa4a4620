"""Look for what gets through, for as long as one likes: `make fuzz`, or `python -m tests.fuzz [NAME …] [--seconds N]`.

Findings are saved in `fuzz-findings/`, one file each; `python -m tests.fuzz --again FILE` reads one once more.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from itertools import islice
from pathlib import Path

from tests.fuzz.target import Finding, Target, judge, seeds, targets, try_one

_FINDINGS = Path("fuzz-findings")
_AT_ONCE = 50
"""Inputs of one target before the next has its turn."""


def main() -> int:
    """The number of findings, as an exit code."""
    wishes = _arguments()
    if wishes.again is not None:
        return _again(wishes.again)
    chosen = [targets()[name] for name in wishes.names or sorted(targets())]
    print(f"Seed {wishes.seed}; {wishes.seconds:g} seconds; {', '.join(target.name for target in chosen)}")
    findings = _fuzz(chosen, wishes.seed, wishes.seconds)
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings" + (f", saved in {_FINDINGS}/" if findings else ""))
    return min(len(findings), 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which: {', '.join(sorted(targets()))}; all by default"
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="how long in all")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="begin with these inputs; new ones by default")
    parser.add_argument("--again", type=Path, metavar="FILE", help="read a saved finding once more")
    wishes = parser.parse_args()
    if unknown := set(wishes.names) - set(targets()):
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    return wishes


def _fuzz(chosen: list[Target], seed: str, seconds: float) -> list[Finding]:
    findings: list[Finding] = []
    inputs = {target.name: seeds(target, seed) for target in chosen}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for target in chosen:
            findings += _turn(target, list(islice(inputs[target.name], _AT_ONCE)), until)
    return findings


def _turn(target: Target, some: list[str], until: float) -> list[Finding]:
    findings = []
    for seed in some:
        if time.monotonic() >= until:
            break
        try:
            try_one(target, seed)
        except Finding as finding:
            findings.append(finding)
            _save(finding)
    return findings


def _save(finding: Finding) -> None:
    _FINDINGS.mkdir(exist_ok=True)
    (_FINDINGS / finding.seed.replace(":", "-")).write_bytes(finding.data)


def _again(path: Path) -> int:
    name = next(name for name in sorted(targets(), key=len, reverse=True) if path.name.startswith(f"{name}-"))
    judge(targets()[name], path.read_bytes(), path.name)
    print(f"{path} does no harm any more.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
