"""Which judge is how good? What they were rated with, per topic, per web and over all webs.

    Result (one judge, one topic) ─► JudgedTopic ─mean over topics─► per web ─mean over webs─► overall

Every web counts the same, as in the standings of the strategies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from shoal.evaluate.curves import mean
from shoal.evaluate.jobs import Result

HEADING = "How well the judges tell relevant pages from others"
EXPLAINED = (
    "AUC: how often a relevant page scores above another one, 0.5 is luck. AP: average precision, of pages ordered by their "
    "scores. Both of single pages, without a crawl, and with what the topic file says alone."
)


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """The two figures of a judge, of one topic or averaged; None when all pages were relevant."""

    auc: float | None
    average_precision: float | None


class JudgedTopic(msgspec.Struct, frozen=True, kw_only=True):
    """How one judge did on one topic."""

    web: str
    topic: str
    judge: str
    auc: float | None
    average_precision: float | None
    relevant: int
    """Pages that can be reached and are relevant."""
    reachable: int


class JudgeStanding(msgspec.Struct, frozen=True, kw_only=True):
    """How one judge did on everything."""

    judge: str
    overall: Rating
    webs: Mapping[str, Rating]
    topics: tuple[JudgedTopic, ...]


def judge_standings(results: Iterable[Result]) -> tuple[JudgeStanding, ...]:
    """From the jobs that rated judges, the judge with the best AUC first."""
    topics = [_topic(result) for result in sorted(results, key=lambda result: result.job)]
    names = dict.fromkeys(topic.judge for topic in topics)
    rows = [_standing(name, [topic for topic in topics if topic.judge == name]) for name in names]
    return tuple(sorted(rows, key=lambda row: (-(row.overall.auc or 0.0), row.judge)))


def _topic(result: Result) -> JudgedTopic:
    return JudgedTopic(
        web=result.job.web,
        topic=result.job.topic,
        judge=result.job.judge,
        auc=result.auc,
        average_precision=result.average_precision,
        relevant=result.relevant,
        reachable=result.reachable,
    )


def _standing(judge: str, topics: Sequence[JudgedTopic]) -> JudgeStanding:
    names = dict.fromkeys(topic.web for topic in topics)
    webs = {web: _mean([topic for topic in topics if topic.web == web]) for web in names}
    return JudgeStanding(judge=judge, overall=_mean(list(webs.values())), webs=webs, topics=tuple(topics))


def _mean(rows: Sequence[Rating | JudgedTopic]) -> Rating:
    """Of those that are known."""
    aucs = [row.auc for row in rows if row.auc is not None]
    precisions = [row.average_precision for row in rows if row.average_precision is not None]
    return Rating(auc=mean(aucs) if aucs else None, average_precision=mean(precisions) if precisions else None)


class RatingRow(NamedTuple):
    """One line of the table of judges."""

    name: str
    """The topic, or of which web this is the mean."""
    is_mean: bool
    cells: tuple[Rating, ...]
    """One per judge."""


def rating_rows(judges: Sequence[JudgeStanding]) -> Iterator[RatingRow]:
    """One row per topic, and below those of a web their mean; the last is that of all webs."""
    if not judges:
        return
    webs = list(judges[0].webs)
    for web in webs:
        own = [[topic for topic in judge.topics if topic.web == web] for judge in judges]
        for topics in zip(*own, strict=True):
            yield RatingRow(f"{web}/{topics[0].topic}", is_mean=False, cells=tuple(_mean([topic]) for topic in topics))
        if len(own[0]) > 1:
            yield RatingRow(f"{web}, mean", is_mean=True, cells=tuple(judge.webs[web] for judge in judges))
    if len(webs) > 1:
        yield RatingRow("all webs, mean", is_mean=True, cells=tuple(judge.overall for judge in judges))


def shown(value: float | None) -> str:
    """A figure as tables show it."""
    return "–" if value is None else f"{value:.3f}"
