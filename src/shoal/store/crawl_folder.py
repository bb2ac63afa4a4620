"""Is this a crawl's folder, and may we use it? Opens its database, wherever that is, or refuses with one clear sentence.

A folder holds a crawl when it has its database (SQLite), or a file that says in which PostgreSQL database it is
(`store/shared_crawl.py`).
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database, upsert
from shoal.database.sqlite import SqliteDatabase, open_file, open_unchanged, tune
from shoal.errors import DatabaseDamaged, FolderBusy, FolderError, InputError, ShoalError, StorageFull
from shoal.files import created, is_full, may, set_aside, sync, unfinished
from shoal.printable import typed
from shoal.settings import Cluster, Settings
from shoal.store import ownership
from shoal.store import shared_crawl as clusters
from shoal.store.ownership import LOCK, Made
from shoal.store.proxy_password import masked, secret_of, with_password
from shoal.store.upgrades import MARKS_OF_3, OLDEST, VERSION, can_upgrade, schema, upgrade

DATABASE, MODEL, MARKS = ownership.DATABASE, ownership.MODEL, ownership.MARKS
is_own = ownership.is_own
META = upsert("meta", "key", "value")
"""Keeps a JSON text under a key."""
_LOOKERS, _LOOK_SECONDS = 100, 0.001
"""So often a lock is tried for that others only look at, and so long is waited between."""
_T = TypeVar("_T")


def exists(folder: Path) -> bool:
    """True when the folder holds a crawl, or stands for one; one sentence when it must not be looked into."""
    try:
        return (folder / DATABASE).is_file() or bool(clusters.read(folder).database)
    except ValueError:  # a NUL is in it: no folder has that name
        return False
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise FolderError(f"The folder {folder} cannot be read: {error.strerror}.") from error


def is_remote(folder: Path) -> bool:
    """True when the crawl is in PostgreSQL."""
    return bool(_home_of(folder).database)


_elsewhere: dict[Path, clusters.Home] = {}
"""Crawls without a folder here that somebody looked up (`look_up`), by the folder that they would have. It lives as long as the
process, so that who only reads leaves no folder behind."""


def look_up(folder: Path, cluster: Cluster) -> bool:
    """Find the crawl that a folder would stand for: in the folder, or by its name in the database that is named. Makes nothing.

    What is found in a database is known from then on, to whoever reads that folder.
    """
    here, place = exists(folder), folder.absolute()
    found = None if here or not cluster.database else clusters.look_up(folder, cluster)
    if found is None:
        _elsewhere.pop(place, None)
    else:  # in the place of what was known before, and never without it: other threads may be reading this crawl
        _elsewhere[place] = found
    return here or found is not None


def _home_of(folder: Path) -> clusters.Home:
    """What the folder says; where none stands for a crawl, what was looked up."""
    return clusters.read(folder) if exists(folder) else _elsewhere.get(folder.absolute(), clusters.Home())


def read_cluster(folder: Path) -> Cluster:
    """The servers that the crawl uses; none, when it is on this machine alone."""
    home = _home_of(folder)
    return Cluster(database=home.database, broker=home.broker)


def write_cluster(folder: Path, cluster: Cluster) -> None:
    """From now on the crawl uses these servers; one that is not named stays as it is."""
    home = clusters.read(folder)
    if not exists(folder):
        return
    if cluster.database and not home.database:
        raise InputError(
            f"The crawl in {folder} is in a SQLite file: 'shoal migrate --dir {typed(folder)} --to URL' moves it to PostgreSQL."
        )
    new = replace(home, database=cluster.database or home.database, broker=cluster.broker or home.broker)
    if new != home:
        with storage_errors(folder):
            clusters.write(folder, new)


def find(folder: Path, cluster: Cluster | None = None) -> bool:
    """True when there is a crawl here, or one of this name in a database that is named or was looked up: then the folder is made.

    For those who are going to write there; who only reads leaves no folder behind (`look_up`).
    """
    if exists(folder):
        return True
    home = _home_of(folder)
    wanted = cluster or Cluster(database=home.database, broker=home.broker)
    if not wanted.database:
        return False
    with storage_errors(folder):
        if folder.is_dir():
            ownership.refuse_strange(folder)
        return clusters.adopt(folder, wanted)


def create(folder: Path, settings: Settings, model: bytes = b"", cluster: Cluster | None = None) -> Made:
    """Make a new crawl in a folder that is empty or not there, with a copy of the model it begins with: all of it, or nothing.

    Answers what was made, for `remove`.
    """
    if exists(folder):
        raise _taken(folder)
    crawl, wanted = uuid.uuid4().hex, cluster or Cluster()
    meta = {"version": VERSION, "crawl": crawl, "settings": masked(settings)}
    rows = [(key, msgspec.json.encode(value).decode()) for key, value in meta.items()]
    with storage_errors(folder):
        made = ownership.make_folder(folder)
        try:
            with ownership.all_or_nothing(made) as put:
                if wanted.database:
                    clusters.create(folder, wanted, rows, crawl, model, secret_of(settings))
                else:
                    home = clusters.Home(broker=wanted.broker, proxy=secret_of(settings))
                    _create_file(folder, rows, model, home, put)
        except FileExistsError:  # another one began here at the same moment
            raise _taken(folder) from None
    return made


def _create_file(
    folder: Path, rows: list[tuple[str, str]], model: bytes, home: clusters.Home, put: Callable[[Path, str], None]
) -> None:
    # The database comes last, because it makes the folder a crawl.
    if home != clusters.Home():
        with clusters.written(folder, home) as part:
            put(part, clusters.FILE)
    if model:
        with unfinished(folder) as part:
            with created(part) as stream:
                stream.write(model)
            put(part, MODEL)
    with unfinished(folder) as part:
        with closing(sqlite3.connect(part)) as connection:
            connection.executescript(schema())
            connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
            connection.commit()
        put(part, DATABASE)


def remove(made: Made, also: Iterable[str] = ()) -> None:
    """Take a crawl back that this run made, also out of a database; what else came into its folder stays."""
    if (home := clusters.read(made.folder)).database:
        clusters.drop(home)
    with storage_errors(made.folder):
        ownership.take_back(made, also)


def connect(folder: Path) -> SqliteDatabase | PostgresDatabase:
    """A connection to the database of a crawl; any number may read while one writes."""
    if not (home := _home_of(folder)).database:
        if not exists(folder):
            with storage_errors(folder):
                raise _missing(folder)
        return connect_file(folder)
    database = clusters.connect(folder, home)
    try:
        _check_version(folder, database)
    except FolderError:
        database.close()
        raise
    return database


def connect_file(folder: Path) -> SqliteDatabase:
    """The same for a crawl that is known to be in a SQLite file."""
    with storage_errors(folder):
        may_write = may(folder, os.W_OK)
        connection = open_file(folder / DATABASE) if may_write else open_unchanged(folder / DATABASE)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
                raise DatabaseDamaged(f"The database in {folder} is damaged or not one of shoal's{_advice(folder)}.")
            _check_version(folder, connection)
            if may_write:
                tune(connection)
        except (sqlite3.Error, FolderError):
            connection.close()
            raise
    return connection


@contextmanager
def reading(folder: Path) -> Iterator[Database]:
    """The database of a crawl, for a few questions."""
    with closing(connect(folder)) as database, storage_errors(folder):
        yield database


def read_meta(connection: Database, key: str, kind: type[_T]) -> _T | None:
    """The value kept under a key, as JSON."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return msgspec.json.decode(row[0], type=kind | None) if row else None


def write_meta(connection: Database, key: str, value: object | None) -> None:
    """Keep a value under a key, as JSON; None forgets what was kept there."""
    if value is None:
        connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        return
    connection.execute(META, (key, msgspec.json.encode(value).decode()))


# --- settings --------------------------------------------------------------------------------------------------------

_SECURELY = "PRAGMA secure_delete = ON"


def read_settings(folder: Path, connection: Database) -> Settings:
    """What the crawl was started with."""
    try:
        settings = read_meta(connection, "settings", Settings)
    except msgspec.DecodeError as error:
        raise DatabaseDamaged(f"The settings kept in {folder} cannot be read: {error}.") from error
    if settings is None:
        raise DatabaseDamaged(f"The settings kept in {folder} cannot be read: they are missing.")
    return with_password(settings, clusters.read(folder).proxy)


def write_settings(folder: Path, connection: Database, settings: Settings) -> None:
    """What the crawl goes on with; its secrets go where nobody else may read them."""
    home = clusters.read(folder)
    if home.proxy != (secret := secret_of(settings)):
        with storage_errors(folder):
            clusters.write(folder, replace(home, proxy=secret))
    write_meta(connection, "settings", masked(settings))


def hide_secrets(folder: Path, connection: Database) -> None:
    """An older shoal kept the proxy's password in the database: it moves to where secrets are, and leaves no trace."""
    if (settings := _with_secret(connection)) is None:
        return
    if isinstance(connection, SqliteDatabase):
        connection.execute(_SECURELY)
    write_settings(folder, connection, settings)
    if isinstance(connection, SqliteDatabase):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def erase_secrets(copy: SqliteDatabase) -> None:
    """The same for a copy that goes elsewhere, which gets no secrets at all."""
    if (settings := _with_secret(copy)) is not None:
        copy.execute(_SECURELY)
        write_meta(copy, "settings", masked(settings))
        copy.execute("VACUUM")


def _with_secret(connection: Database) -> Settings | None:
    """What the database has of the settings, if there is a password in it."""
    try:
        settings = read_meta(connection, "settings", Settings)
    except msgspec.DecodeError:  # who reads them says so
        return None
    return settings if settings is not None and secret_of(settings) else None


# --- may we use it ---------------------------------------------------------------------------------------------------


def _check_version(folder: Path, connection: Database) -> None:
    # Whatever stands there: a later shoal may count in another way.
    version = read_meta(connection, "version", object) or 0
    if isinstance(version, int) and can_upgrade(version):
        if isinstance(connection, SqliteDatabase) and not may(folder, os.W_OK):
            raise FolderError(
                f"The folder {folder} was written by an older shoal (format {version}), and is only for reading: let somebody "
                "open it who may write there, which brings it up to date, or copy it."
            )
        _bring_up_to_date(folder, connection)
    elif version != VERSION:
        raise FolderError(f"The folder {folder} was written by {_another_shoal(version)}.")


def _another_shoal(version: object) -> str:
    """Which one it was, and what can be done."""
    if isinstance(version, int) and version < VERSION:
        return (
            f"a shoal that is too old for this one (format {version}, this one reads {OLDEST} to {VERSION}): open it "
            f"with a shoal that reads both, such as one that writes format {OLDEST}"
        )
    return f"a newer shoal (format {version}, this one reads up to {VERSION}): update shoal"


_upgrading = Lock()
"""Held by the thread of this process that brings a crawl up to date; the others wait and find that done."""


def _bring_up_to_date(folder: Path, connection: Database) -> None:
    """An older shoal wrote it; but one that is at work there could not go on with what we make of it."""
    try:
        with _upgrading, nullcontext() if _is_ours(folder, connection) else lock(folder):
            if isinstance(connection, SqliteDatabase):
                _copy_before_upgrade(folder, connection)
            with connection.transaction():
                upgrade(connection, read_meta(connection, "version", int) or 0)  # unless another process just did
                if (before := folder / MARKS_OF_3).exists() and not (folder / MARKS).exists():
                    before.rename(folder / MARKS)
    except FolderBusy as error:
        raise FolderBusy(f"{error} It is of an older version of shoal: wait for its end, or stop it.") from None


def _copy_before_upgrade(folder: Path, connection: SqliteDatabase) -> None:
    """The database as it was stays beside it, for whoever wants to go back; PostgreSQL has backups of its own."""
    version = read_meta(connection, "version", int) or 0
    if not can_upgrade(version):  # another process just did it
        return
    with unfinished(folder) as part:
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
        sync(part)
        set_aside(part, f"format-{version}", of=folder / DATABASE)


def _is_ours(folder: Path, connection: Database) -> bool:
    """True when this process has the folder locked."""
    if isinstance(connection, PostgresDatabase):
        last = clusters.last_coordinator(connection)
        own = last is not None and (last.host, last.pid) == (socket.gethostname(), os.getpid())
        return own and clusters.holder(connection) is not None
    return is_running(folder) and (folder / LOCK).read_text(errors="replace").strip() == str(os.getpid())


@contextmanager
def lock(folder: Path) -> Iterator[PostgresDatabase | None]:
    """Only one may write to a crawl; the lock ends with the process, however that dies.

    A crawl in PostgreSQL is written to by the connection that holds its lock, and by no other.
    """
    with _lock_folder(folder):
        if not (home := clusters.read(folder)).database:
            yield None
            return
        with closing(clusters.connect(folder, home, patience=clusters.PATIENCE)) as database:
            clusters.take(database, folder)
            yield database


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    with storage_errors(folder):
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        owner = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
        if not _try_lock(handle):
            raise FolderBusy(f"Another crawl (process {owner or 'unknown'}) is running in {folder}.")
        if owner and not owner.isdigit():
            raise FolderError(
                f"The file {folder / LOCK} is not shoal's: move it away, because a crawl needs this name."
            )
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    """False when somebody else has the lock; who only looks at it (`at_work`) holds it for a moment, which is waited for."""
    for _ in range(_LOOKERS):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            fcntl.flock(handle, fcntl.LOCK_UN)
            time.sleep(_LOOK_SECONDS)
    return False


@contextmanager
def lock_existing(folder: Path) -> Iterator[None]:
    """Lock the folder of a crawl that must be there."""
    if not find(folder):
        raise _missing(folder)
    with lock(folder):
        yield


def is_running(folder: Path) -> bool:
    """True while a crawl is at work in the folder, or at the same crawl on another machine."""
    return at_work(folder) is not None


def at_work(folder: Path, connection: Database | None = None) -> int | None:
    """The number of the process that has the crawl locked, here or on another machine; 0 when it has not said it yet.

    Whoever has a `connection` to the crawl's database spares another one.
    """
    if isinstance(connection, PostgresDatabase):
        return _at_work_elsewhere(connection)
    if connection is None and (home := _home_of(folder)).database:
        with closing(clusters.connect(folder, home)) as database:
            return _at_work_elsewhere(database)
    try:
        handle = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        said = os.pread(handle, 20, 0).strip()
        return int(said) if said.isdigit() else 0
    finally:
        os.close(handle)
    return None


def _at_work_elsewhere(database: PostgresDatabase) -> int | None:
    if clusters.holder(database) is None:
        return None
    last = clusters.last_coordinator(database)
    return last.pid if last is not None else 0


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """Turn what the disk or the database says into one clear sentence."""
    try:
        yield
    except BrokenPipeError:  # about whoever reads our output, not about the folder
        raise
    except OSError as error:
        if is_full(error):
            raise _full(folder) from error
        raise FolderError(f"The folder {folder} cannot be used: {error.strerror or error}.") from error
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):  # a bug of ours, which no user can put right
        raise
    except sqlite3.DatabaseError as error:
        raise _from_sqlite(folder, error) from error


def _from_sqlite(folder: Path, error: sqlite3.DatabaseError) -> ShoalError:
    if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
        return _full(folder)
    if error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return DatabaseDamaged(f"The database in {folder} is damaged or not one of shoal's ({error}){_advice(folder)}.")
    return FolderError(f"The database in {folder} cannot be used: {error}.")


def _advice(folder: Path) -> str:
    return f": 'shoal check --repair --dir {typed(folder)}' makes one from the page files"


def _taken(folder: Path) -> FolderError:
    return FolderError(
        f"There is a crawl in {folder} already: go on with 'shoal resume --dir {typed(folder)}', or choose another --dir."
    )


def _missing(folder: Path) -> FolderError:
    if folder.is_dir() and any(map(ownership.PAGE_FILE.fullmatch, os.listdir(folder))):
        return FolderError(f"The database of the crawl in {folder} is gone{_advice(folder)}.")
    return FolderError(f"There is no crawl in {folder}: start one with 'shoal crawl … --dir {typed(folder)}'.")


def _full(folder: Path) -> StorageFull:
    return StorageFull(
        f"The disk is full: make room where {folder} is and type 'shoal resume --dir {typed(folder)}'; nothing stored is lost."
    )
