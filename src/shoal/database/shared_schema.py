"""What do all crawls of a PostgreSQL database share? One schema: the list of crawls, the clocks of hosts, and who sets it up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from shoal.database.postgres import PostgresDatabase

SHARED = "shoal"
"""The schema of all crawls together."""
_SETTING_UP = 0x53686F616C
"""The advisory lock of whoever makes the shared schema, or a crawl."""
_SHARED = f"""
CREATE SCHEMA IF NOT EXISTS {SHARED};
CREATE TABLE IF NOT EXISTS {SHARED}.crawls (
  name    TEXT PRIMARY KEY,      -- of the folder
  crawl   TEXT NOT NULL,         -- its id, the same over all runs
  home    TEXT NOT NULL UNIQUE,  -- its schema
  made_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS {SHARED}.clocks (
  key        TEXT PRIMARY KEY,
  owner      TEXT NOT NULL,
  held       INTEGER NOT NULL,
  busy_until REAL NOT NULL,
  next_at    REAL NOT NULL
);
"""
_HAS_NOTED_AT = "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(?) AND attname = 'noted_at'"
# An older shoal can go on with a table that has it.
_ADD_NOTED_AT = f"ALTER TABLE {SHARED}.clocks ADD COLUMN noted_at REAL NOT NULL DEFAULT 0"


@contextmanager
def setting_up(url: str) -> Iterator[PostgresDatabase]:
    """One at a time, with the shared schema there."""
    with closing(PostgresDatabase(url)) as database, database.transaction():
        database.execute("SELECT pg_advisory_xact_lock(?)", (_SETTING_UP,))
        if not has_table(database, f"{SHARED}.clocks"):
            database.executescript(_SHARED)
        if database.execute(_HAS_NOTED_AT, (f"{SHARED}.clocks",)).fetchone() is None:
            database.executescript(_ADD_NOTED_AT)
        yield database


def make_shared(url: str) -> None:
    """Make what all crawls of a database share, if it is not there."""
    with setting_up(url):
        pass


def has_table(database: PostgresDatabase, name: str) -> bool:
    """True when the database has a table of this name."""
    (found,) = database.execute("SELECT to_regclass(?)", (name,)).fetchone()
    return found is not None
