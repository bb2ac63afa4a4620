"""How does a crawl run from Python? Who has no event loop waits, and may see a line of progress; who has one awaits."""

from __future__ import annotations

import os
import time
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from shoal import services
from shoal.errors import InputError
from shoal.installation.location import Installation
from shoal.protocols import Judge, Strategy
from shoal.python.arguments import checked, own_or_named
from shoal.python.event_loop import Interruption, run
from shoal.python.progress import ProgressLine, display_for
from shoal.services.own_parts import OwnParts
from shoal.services.revisit import Revisit
from shoal.services.run import Ending
from shoal.signals import never_interrupted
from shoal.topic.value_readers import duration


def changed(
    folder: Path, strategy: str | Strategy | None, judge: str | Judge | None, given: Mapping[str, object]
) -> OwnParts:
    """The crawl has the settings that it goes on with; answers the objects that it needs for that."""
    own, options = own_or_named(strategy, judge, checked(given))
    services.crawls.join_crawl(folder, options, os.environ)
    services.crawls.change_settings(folder, options, own)
    return own


def run_and_wait(folder: Path, installation: Installation, own: OwnParts, *, progress: bool) -> Ending:
    """Run until something ends it."""
    line = _line(folder, progress=progress)

    def crawling(interruption: Interruption) -> Coroutine[Any, Any, Ending]:
        heard = interruption.interrupted
        return services.run.run_crawl(folder, installation, line.watch, say=line.say, interrupted=heard, own=own)

    with line.shown():
        return run(crawling, line.tick)


async def run_in_loop(folder: Path, installation: Installation, own: OwnParts, *, progress: bool) -> Ending:
    """The same for who has a loop: whoever cancels it ends it at once."""
    line = _line(folder, progress=progress)
    with line.shown():
        return await services.run.run_crawl(
            folder, installation, line.watch, say=line.say, interrupted=never_interrupted, own=own
        )


def look_again(
    folder: Path,
    installation: Installation,
    urls: tuple[str, ...],
    older: float | str,
    *,
    relevant_only: bool,
    progress: bool,
) -> Revisit:
    """Look at stored pages again, and wait."""
    if urls and (older or relevant_only):
        raise InputError("Name URLs, or choose with older and relevant, not both.")
    seconds = _seconds(older)
    services.revisit.want(folder, urls, older=seconds, relevant_only=relevant_only, now=time.time())
    line = ProgressLine(folder.resolve().name, display_for(progress))

    def looking(interruption: Interruption) -> Coroutine[Any, Any, Revisit]:
        heard = interruption.interrupted
        return services.revisit.revisit(folder, installation, line.watch, say=line.say, interrupted=heard)

    with line.shown():
        return run(looking, line.tick)


def _seconds(older: float | str) -> float:
    try:
        return duration(older) if older else 0.0
    except ValueError as error:
        raise InputError(f"older {error}") from None


def _line(folder: Path, *, progress: bool) -> ProgressLine:
    return ProgressLine(folder.resolve().name, display_for(progress), services.status.most_pages(folder))
