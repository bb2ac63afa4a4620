"""What does it cost to make a crawl searchable? The same crawl with and without, in turns.

    python -m benchmarks.index_cost [--pages 3200] [--repeat 3]

CPU is that of the whole command, the process that keeps the index included. Target: at most 25 % on top of the crawl's.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import measure, nginx, site
from benchmarks.crawlers import shoal_program

TARGET = 0.25
TIMEOUT = 600.0


def crawl(made: site.Site, server: nginx.Server, *, index: bool) -> measure.Cost:
    limits = f"--delay 0 --per-host 64 --concurrency 64 --processes 2 --max-pages {made.pages}".split()
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
        place = f"--dir {folder}/crawl --allow-private 127.0.0.0/8 --scope host --quiet".split()
        wish = "--index" if index else "--no-index"
        url = server.url + made.start
        command = [shoal_program(), "crawl", "--topic", "power grid", "--seed", url, *place, *limits, wish]
        return measure.run(command, folder=Path(folder), timeout=TIMEOUT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=3200)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    made = site.build(pages=given.pages)
    costs: dict[bool, list[measure.Cost]] = {False: [], True: []}
    with nginx.serve(made.root) as server:
        for _ in range(given.repeat):
            for index in (False, True):
                costs[index].append(crawl(made, server, index=index))
    without, with_index = ([cost.cpu / made.pages * 1000 for cost in costs[index]] for index in (False, True))
    table = Table(
        "crawl", "CPU ms per page", "each run", "seconds", title=f"{made.pages:,} pages of one local site, two workers"
    )
    for name, found, index in (("without an index", without, False), ("with it", with_index, True)):
        each = ", ".join(f"{cpu:.2f}" for cpu in found)
        table.add_row(
            name, f"{statistics.median(found):.2f}", each, f"{statistics.median(c.seconds for c in costs[index]):.1f}"
        )
    console = Console()
    console.print(table)
    share = statistics.median(with_index) / statistics.median(without) - 1
    console.print(
        f"{share:+.0%} of CPU for the index; target: at most {TARGET:.0%}: {'met' if share <= TARGET else 'not met'}"
    )


if __name__ == "__main__":
    main()
