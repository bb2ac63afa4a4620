"""Is every strategy still as good as it was? Each has a floor, and a strategy that falls below it fails the build.

    python -m shoal.evaluate.gate                      measure, compare with the floors, exit with 1 when one is missed
    python -m shoal.evaluate.gate --update             raise floors that were beaten, add those of new strategies
    python -m shoal.evaluate.gate --update --lower     lower floors, too, and remove those of strategies that are gone

Measured is the share of the omniscient crawler's harvest on the generated web, what judging images is worth, and how good
the first hits of a search are. All of it is the same on every computer, so a floor is what was measured; only the last digits are
left to the arithmetic of others.
"""

from __future__ import annotations

import argparse
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Literal

from shoal.errors import InputError
from shoal.evaluate import retrieval
from shoal.evaluate.image_standings import figures_of, overall_of, ratios_of
from shoal.evaluate.job_pool import Ended, share
from shoal.evaluate.jobs import BASELINE, ORACLE, Bench, BenchWeb, Conditions, Job, Result, image_jobs
from shoal.evaluate.offline_web import GENERATED, MeasuredWeb, open_web
from shoal.evaluate.standings import CrawlResults
from shoal.evaluate.survey import Survey, cache_folder, kept_survey, stamp_of
from shoal.settings import STRATEGY, USER_AGENT
from shoal.strategy import strategies

FLOORS = Path("tests/evaluate/floors.toml")
TOPICS = ("power-grid", "rail", "smart-home")
"""In both languages, easy ones and one that is hard."""
PAGES = 300
IMAGE_PAGES = 100
"""Fewer, because images take their time."""
TOLERANCE = 0.005
IMAGES, SEARCH = "images", "search"
"""What is measured of these has a name that starts so (`search.ndcg`), and a section of its own in the file."""
_HEADING = f"""\
# What each strategy must reach on the generated web: its share of the omniscient crawler's harvest
# ({", ".join(TOPICS)}; {PAGES} pages). Written by `python -m shoal.evaluate.gate --update`.
"""
_SECTIONS = {
    IMAGES: f"""
# Crawls for images by {STRATEGY} with judging: the share of all relevant images that they bring home, and how many times as
# many relevant images as a crawl in breadth with all images has by then ({IMAGE_PAGES} pages).
[{IMAGES}]
""",
    SEARCH: f"""
# The first ten hits for the words of a topic, in an index of all pages: how good their order is, and the share of relevant ones.
[{SEARCH}]
""",
}

Verdict = Literal["ok", "better", "BELOW ITS FLOOR", "HAS NO FLOOR", "IS GONE"]


@dataclass(frozen=True, slots=True)
class FloorLine:
    """How a strategy stands."""

    name: str
    measured: float | None
    floor: float | None

    @property
    def verdict(self) -> Verdict:
        """In words."""
        if self.measured is None:
            return "IS GONE"
        if self.floor is None:
            return "HAS NO FLOOR"
        if self.measured < self.floor - TOLERANCE:
            return "BELOW ITS FLOOR"
        return "better" if self.measured > self.floor + TOLERANCE else "ok"

    @property
    def fails(self) -> bool:
        return self.verdict not in ("ok", "better")


def judged(measured: Mapping[str, float], floors: Mapping[str, float]) -> list[FloorLine]:
    """Every strategy that was measured or has a floor, the best first."""
    names = sorted({*measured, *floors}, key=lambda name: (-measured.get(name, -1.0), name))
    return [FloorLine(name, measured.get(name), floors.get(name)) for name in names]


def ahead_of(leader: str, lines: Sequence[FloorLine]) -> list[str]:
    """The strategies that are as good as the one that should lead, or better."""
    strategic = [line for line in lines if not _section(line.name)]
    measured = {line.name: line.measured for line in strategic if line.measured is not None}
    least = measured.get(leader, -1.0)
    return [name for name, value in measured.items() if name != leader and value >= least]


def updated(lines: Sequence[FloorLine], *, lower: bool) -> dict[str, float]:
    """The floors from now on: never lower than before, and never one less, unless that is asked for."""
    new: dict[str, float] = {}
    for line in lines:
        measured = None if line.measured is None else floor(line.measured * 1000) / 1000
        if measured is not None and (line.floor is None or lower or measured > line.floor):
            new[line.name] = measured
        elif line.floor is not None and not (lower and measured is None):
            new[line.name] = line.floor
    return new


def table(lines: Sequence[FloorLine]) -> str:
    """For a person who wants to know what failed."""
    width = max([len("strategy"), *(len(line.name) for line in lines)])
    rows = [f"{'strategy':{width}}  measured  floor"]
    lines = sorted(lines, key=lambda line: _section(line.name))  # strategies first, in their order
    rows += [
        f"{line.name:{width}}  {_figure(line.measured)}  {_figure(line.floor)[3:]}  {line.verdict}" for line in lines
    ]
    return "\n".join(rows)


def _section(name: str) -> str:
    """Where in the file it belongs; nowhere for a strategy."""
    section, dot, _ = name.partition(".")
    return section if dot else ""


def _figure(value: float | None) -> str:
    return f"{'–' if value is None else f'{value:.3f}':>8}"


# --- the file --------------------------------------------------------------------------------------------------------


def read_floors(path: Path) -> dict[str, float]:
    """The floors by the name of the strategy, those of sections behind a prefix; none when there is no file yet."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}") from None
    for section in _SECTIONS:
        own = found.pop(section, {})
        if not isinstance(own, dict):
            raise InputError(f"{path}: the floors of {section} must be a section, [{section}]")
        found |= {f"{section}.{name}": value for name, value in own.items()}
    if wrong := [name for name, value in found.items() if not isinstance(value, int | float)]:
        raise InputError(f"{path}: the floor of {wrong[0]} must be a number")
    return {name: float(value) for name, value in found.items()}


def write_floors(path: Path, floors: Mapping[str, float]) -> None:
    """The best strategy first, then the sections."""
    ordered = sorted(floors.items(), key=lambda item: (-item[1], item[0]))
    text = _HEADING
    for section in ("", *_SECTIONS):
        own = [(name.rpartition(".")[2], value) for name, value in ordered if _section(name) == section]
        text += _SECTIONS.get(section, "") if own else ""
        text += "".join(f"{name} = {value:.3f}\n" for name, value in own)
    path.write_text(text, encoding="utf-8")


# --- measuring -------------------------------------------------------------------------------------------------------


def measure(processes: int, cache: Path) -> dict[str, float]:
    """What every strategy reaches now."""
    with open_web(GENERATED) as (web,):
        stamp = stamp_of(GENERATED, web.web)
        survey = kept_survey(web.web, stamp, cache, processes=processes)
        jobs = [
            Job(web=web.web.name, topic=topic, strategy=strategy)
            for topic in TOPICS
            for strategy in (ORACLE, *strategies())
        ]
        results = _results(_bench_web(web, stamp, {USER_AGENT: survey}), Conditions(pages=PAGES), jobs, processes)
    standings, _ = CrawlResults(results, PAGES).standings()
    return {row.name: row.overall.of_oracle for row in standings}


def measure_images(processes: int) -> dict[str, float]:
    """What judging images is worth now."""
    with open_web(GENERATED) as (web,):
        ways = [image_jobs(web.web.name, topic, STRATEGY) for topic in TOPICS]
        jobs = [job for judged, _, baseline in ways for job in (judged, baseline)]
        results = _results(_bench_web(web, "", {}), Conditions(pages=IMAGE_PAGES), jobs, processes)
    [overall] = overall_of(ratios_of(results))
    own = [figures_of(result) for result in results if result.job.images == "relevant"]
    return {
        f"{IMAGES}.times-{BASELINE}": overall.ratio or 0.0,
        f"{IMAGES}.recall": sum(row.end.relevant for row in own) / sum(row.total for row in own),
    }


def _bench_web(web: MeasuredWeb, stamp: str, surveys: Mapping[str, Survey]) -> BenchWeb:
    subjects = {subject.name: subject for subject in web.subjects}
    return BenchWeb(web=web.web, surveys=surveys, subjects=subjects, stamp=stamp)


def _results(field: BenchWeb, conditions: Conditions, jobs: Sequence[Job], processes: int) -> list[Result]:
    events = share(Bench({field.web.name: field}, conditions), jobs, processes, lambda job: job.topic)
    return [event.result for event in events if isinstance(event, Ended)]


def measure_search() -> dict[str, float]:
    """How good the first hits of a search are now."""
    with open_web(GENERATED) as (web,):
        found = retrieval.measure(web, [subject.name for subject in web.subjects])
    return {
        f"{SEARCH}.ndcg": sum(quality.ndcg for quality in found) / len(found),
        f"{SEARCH}.precision": sum(quality.precision for quality in found) / len(found),
    }


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m shoal.evaluate.gate", description="Is every strategy still as good?"
    )
    parser.add_argument("--update", action="store_true", help="raise floors, and add those of new strategies")
    parser.add_argument("--lower", action="store_true", help="with --update: lower and remove floors, too")
    parser.add_argument("--floors", type=Path, default=FLOORS, help=f"the file of floors (default: {FLOORS})")
    given = parser.parse_args(arguments)
    if given.lower and not given.update:
        parser.error("--lower needs --update")
    try:
        floors = read_floors(given.floors)
    except InputError as error:
        parser.error(str(error))
    processes = os.cpu_count() or 1
    strategic = measure(processes, cache_folder(os.environ))
    lines = judged(strategic | measure_images(processes) | measure_search(), floors)
    if given.update:
        new = updated(lines, lower=given.lower)
        write_floors(given.floors, new)
        lines = judged({line.name: line.measured for line in lines if line.measured is not None}, new)
    print(table(lines))
    if failing := [line.name for line in lines if line.fails]:
        print(f"\nNot as good as they were, or unknown: {', '.join(failing)}.", file=sys.stderr)
    if better := ahead_of(STRATEGY, lines):
        print(
            f"\nThe default {STRATEGY} must be above all others, and is not above {', '.join(better)}.", file=sys.stderr
        )
    return 1 if failing or better else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
