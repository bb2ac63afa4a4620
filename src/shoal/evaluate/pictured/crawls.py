"""How many pictures of a topic does a crawl bring home, and how soon? One simulated crawl, counted against the truth.

Each topic is crawled in three ways: by a strategy that follows the topic, with only those pictures whose descriptions are about
it; by the same strategy with all pictures; and as the paper's baseline, breadth first with all pictures. Pages and pictures
share clocks and robots.txt, so each picture that is not wanted costs time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import msgspec
from msgspec.structs import replace

from shoal.evaluate.developing import PictureMemory
from shoal.evaluate.generated.synthetic_web import Web
from shoal.evaluate.jobs import Conditions, Job, settings_of
from shoal.evaluate.offline_web import GeneratedWeb, Subject
from shoal.evaluate.result_cache import PageCache
from shoal.evaluate.simulation import Fetched, FetchedPicture, simulate
from shoal.settings import Pictures, Settings

BASELINE = "breadth"
"""Follows no topic: what the paper compares itself with."""


class Way(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """How a topic is crawled for pictures."""

    strategy: str
    wanted: Literal["relevant", "all"]

    def __str__(self) -> str:
        return f"{self.strategy}, {'judged pictures' if self.wanted == 'relevant' else 'all pictures'}"


def ways(strategy: str) -> tuple[Way, ...]:
    """With judging first; the others are what it is compared with."""
    found = Way(strategy=strategy, wanted="relevant"), Way(strategy=strategy, wanted="all")
    return found if strategy == BASELINE else (*found, Way(strategy=BASELINE, wanted="all"))


class PictureJob(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One crawl to be measured."""

    web: str
    topic: str
    way: Way

    def __str__(self) -> str:
        return f"{self.web}/{self.topic} with {self.way}"


class PictureResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. Moments are simulated seconds since the start, in ascending order."""

    job: PictureJob
    total: int
    """Different relevant pictures that a perfect, polite crawler would have."""
    pages: tuple[float, ...]
    """When each page came."""
    found: tuple[int, ...]
    """How many different pictures the first 1, 2, 3 … pages show, icons left out."""
    downloads: tuple[float, ...]
    """When each picture file came."""
    hits: tuple[float, ...]
    """When each relevant picture came that was not there yet, in whatever size."""
    requests: int
    """All that was asked for, robots.txt and what failed too."""
    ending: str = ""
    seconds: float = 0.0
    """Of real time."""

    @property
    def end(self) -> float:
        """When the last page or picture came."""
        return max((*self.pages[-1:], *self.downloads[-1:]), default=0.0)


@dataclass(frozen=True, slots=True)
class PictureField:
    """A web whose pictures are labelled, and its topics."""

    web: GeneratedWeb
    subjects: Mapping[str, Subject]


class PictureBench:
    """Where such crawls are made, in one process; what was understood is remembered from one to the next."""

    def __init__(self, fields: Mapping[str, PictureField], conditions: Conditions) -> None:
        self._fields = fields
        self._conditions = conditions
        self._cache = PageCache()
        self._memory = PictureMemory()

    def __call__(self, job: PictureJob) -> PictureResult:
        """Crawl and count."""
        started = time.monotonic()
        field = self._fields[job.web]
        settings = picture_settings(job, field.subjects[job.topic], self._conditions)
        run = simulate(field.web, settings, latency=self._conditions.latency, cache=self._cache, pictures=self._memory)
        web = field.web.web
        pages = sorted(run.pages, key=lambda page: page.at)
        pictures = sorted(run.pictures, key=lambda picture: picture.at)
        return PictureResult(
            job=job,
            total=len(web.relevant_pictures(job.topic)),
            pages=tuple(page.at for page in pages),
            found=tuple(_found(web, pages)),
            downloads=tuple(picture.at for picture in pictures),
            hits=tuple(_hits(web, job.topic, pictures)),
            requests=run.requests,
            ending=str(run.ending),
            seconds=time.monotonic() - started,
        )


def picture_settings(job: PictureJob, subject: Subject, conditions: Conditions) -> Settings:
    """As in a comparison of strategies, with pictures."""
    crawl = Job(web=job.web, topic=job.topic, strategy=job.way.strategy)
    return replace(settings_of(crawl, subject, conditions), pictures=Pictures(wanted=job.way.wanted))


def _found(web: Web, pages: list[Fetched]) -> Iterator[int]:
    seen: set[str] = set()
    for page in pages:
        known = web.pages.get(page.url)
        for url in known.pictures if known else ():
            if not web.pictures[url].is_icon:
                seen.add(web.pictures[url].motif)
        yield len(seen)


def _hits(web: Web, topic: str, pictures: list[FetchedPicture]) -> Iterator[float]:
    seen: set[str] = set()
    for picture in pictures:
        known = web.pictures.get(picture.url)
        if known and topic in known.topics and known.motif not in seen:
            seen.add(known.motif)
            yield picture.at
