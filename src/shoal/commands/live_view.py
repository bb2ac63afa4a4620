"""What does somebody see who waits for a crawl? A view that is drawn over, or a plain line now and then.

It goes to standard error; answers go to standard output. A URL is never broken: whoever reads it can copy it.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from shoal.commands.console import Notes, one_line
from shoal.commands.output import counted, tell
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.metrics import Statistics
from shoal.model import Outlook
from shoal.printable import harmless
from shoal.services.run import Watch

_FRAME_SECONDS = 0.25
_FRAMES_PER_LINE = 20
_SHOWN_FETCHES = 6
_HOLDING_BACK = "better links wait for their hosts (--hurry does not)"


def progress(folder: Path, *, silent: bool) -> Watch:
    """Show how a crawl goes: live in a terminal, a plain line now and then elsewhere, or not at all."""
    if silent:
        return _nothing
    console = Notes()
    return partial(_live, console, folder) if console.is_terminal else _lines


async def _nothing(coordinator: Coordinator) -> None:
    """Show nothing."""


async def _live(console: Console, folder: Path, coordinator: Coordinator) -> None:
    # Its last state is gone with it, because the end of the crawl says the same for good.
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            live.update(screen(folder, coordinator.statistics(), coordinator.stopping_rule.outlook), refresh=True)
            await asyncio.sleep(_FRAME_SECONDS)


# --- lines -----------------------------------------------------------------------------------------------------------


async def _lines(coordinator: Coordinator) -> None:
    told = False
    for frame in itertools.count(1):
        await asyncio.sleep(_FRAME_SECONDS)
        now = coordinator.statistics()
        if now.stopping and not told:
            told = True
            tell(stopping_line(now))
        if frame % _FRAMES_PER_LINE == 0:
            tell(line(now))


def line(now: Statistics) -> str:
    """How a crawl stands, where there is only one line to say it."""
    trouble = f"; last failure: {harmless(now.trouble)}" if now.trouble and not now.pages else ""
    held = f"; {_HOLDING_BACK}" if now.holding_back else ""
    return (
        f"{clock(now.elapsed)}  {now.pages:,} pages, {now.relevant:,} relevant ({now.harvest_rate:.0%}), "
        f"{now.rate:.1f} pages/s, {now.queue:,} waiting, {len(now.fetching)} in flight, "
        f"hosts {now.hosts_ready:,} ready {now.hosts_waiting:,} waiting{_side_tasks(now)}{held}{trouble}"
    )


def _side_tasks(now: Statistics) -> str:
    """What comes besides pages, if anything does."""
    images = f"; {counted(now.images, 'image')}" if now.images else ""
    return f"{images}; {now.side_tasks:,} images or pages to look at again are waiting" if now.side_tasks else images


def stopping_line(now: Statistics) -> str:
    """What happens after the first Ctrl-C."""
    return f"Finishing {counted(len(now.fetching), 'request')} in flight; Ctrl-C again stops at once."


# --- live ------------------------------------------------------------------------------------------------------------


def screen(folder: Path, now: Statistics, outlook: Outlook | None = None) -> RenderableType:
    """How a crawl stands, in a terminal that can be drawn over."""
    title = Text.assemble(("shoal ", "bold"), f"{folder}  {clock(now.elapsed)}  {size(now.bytes)}", overflow="ellipsis")
    title.no_wrap = True
    foot = Text(stopping_line(now), style="yellow") if now.stopping else Text("Ctrl-C stops; nothing is lost.", "dim")
    return Group(title, _figures(now), *_fetches(now), *_besides(now, outlook), foot)


def _fetches(now: Statistics) -> Iterator[Text]:
    for url in now.fetching[:_SHOWN_FETCHES]:
        yield one_line(f"  → {url}")
    if (more := len(now.fetching) - _SHOWN_FETCHES) > 0:
        yield one_line(f"    and {more} more in flight")


def _besides(now: Statistics, outlook: Outlook | None) -> Iterator[Text]:
    """What is not always there to be said."""
    if side_tasks := _side_tasks(now).removeprefix("; "):
        yield one_line(f"  {side_tasks}", style="")
    if now.holding_back:
        yield one_line(f"  {_HOLDING_BACK}")
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


# --- times and sizes -------------------------------------------------------------------------------------------------


def clock(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def size(count: float) -> str:
    """Bytes in the largest unit that leaves a number above 1."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
