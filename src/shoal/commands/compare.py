"""`shoal compare`: which strategy is worth using?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.cells import cell_len
from rich.table import Column, Table
from rich.text import Text

from shoal.commands import options
from shoal.commands.comparison_view import watching
from shoal.commands.console import BAR, Answers, bar, plain_table, section, where_to_look
from shoal.commands.output import STOPPED, reply, tell
from shoal.evaluate.compare import ComparisonPlan, run_compare
from shoal.evaluate.image_standings import CLAIM, ImageComparison, ImageFigures, ImageRatio, sentences, times, ways_of
from shoal.evaluate.jobs import ORACLE, Conditions
from shoal.evaluate.ratings import EXPLAINED, HEADING, Rating, rating_rows, shown
from shoal.evaluate.standings import Comparison, StrategyStanding, WebFacts
from shoal.evaluate.survey import cache_folder

_PAGES, _PAGES_WITH_IMAGES = 2000, 300
_FILES = {
    "everything on one page": "report.html",
    "means as a table": "means.csv",
    "every topic": "summary.csv",
    "after every 100 pages": "curves.csv",
    "every judge": "judges.csv",
}
_RATING_WIDTH = len("0.123 0.123") + 2
"""Characters of a judge's column with both of its figures in one line."""


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--strategy", "strategies", multiple=True, metavar="NAME", help="Only this one; repeatable. Default: all."
)
@click.option("--judge", "judges", multiple=True, metavar="NAME", help="Instead of each strategy's own; repeatable.")
@click.option("--topic", "topics", multiple=True, metavar="NAME", help="Only this one, or WEB/NAME; repeatable.")
@click.option(
    "--pages",
    type=click.IntRange(min=1),
    metavar="N",
    help="How far each crawl goes. Default: 2000, with --images 300.",
)
@click.option("--images", is_flag=True, help="Compare crawls for images, with and without judging them.")
@options.path("--labels", metavar="FILE", help="Which pages are relevant. Default: NAME.labels.tsv.")
@options.path("--topic-file", "topic_files", multiple=True, metavar="FILE", help="Default: every NAME.TOPIC.toml.")
@click.option(
    "--delay", type=options.seconds, metavar="SECONDS", help="Let hosts wait, as in a live crawl. Default: no."
)
@click.option("--max-depth", type=click.IntRange(min=0), metavar="N", help="Links from a seed. Default: no limit.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Requests in flight. Default: 1.")
@click.option(
    "--latency", type=options.seconds, default=0.1, show_default=True, metavar="SECONDS", help="How long servers take."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes. Default: one per processor.")
@options.path(
    "--out",
    "folder",
    default=Path("compare"),
    show_default=True,
    metavar="FOLDER",
    help="Where to write tables, plots and the report; an earlier comparison there is replaced.",
)
@click.option("--resume", is_flag=True, help="Go on with the comparison in that folder: what is done stays.")
@click.option("--title", default="", metavar="TEXT", help="The heading of the report.")
@options.quiet
@options.as_json
def compare(images: bool, quiet: bool, as_json: bool, **given: Any) -> int:
    """Compare strategies on webs whose truth is known.

    SOURCE is a recorded web (a WARC file with NAME.labels.tsv and NAME.TOPIC.toml beside it), a folder of such webs, or
    the word generated. Every strategy crawls every topic, offline and by a clock that jumps, and is measured against a
    crawler that knows all pages. Without --delay no host is waited for, so that nothing but the order counts.

    With --images one strategy crawls each topic of the generated web for images: only those whose descriptions are about
    the topic, then all, then all of a crawl that follows no topic. Counted is what came in the same time.

    \b
    shoal compare generated
    shoal compare generated --images --delay 1
    shoal compare zhmed.warc.xz --strategy fish --strategy restore --pages 500
    """
    plan = _plan(images=images, **given)
    try:
        with watching(silent=quiet or as_json) as watcher:
            comparison = run_compare(plan, watcher)
    except KeyboardInterrupt:
        again = "" if plan.resume else " with --resume"
        tell(f"Stopped. What is finished is kept in {plan.folder}: go on by typing the same again{again}.")
        return STOPPED
    if isinstance(comparison, ImageComparison):
        return reply(comparison, lambda: show_image_comparison(comparison), as_json=as_json, quiet=quiet)
    return reply(comparison, lambda: show_comparison(comparison), as_json=as_json, quiet=quiet)


def _plan(
    *,
    images: bool,
    pages: int | None,
    delay: float | None,
    concurrency: int | None,
    latency: float,
    max_depth: int | None,
    jobs: int | None,
    **given: Any,
) -> ComparisonPlan:
    """What was typed; the rest of it has the names that a plan has."""
    conditions = Conditions(
        pages=pages or (_PAGES_WITH_IMAGES if images else _PAGES),
        delay=delay,
        concurrency=concurrency,
        latency=latency,
        max_depth=max_depth,
    )
    processes = jobs or os.cpu_count() or 1
    cache = cache_folder(os.environ)
    return ComparisonPlan(images=images, conditions=conditions, processes=processes, cache=cache, **given)


# --- strategies ------------------------------------------------------------------------------------------------------


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
