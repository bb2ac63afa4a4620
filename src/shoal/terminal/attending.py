"""How does a cluster look in a terminal? Its workers with their rates, and what they could not do."""

from __future__ import annotations

import time
from collections.abc import Iterator

from shoal.remembered import WorkerRecord
from shoal.services.cluster_status import Attendance
from shoal.terminal.speaking import aligned, speaker

_SHOWN = 40
"""Workers that fit on a screen; the busiest come first."""


def show_attendance(found: Attendance) -> None:
    """Who works for a crawl on other machines."""
    say = speaker()
    say("\nWorkers", "bold")
    for line in _workers(found, time.time()):
        say(line)
    if found.problem:
        say(f"\n{found.problem}")
    if found.dead_letters:
        say("\nPut aside: workers died of them, or nobody could read them", "bold")
        for letter in found.dead:
            say(f"  {letter.url}" + (f"  after {letter.attempts} attempts" if letter.attempts else ""))
        if (more := found.dead_letters - len(found.dead)) > 0:
            say(f"  and {more:,} more")


def _workers(found: Attendance, now: float) -> Iterator[str]:
    if not found.workers:
        yield f"  none was heard yet at {found.broker}: start some with shoal worker --broker URL"
        return
    busiest = sorted(found.workers, key=lambda worker: (-worker.rate, worker.name))
    header = ("name", "state", "a second", "busy", "visits", "failed", "heard")
    rows = [_row(worker, now) for worker in busiest[:_SHOWN]]
    yield from aligned([header, *rows], left={0, 1})
    if (more := len(busiest) - _SHOWN) > 0:
        yield f"  and {more:,} more"
    yield f"  {found.rate:.1f} visits a second in all, through {found.broker}"


def _row(worker: WorkerRecord, now: float) -> tuple[str, ...]:
    state = worker.state if worker.state != "refused" else f"refused (shoal {worker.shoal})"
    return (
        worker.name,
        state,
        f"{worker.rate:.1f}",
        f"{worker.busy}/{worker.capacity}",
        f"{worker.visits:,}",
        f"{worker.failures:,}",
        _ago(now - worker.heard_at),
    )


def _ago(seconds: float) -> str:
    if seconds < 120:
        return f"{max(0.0, seconds):.0f} s ago"
    return f"{seconds / 60:.0f} min ago" if seconds < 7200 else f"{seconds / 3600:.0f} h ago"
