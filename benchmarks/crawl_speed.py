"""How fast is a whole crawl, and what does it cost? Shoal and its rivals on the same site, one after the other.

`python -m benchmarks.crawl_speed [--only shoal,scrapy] [--repeat 3] [--pages 3200] [--json]`

The machine may be busy with other things, so the contestants take turns and the medians count. The time is that of the
whole command, start of the interpreter and last write included. Whether all pages were fetched is read in the server's log.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import measure, nginx, site
from benchmarks.access_log import is_page
from benchmarks.crawlers import CRAWLERS, Crawler

BASELINE = "scrapy"
SPEED_TARGET = 5.0
"""Shoal's pages per second, in Scrapy's."""
CPU_TARGET = 0.25
"""Shoal's CPU per page, in Scrapy's."""
TIMEOUT = 600.0
BUSY = 0.6
"""Processors at work elsewhere (nginx needs up to half of one) from which on a time says more about them than about us."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One crawl of the whole site by one crawler."""

    crawler: str
    pages: int
    """Different pages that the server sent; fewer than the site has means that the crawler did not finish its work."""
    requests: int
    seconds: float
    cpu: float
    peak_mb: float
    elsewhere: float


@dataclass(frozen=True, kw_only=True)
class Result:
    """The medians of a crawler's runs."""

    crawler: str
    version: str
    does: str
    pages: int
    """The fewest of all runs."""
    pages_per_second: float
    cpu_ms_per_page: float
    peak_mb: float
    elsewhere: float
    """Processors kept busy by others; the median."""


@dataclass(frozen=True, kw_only=True)
class Against:
    """A crawler in units of the baseline."""

    speed: float
    cpu: float


def measure_all(crawlers: Sequence[Crawler], *, pages: int, repeat: int, say: Console) -> list[Run]:
    """Every crawler `repeat` times, in turns: a busy minute of the machine then hurts all alike.

    A run that failed is told and missing; the others go on.
    """
    made = site.build(pages=pages)
    runs: list[Run] = []
    with nginx.serve(made.root) as server:
        for turn in range(repeat):
            for crawler in crawlers:
                try:
                    done = measure_one(crawler, made, server)
                except measure.CommandFailed as failure:
                    say.print(f"turn {turn + 1}: {crawler.name} failed: {failure}", highlight=False, markup=False)
                else:
                    runs.append(done)
                    say.print(
                        f"turn {turn + 1}: {done.crawler}: {done.pages} pages in {done.seconds:.1f} s", highlight=False
                    )
    return runs


def measure_one(crawler: Crawler, made: site.Site, server: nginx.Server) -> Run:
    before = server.log.position()
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
        command = crawler.command(server.url + made.start, Path(folder), made.pages)
        cost = measure.run(command, folder=Path(folder), timeout=TIMEOUT)
    seen = server.log.entries(since=before)
    return Run(
        crawler=crawler.name,
        pages=len({access.path for access in seen if is_page(access)}),
        requests=len(seen),
        **asdict(cost),
    )


def summarise(crawler: Crawler, runs: Sequence[Run]) -> Result:
    return Result(
        crawler=crawler.name,
        version=crawler.version(),
        does=crawler.does,
        pages=min(run.pages for run in runs),
        pages_per_second=statistics.median(run.pages / run.seconds for run in runs),
        cpu_ms_per_page=statistics.median(1000 * run.cpu / run.pages for run in runs),
        peak_mb=max(run.peak_mb for run in runs),
        elsewhere=statistics.median(run.elsewhere for run in runs),
    )


def against(result: Result, baseline: Result) -> Against:
    return Against(
        speed=result.pages_per_second / baseline.pages_per_second,
        cpu=result.cpu_ms_per_page / baseline.cpu_ms_per_page,
    )


def table(results: Sequence[Result], baseline: Result | None) -> Table:
    shown = Table("crawler", "version", "does", title="A whole crawl of one local site")
    for heading in ("pages", "pages/s", "CPU ms/page", "peak MB", "others", f"speed ÷ {BASELINE}", f"CPU ÷ {BASELINE}"):
        shown.add_column(heading, justify="right")
    for result in results:
        ratio = against(result, baseline) if baseline else None
        shown.add_row(
            result.crawler,
            result.version,
            result.does,
            str(result.pages),
            f"{result.pages_per_second:.0f}",
            f"{result.cpu_ms_per_page:.2f}",
            f"{result.peak_mb:.0f}",
            f"{result.elsewhere:.1f}",
            f"{ratio.speed:.2f}" if ratio else "",
            f"{ratio.cpu:.2f}" if ratio else "",
        )
    return shown


def verdicts(results: Sequence[Result], baseline: Result | None, *, pages: int) -> list[str]:
    """What the figures say about the targets, in sentences."""
    said = [
        f"{r.crawler} fetched only {r.pages} of {pages} pages: its figures do not count"
        for r in results
        if r.pages < pages
    ]
    said += [
        f"the machine was busy with other things while {r.crawler} ran ({r.elsewhere:.1f} processors): "
        "trust its CPU per page, not its pages per second"
        for r in results
        if r.elsewhere > BUSY
    ]
    shoal = next((result for result in results if result.crawler == "shoal"), None)
    if shoal and baseline:
        ratio = against(shoal, baseline)
        whole = shoal.pages >= pages and baseline.pages >= pages
        for what, value, met in (
            (f"at least {SPEED_TARGET:g} times Scrapy's pages per second", ratio.speed, ratio.speed >= SPEED_TARGET),
            (f"at most {CPU_TARGET:g} of Scrapy's CPU per page", ratio.cpu, ratio.cpu <= CPU_TARGET),
        ):
            said.append(f"{what}: {'met' if met and whole else 'not met'} ({value:.2f})")
    return said


def present(crawlers: Sequence[Crawler], say: Console) -> list[Crawler]:
    """Those that can run here; a missing rival is named and left out."""
    able = []
    for crawler in crawlers:
        try:
            crawler.version()
        except nginx.NotInstalled as missing:
            say.print(f"left out: {crawler.name}: {missing}")
        else:
            able.append(crawler)
    return able


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    names = [crawler.name for crawler in CRAWLERS]
    parser = argparse.ArgumentParser(description="Crawl one local site with shoal and its rivals.")
    parser.add_argument("--only", default=",".join(names), help=f"comma-separated, of: {', '.join(names)}")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each crawler, in turns (default: 3)")
    parser.add_argument("--pages", type=int, default=3200, help="pages of the site (default: 3200)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    chosen = parser.parse_args(given)
    chosen.only = chosen.only.split(",")
    if unknown := set(chosen.only) - set(names):
        parser.error(f"there is no {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
    return chosen


def main(given: Sequence[str] | None = None) -> int:
    chosen = arguments(given)
    say = Console(stderr=True)
    crawlers = present([crawler for crawler in CRAWLERS if crawler.name in chosen.only], say)
    try:
        runs = measure_all(crawlers, pages=chosen.pages, repeat=chosen.repeat, say=say)
    except nginx.NotInstalled as missing:
        print(missing, file=sys.stderr)
        return 1
    by_crawler = [(crawler, [run for run in runs if run.crawler == crawler.name]) for crawler in crawlers]
    results = [summarise(crawler, own) for crawler, own in by_crawler if own]
    baseline = next((result for result in results if result.crawler == BASELINE), None)
    said = verdicts(results, baseline, pages=chosen.pages)
    if chosen.json:
        ratios = {r.crawler: asdict(against(r, baseline)) for r in results} if baseline else {}
        print(json.dumps({"results": [asdict(r) for r in results], "ratios": ratios, "targets": said}, indent=2))
    else:
        out = Console(width=max(Console().width, 130))
        out.print(table(results, baseline))
        for sentence in said:
            out.print(sentence, highlight=False)
    return 0 if len(runs) == chosen.repeat * len(crawlers) else 1


if __name__ == "__main__":
    sys.exit(main())
