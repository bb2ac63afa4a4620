"""Two crawls are compared at the moment at which the first of them ends."""

from __future__ import annotations

import pytest

from shoal.evaluate.jobs import Conditions
from shoal.evaluate.pictured.crawls import PictureJob, PictureResult, Way, ways
from shoal.evaluate.pictured.standings import (
    PictureComparison,
    figures_of,
    overall_of,
    point_at,
    ratios_of,
    sentences,
    times,
)

JUDGED, ALL, BREADTH = ways("learned")


def result(
    way: Way, pages: str, downloads: str, hits: str, *, topic: str = "rail", web: str = "generated"
) -> PictureResult:
    """Moments, each a letter of the alphabet: `a` is after one second."""
    moments = [tuple(float(ord(letter) - ord("a") + 1) for letter in letters) for letters in (pages, downloads, hits)]
    return PictureResult(
        job=PictureJob(web=web, topic=topic, way=way),
        total=4,
        pages=moments[0],
        found=tuple(range(2, 2 * len(pages) + 1, 2)),
        downloads=moments[1],
        hits=moments[2],
        requests=len(pages) + len(downloads) + 1,
    )


ONE = (
    result(JUDGED, "abcd", "ef", "ef"),
    result(ALL, "acfh", "bdegij", "bj"),
    result(BREADTH, "acfh", "bdegij", "j"),
)


def comparison_of(*results: PictureResult, title: str = "Pictures", strategy: str = "learned") -> PictureComparison:
    ratios = ratios_of(results)
    return PictureComparison(
        title=title,
        conditions=Conditions(pages=4),
        strategy=strategy,
        topics=tuple(map(figures_of, results)),
        ratios=tuple(ratios),
        overall=tuple(overall_of(ratios)),
        folder="out",
        files=("pictures.html", "pictures.csv", "generated-pictures.png"),
        seconds=1.0,
    )


def test_three_ways_or_two() -> None:
    assert [str(way) for way in ways("learned")] == [
        "learned, judged pictures",
        "learned, all pictures",
        "breadth, all pictures",
    ]
    assert [str(way) for way in ways("breadth")] == ["breadth, judged pictures", "breadth, all pictures"]


def test_a_crawl_at_a_moment() -> None:
    point = point_at(ONE[1], 4.5)
    assert (point.pages, point.found, point.downloaded, point.relevant) == (2, 4, 2, 1)
    nothing = point_at(ONE[1], 0.5)
    assert (nothing.pages, nothing.found, nothing.downloaded, nothing.relevant) == (0, 0, 0, 0)
    assert point_at(ONE[1], 99.0) == point_at(ONE[1], 10.0)


def test_what_came_home() -> None:
    figures = figures_of(ONE[1])
    assert (figures.end.seconds, figures.end.pages, figures.end.downloaded, figures.end.relevant) == (10.0, 4, 6, 2)
    assert (figures.precision, figures.recall) == (2 / 6, 2 / 4)
    assert figures.points == (figures.end,)


def test_a_crawl_without_anything() -> None:
    figures = figures_of(result(ALL, "", "", ""))
    assert (figures.end.seconds, figures.precision, figures.recall) == (0.0, 0.0, 0.0)


def test_points_after_every_fifty_pages() -> None:
    long = PictureResult(
        job=ONE[0].job,
        total=1,
        pages=tuple(map(float, range(1, 121))),
        found=(1,) * 120,
        downloads=(130.0,),
        hits=(130.0,),
        requests=1,
    )
    assert [(point.pages, point.seconds) for point in figures_of(long).points] == [
        (50, 50.0),
        (100, 100.0),
        (120, 130.0),
    ]


def test_what_comes_later_does_not_count() -> None:
    ratios = ratios_of(ONE)
    assert [(row.against, row.seconds, row.judged, row.other) for row in ratios] == [
        ("learned, all pictures", 6.0, 2, 1),
        ("breadth, all pictures", 6.0, 2, 0),
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
        "learned, judged pictures: 2 relevant ones, 2.0 times as many as learned, all pictures in the same time, 1."
    )
    assert second == "learned, judged pictures: 2 relevant ones, where breadth, all pictures has 0."


@pytest.mark.parametrize(("ratio", "said"), [(None, "–"), (2.26, "2.3 ×"), (0.0, "0.0 ×")])
def test_a_ratio_for_people(ratio: float | None, said: str) -> None:
    assert times(ratio) == said
