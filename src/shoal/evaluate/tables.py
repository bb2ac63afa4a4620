"""How do a spreadsheet and a document get the figures of a comparison? As CSV files, and as tables in Markdown.

Columns are named as in the papers; what is not known stays empty.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from shoal.evaluate.curves import of_oracle
from shoal.evaluate.image_standings import ImageFigures
from shoal.evaluate.jobs import ORACLE, STEP, Job
from shoal.evaluate.ratings import EXPLAINED, HEADING, JudgedTopic, JudgeStanding, Rating, rating_rows, shown
from shoal.evaluate.standings import Comparison, CrawlResults, Means, StrategyStanding, TopicFigures, WebFacts, at_mark

_Row = TypeVar("_Row", bound=msgspec.Struct)


def write_summary(path: Path, figures: Sequence[TopicFigures]) -> None:
    """One line per topic and strategy."""
    _write(path, figures, TopicFigures)


def write_judges(path: Path, judges: Sequence[JudgeStanding]) -> None:
    """One line per judge and topic."""
    _write(path, [topic for judge in judges for topic in judge.topics], JudgedTopic)


class _MeanRow(msgspec.Struct, frozen=True, kw_only=True):
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


def write_means(path: Path, standings: Sequence[StrategyStanding]) -> None:
    """One line per strategy and web, and one per strategy over all webs, whose web is empty."""
    rows = [
        _MeanRow(name=row.name, strategy=row.strategy, judge=row.judge, web=web, **msgspec.structs.asdict(means))
        for row in standings
        for web, means in [("", row.overall), *row.webs.items()]
    ]
    _write(path, rows, _MeanRow)


class _CurveRow(msgspec.Struct, frozen=True, kw_only=True):
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


def write_curves(path: Path, results: CrawlResults) -> None:
    """How each crawl stood after every 100 pages, as the papers give it."""
    _write(path, [row for web in results.webs for row in _curve_rows(results, web)], _CurveRow)


def _curve_rows(results: CrawlResults, web: str) -> Iterator[_CurveRow]:
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


class _ImageRow(msgspec.Struct, frozen=True, kw_only=True):
    web: str
    topic: str
    strategy: str
    wanted: str
    seconds: float
    pages: int
    found: int
    downloaded: int
    relevant: int


def write_image_curves(path: Path, topics: Sequence[ImageFigures]) -> None:
    """How each crawl for images stood after every 50 pages, and at its end."""
    rows = [
        _ImageRow(
            web=row.web,
            topic=row.topic,
            strategy=row.strategy,
            wanted=row.wanted,
            seconds=round(point.seconds, 3),
            pages=point.pages,
            found=point.found,
            downloaded=point.downloaded,
            relevant=point.relevant,
        )
        for row in topics
        for point in row.points
    ]
    _write(path, rows, _ImageRow)


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


# --- Markdown ---------------------------------------------------------------------------------------------------------


def write_markdown(path: Path, comparison: Comparison) -> None:
    """The same tables as in the terminal."""
    webs = [web.name for web in comparison.webs]
    parts = [f"# {comparison.title}", "## Share of the omniscient crawler's harvest", _standings(comparison, webs)]
    parts += ["## At the end of the crawls", _endings(comparison)]
    for web in comparison.webs:
        parts += [f"## {web.name}, topic by topic", _topics(comparison, web)]
    if comparison.judges:
        parts += [f"## {HEADING}", _ratings(comparison.judges), EXPLAINED]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _standings(comparison: Comparison, webs: Sequence[str]) -> str:
    best = {web: max(row.webs[web].of_oracle for row in comparison.standings) for web in webs}
    rows = []
    for row in comparison.standings:
        shares = [_strong(row.webs[web].of_oracle, best[web]) for web in webs]
        whole = _strong(row.overall.of_oracle, comparison.standings[0].overall.of_oracle)
        rows.append([f"`{row.name}`", whole, *shares])
    return _table(["strategy", "all webs", *webs], rows)


def _endings(comparison: Comparison) -> str:
    rows = [
        [f"`{row.name}`" if row is not comparison.oracle else row.name, *_figures(row.overall)]
        for row in (*comparison.standings, comparison.oracle)
    ]
    return _table(["strategy", "recall", "precision", "value", "judge says"], rows)


def _figures(means: Means) -> list[str]:
    value = "" if means.value is None else f"{means.value:.2f}/s"
    judged = "" if means.judged_share is None else f"{means.judged_share:.1%}"
    return [f"{means.recall:.1%}", f"{means.precision:.1%}", value, judged]


def _topics(comparison: Comparison, web: WebFacts) -> str:
    """The strategies in the order of this web."""
    shares = {(one.name, one.topic): one.of_oracle for one in comparison.topics if one.web == web.name}
    order = sorted(comparison.standings, key=lambda row: -row.webs[web.name].of_oracle)
    names = [topic.name for topic in web.topics]
    best = {name: max(shares[row.name, name] for row in order) for name in names}
    rows = [[f"`{row.name}`", *(_strong(shares[row.name, name], best[name]) for name in names)] for row in order]
    rows.append(["*relevant pages*", *(f"{topic.relevant:,}" for topic in web.topics)])
    return _table(["of oracle", *names], rows)


def _ratings(judges: Sequence[JudgeStanding]) -> str:
    rows = []
    for name, is_mean, cells in rating_rows(judges):
        best = max((cell.auc for cell in cells if cell.auc is not None), default=None)
        rows.append([f"*{name}*" if is_mean else name, *(_rating(cell, best) for cell in cells)])
    return _table(["AUC / AP", *(f"`{judge.judge}`" for judge in judges)], rows)


def _rating(cell: Rating, best: float | None) -> str:
    auc = f"**{shown(cell.auc)}**" if cell.auc is not None and cell.auc == best else shown(cell.auc)
    return f"{auc} / {shown(cell.average_precision)}"


def _strong(share: float, best: float) -> str:
    return f"**{share:.3f}**" if share == best else f"{share:.3f}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
