"""How does a spreadsheet get the figures of a comparison? Four CSV files: means, topics, curves, and judges.

Columns are named as in the papers; what is not known stays empty.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from shoal.evaluate.curves import of_oracle
from shoal.evaluate.jobs import ORACLE, STEP, Job
from shoal.evaluate.ratings import JudgedTopic, JudgeStanding
from shoal.evaluate.standings import Figures, Results, Standing, TopicFigures, at_mark

_Row = TypeVar("_Row", bound=msgspec.Struct)


def write_summary(path: Path, figures: Sequence[TopicFigures]) -> None:
    """One line per topic and strategy."""
    _write(path, figures, TopicFigures)


def write_judges(path: Path, judges: Sequence[JudgeStanding]) -> None:
    """One line per judge and topic."""
    _write(path, [topic for judge in judges for topic in judge.topics], JudgedTopic)


class _MeanRow(Figures, frozen=True, kw_only=True):
    name: str
    strategy: str
    judge: str
    web: str
    """Empty: over all webs."""
    of_oracle: float
    precision: float
    recall: float
    value: float | None
    judged_share: float | None


def write_means(path: Path, standings: Sequence[Standing]) -> None:
    """One line per strategy and web, and one per strategy over all webs, whose web is empty."""
    rows = [
        _MeanRow(name=row.name, strategy=row.strategy, judge=row.judge, web=web, **msgspec.structs.asdict(means))
        for row in standings
        for web, means in [("", row.overall), *row.webs.items()]
    ]
    _write(path, rows, _MeanRow)


class _CurveRow(Figures, frozen=True, kw_only=True):
    web: str
    topic: str
    strategy: str
    judge: str
    fetched: int
    found: int
    precision: float
    recall: float
    value: float | None
    judged_relevant: int | None
    of_oracle: float


def write_curves(path: Path, results: Results) -> None:
    """How each crawl stood after every 100 pages, as the papers give it."""
    _write(path, [row for web in results.webs for row in _curve_rows(results, web)], _CurveRow)


def _curve_rows(results: Results, web: str) -> Iterator[_CurveRow]:
    for strategy, judge in results.contestants:
        oracles = results.curves(web, ORACLE, "")
        for topic, curve, oracle in zip(
            results.topics(web), results.curves(web, strategy, judge), oracles, strict=True
        ):
            result = results[Job(web=web, topic=topic, strategy=strategy, judge=judge)]
            for point in curve.points(every=STEP):
                seconds = at_mark(result.clock, point.fetched)
                yield _CurveRow(
                    web=web,
                    topic=topic,
                    strategy=strategy,
                    judge=judge,
                    fetched=point.fetched,
                    found=point.relevant,
                    precision=point.harvest_rate,
                    recall=point.recall,
                    value=point.relevant / seconds if seconds else None,
                    judged_relevant=at_mark(result.judged, point.fetched),
                    of_oracle=of_oracle(curve, oracle, point.fetched),
                )


def _write(path: Path, rows: Sequence[_Row], kind: type[_Row]) -> None:
    """A CSV file with the fields of the rows as its columns; what is not known stays empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(kind.__struct_fields__)
        for row in rows:
            writer.writerow([_cell(value) for value in msgspec.structs.astuple(row)])


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@")):
        return f"'{value}"  # a spreadsheet would run it
    return round(value, 6) if isinstance(value, float) else value
