"""Does politeness cost speed? A thousand hosts that may each be asked once a second, on servers that take 200 ms.

`python -m benchmarks.politeness_rate [--hosts 1000] [--seconds 30] [--processes 2] [--json]`

The next request to a host may go out `DELAY` after the answer to the one before began, so a perfect crawler makes
hosts / (delay + answer time) requests a second. All hosts live behind one nginx that plays the proxy. Rate and
politeness are both read in its log.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from benchmarks import measure, nginx, site, words
from benchmarks.access_log import CLOCK
from benchmarks.crawlers import shoal_program
from shoal.testing.politeness_audit import violations
from shoal.testing.webserver import Access

DELAY = 1.0
ANSWER_AFTER = 0.2
WARM_UP = 10.0
"""Seconds after the first request that do not count: the robots.txt of every host comes first."""
TARGET = 0.95
ROBOTS = "User-agent: *\nDisallow: /private/\n"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of the crawl."""

    hosts: int
    seconds: float
    """How long was counted."""
    rate: float
    """Requests per second in that time."""
    ideal: float
    share: float
    cpu_ms_per_request: float
    impolite: int
    """Requests that came too soon, too many at once, or against robots.txt, in the whole crawl."""
    examples: tuple[str, ...]

    @property
    def met(self) -> bool:
        return self.share >= TARGET


def build(*, hosts: int, pages: int, seed: int = 7) -> Path:
    """A folder per host with small pages that link to the next ones there, and to some other hosts."""

    def write(folder: Path) -> None:
        for host in range(hosts):
            home = folder / host_name(host)
            home.mkdir()
            (home / "robots.txt").write_text(ROBOTS)
            for number in range(pages):
                text = page(host, number, hosts=hosts, pages=pages, seed=seed)
                (home / file_name(number)).write_text(text, encoding="utf-8")

    return site.made_once(f"hosts-{hosts}-{pages}-{seed}", write, recipe=(Path(__file__), *words.RECIPE))


def host_name(host: int) -> str:
    return f"h{host:04d}.test"


def file_name(number: int) -> str:
    return f"page-{number:03d}.html" if number else "index.html"


def page(host: int, number: int, *, hosts: int, pages: int, seed: int) -> str:
    rng = Random(f"{seed} {host} {number}")
    # Every third host writes about the topic: priorities differ, and politeness must hold whichever page is best.
    vocabulary = words.vocabulary("energy" if host % 3 == 0 else "sea", "zh" if host % 4 == 1 else "en")
    name = vocabulary.title(rng)
    nearby = "".join(f'<li><a href="{file_name((number + step) % pages)}">part {step}</a></li>' for step in range(1, 9))
    abroad = "".join(
        f'<li><a href="http://{host_name(other)}/{file_name(rng.randrange(pages))}">{host_name(other)}</a></li>'
        for other in rng.sample(range(hosts), min(2, hosts))
    )
    paragraphs = "".join(f"<p>{' '.join(vocabulary.sentence(rng) for _ in range(3))}</p>\n" for _ in range(4))
    return (
        f'<!DOCTYPE html>\n<html lang="{vocabulary.language}"><head><meta charset="utf-8"><title>{name}</title></head>\n'
        f'<body><h1>{name}</h1>\n{paragraphs}<ul>{nearby}{abroad}<li><a href="/private/{number}.html">desk</a></li></ul>'
        "</body></html>\n"
    )


def topic_file(hosts: int) -> str:
    """All hosts are seeds, so that all are known from the first second."""
    seeds = ",\n".join(f'  "http://{host_name(host)}/index.html"' for host in range(hosts))
    keywords = '"power grid" = 1.0, "substation" = 0.8, "电网" = 1.0, "变电站" = 0.8'
    return f'name = "power grid"\nkeywords = {{ {keywords} }}\nseeds = [\n{seeds}\n]\n'


def crawl(*, hosts: int, seconds: float, processes: int) -> Outcome:
    """Crawl for the warm-up and the time that counts, and read what the server saw."""
    lasts = WARM_UP + seconds + 2.0
    # Half as many pages again as a perfect crawler needs: no host may run dry while we count.
    root = build(hosts=hosts, pages=math.ceil(1.5 * lasts / (DELAY + ANSWER_AFTER)))
    with (
        nginx.serve(root, by_host=True, answer_after=ANSWER_AFTER) as server,
        tempfile.TemporaryDirectory(prefix="shoal-bench-") as name,
    ):
        folder = Path(name)
        (folder / "topic.toml").write_text(topic_file(hosts), encoding="utf-8")
        # One request per host is all that politeness allows: the limit on concurrency must not be what is measured.
        limits = f"--delay {DELAY} --per-host 1 --concurrency {hosts} --processes {processes} --max-time {lasts}"
        command = [shoal_program(), "crawl", "topic.toml", "--dir", "crawl", "--proxy", server.url, "--quiet"]
        cost = measure.run([*command, *limits.split()], folder=folder, timeout=3 * lasts + 60)
        seen = server.log.entries()
    return judge(seen, cost, hosts=hosts, seconds=seconds)


def judge(seen: Sequence[Access], cost: measure.Cost, *, hosts: int, seconds: float) -> Outcome:
    """The rate in the time that counts, and the politeness of all of it."""
    start = min(access.started for access in seen) + WARM_UP
    rate = sum(start <= access.started < start + seconds for access in seen) / seconds
    ideal = hosts / (DELAY + ANSWER_AFTER)
    rude = violations(seen, lambda host: DELAY - CLOCK, {host_name(host): ROBOTS for host in range(hosts)})
    return Outcome(
        hosts=hosts,
        seconds=seconds,
        rate=rate,
        ideal=ideal,
        share=rate / ideal,
        cpu_ms_per_request=1000 * cost.cpu / len(seen),
        impolite=len(rude),
        examples=tuple(str(violation) for violation in rude[:3]),
    )


def report(outcome: Outcome) -> str:
    lines = [
        f"{outcome.hosts} hosts, {DELAY:g} s delay, answers after {ANSWER_AFTER:g} s, counted for {outcome.seconds:g} s",
        f"rate {outcome.rate:.0f} requests/s, ideal {outcome.ideal:.0f}, share {outcome.share:.1%}",
        f"CPU {outcome.cpu_ms_per_request:.2f} ms per request",
        f"at least {TARGET:.0%} of the ideal rate: {'met' if outcome.met else 'not met'}",
        f"impolite requests: {outcome.impolite}",
        *outcome.examples,
    ]
    return "\n".join(lines)


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Crawl a thousand slow hosts politely and compare with the ideal rate."
    )
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=30.0, help="how long to count, after the warm-up")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    chosen = parser.parse_args(given)
    try:
        outcome = crawl(hosts=chosen.hosts, seconds=chosen.seconds, processes=chosen.processes)
    except (nginx.NotInstalled, measure.CommandFailed) as problem:
        print(problem, file=sys.stderr)
        return 1
    print(json.dumps({**asdict(outcome), "met": outcome.met}, indent=2) if chosen.json else report(outcome))
    return 0


if __name__ == "__main__":
    sys.exit(main())
