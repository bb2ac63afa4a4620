"""What does somebody see who waits for a crawl? A view that is drawn over, or a plain line now and then.

It goes to standard error; answers go to standard output. A URL is never broken: whoever reads it can copy it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.commands.live_lines import tell_lines

if TYPE_CHECKING:
    from shoal.crawl.coordinator import Coordinator
    from shoal.services.run import Watch


def progress(folder: Path, *, silent: bool) -> Watch:
    """Show how a crawl goes: live in a terminal, a plain line now and then elsewhere, or not at all."""
    if silent:
        return _nothing
    # Only here, because whoever mistypes an option needs no colours.
    from shoal.commands import live_screen
    from shoal.commands.terminal import Notes

    console = Notes()
    return partial(live_screen.draw, console, folder) if console.is_terminal else tell_lines


async def _nothing(coordinator: Coordinator) -> None:
    """Show nothing."""
