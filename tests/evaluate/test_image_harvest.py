"""A crawl for images is a real one: what it brings is counted against what the images really show."""

from __future__ import annotations

from itertools import pairwise

import pytest

from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.evaluate.image_harvest import ImageHarvest, image_harvest
from shoal.evaluate.jobs import Bench, BenchWeb, Conditions, Job, image_jobs, settings_of
from shoal.evaluate.offline_web import MeasuredWeb, open_web
from shoal.evaluate.simulation import Run, simulate
from shoal.urls import host_of
from tests.evaluate.test_image_standings import harvest

PAGES = 25
JUDGED, ALL, _ = image_jobs("generated", "rail", "best-first")


def test_a_crawl_at_a_moment() -> None:
    came = harvest("acfh", "bdegij", "bj")
    point = came.at(4.5)
    assert (point.pages, point.found, point.downloaded, point.relevant) == (2, 4, 2, 1)
    nothing = came.at(0.5)
    assert (nothing.pages, nothing.found, nothing.downloaded, nothing.relevant) == (0, 0, 0, 0)
    assert came.at(99.0) == came.at(10.0)


# --- real crawls -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured() -> MeasuredWeb:
    with open_web("generated") as (web,):
        return web


@pytest.fixture(scope="module")
def bench(measured: MeasuredWeb) -> Bench:
    subjects = {one.name: one for one in measured.subjects}
    field = BenchWeb(web=measured.web, surveys={}, subjects=subjects, stamp="")
    return Bench({"generated": field}, Conditions(pages=PAGES))


@pytest.fixture(scope="module")
def harvests(bench: Bench) -> dict[Job, ImageHarvest]:
    found = {job: bench(job).images for job in (JUDGED, ALL)}
    return {job: images for job, images in found.items() if images}


@pytest.fixture(scope="module")
def run(measured: MeasuredWeb) -> Run:
    """All images, politely."""
    subject = next(one for one in measured.subjects if one.name == "rail")
    return simulate(measured.web, settings_of(ALL, subject, Conditions(pages=PAGES, delay=1.0)))


@pytest.mark.slow
def test_judging_leaves_most_of_the_others(harvests: dict[Job, ImageHarvest]) -> None:
    judged, every = harvests[JUDGED], harvests[ALL]
    assert len(judged.pages) == len(every.pages) == PAGES
    assert 0 < len(judged.downloads) < len(every.downloads)
    assert len(judged.hits) / len(judged.downloads) > len(every.hits) / len(every.downloads)
    assert judged.end < every.end


@pytest.mark.slow
def test_what_is_found_stands_on_the_pages(harvests: dict[Job, ImageHarvest], web: SyntheticWeb) -> None:
    every = harvests[ALL]
    assert list(every.found) == sorted(every.found)
    assert len(every.hits) <= min(every.found[-1], every.total)
    assert every.total == len(web.relevant_images("rail"))


@pytest.mark.slow
def test_it_goes_the_same_way_every_time(bench: Bench, harvests: dict[Job, ImageHarvest]) -> None:
    """Also when all pages and images are known from the first time."""
    assert bench(JUDGED).images == harvests[JUDGED]


@pytest.mark.slow
def test_only_what_can_be_had_comes(run: Run, web: SyntheticWeb) -> None:
    files = [web.images[image.url] for image in run.images]
    assert files
    assert [file.url for file in files if not file.can_be_had] == []
    assert len(files) == len({file.url for file in files})


@pytest.mark.slow
def test_the_order_in_which_images_came_is_that_of_the_clock(run: Run, web: SyntheticWeb) -> None:
    """With several requests in flight they are written down in another order than they came in."""
    came = image_harvest(web, "rail", run)
    assert len(came.downloads) == len(run.images)
    assert list(came.downloads) == sorted(came.downloads)
    assert set(came.hits) <= set(came.downloads)


@pytest.mark.slow
def test_hosts_are_not_asked_more_often_for_images(run: Run) -> None:
    moments: dict[str, list[float]] = {}
    for url, at in [*((page.url, page.at) for page in run.pages), *run.images]:
        moments.setdefault(host_of(url), []).append(at)
    assert len(moments) > 3
    for times in moments.values():
        times.sort()
        assert all(later - earlier > 0.99 for earlier, later in pairwise(times))
