"""Who is how good? The tables of a comparison, on standard output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.table import Column, Table
from rich.text import Text

from shoal.commands.console import BAR, bar
from shoal.commands.terminal import Answers, plain_table, section, where_to_look
from shoal.evaluate.image_standings import CLAIM, ImageComparison, ImageFigures, ImageRatio, sentences, times, ways_of
from shoal.evaluate.jobs import ORACLE
from shoal.evaluate.ratings import EXPLAINED, HEADING, Rating, rating_rows, shown
from shoal.evaluate.standings import Comparison, StrategyStanding, WebFacts

_FILES = {
    "everything on one page": "report.html",
    "means as a table": "means.csv",
    "every topic": "summary.csv",
    "after every 100 pages": "curves.csv",
    "every judge": "judges.csv",
}
_RATING_WIDTH = len("0.123 0.123") + 2
"""Characters of a judge's column with both of its figures in one line."""


def show_comparison(comparison: Comparison) -> None:
    """Who is how good, over all and topic by topic, on standard output."""
    console = Answers(highlight=False, markup=False, emoji=False)
    explained = Text("Share of what a crawler that knows every page brings home (area under recall).", style="dim")
    section(console, comparison.title, _standings(comparison), explained)
    section(console, "At the end of the crawls", _measures(comparison))
    for web in comparison.webs:
        section(console, f"{web.name}, topic by topic", _topics(comparison, web))
    if comparison.judges:
        section(console, HEADING, _ratings(comparison, console.width), Text(EXPLAINED, style="dim"))
    where_to_look(console, ((what, str(Path(comparison.folder) / name)) for what, name in _FILES.items()))


def _standings(comparison: Comparison) -> Table:
    """The best strategy on top; the best figure of each column is bold."""
    webs = [web.name for web in comparison.webs]
    several = webs if len(webs) > 1 else []
    table = plain_table(Column("strategy", no_wrap=True), "all webs" if several else webs[0])
    table.add_column("", width=BAR, no_wrap=True)
    for web in several:
        table.add_column(web, justify="right")
    columns = [[row.overall.of_oracle for row in comparison.standings]]
    columns += [[row.webs[web].of_oracle for row in comparison.standings] for web in several]
    cells = [_best_bold(column) for column in columns]
    for place, row in enumerate(comparison.standings):
        overall, *others = (column[place] for column in cells)
        table.add_row(Text(row.name), overall, Text(bar(row.overall.of_oracle), style="cyan"), *others)
    return table


def _best_bold(values: Sequence[float]) -> list[Text]:
    best = f"{max(values, default=0.0):.3f}"
    return [Text(f"{value:.3f}", style="bold green" if f"{value:.3f}" == best else "") for value in values]


def _measures(comparison: Comparison) -> Table:
    table = plain_table(Column("strategy", no_wrap=True), "recall", "precision", "value")
    table.add_column("judge says", justify="right", style="dim")
    for row in [*comparison.standings, comparison.oracle]:
        table.add_row(*_measure_cells(row), style="dim" if row.strategy == ORACLE else "")
    return table


def _measure_cells(row: StrategyStanding) -> tuple[Text, str, str, str, str]:
    means = row.overall
    value = "–" if means.value is None else f"{means.value:.2f}/s"
    judged = "–" if means.judged_share is None else f"{means.judged_share:.1%}"
    return Text(row.name), f"{means.recall:.1%}", f"{means.precision:.1%}", value, judged


def _topics(comparison: Comparison, web: WebFacts) -> Table:
    figures = {(row.topic, row.name): row for row in comparison.topics if row.web == web.name}
    table = plain_table(Column("of oracle", no_wrap=True))
    for topic in web.topics:
        table.add_column(Text(topic.name), justify="right", overflow="fold", min_width=6)
    rows = sorted(comparison.standings, key=lambda row: -row.webs[web.name].of_oracle)
    columns = [_best_bold([figures[topic.name, row.name].of_oracle for row in rows]) for topic in web.topics]
    for place, row in enumerate(rows):
        table.add_row(Text(row.name), *(column[place] for column in columns))
    table.add_row(Text("relevant pages"), *(f"{topic.relevant:,}" for topic in web.topics), style="dim")
    return table


def _ratings(comparison: Comparison, width: int) -> Table:
    """One row per topic; in a narrow terminal average precision stands below AUC, else beside it."""
    table = plain_table(Column("AUC, AP", overflow="fold"))
    for judge in comparison.judges:
        table.add_column(judge.judge, justify="right", min_width=5, overflow="fold")
    rows = list(rating_rows(comparison.judges))
    names = max(cell_len(row.name) for row in rows)
    between = " " if names + len(comparison.judges) * _RATING_WIDTH <= width else "\n"
    for name, is_mean, cells in rows:
        best = max((cell.auc or 0.0 for cell in cells), default=0.0)
        table.add_row(Text(name), *(_rating(cell, best, between) for cell in cells), style="bold" if is_mean else "")
    return table


def _rating(cell: Rating, best: float, between: str) -> Text:
    auc = Text(shown(cell.auc), style="green" if cell.auc == best else "")
    return auc.append(f"{between}{shown(cell.average_precision)}", style="dim")


# --- images ----------------------------------------------------------------------------------------------------------


def show_image_comparison(comparison: ImageComparison) -> None:
    """What judging images is worth, topic by topic, on standard output."""
    console = Answers(highlight=False, markup=False, emoji=False)
    section(console, comparison.title, *map(Text, sentences(comparison)))
    for against in comparison.overall:
        rows = [*(row for row in comparison.ratios if row.against == against.against), against]
        section(console, f"Relevant images in the same time, against {against.against}", _ratios(rows))
    console.print(Text("\nBoth crawls at the moment at which the first of them ends.", style="dim"))
    console.print(Text(CLAIM, style="dim"))
    for way in ways_of(comparison):
        section(console, f"At the end: {way}", _endings([row for row in comparison.topics if row.way == way]))
    names = {
        ".html": "everything on one page",
        ".csv": "after every 50 pages",
        ".jsonl": "what --resume goes on from",
        ".png": "as a plot",
    }
    files = ((names[Path(name).suffix], str(Path(comparison.folder) / name)) for name in comparison.files)
    where_to_look(console, files)


def _ratios(rows: Sequence[ImageRatio]) -> Table:
    """One row per topic, and the last one over all."""
    several = len({row.web for row in rows if row.web}) > 1
    table = plain_table(Column("topic", overflow="fold"))
    for name in ("judged", "not judged", "ratio", "after"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        name = _name(row.web, row.topic, several) if row.web else "all topics"
        ratio = Text(times(row.ratio), style="bold green")
        after = f"{row.seconds:,.0f} s" if row.web else ""
        table.add_row(Text(name), f"{row.judged:,}", f"{row.other:,}", ratio, after, style="" if row.web else "bold")
    return table


def _name(web: str, topic: str, several: bool) -> str:
    return f"{web}/{topic}" if several else topic


def _endings(rows: list[ImageFigures]) -> Table:
    several = len({row.web for row in rows}) > 1
    figures = ("pages", "requests", "time", "shown", "got", "relevant", "of all", "precision")
    table = plain_table(Column("topic", overflow="fold"), *figures)
    for row in rows:
        end = row.end
        table.add_row(
            Text(_name(row.web, row.topic, several)),
            *(f"{count:,}" for count in (end.pages, row.requests)),
            f"{end.seconds:,.0f} s",
            *(f"{count:,}" for count in (end.found, end.downloaded, end.relevant)),
            f"{row.recall:.0%}",
            f"{row.precision:.0%}",
        )
    return table
