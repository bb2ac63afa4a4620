"""What is judging images worth? How crawls with and without it stood at the same moment.

All crawls may fetch equally many pages. Who leaves images out is done sooner; so two crawls are compared at the moment at which
the first of them ends, and what the other one brings later does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from shoal.evaluate.image_harvest import ImageHarvest, ImagePoint
from shoal.evaluate.jobs import Conditions, Result

STEP = 50
"""Pages between two points of a curve."""
CLAIM = (
    "The paper that judges images by their descriptions reports 3.5 times the relevant images of a crawl without judging, "
    "in the same time, on another web."
)


class ImageFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What one crawl brought home."""

    web: str
    topic: str
    way: str
    strategy: str
    wanted: str
    end: ImagePoint
    requests: int
    total: int
    """Different relevant images that there are."""
    precision: float
    """Relevant images per file downloaded."""
    recall: float
    points: tuple[ImagePoint, ...]
    """After every 50 pages, and at the end."""


class ImageRatio(msgspec.Struct, frozen=True, kw_only=True):
    """Judging against not judging, at the moment at which the first of the two crawls ends."""

    web: str
    """Empty: over all topics."""
    topic: str
    against: str
    """What the judged crawl is compared with."""
    seconds: float
    """That moment; over all topics, their sum."""
    judged: int
    """Relevant images of the judged crawl by then."""
    other: int
    ratio: float | None
    """None when the other has not one."""


class ImageComparison(msgspec.Struct, frozen=True, kw_only=True):
    """All figures."""

    title: str
    conditions: Conditions
    strategy: str
    topics: tuple[ImageFigures, ...]
    ratios: tuple[ImageRatio, ...]
    overall: tuple[ImageRatio, ...]
    """One for each way to do without judging: the relevant images of all topics together."""
    folder: str
    files: tuple[str, ...]
    seconds: float


def harvest_of(result: Result) -> ImageHarvest:
    """What a crawl for images brought home."""
    assert result.images is not None, f"{result.job} counted no images"
    return result.images


def figures_of(result: Result) -> ImageFigures:
    """What it brought home."""
    harvest = harvest_of(result)
    end = harvest.at(harvest.end)
    return ImageFigures(
        web=result.job.web,
        topic=result.job.topic,
        way=result.job.way,
        strategy=result.job.strategy,
        wanted=result.job.images,
        end=end,
        requests=result.requests,
        total=harvest.total,
        precision=end.relevant / end.downloaded if end.downloaded else 0.0,
        recall=end.relevant / harvest.total if harvest.total else 0.0,
        points=tuple(_points(harvest)),
    )


def _points(harvest: ImageHarvest) -> Iterator[ImagePoint]:
    moments = list(harvest.pages[STEP - 1 :: STEP])
    if not moments or moments[-1] != harvest.end:
        moments.append(harvest.end)
    return map(harvest.at, moments)


def ratios_of(results: Sequence[Result]) -> list[ImageRatio]:
    """Topic by topic, each crawl without judging against the one with it."""
    judged = {(one.job.web, one.job.topic): harvest_of(one) for one in results if one.job.images == "relevant"}
    found = []
    for result in results:
        if result.job.images == "relevant":
            continue
        place, other = (result.job.web, result.job.topic), harvest_of(result)
        moment = min(judged[place].end, other.end)
        ours, theirs = (harvest.at(moment).relevant for harvest in (judged[place], other))
        found.append(_ratio(*place, result.job.way, moment, ours, theirs))
    return found


def overall_of(ratios: Sequence[ImageRatio]) -> list[ImageRatio]:
    """All topics together, so that one with few images counts little."""
    found = []
    for against in dict.fromkeys(ratio.against for ratio in ratios):
        rows = [ratio for ratio in ratios if ratio.against == against]
        sums = (sum(row.seconds for row in rows), sum(row.judged for row in rows), sum(row.other for row in rows))
        found.append(_ratio("", "", against, *sums))
    return found


def _ratio(web: str, topic: str, against: str, seconds: float, judged: int, other: int) -> ImageRatio:
    ratio = judged / other if other else None
    return ImageRatio(web=web, topic=topic, against=against, seconds=seconds, judged=judged, other=other, ratio=ratio)


def times(ratio: float | None) -> str:
    """A ratio as people read it."""
    return "–" if ratio is None else f"{ratio:.1f} ×"


def sentences(comparison: ImageComparison) -> Iterator[str]:
    """What came out, one sentence for each crawl that does not judge."""
    for row in comparison.overall:
        much = "where" if row.ratio is None else f"{row.ratio:.1f} times as many as"
        yield (
            f"{ways_of(comparison)[0]}: {row.judged:,} relevant ones, {much} {row.against} "
            f"{'has' if row.ratio is None else 'in the same time,'} {row.other:,}."
        )


def ways_of(comparison: ImageComparison) -> list[str]:
    """The names of the ways, the judged one first."""
    return list(dict.fromkeys(row.way for row in comparison.topics))
