"""What does one strategy find of one topic? One simulated crawl, whose pages or images are counted against the truth.

The omniscient crawler is a job like the others: it is what they are measured by. So is a rated judge (`judge_quality.py`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

import shoal
from shoal.errors import InputError
from shoal.evaluate.curves import harvest, hits_of
from shoal.evaluate.image_harvest import ImageHarvest, image_harvest
from shoal.evaluate.judge_quality import rate
from shoal.evaluate.offline_web import GeneratedWeb, OfflineWeb, Subject
from shoal.evaluate.oracle import omniscient
from shoal.evaluate.result_cache import ResultCache
from shoal.evaluate.simulation import LATENCY, Fetched, Run, simulate
from shoal.evaluate.survey import Ground, Survey, code_stamp
from shoal.judge.registry import Registered
from shoal.settings import Budget, ImageSettings, Politeness, Settings
from shoal.strategy import strategies
from shoal.topic.word_vectors import installed

ORACLE = "omniscient"
"""Stands where a strategy's name would."""
JUDGING = "judging"
"""So does this: no crawl, but the judge's scores of pages whose truth is known."""
BASELINE = "breadth"
"""Follows no topic: what the paper that judges images compares itself with."""
STEP = 100
"""The papers give their figures per so many pages."""
_WITHOUT_WAITING = Politeness(delay=0.0, fetch_factor=0.0, max_crawl_delay=0.0)


class Job(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One crawl to be measured, or one judge."""

    web: str
    topic: str
    strategy: str
    judge: str = ""
    """Empty: the strategy's own."""
    images: Literal["", "relevant", "all"] = ""
    """Which of them are downloaded, and counted instead of pages; empty: none."""

    @property
    def way(self) -> str:
        """How the topic is crawled, in words."""
        if self.images:
            return f"{self.strategy}, {'judged' if self.images == 'relevant' else 'all'} images"
        return f"{self.strategy} and the judge {self.judge}" if self.judge else self.strategy

    def __str__(self) -> str:
        if self.strategy == JUDGING:
            return f"{self.web}/{self.topic} judged by {self.judge}"
        return f"{self.web}/{self.topic} with {self.way}"


def image_jobs(web: str, topic: str, strategy: str) -> tuple[Job, ...]:
    """The crawls of a topic for images: with judging first, then what that is compared with, the paper's baseline last."""
    judged = Job(web=web, topic=topic, strategy=strategy, images="relevant")
    others = dict.fromkeys(replace(judged, strategy=name, images="all") for name in (strategy, BASELINE))
    return judged, *others


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """How all crawls of a comparison are run."""

    pages: int
    delay: float | None = None
    """Seconds between two requests to one host; None: hosts never wait, so that nothing but the order is measured."""
    concurrency: int | None = None
    """Requests in flight; None: one, or as many as usual when hosts wait."""
    latency: float = LATENCY
    max_depth: int | None = None
    """Links from a seed; None: what the topic file says."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job: one line of the file that a comparison goes on from."""

    key: str
    """The same when the same job would be done in the same way."""
    job: Job
    reachable: int = 0
    """Pages that can be reached from the seeds."""
    relevant: int = 0
    """Those of them that are relevant, by the labels."""
    fetched: int = 0
    hits: tuple[int, ...] = ()
    """With which fetches, counted from 1, a relevant page was found."""
    clock: tuple[float, ...] = ()
    """Simulated seconds after each STEP pages, and at the end."""
    judged: tuple[int, ...] = ()
    """What the judge took for relevant after each STEP pages, and at the end: its own opinion."""
    requests: int = 0
    """All that was asked for, redirects and failures too."""
    ending: str = ""
    seconds: float = 0.0
    """Of real time."""
    auc: float | None = None
    """Of a judge: how often a relevant page scores above another; None when all reachable pages are relevant."""
    average_precision: float | None = None
    """Of a judge, too."""
    images: ImageHarvest | None = None
    """Of a crawl for images: all that was counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchWeb:
    """A web and its topics, ready to be measured on."""

    web: OfflineWeb
    surveys: Mapping[str, Survey]
    """By the user agents of the topics: a page may ask one crawler not to follow its links, and let another.
    Not needed where images are counted."""
    subjects: Mapping[str, Subject]
    stamp: str


class Bench:
    """Where jobs are done, in one process; what was understood of a page is remembered from one job to the next."""

    def __init__(self, fields: Mapping[str, BenchWeb], conditions: Conditions) -> None:
        self._fields = fields
        self._conditions = conditions
        self._cache = ResultCache()
        self._ground: tuple[tuple[str, str], Ground] | None = None

    def __call__(self, job: Job) -> Result:
        """Crawl and count, or rate the judge."""
        started = time.monotonic()
        result = self._count_images(job) if job.images else self._count_pages(job)
        return replace(result, seconds=time.monotonic() - started)

    def _count_images(self, job: Job) -> Result:
        field = self._fields[job.web]
        assert isinstance(field.web, GeneratedWeb), "nobody has labelled the images of a recorded web"
        run = self._simulated(job)
        return Result(
            key=key_of(job, field, self._conditions),
            job=job,
            fetched=len(run.pages),
            requests=run.requests,
            ending=str(run.ending),
            images=image_harvest(field.web.web, job.topic, run),
        )

    def _simulated(self, job: Job) -> Run:
        field = self._fields[job.web]
        settings = settings_of(job, field.subjects[job.topic], self._conditions)
        return simulate(field.web, settings, latency=self._conditions.latency, cache=self._cache)

    def _count_pages(self, job: Job) -> Result:
        ground = self._ground_of(job)
        relevant = ground.relevant(self._fields[job.web].subjects[job.topic].labelled)
        if not relevant:
            raise InputError(
                f"Of the topic {job.web}/{job.topic} no labelled page can be reached from its seeds, so there is nothing to find."
            )
        measure = {ORACLE: self._foresee, JUDGING: self._rate}.get(job.strategy, self._crawl)
        return measure(job, ground, relevant)

    def _ground_of(self, job: Job) -> Ground:
        """Jobs of one topic follow each other, so one is enough."""
        place = job.web, job.topic
        if self._ground is None or self._ground[0] != place:
            field = self._fields[job.web]
            settings = field.subjects[job.topic].settings
            survey = field.surveys[settings.fetching.user_agent]
            self._ground = place, Ground(survey, replace(settings, budget=_budget(settings, self._conditions)))
        return self._ground[1]

    def _foresee(self, job: Job, ground: Ground, relevant: frozenset[int]) -> Result:
        pages = min(self._conditions.pages, len(ground.reachable))
        fetched = omniscient(ground.graph, ground.seeds, relevant, pages, ground.max_depth)
        found = harvest(ground.names(fetched), frozenset(ground.names(relevant)))
        return Result(
            key=key_of(job, self._fields[job.web], self._conditions),
            job=job,
            reachable=len(ground.reachable),
            relevant=len(relevant),
            # When all is found it may go on for as long as the others, and finds nothing more.
            fetched=pages,
            hits=hits_of(found),
            ending="everything found" if found.end.relevant == len(relevant) else "the page budget is reached",
        )

    def _rate(self, job: Job, ground: Ground, relevant: frozenset[int]) -> Result:
        field = self._fields[job.web]
        settings = field.subjects[job.topic].settings
        # Who may not keep a page cannot be right or wrong about it, whatever its label says.
        hidden = field.surveys[settings.fetching.user_agent].noindex
        others = ground.names(ground.reachable - relevant - hidden)
        quality = rate(field.web, settings, job.judge, ground.names(relevant), others, self._cache)
        return Result(
            key=key_of(job, field, self._conditions),
            job=job,
            reachable=len(ground.reachable),
            relevant=len(relevant),
            auc=quality.auc,
            average_precision=quality.average_precision,
        )

    def _crawl(self, job: Job, ground: Ground, relevant: frozenset[int]) -> Result:
        run = self._simulated(job)
        found = harvest((page.url for page in run.pages), frozenset(ground.names(relevant)))
        marks = [run.pages[:end] for end in _steps(len(run.pages))]
        return Result(
            key=key_of(job, self._fields[job.web], self._conditions),
            job=job,
            reachable=len(ground.reachable),
            relevant=len(relevant),
            fetched=len(run.pages),
            hits=hits_of(found),
            clock=tuple(_last_moment(pages) for pages in marks),
            judged=tuple(sum(page.relevant for page in pages) for pages in marks),
            requests=run.requests,
            ending=str(run.ending),
        )


def _steps(pages: int) -> list[int]:
    """After each STEP pages, and at the end."""
    steps = list(range(STEP, pages + 1, STEP))
    return steps if not pages or (steps and steps[-1] == pages) else [*steps, pages]


def _last_moment(pages: tuple[Fetched, ...]) -> float:
    # Not the last page's: with several requests in flight an earlier one may have come later.
    return max(page.at for page in pages)


def settings_of(job: Job, subject: Subject, conditions: Conditions) -> Settings:
    """The topic's own settings, with the strategy and the judge, and with conditions that are the same for all."""
    own = subject.settings
    politeness = _WITHOUT_WAITING if conditions.delay is None else replace(own.politeness, delay=conditions.delay)
    concurrency = conditions.concurrency or (1 if conditions.delay is None else own.fetching.concurrency)
    return replace(
        own,
        strategy=job.strategy,
        judge=job.judge,
        # Numbers that somebody set for one strategy mean nothing to another.
        parameters=own.parameters if job.strategy == own.strategy else (),
        budget=_budget(own, conditions),
        politeness=politeness,
        fetching=replace(own.fetching, concurrency=concurrency),
        images=ImageSettings(wanted=job.images) if job.images else own.images,
    )


def _budget(own: Settings, conditions: Conditions) -> Budget:
    """All crawls go equally far: one that could tell that its topic is exhausted must not stop before the others."""
    depth = own.budget.max_depth if conditions.max_depth is None else conditions.max_depth
    return replace(own.budget, max_pages=conditions.pages, max_depth=depth, until_done=None)


def _said(value: Conditions | Settings) -> bytes:
    """The same in every process: an encoded struct leaves out what is its default, but not a copy of that."""
    return repr(value).encode()


def key_of(job: Job, field: BenchWeb, conditions: Conditions) -> str:
    """Changes with all that the result depends on: web, labels, settings, the code, and the word vectors that it may use."""
    subject = field.subjects[job.topic]
    digest = blake2b(f"{field.stamp} {code_stamp()} {_stamp_of(job.strategy)} {job}".encode(), digest_size=12)
    # To a judge it makes no difference how a crawl goes, only where it can get to.
    digest.update(_said(Conditions(pages=0, max_depth=conditions.max_depth) if job.strategy == JUDGING else conditions))
    digest.update("\n".join(sorted(subject.labelled)).encode())
    if job.strategy in (ORACLE, JUDGING):
        digest.update(_said(replace(subject.settings, strategy="", judge="", parameters=())))
    else:
        digest.update(_said(settings_of(job, subject, conditions)))
    if job.strategy == ORACLE:
        return digest.hexdigest()
    digest.update("\n".join(one.name for one in installed()).encode())
    return digest.hexdigest()


@cache
def _stamp_of(strategy: str) -> str:
    digest = blake2b(digest_size=12)
    for file in code_of(strategy):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def code_of(strategy: str) -> list[Path]:
    """The files that a result depends on, beside those of `survey.code_stamp`: better one too many than one too few."""
    source = Path(shoal.__file__).parent
    ways = ("oracle", "curves", "jobs", "simulation", "offline_fetcher", "result_cache", "image_harvest")
    files = [
        *(source / "model").glob("*.py"),
        *(source / "evaluate" / f"{way}.py" for way in ways),
        *(source / "topic").glob("*.py"),
    ]
    if strategy != ORACLE:
        # Judges and strategies are made of each other's parts, so all judges count, whichever was named.
        files += (source / "judge").glob("*.py")
        own = (
            [source / "evaluate" / "judge_quality.py"]
            if strategy == JUDGING
            else _code_of_strategy(strategies()[strategy])
        )
        files += own
    return sorted(set(files))


def _code_of_strategy(choice: Registered[Any]) -> list[Path]:
    """Its own file, those it inherits from, the folders of parts beside it, and what all strategies share."""
    kinds = choice.make.__mro__ if isinstance(choice.make, type) else ()
    modules = [sys.modules[name] for name in (choice.make.__module__, *(kind.__module__ for kind in kinds))]
    own = [Path(module.__file__) for module in modules if module.__name__.startswith("shoal.") and module.__file__]
    parts = own[0].parent.glob("*/*.py")
    shared = [file for file in own[0].parent.glob("*.py") if b"\nCHOICE = " not in file.read_bytes()]
    return [*own, *parts, *shared]
