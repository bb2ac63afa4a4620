"""`shoal crawls`: which crawls are there, and how do they stand?"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import say
from shoal.commands.live_lines import size
from shoal.commands.output import answer, counted, path_text, reply
from shoal.installation.location import installation_of
from shoal.printable import typed

if TYPE_CHECKING:
    from shoal.services.overview import CrawlSummary

_AGES = ((60, "minute"), (3600, "hour"), (86_400, "day"))
_NAME, _TOPIC, _GAP = 0, 6, 2
_WORDS = (_NAME, 1, 5, _TOPIC)
_LEAST_NEEDED = (_TOPIC, 4, 5, 3)
"""The first of these goes first when a window is narrow."""
_NARROW = 16
"""Characters of a topic in a line."""
_WIDE = 1000
"""Characters of a line that a program reads, which looks for a name in it."""
_HEADINGS = ("Name", "State", "Pages", "Relevant", "Size", "Last page", "Topic")


@click.command()
@click.option(
    "--forget", metavar="NAME", help="Take a crawl off the list that is kept elsewhere, or gone; its folder stays."
)
@options.as_json
def crawls(forget: str | None, as_json: bool) -> int:
    """List all crawls of this installation: their topics, states, pages, sizes, and when the last page came."""
    installation = installation_of(os.environ)
    if forget is not None:
        folder = services.catalog.take_off_list(installation, forget)
        sentence = f"{forget} is off the list. Its folder was {folder}, and is left as it is."
        return reply({"folder": path_text(folder)}, lambda: answer(sentence), as_json=as_json)
    found = services.overview.list_crawls(installation)
    return reply(found, lambda: show_crawls(found, str(installation.crawls), time.time()), as_json=as_json)


def show_crawls(found: tuple[CrawlSummary, ...], home: str, now: float) -> None:
    """A line each, the latest first; then what is wrong with those that cannot be opened."""
    if not found:
        answer(f"There is no crawl in {home} yet. Start one with: shoal crawl --topic WORDS --seed URL")
        return
    _print_table([_row(crawl, now) for crawl in found])
    for crawl in found:
        if crawl.problem:
            hint = f" Take it off the list with: shoal crawls --forget {typed(crawl.name)}" if crawl.gone else ""
            say(f"{crawl.name}: {crawl.problem}{hint}", "yellow")


def _print_table(rows: list[tuple[str, ...]]) -> None:
    # Only here, because whoever mistypes an option needs no tables.
    from rich.cells import cell_len
    from rich.table import Column

    from shoal.commands.terminal import Answers, plain_table  # for the same reason

    console = Answers(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDE
    shown = _fitting([max(map(cell_len, column)) for column in zip(_HEADINGS, *rows, strict=True)], console.width)
    table = plain_table(Column(_HEADINGS[0], overflow="fold"), *(_HEADINGS[place] for place in shown[1:]))
    for place, column in zip(shown, table.columns, strict=True):
        column.justify = "left" if place in _WORDS else "right"
        column.no_wrap = place != _TOPIC
    for row in rows:
        table.add_row(*(row[place] for place in shown))
    console.print(table)


def _fitting(widths: list[int], room: int) -> list[int]:
    """The columns that there is room for: names and figures are there whole or not at all; topics may have several lines."""
    widths[_TOPIC] = min(widths[_TOPIC], _NARROW)
    shown = list(range(len(widths)))
    for place in _LEAST_NEEDED:
        if sum(widths[one] + _GAP for one in shown) <= room:
            break
        shown.remove(place)
    return shown


def _row(crawl: CrawlSummary, now: float) -> tuple[str, ...]:
    if crawl.problem:
        return crawl.name, "gone" if crawl.gone else "unreadable", "", "", size(crawl.bytes), "", ""
    last = ago(now - crawl.last_activity.timestamp()) if crawl.last_activity else "none yet"
    return crawl.name, crawl.state, f"{crawl.pages:,}", f"{crawl.relevant:,}", size(crawl.bytes), last, crawl.topic


def ago(seconds: float) -> str:
    """How long ago something was; a clock that was put back does not make it the future."""
    found = "just now"
    for unit, name in _AGES:
        if seconds >= unit:
            found = f"{counted(int(seconds // unit), name)} ago"
    return found
