"""What is judging pictures worth? How crawls with and without it stood at the same moment.

All crawls may fetch equally many pages. Who leaves pictures out is done sooner; so two crawls are compared at the moment at which
the first of them ends, and what the other one brings later does not count.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from shoal.evaluate.jobs import Conditions
from shoal.evaluate.pictured.crawls import PictureResult, Way
from shoal.evaluate.standings import Figures

STEP = 50
"""Pages between two points of a curve."""


class PicturePoint(Figures, frozen=True, kw_only=True):
    """How a crawl stood at one moment."""

    seconds: float
    """Simulated."""
    pages: int
    found: int
    """Different pictures on these pages, icons left out."""
    downloaded: int
    """Picture files."""
    relevant: int
    """Different relevant pictures among them, by the labels."""


class PictureFigures(Figures, frozen=True, kw_only=True):
    """What one crawl brought home."""

    web: str
    topic: str
    way: str
    strategy: str
    wanted: str
    end: PicturePoint
    requests: int
    total: int
    """Different relevant pictures that there are."""
    precision: float
    """Relevant pictures per file downloaded."""
    recall: float
    points: tuple[PicturePoint, ...]
    """After every 50 pages, and at the end."""


class PictureRatio(Figures, frozen=True, kw_only=True):
    """Judging against not judging, at the moment at which the first of the two crawls ends."""

    web: str
    """Empty: over all topics."""
    topic: str
    against: str
    """What the judged crawl is compared with."""
    seconds: float
    """That moment; over all topics, their sum."""
    judged: int
    """Relevant pictures of the judged crawl by then."""
    other: int
    ratio: float | None
    """None when the other has not one."""


class PictureComparison(Figures, frozen=True, kw_only=True):
    """All figures."""

    title: str
    conditions: Conditions
    strategy: str
    topics: tuple[PictureFigures, ...]
    ratios: tuple[PictureRatio, ...]
    overall: tuple[PictureRatio, ...]
    """One for each way to do without judging: the relevant pictures of all topics together."""
    folder: str
    files: tuple[str, ...]
    seconds: float


def point_at(result: PictureResult, moment: float) -> PicturePoint:
    """How a crawl stood at a moment; after its end it is as at its end."""
    pages = bisect_right(result.pages, moment)
    return PicturePoint(
        seconds=min(moment, result.end),
        pages=pages,
        found=result.found[pages - 1] if pages else 0,
        downloaded=bisect_right(result.downloads, moment),
        relevant=bisect_right(result.hits, moment),
    )


def figures_of(result: PictureResult) -> PictureFigures:
    """What it brought home."""
    end = point_at(result, result.end)
    return PictureFigures(
        web=result.job.web,
        topic=result.job.topic,
        way=str(result.job.way),
        strategy=result.job.way.strategy,
        wanted=result.job.way.wanted,
        end=end,
        requests=result.requests,
        total=result.total,
        precision=end.relevant / end.downloaded if end.downloaded else 0.0,
        recall=end.relevant / result.total if result.total else 0.0,
        points=tuple(_points(result)),
    )


def _points(result: PictureResult) -> Iterator[PicturePoint]:
    moments = list(result.pages[STEP - 1 :: STEP])
    if not moments or moments[-1] != result.end:
        moments.append(result.end)
    for moment in moments:
        yield point_at(result, moment)


def ratios_of(results: Sequence[PictureResult]) -> list[PictureRatio]:
    """Topic by topic, each crawl without judging against the one with it."""
    judged = {(result.job.web, result.job.topic): result for result in results if result.job.way.wanted == "relevant"}
    found = []
    for other in results:
        place = other.job.web, other.job.topic
        if other.job.way.wanted == "relevant":
            continue
        moment = min(judged[place].end, other.end)
        ours, theirs = (point_at(result, moment).relevant for result in (judged[place], other))
        found.append(_ratio(*place, str(other.job.way), moment, ours, theirs))
    return found


def overall_of(ratios: Sequence[PictureRatio]) -> list[PictureRatio]:
    """All topics together, so that one with few pictures counts little."""
    found = []
    for against in dict.fromkeys(ratio.against for ratio in ratios):
        rows = [ratio for ratio in ratios if ratio.against == against]
        sums = (sum(row.seconds for row in rows), sum(row.judged for row in rows), sum(row.other for row in rows))
        found.append(_ratio("", "", against, *sums))
    return found


def _ratio(web: str, topic: str, against: str, seconds: float, judged: int, other: int) -> PictureRatio:
    ratio = judged / other if other else None
    return PictureRatio(web=web, topic=topic, against=against, seconds=seconds, judged=judged, other=other, ratio=ratio)


def times(ratio: float | None) -> str:
    """A ratio as people read it."""
    return "–" if ratio is None else f"{ratio:.1f} ×"


def sentences(comparison: PictureComparison) -> Iterator[str]:
    """What came out, one sentence for each crawl that does not judge."""
    for row in comparison.overall:
        much = "where" if row.ratio is None else f"{row.ratio:.1f} times as many as"
        yield (
            f"{judged_way(comparison.strategy)}: {row.judged:,} relevant ones, {much} {row.against} "
            f"{'has' if row.ratio is None else 'in the same time,'} {row.other:,}."
        )


def ways_of(comparison: PictureComparison) -> list[str]:
    """The names of the ways, the judged one first."""
    return list(dict.fromkeys(row.way for row in comparison.topics))


def judged_way(strategy: str) -> str:
    """What the way with judging is called."""
    return str(Way(strategy=strategy, wanted="relevant"))
