"""How do all crawls of an installation stand? Each in a line; one that cannot be opened costs its own line, not the list."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from shoal.errors import ShoalError
from shoal.installation.location import Installation
from shoal.model.person import OPERATOR, Person
from shoal.services.catalog import crawl_folders, is_gone
from shoal.services.supervisor import StateWord, state_in
from shoal.settings import Cluster
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status
from shoal.store.crawl_status import Glance, StoreAnswer

_AT_ONCE = 8
"""Crawls that are looked at; those in a database elsewhere take their time to answer."""


class CrawlSummary(StoreAnswer, frozen=True, kw_only=True):
    """A crawl in a line."""

    name: str
    folder: str
    topic: str = ""
    state: str = ""
    """In a word (`services.supervisor.StateWord`); empty when the crawl cannot be opened."""
    pages: int = 0
    relevant: int = 0
    waiting: int = 0
    bytes: int = 0
    """On the disk: pages, database and index."""
    begun: datetime | None = None
    last_activity: datetime | None = None
    """When the last page came."""
    problem: str = ""
    """One sentence when the crawl cannot be opened."""
    gone: bool = False
    """Its folder is no longer where the list says: `catalog.take_off_list` takes it off."""


def list_crawls(installation: Installation, asker: Person = OPERATOR) -> tuple[CrawlSummary, ...]:
    """Every crawl of the installation that somebody may see, the one that was at work last first."""
    known = list(crawl_folders(installation, asker))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(lambda one: _summary(installation.cluster, *one), known))
    return tuple(sorted(found, key=lambda crawl: (-_last(crawl), crawl.name)))


def _last(crawl: CrawlSummary) -> float:
    moment = crawl.last_activity or crawl.begun
    return moment.timestamp() if moment else 0.0


def _summary(cluster: Cluster, name: str, folder: Path) -> CrawlSummary:
    crawl = partial(CrawlSummary, name=name, folder=str(folder), bytes=size_of(folder))
    try:
        folders.look_up(folder, cluster)
        with folders.reading(folder) as database:
            topic, found = folders.read_settings(folder, database).topic.name, crawl_status.glance(database)
            return _shown(crawl, topic, found, state_in(folder, database).state)
    except ShoalError as error:
        if is_gone(folder):
            return crawl(problem=f"The folder {folder} is gone.", gone=True)
        return crawl(problem=str(error))


def _shown(crawl: partial[CrawlSummary], topic: str, found: Glance, state: StateWord) -> CrawlSummary:
    return crawl(
        topic=topic,
        state=state,
        pages=found.pages,
        relevant=found.relevant,
        waiting=found.waiting,
        begun=found.first_fetch,
        last_activity=found.last_fetch,
    )


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder; one that goes meanwhile counts for nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total
