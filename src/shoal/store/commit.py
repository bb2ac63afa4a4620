"""How does a batch get into the database, and stay there? On one machine in bites; over a wire in a thread, through outages, too.

A crawl in PostgreSQL belongs to the connection that holds its lock. When that connection is lost, so is what it had not
committed; but it may have been lost after the commit, and before the answer. So each commit counts up a number in the
database: who comes back looks whether somebody else took the crawl meanwhile, and whether its last batch is there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from shoal.errors import DatabaseGone, FolderError
from shoal.remembered import Duplicate
from shoal.store import crawl_folder as folders
from shoal.store import shared_crawl as clusters
from shoal.store.database import Database
from shoal.store.mark_log import OpinionReader, OpinionTable
from shoal.store.postgres import PostgresDatabase, place_of
from shoal.store.sqlite import checkpoint, checkpoint_by_hand
from shoal.store.steps import Steps, Write, at_once, on_the_loop
from shoal.store.url_index import SqliteShelf, index_of, mirror_of

logger = logging.getLogger(__name__)
_T = TypeVar("_T")
_CHECKPOINT_ROWS = 50_000
"""About 50 MB of write-ahead log."""
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 3.0
"""Seconds between two attempts to reach a server that is gone."""
_COMMITS = "commits"
"""The key of the number that each commit counts up."""


@dataclass
class Batch:
    """What one commit writes."""

    steps: Callable[[], Steps[list[Duplicate]]]
    """All of it in one transaction; may be begun again after `rewind`."""
    rewind: Callable[[], None]
    """Forget what the steps did elsewhere than in the database."""
    urls: list[Write]
    """What of it the shelf must know."""
    keys: list[tuple[int, int]]
    """Of the new URLs, with their ids."""
    rows: int
    """About so many."""
    duplicates: list[Duplicate] = field(default_factory=list)
    """What the steps found out, before they commit."""


class SqliteKeeping:
    """A crawl in a SQLite file. All of it runs on the event loop; only the disk is waited for in a thread."""

    mark = ""
    warc_key = "warc"

    def __init__(self, folder: Path) -> None:
        # Frontier and commits share one connection: a second one would have to read its pages anew after every commit. While a
        # commit runs, the frontier may see half of it; that is no harm, because `crawl.records` knows what is in transit.
        self.database = self.near = folders.connect_file(folder)
        checkpoint_by_hand(self.database)
        # Checkpoints sync the disk; on a connection of their own nobody waits for them.
        self._checkpointer = folders.connect_file(folder)
        self._rows_since_checkpoint = 0
        self.shelf = SqliteShelf(self.database, index_of(folder / folders.DATABASE))
        self.opinions = OpinionReader(folder)

    def note(self) -> dict[str, object]:
        """What each commit writes down about itself."""
        return {}

    async def commit(self, batch: Batch) -> list[Duplicate]:
        """Make a batch durable."""
        duplicates = await on_the_loop(batch.steps())
        await on_the_loop(self.shelf.learn(batch.keys))
        self._rows_since_checkpoint += batch.rows
        if self._rows_since_checkpoint >= _CHECKPOINT_ROWS:
            self._rows_since_checkpoint = 0
            await asyncio.to_thread(checkpoint, self._checkpointer)
        return duplicates

    async def rehearse(self, steps: Callable[[], Steps[None]]) -> None:
        """Run steps that take back by themselves what they did."""
        await on_the_loop(steps())

    def close(self) -> None:
        """Let go of the files."""
        self.shelf.close()
        self._checkpointer.close()
        self.database.close()


class PostgresKeeping:
    """A crawl in PostgreSQL, by the connection that holds its lock. The event loop sees only a private mirror of it."""

    def __init__(self, folder: Path, database: PostgresDatabase) -> None:
        self.mark = clusters.read(folder).mark
        self.warc_key = f"warc {self.mark}"
        self.database: Database = database
        self._server = database
        self._own = clusters.last_coordinator(database)
        self._backend = clusters.holder(database)
        """The server's process for the connection that has, or had, the lock."""
        self._commits = _commits(database)
        """How many batches are stored."""
        self.near = mirror_of(database)
        self.shelf = SqliteShelf(self.near, self.near)
        self.opinions = OpinionTable(database)

    def note(self) -> dict[str, object]:
        """What each commit writes down about itself."""
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
        await on_the_loop(self.shelf.repeat(batch.urls))
        await on_the_loop(self.shelf.learn(batch.keys))
        return batch.duplicates

    async def rehearse(self, steps: Callable[[], Steps[None]]) -> None:
        """Run steps that take back by themselves what they did."""
        await self._in_thread(lambda: at_once(steps()))

    def close(self) -> None:
        """Let go of the mirror; the connection belongs to whoever took the lock."""
        self.shelf.close()

    def _write(self, batch: Batch) -> None:
        at_once(batch.steps())
        self.opinions.look()

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
                logger.warning("The database at %s is back: the crawl goes on.", place_of(self._server.url))
                return stored

    def _take_again(self) -> int | None:
        """How many batches are stored; None while the server still takes our lost connection for alive."""
        self._server.reconnect()
        locked = clusters.try_lock(self._server)
        last = clusters.last_coordinator(self._server)
        if last != self._own:
            raise FolderError(
                f"Another coordinator ({last}) has taken over the crawl, so this one ends; nothing is lost."
            )
        if not locked:
            if self._backend is not None and clusters.holder(self._server) == self._backend:
                self._server.execute("SELECT pg_terminate_backend(?)", (self._backend,))
            return None
        self._backend = clusters.holder(self._server)
        return _commits(self._server)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        """Wait for the server in a thread. Whoever is cancelled breaks the connection: the thread must not stay behind."""
        running = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self._server.abort()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()  # it was looked at
            raise


Keeping = SqliteKeeping | PostgresKeeping


def keeping_of(folder: Path, holder: PostgresDatabase | None) -> Keeping:
    """How the crawl in a folder is kept; `holder` is the connection that has its lock, if it is in PostgreSQL."""
    return SqliteKeeping(folder) if holder is None else PostgresKeeping(folder, holder)


def _commits(database: Database) -> int:
    return msgspec.json.decode(folders.read_meta(database, _COMMITS) or b"0", type=int)
