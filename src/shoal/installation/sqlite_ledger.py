"""When may which host be asked again? One small SQLite file, shared by every crawl of this installation.

A host is *claimed* for one request and *released* with the time before which nobody may ask it again. A crawl that dies
holds its claims until they run out, or until it is started again and calls `recover`.

A transaction costs more than all that is written in it, so claims share one, which `flush` ends, and releases wait for it.

The computer's clock may be set. Each row says when it was written, by the clock of then: one that was written in the future was
written before the clock was set back, and what is left of its waits is counted from now on.
"""

from __future__ import annotations

import fcntl
import logging
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from shoal.errors import FolderError, StorageFull
from shoal.files import set_aside
from shoal.installation.home import ELSEWHERE, make_home

logger = logging.getLogger(__name__)

POLL = 0.25
"""Seconds until a host that another crawl is asking right now is worth another look."""
DAY = 24 * 3600.0
_AGREE = 2.0
"""Seconds; what was written less far in the future was written by this clock, for all we know."""
_Values = Mapping[str, str | float]
_NO_VALUES: _Values = {}
_VERSION = 1
_BUSY_MILLISECONDS = 10_000

# Small pages, because every claim writes one whole page to the log. Nothing is forced to the disk: the clocks only matter
# for minutes, and after a power cut a host is asked one delay early at most.
_OPENING = f"""
PRAGMA busy_timeout = {_BUSY_MILLISECONDS};
PRAGMA page_size = 1024;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
"""
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS clocks (
  key        TEXT PRIMARY KEY,   -- a host or an address
  owner      TEXT NOT NULL,      -- the crawl that claimed it last
  held       INTEGER NOT NULL,   -- how many requests of that crawl are in flight
  busy_until REAL NOT NULL,      -- when its claim runs out, 0 when there is none
  next_at    REAL NOT NULL,      -- nobody may ask before
  noted_at   REAL NOT NULL DEFAULT 0 -- when this was written; 0 when an older shoal wrote it
) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""
# Older files lack it, and an older shoal can go on with a file that has it.
_COLUMNS = "SELECT name FROM pragma_table_info('clocks')"
_ADD_NOTED_AT = "ALTER TABLE clocks ADD COLUMN noted_at REAL NOT NULL DEFAULT 0"
# A crawl may claim the same key again while it holds it: how many requests it sends at once is its own decision.
_CLAIM = """
INSERT INTO clocks (key, owner, held, busy_until, next_at, noted_at) VALUES (:key, :owner, 1, :until, :next_at, :now)
ON CONFLICT (key) DO UPDATE SET
  held = CASE WHEN busy_until > :now THEN held + 1 ELSE 1 END,
  busy_until = max(busy_until, :until),
  next_at = :next_at,
  noted_at = :now,
  owner = :owner
WHERE next_at <= :now AND (busy_until <= :now OR owner = :owner)
"""
_WHEN = "SELECT next_at, busy_until, owner FROM clocks WHERE key = :key"
_CORRECT = """
UPDATE clocks SET
  next_at = CASE WHEN noted_at THEN :now + next_at - noted_at ELSE min(next_at, :now + :day) END,
  busy_until = CASE WHEN noted_at THEN :now + busy_until - noted_at ELSE min(busy_until, :now + :day) END,
  noted_at = :now
WHERE (noted_at > :now + :agree OR (noted_at = 0 AND max(next_at, busy_until) > :now + :day))
"""
_CORRECT_ONE = _CORRECT + " AND key = :key"
# Whoever comes late, after its claim ran out, must not end the claim of another crawl.
_RELEASE = """
INSERT INTO clocks (key, owner, held, busy_until, next_at, noted_at) VALUES (:key, :owner, 0, 0, :next_at, :now)
ON CONFLICT (key) DO UPDATE SET
  -- What stays is not new: it may have been written before the clock was set back.
  noted_at = CASE WHEN owner = :owner AND held > 0 THEN :now ELSE max(noted_at, :now) END,
  next_at = CASE WHEN owner = :owner AND held > 0 THEN :next_at ELSE max(next_at, :next_at) END,
  busy_until = CASE WHEN owner = :owner AND held <= 1 THEN 0 ELSE busy_until END,
  held = CASE WHEN owner = :owner THEN max(held - 1, 0) ELSE held END
"""
_RECOVER = """
UPDATE clocks SET next_at = max(next_at, :free_at), busy_until = 0, held = 0
WHERE owner = :owner AND busy_until > :now
"""
_HELD = "SELECT key, busy_until FROM clocks WHERE owner = :owner AND busy_until > :now AND held > 0"
# Clocks of the far future were set by a computer whose own clock was wrong.
_FORGET = "DELETE FROM clocks WHERE (next_at < :now - :day AND busy_until < :now) OR next_at > :now + 7 * :day"


def again_at(now: float, next_at: float, others_until: float) -> float:
    """When a host that was refused is worth another try; another crawl has claimed it until `others_until`, or nobody."""
    # A claim may last for a minute, but the request is usually over much sooner.
    again = max(next_at, min(others_until, now + POLL))
    return again if again > now else now + POLL  # it was claimed, or became free, at this very moment


class SqliteLedger:
    """The clocks of all hosts (`protocols.Ledger`), in a file that any number of crawls use at the same time."""

    def __init__(self, path: Path, owner: str, clock: Callable[[], float]) -> None:
        self._path = path
        self._owner = owner
        self._clock = clock
        self._connection = _open(path)
        self._released: list[_Values] = []
        """Not written yet."""
        now = {"now": clock(), "day": DAY, "agree": _AGREE}
        self._run(_CORRECT, now)
        self._run(_FORGET, now)

    has_room = True

    def claim(
        self, key: str, now: float, until: float, next_at: float = 0.0, tell: Callable[[], None] = lambda: None
    ) -> float:
        """Reserve a host until `until`: 0 when granted, else the time to ask again; `next_at` counts if we die."""
        values: _Values = {"key": key, "owner": self._owner, "now": now, "until": until, "next_at": next_at}
        self._begin()
        if self._claimed(values):
            return 0.0
        next_at, busy_until, owner = self._run(_WHEN, {"key": key}).fetchone()
        return again_at(now, next_at, busy_until if owner != self._owner else 0.0)

    def _claimed(self, values: _Values) -> bool:
        """One more try when the clock was set back since the host was claimed or released last."""
        if self._run(_CLAIM, values).rowcount:
            return True
        corrected = self._run(_CORRECT_ONE, {**values, "day": DAY, "agree": _AGREE})
        return corrected.rowcount > 0 and self._run(_CLAIM, values).rowcount > 0

    def release(self, key: str, next_at: float) -> None:
        self._released.append({"key": key, "owner": self._owner, "next_at": next_at, "now": self._clock()})

    def flush(self) -> None:
        """Tell the other crawls what was claimed and released; while something claimed is not told, they have to wait."""
        if self._released:
            self._begin()
        if self._connection.in_transaction:
            self._run("COMMIT")

    def held(self, now: float) -> dict[str, float]:
        """The hosts that this crawl holds at this moment, each with the time when its claim runs out."""
        return dict(self._run(_HELD, {"owner": self._owner, "now": now}))

    def recover(self, now: float, pause: float) -> None:
        """Free what this crawl held when it was killed; it may have asked a moment ago, so each host gets a pause."""
        self.flush()
        self._run(_RECOVER, {"owner": self._owner, "now": now, "free_at": now + pause})

    def close(self) -> None:
        """Let go of the file, after all that was released; closing twice does no harm."""
        if self._released:
            self.flush()
        self._connection.close()

    def _begin(self) -> None:
        """Begin a transaction, if there is none, with what was released before."""
        if not self._connection.in_transaction:
            self._run("BEGIN IMMEDIATE")
        for values in self._released:
            self._run(_RELEASE, values)
        self._released.clear()

    def _run(self, statement: str, values: _Values = _NO_VALUES) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.OperationalError as error:
            raise _translated(error, self._path) from error


def _open(path: Path) -> sqlite3.Connection:
    try:
        make_home(path.parent)
        # Two crawls that start at once must not both set a damaged file aside: the second would take the new one.
        with path.with_name(path.name + ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return _connect(path) or _start_anew(path)
    except OSError as error:
        raise FolderError(f"The ledger of hosts {path} cannot be opened: {error.strerror}. {ELSEWHERE}") from error
    except sqlite3.OperationalError as error:
        raise _translated(error, path) from error


def _connect(path: Path) -> sqlite3.Connection | None:
    """The ledger as it is; None when the file is damaged or of another version."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.executescript(_OPENING)
        whole = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        if whole and connection.execute("PRAGMA user_version").fetchone()[0] in (0, _VERSION):
            connection.executescript(_SCHEMA)
            if ("noted_at",) not in connection.execute(_COLUMNS).fetchall():
                connection.execute(_ADD_NOTED_AT)
            return connection
    except sqlite3.OperationalError:  # the file is whole, but something else is in the way
        connection.close()
        raise
    except sqlite3.DatabaseError as error:
        logger.warning("The ledger of hosts cannot be read: %s", error)
    connection.close()
    return None


def _start_anew(path: Path) -> sqlite3.Connection:
    """A lost ledger costs a host one request too early; a crawl that does not start costs more."""
    aside = set_aside(path, "damaged")
    logger.warning("The damaged ledger of hosts was set aside as %s", aside)
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    connection = _connect(path)
    if connection is None:
        raise FolderError(f"The ledger of hosts {path} cannot be made anew; is the disk in order?")
    return connection


def _translated(error: sqlite3.OperationalError, path: Path) -> FolderError | StorageFull:
    if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
        return StorageFull(f"There is no room left for the ledger of hosts {path}.")
    return FolderError(f"The ledger of hosts {path} cannot be used: {error}.")
