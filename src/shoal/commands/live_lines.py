"""How does a crawl stand, where there are only lines to say it? (In a terminal that can be drawn over: `live_screen.py`.)"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from shoal.commands.output import counted, tell
from shoal.printable import harmless

if TYPE_CHECKING:
    from shoal.crawl.coordinator import Coordinator
    from shoal.crawl.metrics import Statistics

FRAME_SECONDS = 0.25
_FRAMES_PER_LINE = 20
PAUSED = "Paused: shoal start lets it go on, Ctrl-C stops it."
HOLDING_BACK = "better links wait for their hosts (--hurry does not)"


async def tell_lines(coordinator: Coordinator) -> None:
    """A plain line now and then, until the crawl is over."""
    import asyncio  # here, because other commands only want to know how times and sizes are written

    told = paused = False
    for frame in itertools.count(1):
        await asyncio.sleep(FRAME_SECONDS)
        now = coordinator.statistics()
        if now.stopping and not told:
            told = True
            tell(stopping_line(now))
        if now.paused != paused:
            paused = now.paused
            tell(PAUSED if paused else "The crawl goes on.")
        if frame % _FRAMES_PER_LINE == 0 and (now.fetching or not paused):
            tell(line(now))


def line(now: Statistics) -> str:
    """How a crawl stands, where there is only one line to say it."""
    trouble = f"; last failure: {harmless(now.trouble)}" if now.trouble and not now.pages else ""
    held = f"; {HOLDING_BACK}" if now.holding_back else ""
    return (
        f"{clock(now.elapsed)}  {now.pages:,} pages, {now.relevant:,} relevant ({now.harvest_rate:.0%}), "
        f"{now.rate:.1f} pages/s, {now.queue:,} waiting, {len(now.fetching)} in flight, "
        f"hosts {now.hosts_ready:,} ready {now.hosts_waiting:,} waiting{side_tasks(now)}{held}{trouble}"
    )


def side_tasks(now: Statistics) -> str:
    """What comes besides pages, if anything does."""
    images = f"; {counted(now.images, 'image')}" if now.images else ""
    return f"{images}; {now.side_tasks:,} images or pages to look at again are waiting" if now.side_tasks else images


def stopping_line(now: Statistics) -> str:
    """What happens after the first Ctrl-C."""
    return f"Finishing {counted(len(now.fetching), 'request')} in flight; Ctrl-C again stops at once."


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
