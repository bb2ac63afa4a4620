"""Which URLs wait, which are known? The durable side of the frontier, in SQLite.

The crawl's database says what is known of each URL. Two questions need an index: which URL has this key, and which of a
host's URLs is the best. An index on random keys dirties a page of its file with nearly every row, and all those pages would
go through the write-ahead log. So both are in a private temporary database, which is never synced nor logged, spills
to a temporary file when it outgrows its cache, and is made anew from the crawl's database at the next start.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from shoal.model import Changes, Closing, Entry, HostRecord, Known, Reason, Retry, State

_CACHE_KILOBYTES = 96 * 1024
"""Both indexes take about 70 bytes per URL; beyond that cache they are read from the temporary file."""
_BITE = 500
"""Rows; writing them takes a few milliseconds."""
_READ = """
    SELECT found.id, url, host, priority, depth, parent, origin, hop, attempt, state, reason, detail, anchor, why, not_before
    FROM found LEFT JOIN fates USING (id) WHERE found.id = ?
"""
_FIND = "SELECT state, priority, depth, reason FROM found LEFT JOIN fates USING (id) WHERE found.id = ?"
_RETRIES = """
    SELECT found.id, host, priority, not_before FROM fates JOIN found USING (id) WHERE state = 0 AND not_before > 0
"""
_SCHEMA = """
    PRAGMA journal_mode = OFF;
    CREATE TABLE keys (key INTEGER PRIMARY KEY, id INTEGER NOT NULL);
    CREATE TABLE waiting (host INTEGER, rank REAL, id INTEGER, PRIMARY KEY (host, rank, id)) WITHOUT ROWID;
"""
# In the order of the index, so that pages are filled one after the other.
_FILL = """
    INSERT INTO keys SELECT key, id FROM crawl.found ORDER BY key;
    INSERT INTO waiting SELECT host, -priority, id FROM crawl.urls WHERE state = 0 ORDER BY host, -priority, id;
"""
_BEST = "SELECT rank, id FROM waiting WHERE host = ? AND (rank, id) >= (?, ?) ORDER BY rank, id"


_SIEVE_BYTES = 2**22
"""With a million URLs, 3 % of the questions that could be spared go to the index all the same."""
_STATES = tuple(State)
_REASONS = {str(reason): reason for reason in Reason}


class _Sieve:
    """Tells of most new URLs that they are new, without a look into the index: one bit for every key that ever came.

    Keys are hashes already, so their last bits say which one is theirs: that is all we need of a Bloom filter.
    """

    def __init__(self) -> None:
        self._bits = bytearray(_SIEVE_BYTES)
        self._view = np.frombuffer(self._bits, dtype=np.uint8)

    def add(self, keys: Sequence[int]) -> None:
        numbers = np.array(keys, dtype=np.int64)
        np.bitwise_or.at(self._view, (numbers >> 3) & (_SIEVE_BYTES - 1), np.uint8(1) << (numbers & 7).astype(np.uint8))

    def may_have(self, key: int) -> bool:
        """False is certain."""
        return bool(self._bits[key >> 3 & _SIEVE_BYTES - 1] >> (key & 7) & 1)


class SqliteShelf:
    """What was committed about URLs. Implements `protocols.Shelf`; only `CrawlStore.commit` changes it, by `learn`."""

    def __init__(self, connection: sqlite3.Connection, database: Path) -> None:
        self._execute = connection.execute
        self.host_ids: dict[str, int] = dict(connection.execute("SELECT name, id FROM hosts"))
        """Grows with the commits of `CrawlStore`."""
        self._host_names = {id: name for name, id in self.host_ids.items()}
        self._index = _index(database)
        self._sieve = _Sieve()
        self._sieve.add([key for (key,) in self._index.execute("SELECT key FROM keys")])

    def last_id(self) -> int:
        """The highest id ever given."""
        id: int = self._execute("SELECT IFNULL(MAX(id), 0) FROM found").fetchone()[0]
        return id

    def find(self, key: int) -> Known | None:
        """What is known of the URL with this key."""
        if not self._sieve.may_have(key):
            return None
        found = self._index.execute("SELECT id FROM keys WHERE key = ?", (key,)).fetchone()
        if found is None:
            return None
        state, priority, depth, reason = self._execute(_FIND, found).fetchone()
        return Known(id=found[0], state=_STATES[state or 0], priority=priority, depth=depth, reason=_reason(reason))

    def read(self, id: int) -> Entry:
        """The whole entry."""
        return self._entry(self._execute(_READ, (id,)).fetchone())

    def best(self, host: str, start: tuple[float, int]) -> Iterator[tuple[float, int]]:
        """(-priority, id) of the waiting URLs of a host, best first, from `start` on, as far as the caller wants."""
        return self._index.execute(_BEST, (self.host_ids.get(host), *start))

    def worst(self, limit: int) -> Iterable[Entry]:
        """The waiting URLs with the lowest priorities."""
        ids = self._index.execute("SELECT id FROM waiting ORDER BY rank DESC, id DESC LIMIT ?", (limit,)).fetchall()
        return (self.read(id) for (id,) in ids)

    def hosts(self) -> Iterable[HostRecord]:
        """Every host, with what waits there."""
        counted = self._index.execute("SELECT host, COUNT(*), MIN(rank) FROM waiting GROUP BY host")
        waiting = {host: (urls, -rank) for host, urls, rank in counted}
        for id, name, pages, closed in self._execute("SELECT id, name, pages, closed FROM hosts"):
            urls, best = waiting.get(id, (0, 0.0))
            yield HostRecord(name=name, waiting=urls, best=best, pages=pages, closed=_reason(closed))

    def retries(self) -> Iterable[Retry]:
        """Waiting URLs that must not be asked for before a certain time."""
        for id, host, priority, not_before in self._execute(_RETRIES):
            yield Retry(id=id, host=self._host_names[host], priority=priority, not_before=not_before)

    # --- for the store only ------------------------------------------------------------------------------------------

    def waiting(self, host: str, without: Container[int]) -> Iterator[int]:
        """The waiting URLs of a host, save some."""
        ids = self._index.execute("SELECT id FROM waiting WHERE host = ?", (self.host_ids.get(host),))
        return (id for (id,) in ids if id not in without)

    def new_host(self, name: str) -> int:
        """The number of a host nobody saw before."""
        id = self.host_ids[name] = len(self.host_ids) + 1
        self._host_names[id] = name
        return id

    async def learn(self, changes: Changes, keys: Sequence[tuple[int, int]]) -> None:
        """What the crawl's database has just been told; `keys` are those of the added URLs, with their ids."""
        index, ids = self._index, self.host_ids
        self._sieve.add([key for key, _ in keys])
        index.execute("BEGIN")
        await in_bites(index, "INSERT INTO keys VALUES (?, ?)", sorted(keys))
        before = {entry.id: priority for entry, priority in changes.repriced}
        gone = sorted((ids[entry.host], -before.get(entry.id, entry.priority), entry.id) for entry in changes.changed)
        await in_bites(index, "DELETE FROM waiting WHERE host = ? AND rank = ? AND id = ?", gone)
        waiting = [entry for entry in (*changes.added, *changes.changed) if entry.state is State.WAITING]
        rows = sorted((ids[entry.host], -entry.priority, entry.id) for entry in waiting)
        await in_bites(index, "INSERT INTO waiting VALUES (?, ?, ?)", rows)
        for closing in changes.closed:
            self._forget(closing)
        index.execute("COMMIT")

    def close(self) -> None:
        """Let go of the temporary file."""
        self._index.close()

    def _forget(self, closing: Closing) -> None:
        marks = ", ".join("?" * len(closing.leased))
        query = f"DELETE FROM waiting WHERE host = ? AND id NOT IN ({marks})"
        self._index.execute(query, (self.host_ids[closing.host], *closing.leased))

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        id, url, host, priority, depth, parent, origin, hop, attempt, state, reason, detail, anchor, why, not_before = (
            row
        )
        return Entry(
            id=id, url=url, host=self._host_names[host], priority=priority, depth=depth, parent=parent, origin=origin,
            hop=hop, attempt=attempt or 1, state=_STATES[state or 0], reason=_reason(reason), detail=detail or "",
            anchor=anchor, why=why, not_before=not_before or 0.0,
        )  # fmt: skip


async def in_bites(connection: sqlite3.Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Write rows, and let the rest of the crawl have its turn in between."""
    for start in range(0, len(rows), _BITE):
        connection.executemany(statement, rows[start : start + _BITE])
        await asyncio.sleep(0)


def _index(database: Path) -> sqlite3.Connection:
    """The two indexes, in a temporary database that is gone with its connection."""
    index = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    index.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
    index.executescript(_SCHEMA)
    index.execute("ATTACH ? AS crawl", (str(database),))
    index.executescript(_FILL)
    index.execute("DETACH crawl")
    return index


def _reason(text: str | None) -> Reason | None:
    return _REASONS[text] if text else None
