"""How long does it take to rank all pages of a crawl anew?

A hundred thousand fetched pages with a million links, drawn by a seed with the power laws of the web: few pages have many
links, few are linked to often. Once as in the middle of a crawl, with three times as many URLs seen as fetched, and once as at
its end, with every URL fetched, which takes the most rounds. Measured is the CPU time of each refresh: a snapshot, its links
and all rounds. A warm start begins at the ranks from before the last hundredth of the pages. Plain Python does a web of
a hundredth of the size, to the same tolerance; its time per link is what `plain` is. `held up` is the longest that an
event loop had to wait while a thread did all of it, beside the longest with nothing to do.

    python -m benchmarks.graph_refresh [--pages 100000] [--links 1000000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.strategy.graph import DAMPING, TOLERANCE, Graph, Snapshot, Values

SEED = 7
ROOTS = 50
NEW = 0.01
"""The share of the pages that came since the last refresh."""
TARGET = 1.0
"""CPU seconds for a refresh of any kind."""
SMALLER = 100
"""Plain Python gets a web of the same kind, so many times smaller."""

Page = tuple[int, list[int]]


@dataclass(frozen=True)
class Web:
    """Pages in the order of fetching, and how relevant the URLs are, in the order in which they are seen."""

    name: str
    pages: list[Page]
    relevance: Values


def make(name: str, *, pages: int, links: int, urls: int) -> Web:
    """A web with about so many links; those that a page has twice count once."""
    chance = np.random.default_rng(SEED)
    keys = chance.integers(-(2**63), 2**63 - 1, urls)
    many = chance.pareto(1.5, pages) + 0.3
    # No page links to more than a tenth of the web, and none to nothing; the rest makes up for it.
    degrees = np.clip(many * links * 1.07 / many.sum(), 1, urls / 10).astype(int)
    order = chance.permutation(pages)
    fetched = [
        (int(keys[page]), keys[(urls * chance.random(degree) ** 2.5).astype(int)].tolist())
        for page, degree in zip(order, degrees, strict=True)
    ]
    # Most pages have nothing to do with a topic.
    relevance = chance.random(urls) ** 4 * (chance.random(urls) < 0.3)
    return Web(name=name, pages=fetched, relevance=relevance)


@dataclass(frozen=True)
class Refresh:
    """What one way to rank all pages cost."""

    name: str
    seconds: float
    """CPU time."""
    held_up: float
    """The longest that another thread had to wait meanwhile."""


def refreshes(web: Web, rounds: int) -> tuple[Graph, list[Refresh]]:
    """Every kind of refresh, measured in turns."""
    graph = Graph()
    last = int(len(web.pages) * (1 - NEW))
    fill(graph, web.pages[:last])
    earlier = graph.snapshot()
    ranks, topic_ranks = earlier.pagerank(), earlier.topic_pagerank(web.relevance[: len(earlier)])
    fill(graph, web.pages[last:])
    roots = [page for page, _ in web.pages[:ROOTS]]
    kinds: dict[str, Callable[[Snapshot], object]] = {
        "pagerank, cold": lambda snapshot: snapshot.pagerank(),
        "pagerank, warm": lambda snapshot: snapshot.pagerank(ranks),
        "topic pagerank, cold": lambda snapshot: snapshot.topic_pagerank(web.relevance[: len(snapshot)]),
        "topic pagerank, warm": lambda snapshot: snapshot.topic_pagerank(web.relevance[: len(snapshot)], topic_ranks),
        f"hits, {ROOTS} roots": lambda snapshot: snapshot.hits(roots),
        "hits, all are roots": lambda snapshot: snapshot.hits(snapshot.keys),
    }
    work = {name: partial(lambda rank: rank(graph.snapshot()), rank) for name, rank in kinds.items()}
    taken = [{name: cpu(refresh) for name, refresh in work.items()} for _ in range(rounds)]
    return graph, [
        Refresh(name, statistics.median(turn[name] for turn in taken), held_up(refresh))
        for name, refresh in work.items()
    ]


def fill(graph: Graph, pages: list[Page]) -> None:
    for page, targets in pages:
        graph.add(page, targets)


def cpu(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def held_up(work: Callable[[], object]) -> float:
    """The longest that this thread had to wait for its turn while another did the work."""
    thread = threading.Thread(target=work)
    longest, last = 0.0, time.perf_counter()
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    return longest


def plain_pagerank(pages: list[Page]) -> dict[int, float]:
    """What one would write first: dictionaries, and a loop over all links in each round."""
    links = {page: set(targets) - {page} for page, targets in pages}
    ranks = dict.fromkeys(set(links).union(*links.values()), 1 - DAMPING)
    while True:
        new = dict.fromkeys(ranks, 1 - DAMPING)
        for page, targets in links.items():
            for target in targets:
                new[target] += DAMPING * ranks[page] / len(targets)
        if all(abs(new[key] - rank) <= TOLERANCE * new[key] for key, rank in ranks.items()):
            return new
        ranks = new


def plain_per_link(pages: int, links: int, urls: int) -> float:
    small = make("small", pages=pages, links=links, urls=urls).pages
    graph = Graph()
    fill(graph, small)
    taken = cpu(lambda: plain_pagerank(small)) / graph.edges
    ours, theirs = graph.snapshot().pagerank(), plain_pagerank(small)
    assert all(abs(ours[graph.number(key)] / rank - 1) < 100 * TOLERANCE for key, rank in theirs.items())
    return taken


def report(web: Web, rounds: int, plain: float) -> float:
    """Print a table for one web; answers the longest refresh."""
    graph = Graph()
    adding = cpu(lambda: fill(graph, web.pages)) / graph.edges
    graph, measured = refreshes(web, rounds)
    snapshot = statistics.median(cpu(graph.snapshot) for _ in range(10 * rounds))
    cold = measured[0].seconds
    print(f"\n{web.name}: {graph.fetched:,} pages, {graph.edges:,} links, {len(graph):,} URLs")
    print(f"on the event loop: {adding * 1e6:.2f} µs to add a link, {snapshot * 1e3:.2f} ms for a snapshot")
    print(f"{'refresh':<22} {'CPU s':>7} {'µs/link':>8} {'of cold pagerank':>17} {'of plain':>9} {'held up ms':>11}")
    for row in measured:
        per_link = row.seconds / graph.edges
        print(
            f"{row.name:<22} {row.seconds:>7.3f} {per_link * 1e6:>8.3f} {row.seconds / cold:>17.2f}"
            f" {per_link / plain:>9.3f} {row.held_up * 1e3:>11.1f}",
            flush=True,
        )
    print(f"{'plain Python':<22} {'':>7} {plain * 1e6:>8.3f} {plain * graph.edges / cold:>17.2f} {1:>9.3f}")
    return max(row.seconds for row in measured)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=100_000, help="fetched pages")
    options.add_argument("--links", type=int, default=1_000_000)
    options.add_argument("--rounds", type=int, default=5, help="how often each refresh runs")
    chosen = options.parse_args()
    longest = 0.0
    for name, urls in (("in the middle of a crawl", 3), ("at its end", 1)):
        web = make(name, pages=chosen.pages, links=chosen.links, urls=urls * chosen.pages)
        small = chosen.pages // SMALLER
        plain = plain_per_link(small, chosen.links // SMALLER, urls * small)
        longest = max(longest, report(web, chosen.rounds, plain))
    idle = held_up(lambda: time.sleep(0.5))
    print(f"\nheld up with nothing to do: {idle * 1e3:.1f} ms")
    verdict = "met" if longest <= TARGET else "not met"
    print(f"longest refresh: {longest:.2f} CPU s, target at most {TARGET:g} s: {verdict}")


if __name__ == "__main__":
    main()
