"""What does a change cost? CPU per page of this code beside that of another checkout, in turns, on the same site.

`python -m benchmarks.engine_cost --against ../before [--repeat 5] [--pages 1600] [--processes 1]`

`--against` is a work tree of the same repository (`git worktree add ../before COMMIT`). Both run in this environment, without an
index. A pair is one run of each, and the ratio of each is printed: a machine that others use too is faster in one minute than
in the next.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks import measure, nginx, site
from benchmarks.crawlers import REPOSITORY

TIMEOUT = 600.0


def cost_of(checkout: Path, url: str, pages: int, processes: int) -> float:
    """CPU milliseconds per page of one whole crawl."""
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
        limits = (
            f"--delay 0 --per-host 64 --concurrency 64 --processes {processes} --max-pages {pages} --no-index".split()
        )
        place = f"--dir {Path(folder) / 'crawl'} --allow-private 127.0.0.0/8 --scope host --quiet".split()
        command = [sys.executable, "-m", "shoal", "crawl", "--topic", "power grid", "--seed", url, *place, *limits]
        environment = os.environ | {
            "PYTHONPATH": str(checkout / "src"),
            "SHOAL_HOME": folder,
            "SHOAL_STATE_DIR": folder,
        }
        cost = measure.run(command, folder=Path(folder), timeout=TIMEOUT, environment=environment)
    return 1000 * cost.cpu / pages


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU per page of this code beside another checkout's.")
    parser.add_argument("--against", type=Path, required=True, help="a work tree with the code before")
    parser.add_argument("--repeat", type=int, default=5, help="pairs (default: 5)")
    parser.add_argument("--pages", type=int, default=1600, help="pages of the site (default: 1600)")
    parser.add_argument("--processes", type=int, default=1, help="worker processes (default: 1)")
    chosen = parser.parse_args()
    other = chosen.against.resolve()
    made = site.build(pages=chosen.pages)
    with nginx.serve(made.root) as server:
        url, pages, processes = server.url + made.start, made.pages, chosen.processes
        pairs = [
            (cost_of(REPOSITORY, url, pages, processes), cost_of(other, url, pages, processes))
            for _ in range(chosen.repeat)
        ]
    for new, old in pairs:
        print(f"{new:6.2f} ms/page here, {old:6.2f} there: {new / old:.3f}")
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = statistics.median(new / old for new, old in pairs)
    print(f"medians {ours:.2f} and {theirs:.2f} ms/page: {ours / theirs:.3f}; median of the ratios {ratios:.3f}")


if __name__ == "__main__":
    main()
