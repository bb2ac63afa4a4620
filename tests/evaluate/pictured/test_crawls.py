"""A crawl for pictures is a real one: what it brings is counted against what the pictures really show."""

from __future__ import annotations

from itertools import pairwise

import pytest

from shoal.evaluate.generated.synthetic_web import Web
from shoal.evaluate.jobs import Conditions
from shoal.evaluate.offline_web import GeneratedWeb, MeasuredWeb, open_web
from shoal.evaluate.pictured.crawls import PictureBench, PictureField, PictureJob, PictureResult, Way, picture_settings
from shoal.evaluate.simulation import Run, simulate
from shoal.settings import Politeness
from shoal.urls import host_of

pytestmark = pytest.mark.slow

PAGES = 25
JUDGED, ALL = (Way(strategy="best-first", wanted=wanted) for wanted in ("relevant", "all"))


def job(way: Way) -> PictureJob:
    return PictureJob(web="generated", topic="rail", way=way)


@pytest.fixture(scope="module")
def measured() -> MeasuredWeb:
    with open_web("generated") as (web,):
        return web


@pytest.fixture(scope="module")
def bench(measured: MeasuredWeb) -> PictureBench:
    assert isinstance(measured.web, GeneratedWeb)
    field = PictureField(measured.web, {one.name: one for one in measured.subjects})
    return PictureBench({"generated": field}, Conditions(pages=PAGES))


@pytest.fixture(scope="module")
def results(bench: PictureBench) -> dict[Way, PictureResult]:
    return {way: bench(job(way)) for way in (JUDGED, ALL)}


@pytest.fixture(scope="module")
def run(measured: MeasuredWeb) -> Run:
    """All pictures, politely."""
    subject = next(one for one in measured.subjects if one.name == "rail")
    return simulate(measured.web, picture_settings(job(ALL), subject, Conditions(pages=PAGES, delay=1.0)))


def test_judging_leaves_most_of_the_others(results: dict[Way, PictureResult]) -> None:
    judged, every = results[JUDGED], results[ALL]
    assert len(judged.pages) == len(every.pages) == PAGES
    assert 0 < len(judged.downloads) < len(every.downloads)
    assert len(judged.hits) / len(judged.downloads) > len(every.hits) / len(every.downloads)
    assert judged.end < every.end
    assert judged.requests < every.requests


def test_what_is_found_stands_on_the_pages(results: dict[Way, PictureResult], web: Web) -> None:
    result = results[ALL]
    assert list(result.found) == sorted(result.found)
    assert len(result.hits) <= min(result.found[-1], result.total)
    assert result.total == len(web.relevant_pictures("rail"))


def test_it_goes_the_same_way_every_time(bench: PictureBench, results: dict[Way, PictureResult]) -> None:
    """Also when all pages and pictures are known from the first time."""
    again = bench(job(JUDGED))
    assert (again.pages, again.downloads, again.hits) == (
        results[JUDGED].pages,
        results[JUDGED].downloads,
        results[JUDGED].hits,
    )


def test_only_what_can_be_had_comes(run: Run, web: Web) -> None:
    files = [web.pictures[picture.url] for picture in run.pictures]
    assert files
    assert [file.url for file in files if not file.can_be_had] == []
    assert len(files) == len({file.url for file in files})


def test_hosts_are_not_asked_more_often_for_pictures(run: Run) -> None:
    moments: dict[str, list[float]] = {}
    for url, at in [*((page.url, page.at) for page in run.pages), *run.pictures]:
        moments.setdefault(host_of(url), []).append(at)
    assert len(moments) > 3
    for times in moments.values():
        times.sort()
        assert all(later - earlier > 0.99 for earlier, later in pairwise(times))


def test_the_conditions_are_those_of_any_comparison(measured: MeasuredWeb) -> None:
    subject = measured.subjects[0]
    settings = picture_settings(job(ALL), subject, Conditions(pages=3))
    assert settings.pictures.wanted == "all"
    assert settings.politeness == Politeness(delay=0.0, fetch_factor=0.0, max_crawl_delay=0.0)
