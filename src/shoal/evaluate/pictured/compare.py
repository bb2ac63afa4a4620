"""Is it worth judging pictures before they are downloaded? Every topic is crawled with and without, and counted.

    sources ─► generated webs ─► topics × ways ──crew──► results ─► curves, plots, report

A recorded web has no pictures and nobody has labelled any, so only generated webs can be measured on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from shoal.errors import InputError
from shoal.evaluate.compare import Plan
from shoal.evaluate.job_pool import Began, share
from shoal.evaluate.offline_web import GENERATED, GeneratedWeb, Subject, open_web
from shoal.evaluate.pictured.crawls import PictureBench, PictureField, PictureJob, PictureResult, ways
from shoal.evaluate.pictured.report import write_picture_curves, write_picture_report
from shoal.evaluate.pictured.standings import PictureComparison, figures_of, overall_of, ratios_of
from shoal.evaluate.resultfolder import note, remove_noted, result_folder
from shoal.settings import STRATEGY
from shoal.store.crawl_folder import storage_errors
from shoal.strategy import strategies
from shoal.topic.value_readers import one_of

CURVES, REPORT = "pictures.csv", "pictures.html"
PLOT = "-pictures.png"
_KIND = "pictures"
"""How the name of a plot ends; it starts with the name of its web."""


class PictureWatcher(Protocol):
    """Hears how a comparison goes."""

    def say(self, sentence: str) -> None:
        """What happens now."""

    def planned(self, jobs: int, done: int) -> None:
        """So many jobs there are, and so many were done earlier."""

    def began(self, job: PictureJob) -> None:
        """Somebody works on it now."""

    def ended(self, job: PictureJob, result: PictureResult) -> None:
        """It is done."""


def run_picture_compare(plan: Plan, watch: PictureWatcher) -> PictureComparison:
    """Crawl, count, draw. Ctrl-C is passed on; what was finished by then is lost, but it takes only minutes."""
    started = time.monotonic()
    strategy = _strategy(plan)
    _check_sources(plan)
    watch.say("Growing the web …")
    fields = _fields(plan)
    with result_folder(plan.folder):
        _remove_old(plan.folder)
        results = _results(plan, strategy, fields, watch)
        watch.say("Drawing …")
        return _written(plan, strategy, results, started)


# --- what the user named ---------------------------------------------------------------------------------------------


def _strategy(plan: Plan) -> str:
    """Only one, because the ways are compared, not the strategies."""
    if len(plan.strategies) > 1:
        raise InputError("--images compares crawls with and without judging: name one --strategy.")
    if plan.judges:
        raise InputError("With --images each strategy has its own judge: leave --judge out.")
    if plan.resume:
        raise InputError("A comparison of pictures takes only minutes and cannot be gone on with: leave --resume out.")
    name = plan.strategies[0] if plan.strategies else STRATEGY
    _one_of("--strategy", name, strategies())
    return name


def _one_of(option: str, name: str, known: Iterable[str]) -> None:
    try:
        one_of(known)(name)
    except ValueError as error:
        raise InputError(f"{option} {error}") from None


def _check_sources(plan: Plan) -> None:
    for source in plan.sources:
        if source.partition(":")[0] != GENERATED:
            raise InputError(
                f"{source} is a recorded web, whose pictures nobody has labelled: "
                f"--images needs '{GENERATED}' or '{GENERATED}:SEED'."
            )


def _fields(plan: Plan) -> dict[str, PictureField]:
    """By the name of the web, with the chosen topics only; a web without any is left out."""
    found = {}
    with ExitStack() as stack:
        for source in dict.fromkeys(plan.sources):
            (measured,) = stack.enter_context(open_web(source, labels=plan.labels, topics=plan.topic_files))
            assert isinstance(measured.web, GeneratedWeb), "a recorded web was refused"
            found[measured.web.name] = PictureField(measured.web, {one.name: one for one in measured.subjects})
    if not plan.topics:
        return found
    whole = {f"{web}/{topic}" for web, field in found.items() for topic in field.subjects}
    for name in plan.topics:
        _one_of("--topic", name, whole | {place.partition("/")[2] for place in whole})
    chosen = {web: PictureField(field.web, _chosen(plan.topics, web, field)) for web, field in found.items()}
    return {web: field for web, field in chosen.items() if field.subjects}


def _chosen(topics: Sequence[str], web: str, field: PictureField) -> dict[str, Subject]:
    return {name: subject for name, subject in field.subjects.items() if {name, f"{web}/{name}"} & set(topics)}


# --- crawling --------------------------------------------------------------------------------------------------------


def _results(plan: Plan, strategy: str, fields: dict[str, PictureField], watch: PictureWatcher) -> list[PictureResult]:
    jobs = [
        PictureJob(web=web, topic=topic, way=way)
        for web, field in fields.items()
        for topic in field.subjects
        for way in ways(strategy)
    ]
    done: dict[PictureJob, PictureResult] = {}
    watch.planned(len(jobs), 0)
    for event in share(PictureBench(fields, plan.conditions), jobs, plan.processes, lambda job: (job.web, job.topic)):
        if isinstance(event, Began):
            watch.began(event.job)
            continue
        done[event.job] = event.result
        watch.ended(event.job, event.result)
    return [done[job] for job in jobs]


# --- what comes of it ------------------------------------------------------------------------------------------------


def _written(plan: Plan, strategy: str, results: Sequence[PictureResult], started: float) -> PictureComparison:
    webs = list(dict.fromkeys(result.job.web for result in results))
    ratios = ratios_of(results)
    plots = [plan.folder / f"{web.replace(':', '-')}{PLOT}" for web in webs]
    comparison = PictureComparison(
        title=plan.title or f"Pictures with and without judging on {', '.join(webs)}",
        conditions=plan.conditions,
        strategy=strategy,
        topics=tuple(map(figures_of, results)),
        ratios=tuple(ratios),
        overall=tuple(overall_of(ratios)),
        folder=os.fsencode(plan.folder).decode(errors="replace"),
        files=(REPORT, CURVES, *(plot.name for plot in plots)),
        seconds=time.monotonic() - started,
    )
    # Here, because matplotlib takes a second to load, which a typing mistake need not wait for.
    from shoal.evaluate.pictured.plots import pictures_plot

    with storage_errors(plan.folder):
        write_picture_curves(plan.folder / CURVES, comparison.topics)
        for web, plot in zip(webs, plots, strict=True):
            own = [result for result in results if result.job.web == web]
            pictures_plot(own, plot, f"Pictures with and without judging on {web}")
        write_picture_report(plan.folder / REPORT, comparison, plots)
        note(plan.folder, _KIND, comparison.files)
    return comparison


def _remove_old(folder: Path) -> None:
    remove_noted(folder, _KIND)
    with storage_errors(folder):
        for name in (CURVES, REPORT):
            (folder / name).unlink(missing_ok=True)
