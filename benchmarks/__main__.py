"""What do all benchmarks say? Runs them in order: `python -m benchmarks`, or `make bench`.

Prints "not met" where a target is missed; exits non-zero when a benchmark could not be run, or the cluster does not grow.
"""

from __future__ import annotations

import subprocess
import sys

BENCHMARKS = {
    "start_up": "Start: version, help and mistyped options",
    "crawl_speed": "Crawl speed: shoal and its rivals on one local site",
    "politeness_rate": "Politeness: a thousand hosts at one request a second",
    "cluster_speed": "Cluster: from one worker to eight",
    "frontier_scale": "Frontier: from ten thousand URLs to a million",
    "learned_scale": "The strategy that learns: from ten thousand links to a million",
    "coordinator_bound": "Cluster: how many pages one coordinator can coordinate",
    "graph_refresh": "Graph: ranking a hundred thousand pages anew",
    "install_size": "Installation: what comes with it",
    "index_cost": "Index: what it costs to make a crawl searchable",
    "search_speed": "Search: among a hundred thousand pages",
    "search_quality": "Search: the first ten hits, beside other engines",
    "merged_ranking": "Search: several crawls beside one of all their pages",
}


def main() -> int:
    # Each in a process of its own: what one leaves in memory must not weigh on the next.
    codes = []
    for module, heading in BENCHMARKS.items():
        print(f"\n== {heading} ==", flush=True)
        codes.append(subprocess.run([sys.executable, "-m", f"benchmarks.{module}"], check=False).returncode)
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
