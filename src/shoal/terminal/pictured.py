"""How does a comparison of pictures look in a terminal? What judging is worth, topic by topic, and where to look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from shoal.evaluate.pictured.report import CLAIM
from shoal.evaluate.pictured.standings import PictureComparison, PictureFigures, PictureRatio, sentences, times, ways_of
from shoal.terminal.compare import heading, plain_table
from shoal.terminal.speaking import Answers


def show_picture_comparison(comparison: PictureComparison) -> None:
    """All figures on standard output."""
    console = Answers(highlight=False, markup=False, emoji=False)
    heading(console, comparison.title)
    for said in sentences(comparison):
        console.print(Text(said))
    for against in comparison.overall:
        heading(console, f"Relevant pictures in the same time, against {against.against}")
        console.print(_ratios([*(row for row in comparison.ratios if row.against == against.against), against]))
    console.print(Text("\nBoth crawls at the moment at which the first of them ends.", style="dim"))
    console.print(Text(CLAIM, style="dim"))
    for way in ways_of(comparison):
        heading(console, f"At the end: {way}")
        console.print(_endings([row for row in comparison.topics if row.way == way]))
    heading(console, "Where to look next")
    console.print(_files(comparison), soft_wrap=True)


def _ratios(rows: Sequence[PictureRatio]) -> Table:
    """One row per topic, and the last one over all."""
    several = len({row.web for row in rows if row.web}) > 1
    table = plain_table()
    table.add_column("topic", overflow="fold")
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


def _endings(rows: list[PictureFigures]) -> Table:
    several = len({row.web for row in rows}) > 1
    table = plain_table()
    table.add_column("topic", overflow="fold")
    for name in ("pages", "requests", "time", "shown", "got", "relevant", "of all", "precision"):
        table.add_column(name, justify="right")
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


def _files(comparison: PictureComparison) -> Table:
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    names = {".html": "everything on one page", ".csv": "after every 50 pages", ".png": "as a picture"}
    for name in comparison.files:
        table.add_row(names[Path(name).suffix], Text(str(Path(comparison.folder) / name)))
    return table
