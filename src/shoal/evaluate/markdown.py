"""How does a document get the figures of a comparison? As tables in Markdown, to be read or pasted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal.evaluate.ratings import EXPLAINED, HEADING, JudgeStanding, Rating, rating_rows, shown
from shoal.evaluate.standings import Comparison, Means, WebFacts


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
