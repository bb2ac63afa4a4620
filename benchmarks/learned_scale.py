"""Does `learned` stay bounded, and as cheap, when a million links wait?

A crawl without a network: the real strategy, intake, frontier and store, in a real data folder; every page that is popped brings
fifty links that were never seen, and is as good as its section is. Printed, for each size of the queue: CPU per page of the last
pages before it was reached, beside that at the smallest size, and memory above the bare interpreter.

    python -m benchmarks.learned_scale [--sizes 10000 100000 1000000]
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections import deque
from pathlib import Path
from random import Random
from zlib import crc32

from shoal.crawl.time_slices import collect_seldom
from shoal.frontier.frontier import Frontier
from shoal.frontier.host_schedule import HostSchedule
from shoal.frontier.intake import Intake
from shoal.frontier.pending import PendingChanges
from shoal.frontier.politeness import Clocks
from shoal.frontier.scope import ScopeRule
from shoal.frontier.traps import TrapDetector
from shoal.judge.evidence import EvidenceJudge
from shoal.model import Entry, Link, Packed, PageSummary, ResponseHead, Seen, State, Task, Term, Timing, Topic, Verdict
from shoal.settings import Budget, Politeness, Scope, Settings
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.strategy.learned import Learned
from shoal.testing.memory_ledger import MemoryLedger
from shoal.topic.word_vectors import Meanings

LINKS = 50
HOSTS, SECTIONS = 5_000, 20
BATCH = 64
LAST = 400
"""Pages over which the cost is taken."""
TARGET = 800.0
"""MB at a million: twice what the frontier may take alone (`frontier_scale.py`)."""
TOPIC = Topic(name="grid", terms=(Term(text="power grid"), Term(text="电网")))
SEED = "http://host0.test/section0/0.html"
_AT_ONCE = Timing(started=0, answered=0, ended=0)
_NOTHING = Packed(size=0, digest=bytes(16), payload="")
_WORDS = (
    "weather",
    "power grid",
    "今日新闻",
    "电网建设",
    "more",
    "archive",
    "sports",
    "substation",
    "变电站",
    "about us",
)


class Web:
    """Pages that are made up when they are asked for. A section is about the topic, a little, or not at all."""

    def __init__(self) -> None:
        self._chance = Random(7)
        self._judge = EvidenceJudge(TOPIC)
        self._made = 0

    def visit(self, entry: Entry) -> Seen:
        links = [self._link(place) for place in range(LINKS)]
        section = crc32(entry.url.rpartition("/")[0].encode()) % 10
        score = max(0.0, min(1.0, (section - 6) / 3 + self._chance.gauss(0, 0.1)))
        return Seen(
            task=Task(id=entry.id, url=entry.url, host=entry.host, depth=entry.depth),
            response=ResponseHead(url=entry.url, status=200, headers=(), timing=_AT_ONCE),
            packed=_NOTHING,
            page=PageSummary(url=entry.url, links=tuple(links)),
            verdict=Verdict(score=score, threshold=0.35),
            hints=self._judge.judge_links(links),
        )

    def _link(self, place: int) -> Link:
        self._made += 1
        host, section = self._chance.randrange(HOSTS), self._chance.randrange(SECTIONS)
        url = f"http://host{host}.test/section{section}/{self._made}.html"
        return Link(url=url, anchor=self._chance.choice(_WORDS), path="body/div/ul/li/a", position=place)


class Crawl:
    """The parts that a coordinator would move."""

    def __init__(self, store: CrawlStore) -> None:
        self._store = store
        clocks = Clocks(Politeness(delay=0, per_host=10**9), MemoryLedger(), longest_request=60, random=Random(1))
        self._pending, self._host_schedule = PendingChanges(store.url_index), HostSchedule(clocks)
        self.frontier = Frontier(store.url_index, self._pending, self._host_schedule)
        self._clocks = clocks
        self._strategy = Learned.make(TOPIC, Meanings(()))
        scope = ScopeRule(Scope(), (SEED,))
        self._intake = Intake(
            self.frontier, self._pending, scope, TrapDetector(2026), Budget(), lost=self._strategy.lost
        )
        self._intake.seed(SEED, 1.0)
        self._web = Web()
        self._due = self._strategy.pace()

    async def page(self, number: int) -> None:
        """Fetch the best page, and all that comes of it."""
        task = self.frontier.pop(1.0)
        assert task is not None, "every page brings more than it takes"
        entry = self.frontier.leased[task.id]
        self._strategy.chosen(entry)
        for candidate in self._strategy.follow(self._web.visit(entry)):
            self._intake.link(candidate, entry)
        self.frontier.settle(entry, State.DONE)
        self._clocks.release(entry.host, _AT_ONCE)
        self._host_schedule.free(entry.host)
        self._due -= 1
        if self._due <= 0:
            for one in await self._strategy.refresh():
                self.frontier.reprice(one.key, one.priority, one.why)
            self._due = self._strategy.pace()
        if number % BATCH == 0:
            await self._store.commit(self._pending.take())
            self._pending.committed()
            self.frontier.trim(10**9)


async def grow(store: CrawlStore, sizes: list[int]) -> None:
    """Let the queue grow, and print a line at each size."""
    crawl = Crawl(store)
    costs: deque[float] = deque(maxlen=LAST)
    before, first = _resident(), 0.0
    print(f"{'waiting':>10} {'pages':>8} {'CPU ms/page':>12} {'x':>6} {'memory MB':>10}")
    number = 0
    for size in sizes:
        while len(crawl.frontier) < size:
            number += 1
            started = time.process_time()
            await crawl.page(number)
            costs.append(time.process_time() - started)
        cost, memory = sum(costs) / len(costs) * 1000, _resident() - before
        first = first or cost
        print(f"{len(crawl.frontier):>10,} {number:>8,} {cost:>12.2f} {cost / first:>6.2f} {memory:>10.0f}", flush=True)
    verdict = "met" if memory <= TARGET else "NOT MET"
    print(f"memory: {memory:.0f} MB, target at most {TARGET:g} MB: {verdict}")


def _resident() -> float:
    """The most memory this process ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learned_scale", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="URLs that wait")
    sizes = sorted(parser.parse_args().sizes)
    collect_seldom()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folders.create(folder, Settings(topic=TOPIC, seeds=(SEED,)))
        with open_store(folder) as store:
            asyncio.run(grow(store, sizes))


if __name__ == "__main__":
    main()
