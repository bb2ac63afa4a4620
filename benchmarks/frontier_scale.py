"""Does the frontier stay as cheap with a million URLs as with ten thousand?

Each size runs in a process of its own, on a real data folder: every URL is added, popped and settled, with a commit every
5,000 URLs, as a crawl does. Printed: cost per URL (CPU and wall time) beside that of the smallest size, memory above
the bare interpreter, and the time to open the folder again after the process was killed. Other work on the machine can double
a figure, so the sizes take turns, the smallest before and after each other one, and medians count.

    python -m benchmarks.frontier_scale [--sizes 10000 1000000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shoal.crawl.time_slices import collect_seldom
from shoal.frontier.frontier import Frontier
from shoal.frontier.host_schedule import HostSchedule
from shoal.frontier.pending import PendingChanges
from shoal.frontier.politeness import Clocks
from shoal.model import Entry, State, Term, Timing, Topic
from shoal.settings import Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.testing.memory_ledger import MemoryLedger

URLS_PER_HOST = 20
BATCH = 5_000
_RUNNER = asyncio.Runner()
TARGETS = {"cost": 1.3, "memory": 400.0, "open": 10.0}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    options.add_argument("--rounds", type=int, default=3, help="how often each size runs")
    options.add_argument("--child", nargs=3, metavar=("MODE", "FOLDER", "SIZE"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.child:
        mode, folder, size = chosen.child
        {"work": _work, "fill": _fill, "open": _open}[mode](Path(folder), int(size))
        return
    _compare(sorted(chosen.sizes), chosen.rounds)


def _compare(sizes: list[int], rounds: int) -> None:
    rows = _measure(sizes, rounds)
    base = rows[min(sizes)]
    print(
        f"{'URLs':>10} {'CPU µs/URL':>11} {'ratio':>6} {'wall µs/URL':>12} {'ratio':>6} {'memory MB':>10} {'reopen s':>9}"
    )
    for size, row in rows.items():
        cpu, wall = row["cpu"] / base["cpu"], row["wall"] / base["wall"]
        print(
            f"{size:>10,} {row['cpu']:>11.1f} {cpu:>6.2f} {row['wall']:>12.1f} {wall:>6.2f}"
            f" {row['memory']:>10.0f} {row['open']:>9.2f}",
            flush=True,
        )
    last = rows[max(sizes)]
    for name, value, unit in (
        ("cost", last["cpu"] / base["cpu"], "x"),
        ("memory", last["memory"], "MB"),
        ("open", last["open"], "s"),
    ):
        verdict = "met" if value <= TARGETS[name] else "NOT MET"
        print(f"{name}: {value:.2f} {unit}, target at most {TARGETS[name]:g} {unit}: {verdict}")


def _measure(sizes: list[int], rounds: int) -> dict[int, dict[str, float]]:
    smallest, *others = sizes
    runs: dict[int, list[dict[str, float]]] = {size: [] for size in sizes}
    for _ in range(rounds):
        for size in others:
            for turn in (smallest, smallest, size, smallest, smallest):
                runs[turn].append(_child("work", turn))
    return {size: _medians(runs[size]) | _reopen(size) for size in sizes}


def _medians(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def _reopen(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        _start("fill", Path(folder), size, expect=-signal.SIGKILL)
        return _start("open", Path(folder), size)


def _child(mode: str, size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        return _start(mode, Path(folder), size)


def _start(mode: str, folder: Path, size: int, expect: int = 0) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.frontier_scale", "--child", mode, str(folder), str(size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, timeout=1200)
    if done.returncode != expect:
        raise SystemExit(f"{mode} of {size} URLs ended with {done.returncode} instead of {expect}.")
    answer: dict[str, float] = json.loads(done.stdout or "{}")
    return answer


# --- in the child process --------------------------------------------------------------------------------------------


class _Crawl:
    """A frontier with its parts."""

    def __init__(self, store: CrawlStore) -> None:
        self.store = store
        self.clocks = Clocks(Politeness(delay=0), MemoryLedger(), longest_request=60, random=random.Random(1))
        self.pending, self.host_schedule = PendingChanges(store.url_index), HostSchedule(self.clocks)
        self.frontier = Frontier(store.url_index, self.pending, self.host_schedule)

    def add_all(self, size: int) -> None:
        chance = random.Random(1)
        hosts = size // URLS_PER_HOST
        for number in range(size):
            host = f"host{chance.randrange(hosts)}.test"
            url = f"http://{host}/articles/of/some/usual/length/{number}.html"
            priority = chance.random()
            self.frontier.add(
                Entry(id=0, url=url, host=host, priority=priority, anchor="an anchor text", why="because")
            )
            if number % BATCH == BATCH - 1:
                self._commit()
        self._commit()

    def pop_all(self) -> int:
        popped, timing = 0, Timing(started=0, answered=0, ended=0)
        while (task := self.frontier.pop(now=1.0)) is not None:
            self.frontier.settle(self.frontier.leased[task.id], State.DONE)
            self.clocks.release(task.host, timing)
            self.host_schedule.free(task.host)
            popped += 1
            if popped % BATCH == 0:
                self._commit()
        self._commit()
        return popped

    def _commit(self) -> None:
        _RUNNER.run(self.store.commit(self.pending.take()))
        self.pending.committed()
        self.frontier.trim(10**9)


def _create(folder: Path) -> None:
    topic = Topic(name="scale", terms=(Term(text="scale"),))
    folders.create(folder, Settings(topic=topic, seeds=("http://host0.test/",)))


def _work(folder: Path, size: int) -> None:
    collect_seldom()
    _create(folder)
    before = _resident()
    with open_store(folder) as store:
        crawl = _Crawl(store)
        wall, cpu = time.perf_counter(), time.process_time()
        crawl.add_all(size)
        popped = crawl.pop_all()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    assert popped == size, f"{popped} of {size} URLs came out"
    print(json.dumps({"wall": wall / size * 1e6, "cpu": cpu / size * 1e6, "memory": _resident() - before}))


def _fill(folder: Path, size: int) -> None:
    _create(folder)
    with open_store(folder) as store:
        _Crawl(store).add_all(size)
        os.kill(os.getpid(), signal.SIGKILL)


def _open(folder: Path, size: int) -> None:
    start = time.perf_counter()
    with open_store(folder) as store:
        frontier = _Crawl(store).frontier
        first = frontier.pop(now=1.0)
        taken = time.perf_counter() - start
    assert first is not None
    assert len(frontier) == size - 1, f"{len(frontier)} URLs wait"
    print(json.dumps({"open": taken}))


def _resident() -> float:
    """The most memory this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
