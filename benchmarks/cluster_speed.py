"""Does a cluster grow with its workers? The same crawl with 1, 2, 4 and 8 `shoal worker` processes.

`python -m benchmarks.cluster_speed [--workers 1,2,4,8] [--pages 800] [--concurrency 2] [--repeat 1] [--json]`

Coordinator, workers, RabbitMQ, PostgreSQL and the web (`slow_web.py`, answers after 200 ms) are processes of this machine. Each
worker makes so few requests at once that the web's time bounds it, as it would on a machine of its own, and not the cores that
it shares here with all the others. Counted from the first tenth of the pages to the last, in the web's log: the start does not
count. Others may use the machine: of several turns the one that they disturbed least counts, and what finds the cores busy says
nothing about the cluster, and is not judged. Exits with 1 when a number of workers that is judged misses the target.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from benchmarks import measure, slow_web
from shoal import services
from shoal.errors import ShoalError
from shoal.model import Term, Topic
from shoal.settings import Budget, Cluster, Fetching, Politeness, Settings
from shoal.testing.daemons import Daemon, free_port, wait_until
from shoal.testing.servers import PostgreSQL, RabbitMQ
from shoal.testing.webserver import Access

TARGET = 0.9
"""Of the pages per second that n workers would have if each were as fast as the first one alone."""
FULL = 0.9
"""The share of the machine's cores at work, whoever keeps them busy, from which on the cores are the limit."""
CONCURRENCY = 2
"""Requests at once of each worker: eight of them then ask 80 times a second, which leaves two cores room."""
START_SECONDS = 60.0
SLACK = 5.0
"""A crawl may take so many times the time that the web's answers take."""
CORES = os.cpu_count() or 1
TOPIC = Topic(name="power grid", terms=(Term(text="power grid"), Term(text="substation"), Term(text="电网")))


class CrawlFailed(ShoalError):
    """A crawl of this benchmark did not come to its end."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Seconds of CPU, by who spent them."""

    coordinator: float
    workers: float
    rabbitmq: float
    postgresql: float
    web: float
    machine: float
    """All of the above and whatever else runs here."""

    def since(self, before: Spent) -> Spent:
        earlier = asdict(before)
        return Spent(**{who: seconds - earlier[who] for who, seconds in asdict(self).items()})

    @property
    def ours(self) -> float:
        return self.coordinator + self.workers + self.rabbitmq + self.postgresql + self.web


@dataclass(frozen=True, kw_only=True)
class Point:
    """The steady part of one crawl."""

    workers: int
    pages_per_second: float
    coordinator_ms: float
    """CPU per page; so are the next four."""
    worker_ms: float
    rabbitmq_ms: float
    postgresql_ms: float
    web_ms: float
    ours: float
    """The share of the machine's cores that this crawl kept busy, the web included."""
    busy: float
    """The share that was busy at all."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A number of workers against the smallest one."""

    workers: int
    linear: float
    """Its pages per second, in those of as many times the smallest number."""
    judged: bool
    """The cores were not the limit."""

    @property
    def said(self) -> str:
        return "cores full" if not self.judged else "met" if self.linear >= TARGET else "not met"


# --- one crawl -------------------------------------------------------------------------------------------------------


class Crawl:
    """A crawl with its own web and workers. Sole owner of their processes, which never outlive us (`testing/daemons.py`)."""

    def __init__(self, folder: Path, rabbitmq: RabbitMQ, postgresql: PostgreSQL, *, concurrency: int) -> None:
        self._folder = folder
        self._rabbitmq = rabbitmq
        self._postgresql = postgresql
        self._concurrency = concurrency
        self._cluster = Cluster(broker=rabbitmq.create_vhost(), database=postgresql.create_database())
        self._port = free_port()
        log = str(self._log)
        self._web = self._daemon("web", "-m", "benchmarks.slow_web", str(self._port), log)
        self._coordinator = self._daemon("coordinator", "-m", "shoal", "resume", "--dir", "crawl", "--quiet")
        self._workers: list[Daemon] = []
        self._seen: list[Access] = []
        self._read = 0
        """Bytes of the web's log that were read."""

    @contextmanager
    def running(self, *, workers: int, pages: int) -> Iterator[None]:
        """The web and all workers are there before the coordinator starts."""
        with ExitStack() as stack:
            self._start(self._web, stack)
            self._web.wait(self._is_serving, seconds=START_SECONDS)
            services.crawls.start_crawl(self._folder / "crawl", self._settings(pages), cluster=self._cluster)
            options = ("--quiet", "--concurrency", str(self._concurrency))
            for number in range(workers):
                name = f"worker-{number}"
                self._workers.append(self._daemon(name, "-m", "shoal", "worker", "--name", name, *options))
                self._start(self._workers[-1], stack)
            if not wait_until(lambda: self._on_line() >= workers, seconds=START_SECONDS):
                raise CrawlFailed(f"Not all of {workers} workers have come within {START_SECONDS:.0f} seconds.")
            self._start(self._coordinator, stack)
            yield

    def pages(self) -> list[Access]:
        """What the web has answered with a page so far, in this order."""
        with self._log.open("rb") as log:
            log.seek(self._read)
            lines = log.read()
        whole = lines[: lines.rfind(b"\n") + 1]
        self._read += len(whole)
        new = (msgspec.json.decode(line, type=Access) for line in whole.splitlines())
        self._seen += [access for access in new if access.status == 200]
        return self._seen

    def wait(self, happened: Callable[[], bool], *, seconds: float) -> None:
        """Until something has happened in this crawl; `CrawlFailed` when it is over before, or takes too long."""
        wait_until(lambda: happened() or not self.is_running, seconds=seconds)
        if not happened():
            said = (self._folder / "coordinator.log").read_text(encoding="utf-8", errors="replace").strip()[-1000:]
            raise CrawlFailed(f"The crawl stopped after {len(self.pages())} pages, or is too slow: {said}")

    @property
    def is_running(self) -> bool:
        return self._coordinator.is_running

    def spent(self) -> Spent:
        """So far, by all that have a part in it."""
        return Spent(
            coordinator=measure.cpu_seconds(self._coordinator.pid),
            workers=sum(measure.cpu_seconds(worker.pid) for worker in self._workers),
            rabbitmq=measure.family_cpu_seconds(self._rabbitmq.pid),
            postgresql=measure.family_cpu_seconds(self._postgresql.pid),
            web=measure.cpu_seconds(self._web.pid),
            machine=measure.busy_seconds(),
        )

    @property
    def _log(self) -> Path:
        return self._folder / "access.log"

    def _settings(self, pages: int) -> Settings:
        return Settings(
            topic=TOPIC,
            seeds=tuple(slow_web.home(host) for host in range(slow_web.HOSTS)),
            strategy="best-first",
            budget=Budget(max_pages=pages),
            politeness=Politeness(delay=0.0),
            # In a hurry: a crawl with few pages to go would rather wait for the host of the best link.
            fetching=Fetching(proxy=f"http://127.0.0.1:{self._port}", hurry=True),
            index=False,
        )

    def _daemon(self, name: str, *arguments: str) -> Daemon:
        # By the environment, where others cannot read the password.
        environment = os.environ | {
            "SHOAL_BROKER": self._cluster.broker,
            "SHOAL_HOME": str(self._folder / "state"),
        }
        environment["PYTHONPATH"] = str(Path(__file__).parent.parent)  # for `benchmarks`, which is installed nowhere
        return Daemon(name, [sys.executable, *arguments], folder=self._folder, environment=environment)

    def _start(self, daemon: Daemon, stack: ExitStack) -> None:
        daemon.start()
        stack.callback(daemon.end, signal.SIGKILL, seconds=START_SECONDS)

    def _on_line(self) -> int:
        """How many have a connection to RabbitMQ; the crawls before this one have none any more."""
        return int(self._rabbitmq.evaluate("length(rabbit_networking:connections())."))

    def _is_serving(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


def measure_one(crawl: Crawl, *, workers: int, pages: int, concurrency: int) -> Point:
    """The part of a crawl from the first tenth of its pages to the last."""
    longest = START_SECONDS + SLACK * pages * slow_web.ANSWER_AFTER / (workers * concurrency)
    with crawl.running(workers=workers, pages=pages):
        crawl.wait(lambda: len(crawl.pages()) >= pages // 10, seconds=longest)
        first, before, began = len(crawl.pages()), crawl.spent(), time.perf_counter()
        crawl.wait(lambda: len(crawl.pages()) >= pages - pages // 10, seconds=longest)
        after, seconds, seen = crawl.spent().since(before), time.perf_counter() - began, list(crawl.pages())
        crawl.wait(lambda: not crawl.is_running, seconds=longest)
    counted = len(seen) - first
    return Point(
        workers=workers,
        pages_per_second=counted / (seen[-1].ended - seen[first - 1].ended),
        coordinator_ms=1000 * after.coordinator / counted,
        worker_ms=1000 * after.workers / counted,
        rabbitmq_ms=1000 * after.rabbitmq / counted,
        postgresql_ms=1000 * after.postgresql / counted,
        web_ms=1000 * after.web / counted,
        ours=after.ours / seconds / CORES,
        busy=after.machine / seconds / CORES,
    )


# --- all of them -----------------------------------------------------------------------------------------------------


def measure_all(sizes: Sequence[int], *, pages: int, concurrency: int, repeat: int, say: Console) -> list[Point]:
    """Every number of workers `repeat` times, in turns: a busy minute of the machine then hurts all alike."""
    points = []
    with RabbitMQ() as rabbitmq, PostgreSQL() as postgresql:
        for turn in range(repeat):
            for workers in sizes:
                with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
                    crawl = Crawl(Path(folder), rabbitmq, postgresql, concurrency=concurrency)
                    points.append(measure_one(crawl, workers=workers, pages=pages, concurrency=concurrency))
                rate, busy = points[-1].pages_per_second, points[-1].busy
                say.print(
                    f"turn {turn + 1}: {workers} workers: {rate:.1f} pages/s, cores {busy:.0%} busy", highlight=False
                )
    return points


def least_disturbed(points: Sequence[Point]) -> Point:
    """Of all turns with one number of workers, the one in which others left the machine most to us."""
    return min(points, key=lambda point: point.busy - point.ours)


def judge(points: Sequence[Point]) -> list[Verdict]:
    """All of them against the smallest number of workers."""
    least = min(points, key=lambda point: point.workers)
    alone = least.pages_per_second / least.workers
    return [
        Verdict(
            workers=point.workers,
            linear=point.pages_per_second / (point.workers * alone),
            judged=max(point.busy, least.busy) < FULL,  # a disturbed baseline flatters all the others
        )
        for point in points
    ]


def table(points: Sequence[Point], verdicts: Sequence[Verdict], *, title: str) -> Table:
    shown = Table(title=title, caption="CPU in ms per page; the shares are of all cores of this machine.")
    parts = ("coordinator", "worker", "RabbitMQ", "PostgreSQL", "web")
    for heading in ("workers", "pages/s", "× linear", f"≥ {TARGET:g}", *parts, "cores busy", "by this"):
        shown.add_column(heading, justify="right")
    for point, verdict in zip(points, verdicts, strict=True):
        costs = (point.coordinator_ms, point.worker_ms, point.rabbitmq_ms, point.postgresql_ms, point.web_ms)
        shown.add_row(
            str(point.workers),
            f"{point.pages_per_second:.1f}",
            f"{verdict.linear:.2f}",
            verdict.said,
            *(f"{cost:.2f}" for cost in costs),
            f"{point.busy:.0%}",
            f"{point.ours:.0%}",
        )
    return shown


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The same crawl with more and more workers.")
    parser.add_argument("--workers", default="1,2,4,8", help="comma-separated (default: 1,2,4,8)")
    parser.add_argument("--pages", type=int, default=800, help="of each crawl (default: 800)")
    parser.add_argument("--concurrency", type=int, default=CONCURRENCY, help=f"of each worker (default: {CONCURRENCY})")
    parser.add_argument("--repeat", type=int, default=1, help="crawls with each number of workers (default: 1)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    chosen = parser.parse_args(given)
    try:
        chosen.workers = [int(number) for number in chosen.workers.split(",")]
    except ValueError:
        parser.error("--workers takes numbers with commas between them")
    if min(*chosen.workers, chosen.concurrency, chosen.repeat) < 1 or chosen.pages < 100:
        parser.error("at least one worker, one request at once, one turn and a hundred pages are needed")
    return chosen


def main(given: Sequence[str] | None = None) -> int:
    chosen = arguments(given)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that all `with` blocks are left
    options = {"pages": chosen.pages, "concurrency": chosen.concurrency, "repeat": chosen.repeat}
    try:
        measured = measure_all(chosen.workers, **options, say=Console(stderr=True))
    except ShoalError as problem:
        print(problem, file=sys.stderr)
        return 1
    points = [least_disturbed([point for point in measured if point.workers == size]) for size in chosen.workers]
    verdicts = judge(points)
    if chosen.json:
        rows = [{**asdict(p), **asdict(v), "said": v.said} for p, v in zip(points, verdicts, strict=True)]
        turns = [asdict(point) for point in measured]
        print(json.dumps({**options, "cores": CORES, "points": rows, "turns": turns}, indent=2))
    else:
        title = f"{chosen.pages} pages, {chosen.concurrency} requests at once per worker, {CORES} cores"
        Console(width=max(Console().width, 130)).print(table(points, verdicts, title=title))
    return 1 if any(verdict.said == "not met" for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
