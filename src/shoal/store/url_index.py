"""Which URLs are known? The durable side of the frontier, for whom every answer must come at once: so always from SQLite.

The crawl's database says what is known of each URL. One question needs an index: which URL has this key? An index on random
keys dirties a page of its file with nearly every row, and all those pages would go through the write-ahead log. So it is in a
private temporary database, which is never synced nor logged, spills to a temporary file when it outgrows its cache, and is
made anew from the crawl's database at the next start.

A crawl in PostgreSQL has its URLs at the end of a wire, and a page with its links asks dozens of times. So the coordinator has a
private copy of them in such a temporary database, filled at the start; every commit writes to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from shoal.database.sql import Database, Steps, Write, in_bites, insert, portions
from shoal.database.sqlite import SqliteDatabase, open_file
from shoal.model import Entry, Reason, State
from shoal.model.stored import HostRecord, Known, Waiting
from shoal.store.upgrades import schema

_CACHE_KILOBYTES = 48 * 1024
"""Beyond that the index is read from the temporary file."""
_SPARE = 100_000
_READ = "SELECT key, url, host, priority, depth, parent, origin, hop, anchor, why, inherited FROM found WHERE id = ?"
_KNOWN = "SELECT priority, depth, inherited FROM found WHERE id = ?"
_FATE = "SELECT state, reason, detail, attempt, not_before, target FROM fates WHERE id = ?"
_Fate = tuple[int, str | None, str, int, float, str]
_NO_FATE: _Fate = (State.WAITING, None, "", 1, 0.0, "")
# In the order of the index, so that pages are filled one after the other.
_FILL = "INSERT INTO keys SELECT key, id FROM {} ORDER BY key"
_KEY = "INSERT INTO keys VALUES (?, ?)"
_MIRRORED = ("hosts", "found", "fates", "robots")
"""The tables of which a mirror has a copy; the others stay empty there."""
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


class SqliteUrlIndex:
    """What was committed about URLs. Implements `protocols.UrlIndex`; only `CrawlStore.commit` changes it, by `learn`."""

    def __init__(self, connection: SqliteDatabase, index: SqliteDatabase) -> None:
        """The index is one of those that `index_of` and `mirror_of` make."""
        self._execute = connection.execute
        self.host_ids: dict[str, int] = dict(connection.execute("SELECT name, id FROM hosts"))
        """Grows with the commits of `CrawlStore`."""
        self._host_names = {id: name for name, id in self.host_ids.items()}
        self._index = index
        self._sieve = _Sieve()
        self._sieve.add([key for (key,) in self._index.execute("SELECT key FROM keys")])
        self._fated = bytearray()
        """By id: 1 when the URL may have a row in `fates`; most URLs just wait, and are spared the look."""
        self.expect_fates(id for (id,) in connection.execute("SELECT id FROM fates"))

    def last_id(self) -> int:
        id: int = self._execute("SELECT coalesce(max(id), 0) FROM found").fetchone()[0]
        return id

    def find(self, key: int) -> Known | None:
        if not self._sieve.may_have(key):
            return None
        found = self._index.execute("SELECT id FROM keys WHERE key = ?", (key,)).fetchone()
        if found is None:
            return None
        id = found[0]
        priority, depth, inherited = self._execute(_KNOWN, found).fetchone()
        state, reason, *_ = self._fate(id)
        return Known(
            id=id, state=_STATES[state], priority=priority, depth=depth, inherited=inherited, reason=_reason(reason)
        )

    def read(self, id: int) -> Entry:
        row = self._execute(_READ, (id,)).fetchone()
        key, url, host, priority, depth, parent, origin, hop, anchor, why, inherited = row
        state, reason, detail, attempt, not_before, target = self._fate(id)
        return Entry(
            id=id, url=url, host=self._host_names[host], priority=priority, depth=depth, parent=parent, origin=origin,
            hop=hop, attempt=attempt, state=_STATES[state], reason=_reason(reason), detail=detail, target=target,
            anchor=anchor, why=why, inherited=inherited, not_before=not_before, key=key,
        )  # fmt: skip

    def _fate(self, id: int) -> _Fate:
        if id >= len(self._fated) or not self._fated[id]:
            return _NO_FATE
        fate: _Fate = self._execute(_FATE, (id,)).fetchone() or _NO_FATE
        return fate

    def hosts(self) -> Iterable[HostRecord]:
        for name, pages, closed in self._execute("SELECT name, pages, closed FROM hosts"):
            yield HostRecord(name=name, pages=pages, closed=_reason(closed))

    def waiting(self) -> Iterable[Waiting]:
        again = dict(self._execute("SELECT id, not_before FROM fates WHERE state = 0"))
        fated, names = self._fated, self._host_names
        for id, host, priority in self._execute("SELECT id, host, priority FROM found"):
            if id >= len(fated) or not fated[id]:
                yield Waiting(id=id, host=names[host], priority=priority)
            elif id in again:
                yield Waiting(id=id, host=names[host], priority=priority, not_before=again[id])

    # --- for the store only ------------------------------------------------------------------------------------------

    def new_host(self, name: str) -> int:
        """The number of a host nobody saw before."""
        id = self.host_ids[name] = len(self.host_ids) + 1
        self._host_names[id] = name
        return id

    def expect_fates(self, ids: Iterable[int]) -> None:
        """Something happened to these URLs, or is about to be written."""
        for id in ids:
            if id >= len(self._fated):
                self._fated.extend(bytes(id + _SPARE - len(self._fated)))
            self._fated[id] = 1

    def learn(self, keys: Sequence[tuple[int, int]]) -> Steps[None]:
        """The keys of new URLs, with their ids."""
        self._sieve.add([key for key, _ in keys])
        with self._index.transaction():
            yield from in_bites(self._index, _KEY, sorted(keys))

    def repeat(self, writes: Iterable[Write]) -> Steps[None]:
        """What was written to the crawl's database goes into the private copy of it, too."""
        with self._index.transaction():
            for statement, rows in writes:
                yield from in_bites(self._index, statement, rows)

    def close(self) -> None:
        """Let go of the temporary file."""
        self._index.close()


def index_of(database: Path) -> SqliteDatabase:
    """The index of a crawl in a SQLite file."""
    index = _temporary()
    index.execute("ATTACH ? AS crawl", (str(database),))
    index.execute(_FILL.format("crawl.found"))
    index.execute("DETACH crawl")
    return index


def mirror_of(database: Database) -> SqliteDatabase:
    """The index of a crawl that is elsewhere, together with a copy of all that the event loop asks for."""
    mirror = _temporary()
    mirror.executescript(schema())
    for table in _MIRRORED:
        with mirror.transaction():
            for portion in portions(database, f"SELECT * FROM {table}"):
                insert(mirror, table, portion)
    mirror.execute(_FILL.format("found"))
    return mirror


def _temporary() -> SqliteDatabase:
    """A temporary database that is gone with its connection."""
    index = open_file("")
    index.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")
    index.execute("PRAGMA journal_mode = OFF")
    index.execute("CREATE TABLE keys (key INTEGER PRIMARY KEY, id INTEGER NOT NULL)")
    return index


def _reason(text: str | None) -> Reason | None:
    return _REASONS[text] if text else None
