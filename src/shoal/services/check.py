"""Do store and index agree, and can everything that is stored be read? Looks at all of it, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from shoal import indexer
from shoal.database.sql import Database
from shoal.errors import FolderError
from shoal.index.index_folder import damage, exists, problem
from shoal.index.searcher import open_index
from shoal.printable import typed
from shoal.protocols import Progress, no_progress
from shoal.store import change_feed
from shoal.store import crawl_folder as folders
from shoal.store.crawl_status import StoreAnswer
from shoal.store.warc import read_body

_SHOWN = 10
"""Pages that are named of many with the same trouble."""


class Check(StoreAnswer, frozen=True, kw_only=True):
    """What was looked at, and what is wrong with it."""

    pages: int
    versions: int
    bodies: int
    """Pages whose body was read and is as it came."""
    indexed: int
    """Pages in the index."""
    running: bool
    """A crawl is at work, so the index may be some seconds behind."""
    problems: tuple[str, ...]
    """One sentence each, with what to do about it."""

    @property
    def sound(self) -> bool:
        """Nothing is wrong."""
        return not self.problems


def check(folder: Path, progress: Progress = no_progress) -> Check:
    """Read all that a crawl has stored, and compare the index with it."""
    running = folders.is_running(folder)
    with folders.reading(folder) as database:
        wrong = [f"The database is damaged: {line}." for line in database.damage()]
        wrong += _some([f"The stored text of {url} cannot be read." for url in change_feed.damaged(database)])
        read, unreadable = _bodies(folder, database, progress)
        kept = change_feed.kept(database)
        indexed, disagreements = _index(folder, kept, running=running)
        pages, versions = change_feed.counts(database)
    return Check(
        pages=pages,
        versions=versions,
        bodies=read,
        indexed=indexed,
        running=running,
        problems=(*wrong, *unreadable, *disagreements),
    )


def _bodies(folder: Path, database: Database, progress: Progress) -> tuple[int, list[str]]:
    """Every body that the database knows of must be in its WARC file, byte for byte."""
    places = change_feed.bodies(database)
    wrong: list[str] = []
    for done, place in enumerate(places, start=1):
        try:
            body = read_body(folder, place.file, place.offset)
        except FolderError as error:
            wrong.append(str(error))
        else:
            if body and blake2b(body, digest_size=16).digest() != place.digest:  # a copy has no body of its own
                wrong.append(f"The stored page of {place.url} is not what was fetched.")
        progress(done, len(places))
    return len(places) - len(wrong), _some(wrong)


def _some(sentences: list[str]) -> list[str]:
    more = len(sentences) - _SHOWN
    return [*sentences[:_SHOWN], *([f"{more:,} more stored pages cannot be read."] if more > 0 else [])]


def _index(folder: Path, kept: dict[int, int], *, running: bool) -> tuple[int, list[str]]:
    place = folder / indexer.PAGES
    advice = f"make it anew with 'shoal reindex --dir {typed(folder)}'"
    if not exists(place):
        return 0, [f"There is no index: {advice}."] if kept and not running else []
    if sentence := problem(place):
        return 0, [f"{sentence.removesuffix('.')}: {advice}."]
    found = open_index(place).versions()
    wrong = [f"The file {name} of the index is damaged: {advice}." for name in damage(place)]
    return len(found), wrong + [f"{line}: {advice}." for line in _disagreements(kept, found, running=running)]


def _disagreements(kept: dict[int, int], found: dict[int, int], *, running: bool) -> Iterator[str]:
    if strangers := len(found.keys() - kept.keys()):
        yield f"The index has {strangers:,} pages that are not stored"
    reached = max(found.values(), default=0)
    behind = [page for page, version in kept.items() if found.get(page) != version]
    # What came since the index was last written to it will get by itself.
    missing = [page for page in behind if kept[page] <= reached or not running]
    if missing:
        yield f"The index does not know {len(missing):,} pages as they are stored"
