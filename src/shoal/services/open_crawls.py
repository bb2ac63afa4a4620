"""Which crawls can be searched now? Brings the index of each up to date, and opens all as one.

A crawl that cannot be searched costs only itself: a sentence says why, and the others are searched.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from shoal import indexer
from shoal.database.sql import Database
from shoal.errors import FolderBusy, FolderError, ShoalError
from shoal.index.index_folder import exists, origin_of, problem
from shoal.index.merged_index import IndexedCrawl, open_merged
from shoal.index.searcher import Index
from shoal.printable import path_text
from shoal.protocols import Progress
from shoal.services.catalog import how_it_went, is_gone
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, page_versions

_NO_PAGE = "There is no page to be searched yet."


class OpenCrawls:
    """Crawls by their names, while they are searched."""

    def __init__(self, named: Mapping[str, Path], progress: Progress, listed: Collection[str] = ()) -> None:
        """`listed` are the names on the list of crawls, from which those that are gone can be taken."""
        self.folders = dict(named)
        self._listed = listed
        self._progress = progress
        self.databases: dict[str, Database] = {}
        """Of those that can be used."""
        self._indexes: dict[int, IndexedCrawl] = {}
        """By the origins of their pages."""
        self.index: Index | None = None
        """All indexes as one; None when there is none."""
        self.notes: list[str] = []
        """Sentences for the user."""

    def open(self, stack: ExitStack) -> None:
        """Open what can be opened, until the stack is closed; the crawl that was asked for alone must be there."""
        for name, folder in self.folders.items():
            try:
                self._open_one(name, folder, stack)
            except ShoalError as error:
                if len(self.folders) == 1:
                    raise
                off_list = name in self._listed and is_gone(folder)
                self._note(name, how_it_went(name, folder) if off_list else str(error))
        if self._indexes:
            self.index = Index(open_merged(self._indexes.values()), self._fingerprints)

    def _open_one(self, name: str, folder: Path, stack: ExitStack) -> None:
        behind, place = _bring_up_to_date(folder, self._progress), folder / indexer.PAGES
        database = stack.enter_context(mark_log.reading(folder))
        if not exists(place):
            behind = behind or _NO_PAGE
        elif sentence := problem(place):
            raise FolderError(sentence)
        else:
            self._indexes[self._origin(folder)] = IndexedCrawl(name=name, place=place, marks=mark_log.by_page(database))
        if behind:
            self._note(name, behind)
        self.databases[name] = database

    def _origin(self, folder: Path) -> int:
        """By which the pages of this crawl are known; who copied a folder has two with the same, and makes one index anew."""
        if origin_of(folder / indexer.PAGES) in self._indexes:
            indexer.rebuild(folder, self._progress)
        return origin_of(folder / indexer.PAGES) or 0

    def _fingerprints(self, name: str, pages: Sequence[int]) -> Mapping[int, bytes]:
        return page_versions.fingerprints(self.databases[name], pages)

    def _note(self, name: str, sentence: str) -> None:
        self.notes.append(sentence if len(self.folders) == 1 else f"{name}: {sentence}")


@contextmanager
def open_crawls(folders: Sequence[Path] | Mapping[Path, str], progress: Progress) -> Iterator[OpenCrawls]:
    """The crawls in these folders, as they are now."""
    with ExitStack() as stack:
        crawls = OpenCrawls(named(folders), progress, folders.values() if isinstance(folders, Mapping) else ())
        crawls.open(stack)
        yield crawls


def named(folders: Sequence[Path] | Mapping[Path, str]) -> dict[str, Path]:
    """Each crawl once, by its name on a list, else by that of its folder; where two have the same, by the whole path."""
    listed = folders if isinstance(folders, Mapping) else {}
    places = {os.path.realpath(folder): folder for folder in reversed([*folders])}
    short = {place: listed.get(folder, "") or os.path.basename(place) for place, folder in places.items()}
    often = Counter(short.values())
    names = {place: name if often[name] == 1 else place for place, name in short.items()}
    return {path_text(names[place]): places[place] for place in sorted(names, key=names.__getitem__)}


def _bring_up_to_date(folder: Path, progress: Progress) -> str:
    """While a crawl is at work, its own process keeps the index; the last seconds may be missing then."""
    try:
        indexer.catch_up(folder, progress)
    except FolderError as error:
        if isinstance(error, FolderBusy) and folders.is_running(folder):
            return ""
        # Another search may be at it, or the folder is on a disk that cannot be written: what is there can be searched.
        return f"The newest pages may be missing: {error}"
    return ""
