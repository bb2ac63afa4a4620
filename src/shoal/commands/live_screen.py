"""How does a crawl look in a terminal that can be drawn over? (Elsewhere: `live_lines.py`.)"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from shoal.commands.live_lines import FRAME_SECONDS, HOLDING_BACK, PAUSED, clock, side_tasks, size, stopping_line
from shoal.commands.terminal import one_line
from shoal.printable import harmless

if TYPE_CHECKING:
    from shoal.crawl.coordinator import Coordinator
    from shoal.crawl.metrics import Statistics
    from shoal.model import Outlook

_SHOWN_FETCHES = 6


async def draw(console: Console, folder: Path, coordinator: Coordinator) -> None:
    """Draw it again and again, until the crawl is over."""
    # Its last state is gone with it, because the end of the crawl says the same for good.
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            live.update(screen(folder, coordinator.statistics(), coordinator.stopping_rule.outlook), refresh=True)
            await asyncio.sleep(FRAME_SECONDS)


def screen(folder: Path, now: Statistics, outlook: Outlook | None = None) -> RenderableType:
    """How a crawl stands, in a terminal that can be drawn over."""
    title = Text.assemble(("shoal ", "bold"), f"{folder}  {clock(now.elapsed)}  {size(now.bytes)}", overflow="ellipsis")
    title.no_wrap = True
    return Group(title, _figures(now), *_fetches(now), *_besides(now, outlook), _foot(now))


def _foot(now: Statistics) -> Text:
    """What can be done at this moment."""
    if now.stopping:
        return Text(stopping_line(now), style="yellow")
    return Text(PAUSED, style="yellow") if now.paused else Text("Ctrl-C stops; nothing is lost.", "dim")


def _fetches(now: Statistics) -> Iterator[Text]:
    for url in now.fetching[:_SHOWN_FETCHES]:
        yield one_line(f"  → {url}")
    if (more := len(now.fetching) - _SHOWN_FETCHES) > 0:
        yield one_line(f"    and {more} more in flight")


def _besides(now: Statistics, outlook: Outlook | None) -> Iterator[Text]:
    """What is not always there to be said."""
    if waiting := side_tasks(now).removeprefix("; "):
        yield one_line(f"  {waiting}", style="")
    if now.holding_back:
        yield one_line(f"  {HOLDING_BACK}")
    if now.trouble:
        yield one_line(f"  last failure: {harmless(now.trouble)}")
    if outlook is not None and outlook.pages:
        share = outlook.relevant / outlook.pages
        yield one_line(f"  {share:.1%} of the next {outlook.pages:,} pages expected to be relevant")


def _figures(now: Statistics) -> Table:
    figures = Table.grid(padding=(0, 3))
    figures.add_row(
        _figure("pages", f"{now.pages:,}"),
        _figure("relevant", f"{now.relevant:,}", "green"),
        _figure("harvest rate", f"{now.harvest_rate:.1%}", "green"),
        _figure("pages/s", f"{now.rate:.1f}"),
    )
    figures.add_row(
        _figure("queue", f"{now.queue:,}"),
        _figure("hosts ready", f"{now.hosts_ready:,}"),
        _figure("hosts waiting", f"{now.hosts_waiting:,}"),
        _figure("failed", f"{now.failed:,}", "red" if now.failed else ""),
    )
    return figures


def _figure(name: str, value: str, style: str = "") -> Text:
    return Text.assemble((value, f"bold {style}"), (f" {name}", "dim"))
