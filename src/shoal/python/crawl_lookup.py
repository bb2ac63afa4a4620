"""Which crawls has a home, and what do their pages say together, from Python?"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from shoal import services
from shoal.installation.location import Installation, installation_of
from shoal.python.arguments import in_python_words
from shoal.python.crawl import Crawl, hits
from shoal.python.rows import Rows
from shoal.services.overview import CrawlSummary

if TYPE_CHECKING:
    from shoal.services.search import SearchHit


def open(crawl: str | Path, *, home: str | Path | None = None) -> Crawl:
    """A crawl that is there, by its name or its folder."""
    with in_python_words():
        installation = installation_at(home)
        folder = services.catalog.find_crawl(installation, str(crawl))
        found = Crawl(folder, installation)
        found.topic  # noqa: B018  whether there is a crawl is said now, and not with the first question
        return found


def crawls(*, home: str | Path | None = None) -> Rows[CrawlSummary]:
    """All crawls of the home, the one that was at work last first."""
    with in_python_words():
        found = services.overview.list_crawls(installation_at(home))
    return Rows(CrawlSummary, found, show=("name", "state", "pages", "relevant", "bytes", "last_activity", "topic"))


def search(
    words: str,
    *,
    crawls: str | Path | Iterable[str | Path] = (),
    limit: int = 10,
    offset: int = 0,
    home: str | Path | None = None,
) -> Rows[SearchHit]:
    """The pages of several crawls that answer the words, as if one crawl had them all; without `crawls` of all in the home."""
    named = (crawls,) if isinstance(crawls, str | Path) else tuple(crawls)
    with in_python_words():
        installation = installation_at(home)
        folders = {open(crawl, home=home).folder: "" for crawl in named}
        if not named:
            folders = {folder: name for name, folder in services.catalog.crawl_folders(installation)}
        if not folders:
            raise services.catalog.no_crawl_named(installation)
        return hits(folders, words, limit=limit, offset=offset)


def installation_at(home: str | Path | None) -> Installation:
    """The one of the user, or another one that the program names."""
    installation = installation_of(os.environ)
    return installation if home is None else replace(installation, home=Path(home).absolute())
