"""Has a page changed since? Looks at stored pages again; a version that says something else is kept beside the earlier ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from shoal.crawl.termination import Ending
from shoal.errors import InputError
from shoal.installation.location import Installation
from shoal.services.run import Watch, run_crawl
from shoal.signals import Interrupted, never_interrupted
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, revisits
from shoal.store.crawl_status import StoreAnswer
from shoal.store.revisits import Looked
from shoal.topic import value_readers


class Revisit(StoreAnswer, frozen=True, kw_only=True):
    """What came of it, and why it ended."""

    ending: Ending
    found: Looked


def read_age(text: str) -> float:
    """Seconds, from text such as `90m`, `12h` or `7d`; ValueError with the end of a sentence when it is none."""
    return value_readers.duration(text)


def want(folder: Path, urls: Sequence[str], *, older: float, relevant_only: bool, now: float) -> int:
    """Say which pages are to be looked at again: these, or all that were last looked at so many seconds ago; how many."""
    with folders.lock_existing(folder), mark_log.reading(folder) as database:
        if urls:
            count = revisits.want_these(database, [mark_log.page_of(database, url) for url in urls])
        else:
            count = revisits.want(database, before=now - older, relevant_only=relevant_only)
    if not count:
        raise InputError("There is no page to look at again: all were looked at lately (--older-than says how lately).")
    return count


async def revisit(
    folder: Path,
    installation: Installation,
    watch: Watch,
    *,
    say: Callable[[str], None] = lambda sentence: None,
    interrupted: Interrupted = never_interrupted,
    clock: Callable[[], float] = time.time,
) -> Revisit:
    """Look at all pages that are wanted; no new page is fetched, but new links wait for the next `shoal resume`."""
    start = clock()
    ending = await run_crawl(folder, installation, watch, say=say, interrupted=interrupted, new_pages=False)
    with folders.reading(folder) as database:
        return Revisit(ending=ending, found=revisits.looked(database, start))
