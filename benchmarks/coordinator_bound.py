"""How many pages per second can one coordinator coordinate? It bounds a cluster, however many workers there are.

A real coordinator hands out a crawl through a real RabbitMQ and keeps it in SQLite, and then in a real PostgreSQL. One worker
process answers every task at once, with pages that it has ready: those of the benchmark site (`site.py`), spread over 200 hosts.
So all that is measured is what the coordinator's own process does: receiving, strategy, frontier, database and WARC files.
CPU counts, from the first task to the last commit; the bound is its inverse. What was reached may be less, because the worker,
RabbitMQ and PostgreSQL share the machine.

    python -m benchmarks.coordinator_bound [--pages 3000] [--stores sqlite postgresql] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from msgspec.structs import replace

from benchmarks import site
from shoal import assembly
from shoal.cluster import wire
from shoal.cluster.dispatch import Dispatch
from shoal.cluster.worker_broker import WorkerBroker
from shoal.crawl.readers import make_reader
from shoal.crawl.time_slices import collect_seldom
from shoal.crawl.worker import work_together
from shoal.installation.sqlite_ledger import SqliteLedger
from shoal.model import Failure, Missed, Reason, Response, RobotsRead, Seen, Task, Term, Timing, Topic, Visit
from shoal.settings import Budget, Cluster, Fetching, Politeness, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.testing.servers import PostgreSQL, RabbitMQ

STRATEGIES = ("breadth", "best-first", "learned")
TARGET = 1000.0
"""Pages per second and core."""
HOSTS = 200
CAPACITY = 128
"""Requests that the worker is said to make at once."""
SPARE = 1.1
"""Pages of the site for each page of the crawl: the budget ends it, not the web."""
LONGEST = 300.0
"""Seconds that one crawl may take."""
TOPIC = Topic(name="grid", terms=(Term(text="power grid"), Term(text="substation"), Term(text="电网")))
_LINK = re.compile(rb'href="(/[^"]*)"')
_NEVER = Timing(started=0.0, answered=0.0, ended=0.0)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a process of this benchmark is told, by its standard input: the URLs have passwords."""

    strategy: str
    pages: int
    web: str
    """The file with the pages."""
    folder: str
    broker: str
    database: str = ""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=3000, help="of each crawl")
    options.add_argument("--stores", nargs="+", choices=("sqlite", "postgresql"), default=["sqlite", "postgresql"])
    options.add_argument("--strategies", nargs="+", default=list(STRATEGIES))
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    options.add_argument("--child", choices=("coordinate", "answer"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.child:
        collect_seldom()
        job = msgspec.json.decode(sys.stdin.buffer.readline(), type=Job)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run({"coordinate": _coordinate, "answer": _answer}[chosen.child](job))
        return
    rows = list(_measure(chosen.pages, chosen.stores, chosen.strategies, show=not chosen.json))
    if chosen.json:
        print(json.dumps(rows, indent=2))
        return
    slowest = min(rows, key=lambda row: row["bound"])
    verdict = "met" if slowest["bound"] >= TARGET else "NOT MET"
    print(
        f"bound: {slowest['bound']:.0f} pages/s with {slowest['strategy']} on {slowest['store']}, "
        f"target at least {TARGET:.0f}: {verdict}"
    )


def _measure(pages: int, stores: list[str], strategies: list[str], *, show: bool) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _write_web(home / "web", int(pages * SPARE))
        rabbit = stack.enter_context(RabbitMQ())
        postgres = stack.enter_context(PostgreSQL()) if "postgresql" in stores else None
        if show:
            print(
                f"{'store':<11}{'strategy':<11}{'CPU ms/page':>12}{'bound/s':>9}{'reached/s':>10}{'bytes/result':>13}"
            )
        for store in stores:
            for strategy in strategies:
                database = postgres.create_database() if postgres and store == "postgresql" else ""
                place = {"web": str(home / "web"), "folder": str(home / f"{store}-{strategy}")}
                job = Job(strategy=strategy, pages=pages, broker=rabbit.create_vhost(), database=database, **place)
                row = {"store": store, "strategy": strategy} | _run(job)
                if show:
                    print(
                        f"{store:<11}{strategy:<11}{row['cpu_ms']:>12.2f}{row['bound']:>9.0f}{row['reached']:>10.0f}"
                        f"{row['result_bytes']:>13,.0f}",
                        flush=True,
                    )
                yield row


def _run(job: Job) -> dict[str, float]:
    """One crawl, in two processes."""
    told = msgspec.json.encode(job) + b"\n"
    with _child("answer", told) as worker:
        assert worker.stdout is not None
        result_bytes = float(worker.stdout.readline() or "nan")
        command = [sys.executable, "-m", "benchmarks.coordinator_bound", "--child", "coordinate"]
        done = subprocess.run(command, input=told, stdout=subprocess.PIPE, check=True, timeout=LONGEST)
    figures: dict[str, float] = json.loads(done.stdout)
    cpu = figures["cpu"] / figures["pages"]
    return {
        "pages": figures["pages"],
        "cpu_ms": 1000 * cpu,
        "bound": 1 / cpu,
        "reached": figures["pages"] / figures["seconds"],
        "result_bytes": result_bytes,
    }


@contextmanager
def _child(name: str, told: bytes) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "benchmarks.coordinator_bound", "--child", name]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    try:
        child.stdin.write(told)
        child.stdin.flush()
        yield child
    finally:
        child.terminate()
        child.wait()


# --- the web ---------------------------------------------------------------------------------------------------------


def _write_web(file: Path, pages: int) -> None:
    """The pages of the site, parsed, one after the other."""
    encoder = msgspec.msgpack.Encoder()
    with file.open("wb") as stream:
        for number in range(pages):
            body = _LINK.sub(_spread, site.page(number, pages=pages, seed=7))
            headers = (("content-type", "text/html"), ("server", "nginx"), ("etag", f'"{number}"'))
            response = Response(url=_url(site.address(number)), status=200, headers=headers, body=body, timing=_NEVER)
            data = encoder.encode(response)
            stream.write(len(data).to_bytes(4, "big") + data)


def _spread(link: re.Match[bytes]) -> bytes:
    return b'href="%s"' % _url(link.group(1).decode()).encode()


def _url(path: str) -> str:
    """Each page has its host, and always the same."""
    return f"http://h{zlib.crc32(path.encode()) % HOSTS}.test{path}"


def _read_web(file: Path) -> Iterator[Response]:
    decoder = msgspec.msgpack.Decoder(Response)
    with file.open("rb") as stream:
        while length := stream.read(4):
            yield decoder.decode(stream.read(int.from_bytes(length, "big")))


# --- in the worker's process -----------------------------------------------------------------------------------------


class Ready:
    """A visitor that has seen everything already. Implements `protocols.Visitor`."""

    def __init__(self, job: Job) -> None:
        reader = make_reader(_settings(job))
        self._pages: dict[str, Seen] = {}
        for response in _read_web(Path(job.web)):
            seen = reader.read(Task(id=1, url=response.url), response)
            assert isinstance(seen, Seen)
            self._pages[response.url] = seen

    def mean_bytes(self) -> float:
        """Of a result on its way home."""
        results = (wire.Came(run="", lease=1, worker="", visit=seen) for seen in self._pages.values())
        return sum(len(wire.encode(result)) for result in results) / len(self._pages)

    async def visit(self, task: Task) -> Visit:
        """What the page would say, were it asked."""
        now = time.time()
        timing = Timing(started=now, answered=now, ended=now)
        if task.kind == "robots":
            return RobotsRead(task=task, text="", timing=timing)
        if (seen := self._pages.get(task.url)) is None:
            return Missed(task=task, failure=Failure(url=task.url, reason=Reason.STATUS, status=404, timing=timing))
        return replace(seen, task=task, response=replace(seen.response, timing=timing))


async def _answer(job: Job) -> None:
    visitor = Ready(job)
    print(visitor.mean_bytes(), flush=True)
    hand = WorkerBroker("bench", CAPACITY)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, hand.leave)
    async with asyncio.TaskGroup() as group:
        group.create_task(hand.run(job.broker))
        await work_together(hand, visitor, CAPACITY)
        hand.gone()


# --- in the coordinator's process ------------------------------------------------------------------------------------


def _settings(job: Job) -> Settings:
    return Settings(
        topic=TOPIC,
        seeds=(_url(site.address(0)),),
        strategy=job.strategy,
        budget=Budget(max_pages=job.pages),
        politeness=Politeness(delay=0.0, per_address=10_000),
        fetching=Fetching(hurry=True),
        index=False,
    )


async def _coordinate(job: Job) -> None:
    folder = Path(job.folder)
    settings = _settings(job)
    folders.create(folder, settings, cluster=Cluster(database=job.database, broker=job.broker))
    with open_store(folder) as store:
        ledger = SqliteLedger(folder / "hosts.sqlite", store.crawl_id, time.time)
        coordinator = assembly.make_coordinator(store, ledger)
        dispatch = Dispatch(coordinator, settings, crawl=store.crawl_id, run="bench", inherited={})
        cpu, began = _cpu(), time.perf_counter()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(coordinator.run())
            group.create_task(dispatch.run(job.broker, running))
            await asyncio.wait([running])
            seconds = time.perf_counter() - began
        figures = {"pages": store.totals().pages, "cpu": _cpu() - cpu, "seconds": seconds}
    print(json.dumps(figures))


def _cpu() -> float:
    """Seconds, user and system, of this process alone."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
