"""Which strategy is worth using? Every strategy crawls every topic of some webs, and is counted against the truth.

    sources ─open─► webs ─survey─► what can be found ─┐
    topics × strategies × judges ──► jobs ──pool──────┴─► jobs.jsonl ─► tables, plots, report

Or: is it worth judging images before they are downloaded? Then the images of crawls with and without judging are counted.

A finished job is written down at once, so that a comparison that was stopped can go on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec.structs import replace

from shoal.errors import InputError
from shoal.evaluate.comparison_files import (
    IMAGE_JOBS,
    JOBS,
    remove_old,
    result_folder,
    write_files,
    write_image_files,
)
from shoal.evaluate.image_standings import ImageComparison, figures_of, overall_of, ratios_of
from shoal.evaluate.job_pool import Began, share
from shoal.evaluate.jobs import JUDGING, ORACLE, Bench, BenchWeb, Conditions, Job, Result, image_jobs, key_of
from shoal.evaluate.offline_web import GENERATED, MeasuredWeb, open_web
from shoal.evaluate.standings import Comparison, CrawlResults, WebFacts, topic_facts
from shoal.evaluate.survey import Survey, kept_survey, stamp_of
from shoal.extras import need
from shoal.judge import judges
from shoal.settings import STRATEGY
from shoal.store.crawl_folder import storage_errors
from shoal.strategy import strategies
from shoal.topic.value_readers import one_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan:
    """What the user asked for."""

    sources: tuple[str, ...]
    images: bool = False
    """Whether images are counted, of crawls with and without judging; else pages, of all strategies."""
    strategies: tuple[str, ...] = ()
    """Empty: all; the default one where images are counted."""
    judges: tuple[str, ...] = ()
    """Empty: each strategy's own."""
    topics: tuple[str, ...] = ()
    """Empty: all; a name, or web/name."""
    conditions: Conditions
    labels: Path | None = None
    topic_files: tuple[Path, ...] = ()
    folder: Path
    resume: bool = False
    processes: int = 1
    cache: Path
    """Where surveys are kept from one comparison to the next."""
    title: str = ""


class Watcher(Protocol):
    """Hears how a comparison goes."""

    def say(self, sentence: str) -> None:
        """What happens now."""

    def warn(self, sentence: str) -> None:
        """Something that the user may want to put right."""

    def surveying(self, web: str, done: int, of: int) -> None:
        """So many pages of a web were parsed."""

    def planned(self, jobs: int, done: int) -> None:
        """So many jobs there are, and so many were done earlier."""

    def began(self, job: Job) -> None:
        """Somebody works on it now."""

    def ended(self, job: Job, result: Result) -> None:
        """It is done."""


def run_compare(plan: ComparisonPlan, watch: Watcher) -> Comparison | ImageComparison:
    """Survey, crawl, count, draw. Ctrl-C is passed on; what was finished by then stays in the folder."""
    started = time.monotonic()
    need("matplotlib")  # which draws when everything is over: hours from now, perhaps
    _check_names(plan)
    if plan.images:
        _check_images(plan)
    with ExitStack() as stack:
        webs = _opened(plan, stack, watch)
        chosen = _chosen(plan, webs)
        stack.enter_context(_own_folder(plan))
        fields = {
            web.web.name: _bench_web(plan, source, web, chosen[web.web.name], watch)
            for source, web in webs
            if web.web.name in chosen
        }
        results = _results(plan, fields, watch)
        watch.say("Drawing …")
        if plan.images:
            return _images_compared(plan, results, started)
        return _strategies_compared(plan, fields, results, started)


# --- what the user named ---------------------------------------------------------------------------------------------


def _check_names(plan: ComparisonPlan) -> None:
    for option, given, known in (
        ("--strategy", plan.strategies, strategies()),
        ("--judge", plan.judges, judges()),
    ):
        for name in given:
            _one_of(option, name, known)


def _check_images(plan: ComparisonPlan) -> None:
    """Of images the ways are compared, not the strategies; and only the maker of a web knows what its images show."""
    need("PIL")
    if len(plan.strategies) > 1:
        raise InputError("--images compares crawls with and without judging: name one --strategy.")
    if plan.judges:
        raise InputError("With --images each strategy has its own judge: leave --judge out.")
    for source in plan.sources:
        if source.partition(":")[0] != GENERATED:
            raise InputError(
                f"{source} is a recorded web, whose images nobody has labelled: "
                f"--images needs '{GENERATED}' or '{GENERATED}:SEED'."
            )


def _one_of(option: str, name: str, known: Iterable[str]) -> None:
    try:
        one_of(known)(name)
    except ValueError as error:
        raise InputError(f"{option} {error}") from None


def _opened(plan: ComparisonPlan, stack: ExitStack, watch: Watcher) -> list[tuple[str, MeasuredWeb]]:
    webs = [
        (source, web)
        for source in dict.fromkeys(plan.sources)
        for web in stack.enter_context(open_web(source, labels=plan.labels, topics=plan.topic_files, warn=watch.warn))
    ]
    names = [web.web.name for _, web in webs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(
            f"Two of the webs are called {twice[0]}; rename one of the files, so that they can be told apart."
        )
    return webs


def _chosen(plan: ComparisonPlan, webs: Sequence[tuple[str, MeasuredWeb]]) -> dict[str, list[str]]:
    """The topics of each web that are to be measured; a web without any is left out."""
    every = {web.web.name: [subject.name for subject in web.subjects] for _, web in webs}
    if not plan.topics:
        return every
    known = {topic for topics in every.values() for topic in topics}
    whole = {f"{web}/{topic}" for web, topics in every.items() for topic in topics}
    for name in plan.topics:
        _one_of("--topic", name, known | whole if "/" in name else known)
    wanted = set(plan.topics)
    found = {web: [topic for topic in topics if {topic, f"{web}/{topic}"} & wanted] for web, topics in every.items()}
    return {web: topics for web, topics in found.items() if topics}


# --- crawling --------------------------------------------------------------------------------------------------------


def _bench_web(plan: ComparisonPlan, source: str, web: MeasuredWeb, topics: Sequence[str], watch: Watcher) -> BenchWeb:
    stamp = stamp_of(source, web.web)
    subjects = {subject.name: subject for subject in web.subjects if subject.name in topics}
    agents = dict.fromkeys(subject.settings.fetching.user_agent for subject in subjects.values())
    surveys = {} if plan.images else {agent: _surveyed(plan, web, stamp, agent, watch) for agent in agents}
    return BenchWeb(web=web.web, surveys=surveys, subjects=subjects, stamp=stamp)


def _surveyed(plan: ComparisonPlan, web: MeasuredWeb, stamp: str, agent: str, watch: Watcher) -> Survey:
    return kept_survey(
        web.web,
        stamp,
        plan.cache,
        {url for subject in web.subjects for url in (*subject.settings.seeds, *subject.labelled)},
        user_agent=agent,
        processes=plan.processes,
        progress=lambda done, of: watch.surveying(web.web.name, done, of),
    )


def _jobs(plan: ComparisonPlan, fields: dict[str, BenchWeb]) -> list[Job]:
    """Of each web first the judges, then topic by topic: so what was understood of its pages is used while it is remembered."""
    if plan.images:
        strategy = _image_strategy(plan)
        return [
            job for web, field in fields.items() for topic in field.subjects for job in image_jobs(web, topic, strategy)
        ]
    names = list(dict.fromkeys(plan.strategies or strategies()))
    used = dict.fromkeys(plan.judges or (strategies()[name].judge for name in names))
    ratings = [(JUDGING, judge) for judge in used]
    contestants = [(ORACLE, "")] + [(name, judge) for name in names for judge in dict.fromkeys(plan.judges or ("",))]
    return [
        Job(web=web, topic=topic, strategy=strategy, judge=judge)
        for web, field in fields.items()
        for several in (ratings, contestants)
        for topic in field.subjects
        for strategy, judge in several
    ]


def _image_strategy(plan: ComparisonPlan) -> str:
    return plan.strategies[0] if plan.strategies else STRATEGY


def _group(job: Job) -> tuple[str, str]:
    """Who does one of a group does the next, too: crawls of one topic meet the same pages, judges those of a whole web."""
    return (job.web, "") if job.strategy == JUDGING else (job.web, job.topic)


def _results(plan: ComparisonPlan, fields: dict[str, BenchWeb], watch: Watcher) -> list[Result]:
    """What came of all jobs, those that were done in an earlier run too."""
    jobs = _jobs(plan, fields)
    keys = {key_of(job, fields[job.web], plan.conditions) for job in jobs}
    file = plan.folder / (IMAGE_JOBS if plan.images else JOBS)
    done = {result.job: result for result in _finished(file) if result.key in keys}
    left = [job for job in jobs if job not in done]
    watch.planned(len(jobs), len(done))
    log = _Log(file)
    try:
        for event in share(Bench(fields, plan.conditions), left, plan.processes, _group):
            if isinstance(event, Began):
                watch.began(event.job)
                continue
            done[event.job] = event.result
            log.add(event.result)
            watch.ended(event.job, event.result)
    finally:
        log.close()
    return [done[job] for job in jobs]


class _Log:
    """The file that a comparison goes on from; each line reaches it before the next job is begun."""

    def __init__(self, file: Path) -> None:
        self._folder = file.parent
        with storage_errors(self._folder):
            self._lines = file.open("ab")
            if self._lines.tell():  # the last line may have been cut off
                self._lines.write(b"\n")

    def add(self, result: Result) -> None:
        with storage_errors(self._folder):
            self._lines.write(msgspec.json.encode(result) + b"\n")
            self._lines.flush()

    def close(self) -> None:
        self._lines.close()


def _finished(file: Path) -> Iterator[Result]:
    """The lines of an earlier run; one that was cut off in the middle is not among them."""
    try:
        lines = file.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            yield msgspec.json.decode(line, type=Result)
        except msgspec.DecodeError:
            continue


# --- what comes of it ------------------------------------------------------------------------------------------------


def _strategies_compared(
    plan: ComparisonPlan, fields: dict[str, BenchWeb], raw: Sequence[Result], started: float
) -> Comparison:
    results = CrawlResults(raw, plan.conditions.pages)
    standings, oracle = results.standings()
    comparison = Comparison(
        title=plan.title or f"Strategies compared on {_listed(results.webs)}",
        conditions=plan.conditions,
        webs=tuple(_facts(results, web, fields[web]) for web in results.webs),
        standings=tuple(standings),
        oracle=oracle,
        topics=tuple(results.figures()),
        judges=results.judges,
        folder=_readable(plan.folder),
        files=(),
        seconds=time.monotonic() - started,
    )
    return replace(comparison, files=write_files(plan.folder, comparison, results))


def _images_compared(plan: ComparisonPlan, results: Sequence[Result], started: float) -> ImageComparison:
    webs = list(dict.fromkeys(result.job.web for result in results))
    ratios = ratios_of(results)
    comparison = ImageComparison(
        title=plan.title or f"Images with and without judging on {_listed(webs)}",
        conditions=plan.conditions,
        strategy=_image_strategy(plan),
        topics=tuple(map(figures_of, results)),
        ratios=tuple(ratios),
        overall=tuple(overall_of(ratios)),
        folder=_readable(plan.folder),
        files=(),
        seconds=time.monotonic() - started,
    )
    return replace(comparison, files=write_image_files(plan.folder, comparison, results))


def _readable(folder: Path) -> str:
    return os.fsencode(folder).decode(errors="replace")


def _facts(results: CrawlResults, web: str, field: BenchWeb) -> WebFacts:
    titles = {name: subject.settings.topic.name for name, subject in field.subjects.items()}
    # Whoever reads them: other names change no more than a few links.
    survey = next(iter(field.surveys.values()))
    return WebFacts(
        name=web,
        pages=survey.pages,
        links=len(survey.links),
        topics=topic_facts(results, web, titles),
    )


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


# --- the folder ------------------------------------------------------------------------------------------------------


@contextmanager
def _own_folder(plan: ComparisonPlan) -> Iterator[None]:
    """An empty folder, or that of an earlier comparison, whose files are replaced; nothing else is ever removed."""
    with result_folder(plan.folder):
        if not plan.resume:
            remove_old(plan.folder, "images" if plan.images else "strategies")
        yield
