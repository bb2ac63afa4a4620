"""How does a batch get into the database, and stay there? What of it cannot be written costs itself, not the crawl."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from shoal.database.postgres import PostgresDatabase, place_of
from shoal.database.sql import Database, Steps, Write, at_once, on_the_loop
from shoal.errors import DatabaseGone, FolderError, ShoalError
from shoal.model import Entry, Reason, State
from shoal.model.stored import Changes, Duplicate, ImageFate, Revisited
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.store.mark_log import MarkLogReader, MarkTable
from shoal.store.run_control import WishFile, WishRow
from shoal.store.url_index import SqliteUrlIndex, index_of, mirror_of


@dataclass(frozen=True)
class LostRow:
    """What cannot be written, by number, and what it raised."""

    pages: dict[int, Exception] = field(default_factory=dict)
    images: dict[int, Exception] = field(default_factory=dict)
    looks: dict[int, Exception] = field(default_factory=dict)
    """By the number of the page."""


_OF_THE_DISK = (ShoalError, OSError, MemoryError, sqlite3.OperationalError)


def is_about_content(error: Exception) -> bool:
    """True when another batch could be written: neither disk nor database are to blame."""
    if type(error) is sqlite3.DatabaseError:  # the file is damaged
        return False
    return not isinstance(error, _OF_THE_DISK)


def encodable(value: Any) -> Any:
    """The same value, with every text in it such that it can be written."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if type(value) is str else value  # words of ours are right
    if isinstance(value, tuple):
        return tuple(map(encodable, value))
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return replace(value, **{name: encodable(field) for name, field in fields.items()})
    return value


def without(changes: Changes, lost: LostRow) -> Changes:
    """The same batch, in which these failed."""
    gone = len(lost.pages)
    tally = ((State.DONE, None, -gone), (State.FAILED, Reason.INTERNAL, gone)) if gone else ()
    return replace(
        changes,
        pages=tuple(page for page in changes.pages if page.seen.task.id not in lost.pages),
        added=tuple(_fate(entry, lost) for entry in changes.added),
        changed=tuple(_fate(entry, lost) for entry in changes.changed),
        tally=(*changes.tally, *tally),
        images=tuple(_image(fate, lost) for fate in changes.images),
        looks=tuple(_look(look, lost) for look in changes.looks),
    )


def _fate(entry: Entry, lost: LostRow) -> Entry:
    if (error := lost.pages.get(entry.id)) is None:
        return entry
    return replace(entry, state=State.FAILED, reason=Reason.INTERNAL, detail=_why(error))


def _image(fate: ImageFate, lost: LostRow) -> ImageFate:
    if (error := lost.images.get(fate.id)) is None:
        return fate
    return replace(fate, state=State.FAILED, reason=Reason.INTERNAL, detail=_why(error), came=None)


def _look(look: Revisited, lost: LostRow) -> Revisited:
    error = lost.looks.get(look.page)
    return look if error is None else replace(look, seen=None, gone=_why(error))


def _why(error: Exception) -> str:
    return f"Shoal could not store it, which is our fault: {type(error).__name__}."


# --- how does a batch get into the database, and stay there ----------------------------------------------------------

logger = logging.getLogger(__name__)
_T = TypeVar("_T")
_CHECKPOINT_ROWS = 50_000
"""About 50 MB of write-ahead log."""
_ROWS_OF_A_COMMIT = 4
"""What each commit notes of itself takes as much of the log as so many rows: a crawl may pause for days, and commits on."""
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 3.0
"""Seconds between two attempts to reach a server that is gone."""
_COMMITS = "commits"
"""The key of the number that each commit counts up."""


@dataclass
class Batch:
    """What one commit writes."""

    steps: Callable[[], Steps[None]]
    """All of it in one transaction; may be begun again after `rewind`."""
    rewind: Callable[[], None]
    """Forget what the steps did elsewhere than in the database."""
    urls: list[Write]
    """What of it the URL index must know."""
    keys: list[tuple[int, int]]
    """Of the new URLs, with their ids."""
    rows: int
    """About so many."""
    duplicates: list[Duplicate] = field(default_factory=list)
    """What the steps found out, before they commit."""


class SqliteCommit:
    """A crawl in a SQLite file. All of it runs on the event loop; only the disk is waited for in a thread."""

    mark = ""
    warc_key = "warc"

    def __init__(self, folder: Path) -> None:
        # Frontier and commits share one connection: a second one would have to read its pages anew after every commit. While a
        # commit runs, the frontier may see half of it; that is no harm, because `frontier.pending` knows what is in transit.
        self.database = self.near = folders.connect_file(folder)
        # Checkpoints sync the disk; on a connection of their own nobody waits for them.
        self.database.execute("PRAGMA wal_autocheckpoint = 0")
        self._checkpointer = folders.connect_file(folder)
        self._rows_since_checkpoint = 0
        self.url_index = SqliteUrlIndex(self.database, index_of(folder / folders.DATABASE))
        self.marks, self.wishes = MarkLogReader(folder), WishFile(folder)

    def note(self) -> dict[str, object]:
        """What each commit writes down about itself."""
        return {}

    async def commit(self, batch: Batch) -> list[Duplicate]:
        """Make a batch durable."""
        await on_the_loop(batch.steps())
        await on_the_loop(self.url_index.learn(batch.keys))
        self._rows_since_checkpoint += batch.rows + _ROWS_OF_A_COMMIT
        if self._rows_since_checkpoint >= _CHECKPOINT_ROWS:
            self._rows_since_checkpoint = 0
            await asyncio.to_thread(self._checkpointer.execute, "PRAGMA wal_checkpoint(PASSIVE)")
        return batch.duplicates

    async def rehearse(self, steps: Callable[[], Steps[None]]) -> None:
        """Run steps that take back by themselves what they did."""
        await on_the_loop(steps())

    def close(self) -> None:
        """Let go of the files."""
        self.url_index.close()
        self._checkpointer.close()
        self.database.close()


class PostgresCommit:
    """The same for PostgreSQL, by the connection that holds the crawl's lock. The event loop sees only a private mirror of it."""

    def __init__(self, folder: Path, database: PostgresDatabase) -> None:
        self.mark = clusters.read(folder).mark
        self.warc_key = f"warc {self.mark}"
        self.database = database
        self._own = clusters.last_coordinator(database)
        self._backend = clusters.holder(database)
        """The server's process for the connection that has, or had, the lock."""
        self._commits = _commits(database)
        """How many batches are stored."""
        self.near = mirror_of(database)
        self.url_index = SqliteUrlIndex(self.near, self.near)
        self.marks, self.wishes = MarkTable(database), WishRow(database)

    def note(self) -> dict[str, object]:
        return {_COMMITS: self._commits + 1}

    async def commit(self, batch: Batch) -> list[Duplicate]:
        """Make a batch durable, however long the server is away. Cancelled, it breaks off; the batch may be stored or not."""
        while True:
            try:
                await self._in_thread(lambda: self._write(batch))
                break
            except DatabaseGone as error:
                logger.warning("%s The crawl waits.", error)
                if await self._come_back() > self._commits:
                    break  # only the answer was lost
                batch.rewind()
        self._commits += 1
        await on_the_loop(self.url_index.repeat(batch.urls))
        await on_the_loop(self.url_index.learn(batch.keys))
        return batch.duplicates

    async def rehearse(self, steps: Callable[[], Steps[None]]) -> None:
        await self._in_thread(lambda: at_once(steps()))

    def close(self) -> None:
        """Let go of the mirror; the connection belongs to whoever took the lock."""
        self.url_index.close()

    def _write(self, batch: Batch) -> None:
        at_once(batch.steps())
        self.marks.look()
        self.wishes.look()

    async def _come_back(self) -> int:
        """Return when the crawl is ours again; answers how many batches are stored."""
        pause = _FIRST_PAUSE
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            try:
                stored = await self._in_thread(self._take_again)
            except DatabaseGone as error:
                logger.info("%s", error)
                continue
            if stored is not None:
                logger.warning("The database at %s is back: the crawl goes on.", place_of(self.database.url))
                return stored

    def _take_again(self) -> int | None:
        """How many batches are stored; None while the server still takes our lost connection for alive."""
        self.database.reconnect()
        locked = clusters.try_lock(self.database)
        last = clusters.last_coordinator(self.database)
        if last != self._own:
            raise FolderError(
                f"Another coordinator ({last}) has taken over the crawl, so this one ends; nothing is lost."
            )
        if not locked:
            if self._backend is not None and clusters.holder(self.database) == self._backend:
                self.database.execute("SELECT pg_terminate_backend(?)", (self._backend,))
            return None
        self._backend = clusters.holder(self.database)
        return _commits(self.database)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        """Wait for the server in a thread. Whoever is cancelled breaks the connection: the thread must not stay behind."""
        running = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self.database.abort()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()  # it was looked at
            raise


def _commits(database: Database) -> int:
    return folders.read_meta(database, _COMMITS, int) or 0
