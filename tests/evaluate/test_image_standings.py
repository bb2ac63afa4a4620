"""Two crawls are compared at the moment at which the first of them ends."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from shoal.evaluate.image_harvest import ImageHarvest
from shoal.evaluate.image_standings import ImageComparison, figures_of, overall_of, ratios_of, sentences, times
from shoal.evaluate.jobs import Conditions, Job, Result, image_jobs

JUDGED, ALL, BREADTH = image_jobs("generated", "rail", "learned")


def harvest(pages: str, downloads: str, hits: str) -> ImageHarvest:
    """Moments, each a letter of the alphabet: `a` is after one second."""
    moments = [tuple(float(ord(letter) - ord("a") + 1) for letter in letters) for letters in (pages, downloads, hits)]
    found = tuple(range(2, 2 * len(pages) + 1, 2))
    return ImageHarvest(total=4, pages=moments[0], found=found, downloads=moments[1], hits=moments[2])


def result(job: Job, pages: str, downloads: str, hits: str, *, topic: str = "rail", web: str = "generated") -> Result:
    """Moments as in `harvest`."""
    return Result(
        key="",
        job=replace(job, web=web, topic=topic),
        requests=len(pages) + len(downloads) + 1,
        images=harvest(pages, downloads, hits),
    )


ONE = (
    result(JUDGED, "abcd", "ef", "ef"),
    result(ALL, "acfh", "bdegij", "bj"),
    result(BREADTH, "acfh", "bdegij", "j"),
)


def comparison_of(*results: Result, title: str = "Images", strategy: str = "learned") -> ImageComparison:
    ratios = ratios_of(results)
    return ImageComparison(
        title=title,
        conditions=Conditions(pages=4),
        strategy=strategy,
        topics=tuple(map(figures_of, results)),
        ratios=tuple(ratios),
        overall=tuple(overall_of(ratios)),
        folder="out",
        files=("images.html", "images.csv", "generated-images.png"),
        seconds=1.0,
    )


def test_what_came_home() -> None:
    figures = figures_of(ONE[1])
    assert (figures.end.seconds, figures.end.pages, figures.end.downloaded, figures.end.relevant) == (10.0, 4, 6, 2)
    assert (figures.precision, figures.recall) == (2 / 6, 2 / 4)
    assert figures.points == (figures.end,)


def test_a_crawl_without_anything() -> None:
    figures = figures_of(result(ALL, "", "", ""))
    assert (figures.end.seconds, figures.precision, figures.recall) == (0.0, 0.0, 0.0)


def test_points_after_every_fifty_pages() -> None:
    pages = tuple(map(float, range(1, 121)))
    images = ImageHarvest(total=1, pages=pages, found=(1,) * 120, downloads=(130.0,), hits=(130.0,))
    long = replace(ONE[0], images=images)
    assert [(point.pages, point.seconds) for point in figures_of(long).points] == [
        (50, 50.0),
        (100, 100.0),
        (120, 130.0),
    ]


def test_what_comes_later_does_not_count() -> None:
    ratios = ratios_of(ONE)
    assert [(row.against, row.seconds, row.judged, row.other) for row in ratios] == [
        ("learned, all images", 6.0, 2, 1),
        ("breadth, all images", 6.0, 2, 0),
    ]
    assert [row.ratio for row in ratios] == [2.0, None]


def test_the_other_may_end_first() -> None:
    [row] = ratios_of([result(JUDGED, "a", "bcd", "bcd"), result(ALL, "a", "bc", "c")])
    assert (row.seconds, row.judged, row.other) == (3.0, 2, 1)


def test_all_topics_together() -> None:
    other = (
        result(JUDGED, "ab", "cd", "cd", topic="hydrology"),
        result(ALL, "ab", "cd", "cd", topic="hydrology"),
        result(BREADTH, "ab", "cd", "c", topic="hydrology"),
    )
    overall = overall_of(ratios_of([*ONE, *other]))
    assert [(row.web, row.judged, row.other, row.ratio) for row in overall] == [("", 4, 3, 4 / 3), ("", 4, 1, 4.0)]


def test_in_words() -> None:
    first, second = sentences(comparison_of(*ONE))
    assert first == (
        "learned, judged images: 2 relevant ones, 2.0 times as many as learned, all images in the same time, 1."
    )
    assert second == "learned, judged images: 2 relevant ones, where breadth, all images has 0."


@pytest.mark.parametrize(("ratio", "said"), [(None, "–"), (2.26, "2.3 ×"), (0.0, "0.0 ×")])
def test_a_ratio_for_people(ratio: float | None, said: str) -> None:
    assert times(ratio) == said
