"""Where is a crawl that many machines work at? In a PostgreSQL database; its folder here has a small file that says which.

Each crawl has a schema of its own, named after its folder. The schema `shoal` belongs to all of them: it has the list of crawls,
and what outlives them (`database/shared_schema.py`). A folder may also name a broker only; then the crawl itself is in SQLite.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from shoal.database.postgres import PostgresDatabase, place_of
from shoal.database.shared_schema import SHARED, has_table, setting_up
from shoal.errors import FolderBusy, FolderError
from shoal.files import created, unfinished
from shoal.printable import typed
from shoal.settings import Cluster, SettingsPart
from shoal.store import ownership
from shoal.store.upgrades import schema

FILE = ownership.CLUSTER
PATIENCE = 120.0
"""Seconds after which a coordinator takes a server that does not answer for gone, and comes anew."""
_PLAIN = re.compile(r"[a-z0-9_]{1,40}")
_UNSAFE = re.compile(r"[^a-z0-9]+")
_OURS = "a crawl of shoal"
"""The comment on every schema that we make: by it we know what we may drop."""
# What a crawl on one machine has in files of its folder.
_FILES = """
CREATE TABLE mark_log (id INTEGER PRIMARY KEY, url TEXT NOT NULL, relevant INTEGER, at REAL NOT NULL);
CREATE TABLE models (name TEXT PRIMARY KEY, content BLOB NOT NULL);
"""
MODEL = "INSERT INTO models VALUES ('crawl', ?)"
_REGISTER = f"INSERT INTO {SHARED}.crawls VALUES (?, ?, ?, ?)"
_HOLDER = """
SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = ?::bigint::oid AND objid = ?::bigint::oid AND objsubid = 1
AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class Home(SettingsPart, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a folder says about the crawl that it stands for. It may have passwords, so nobody else may read it."""

    database: str = ""
    broker: str = ""
    schema: str = ""
    """Of the crawl, in the database."""
    mark: str = ""
    """Tells the WARC files of this folder from those of other machines."""
    proxy: str = ""
    """The URL of the proxy, if it has a password; the settings have it without (`store/crawl_folder.py`)."""


class CoordinatorRecord(SettingsPart, frozen=True, kw_only=True):
    """Who has a crawl, or had it last."""

    token: str
    """Another one for each time the crawl is taken."""
    host: str
    pid: int

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


# --- the file --------------------------------------------------------------------------------------------------------


def read(folder: Path) -> Home:
    """What the folder says; nothing, when the crawl is on this machine alone."""
    path = folder / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Home)
    except (FileNotFoundError, NotADirectoryError):
        return Home()
    except OSError as error:
        raise FolderError(f"{path} cannot be read: {error.strerror}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FolderError(f"{path} is damaged: {error}.") from error


def write(folder: Path, home: Home) -> None:
    """Say where the crawl is; all of it, or nothing when the disk is full."""
    read(folder)  # a file of this name that is none of ours is refused, not replaced
    with written(folder, home) as part:
        part.replace(folder / FILE)


@contextmanager
def written(folder: Path, home: Home) -> Iterator[Path]:
    """The file, complete, under a name that it does not keep."""
    with unfinished(folder) as part:
        with created(part, mode=0o600) as file:
            file.write(msgspec.json.format(msgspec.json.encode(home), indent=2) + b"\n")
        yield part


# --- the database ----------------------------------------------------------------------------------------------------


def create(
    folder: Path, cluster: Cluster, meta: Sequence[tuple[str, str]], crawl: str, model: bytes, proxy: str = ""
) -> None:
    """Make a new crawl in the database, and the folder that stands for it."""
    home = msgspec.structs.replace(new_home(folder, cluster), proxy=proxy)
    with setting_up(cluster.database) as database:
        _make(database, folder, home)
        database.executemany("INSERT INTO meta VALUES (?, ?)", meta)
        if model:
            database.execute(MODEL, (model,))
        database.execute(_REGISTER, (_name(folder), crawl, home.schema, time.time()))
    try:
        write(folder, home)
    except BaseException:
        drop(home)
        raise


def new_home(folder: Path, cluster: Cluster) -> Home:
    """Where the crawl of a folder will be."""
    schema = schema_of(_name(folder))
    return Home(database=cluster.database, broker=cluster.broker, schema=schema, mark=uuid.uuid4().hex[:8])


def prepare(folder: Path, home: Home) -> None:
    """Make empty tables for a crawl that moves here; nobody knows of them before `register`."""
    with setting_up(home.database) as database:
        _make(database, folder, home)


def register(folder: Path, home: Home, crawl: str) -> None:
    """From now on the crawl is known by its folder's name."""
    with setting_up(home.database) as database:
        database.execute(_REGISTER, (_name(folder), crawl, home.schema, time.time()))


def set_aside(home: Home) -> str:
    """Nobody finds the crawl in the database any more, but all of it is still there; answers under which schema."""
    aside = f"{home.schema[:40]}_moved_{int(time.time())}"
    with setting_up(home.database) as database:
        database.execute(f"ALTER SCHEMA {home.schema} RENAME TO {aside}")
        database.execute(f"DELETE FROM {SHARED}.crawls WHERE home = ?", (home.schema,))
    return aside


def _make(database: PostgresDatabase, folder: Path, home: Home) -> None:
    name = _name(folder)
    if _registered(database, name) is not None:
        raise FolderError(
            f"There is a crawl {name} in the database at {place_of(home.database)} already: "
            f"go on with 'shoal resume --dir {typed(folder)}', or choose another --dir."
        )
    _clear(database, home)
    database.execute(f"CREATE SCHEMA {home.schema}")
    database.execute(f"COMMENT ON SCHEMA {home.schema} IS '{_OURS}'")
    database.execute(f"SET LOCAL search_path TO {home.schema}")
    database.executescript(schema() + _FILES)


def _clear(database: PostgresDatabase, home: Home) -> None:
    """What we made and nobody knows of was left by a move that did not come to its end; what we did not make stays."""
    if database.execute("SELECT to_regnamespace(?)", (home.schema,)).fetchone() == (None,):
        return
    said = database.execute(
        "SELECT obj_description(to_regnamespace(?)::oid, 'pg_namespace')", (home.schema,)
    ).fetchone()
    if said != (_OURS,):
        raise FolderError(
            f"The database at {place_of(home.database)} has a schema {home.schema} that is no crawl: choose another --dir."
        )
    database.execute(f"DROP SCHEMA {home.schema} CASCADE")


def adopt(folder: Path, cluster: Cluster) -> bool:
    """Make a folder here for a crawl of that name in the database; False when there is none."""
    with setting_up(cluster.database) as database:
        schema = _registered(database, _name(folder))
    if schema is None:
        return False
    ownership.make_folder(folder)
    write(folder, msgspec.structs.replace(new_home(folder, cluster), schema=schema))
    return True


def look_up(folder: Path, cluster: Cluster) -> Home | None:
    """Where the crawl of this name is in the database; nothing is made, here or there."""
    with closing(PostgresDatabase(cluster.database)) as database:
        schema = _registered(database, _name(folder)) if has_table(database, f"{SHARED}.crawls") else None
    return None if schema is None else Home(database=cluster.database, broker=cluster.broker, schema=schema)


def names(cluster: Cluster) -> list[str]:
    """What the crawls are called that are in the database."""
    with closing(PostgresDatabase(cluster.database)) as database:
        if not has_table(database, f"{SHARED}.crawls"):
            return []
        return [name for (name,) in database.execute(f"SELECT name FROM {SHARED}.crawls ORDER BY name")]


def drop(home: Home) -> None:
    """Take a crawl out of the database."""
    with setting_up(home.database) as database:
        if database.execute(f"DELETE FROM {SHARED}.crawls WHERE home = ?", (home.schema,)).rowcount:
            database.execute(f"DROP SCHEMA IF EXISTS {home.schema} CASCADE")


def connect(folder: Path, home: Home, *, patience: float | None = None) -> PostgresDatabase:
    """A connection to the database of a crawl; a server that takes longer than `patience` for an answer counts as gone."""
    database = PostgresDatabase(home.database, home.schema, patience=patience)
    if not has_table(database, f"{home.schema}.meta"):
        database.close()
        raise FolderError(f"The crawl of {folder} is not in the database at {place_of(home.database)} any more.")
    return database


def model_of(database: PostgresDatabase) -> bytes:
    """What another crawl learned and this one began with; empty when it began with nothing."""
    row = database.execute("SELECT content FROM models").fetchone()
    return row[0] if row else b""


def _registered(database: PostgresDatabase, name: str) -> str | None:
    row = database.execute(f"SELECT home FROM {SHARED}.crawls WHERE name = ?", (name,)).fetchone()
    return row[0] if row else None


# --- who has it ------------------------------------------------------------------------------------------------------


def take(database: PostgresDatabase, folder: Path) -> None:
    """Have the crawl for as long as this connection lives: nobody else can take it, and without the connection we cannot write.

    When another one has it, `FolderBusy` says who.
    """
    if not try_lock(database):
        raise FolderBusy(f"Another crawl ({last_coordinator(database) or 'unknown'}) is running in {folder}.")
    own = CoordinatorRecord(token=uuid.uuid4().hex, host=socket.gethostname(), pid=os.getpid())
    database.execute("DELETE FROM meta WHERE key = 'coordinator'")
    database.execute("INSERT INTO meta VALUES ('coordinator', ?)", (msgspec.json.encode(own).decode(),))


def try_lock(database: PostgresDatabase) -> bool:
    """True when the crawl is ours from now on."""
    (locked,) = database.execute("SELECT pg_try_advisory_lock(?)", (_key(database.schema),)).fetchone()
    return bool(locked)


def holder(database: PostgresDatabase) -> int | None:
    """Which process of the server works for whoever has the crawl; None when nobody has."""
    key = _key(database.schema) % 2**64
    row = database.execute(_HOLDER, (key >> 32, key % 2**32)).fetchone()
    return row[0] if row else None


def last_coordinator(database: PostgresDatabase) -> CoordinatorRecord | None:
    """Who has the crawl, or had it last."""
    row = database.execute("SELECT value FROM meta WHERE key = 'coordinator'").fetchone()
    return msgspec.json.decode(row[0], type=CoordinatorRecord) if row else None


# --- names -----------------------------------------------------------------------------------------------------------


def _name(folder: Path) -> str:
    return folder.resolve().name


def schema_of(name: str) -> str:
    """The schema of a crawl: its name, as far as a schema can be called so; a number tells apart what had to be changed."""
    if _PLAIN.fullmatch(name):
        return f"crawl_{name}"
    safe = _UNSAFE.sub("_", name.lower()).strip("_")[:40]
    digest = hashlib.blake2b(os.fsencode(name), digest_size=5).hexdigest()
    return f"crawl_{safe}_{digest}" if safe else f"crawl_{digest}"


def _key(schema: str) -> int:
    return int.from_bytes(hashlib.blake2b(schema.encode(), digest_size=8).digest(), "big", signed=True)
