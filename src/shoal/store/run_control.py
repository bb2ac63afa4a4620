"""Who runs a crawl, how does it stand, and what do others want of it? What a running crawl and everybody else tell each other.

The crawl tells in its own database, in the transaction of every commit: `run` says which process it is, `live` how it stands.
Others tell it what they want in one place that it looks at with every commit: of a crawl in PostgreSQL a row, of any other a
small file. To write a row of SQLite is to lock all of it: a writer that is held up meanwhile would hold up the crawl, and in the
end stop it.
"""

from __future__ import annotations

import logging
import os
import uuid
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database, question_marks
from shoal.errors import FolderError
from shoal.files import replaced
from shoal.model.live import LiveFigures, RunRecord, RunWord, Wish, WishWord
from shoal.store import crawl_folder as folders
from shoal.store.ownership import WISH

logger = logging.getLogger(__name__)
_T = TypeVar("_T")
RUN, LIVE = "run", "live"
"""The keys under which the crawl tells."""
_WISH = "wish"
_ALL = (RUN, LIVE, _WISH)
_LONGEST_WISH = 2**16
"""Bytes: more than anybody has to say."""


# --- what the crawl tells --------------------------------------------------------------------------------------------


def begin_run(folder: Path, run: RunRecord) -> None:
    """From now on this process runs the crawl; what others read of an earlier run holds no more."""
    with folders.reading(folder) as database, database.transaction():
        folders.write_meta(database, LIVE, None)
        folders.write_meta(database, RUN, run)


def end_run(folder: Path, run: RunRecord, state: RunWord, why: str) -> None:
    """It ended in a way that no commit could tell of; unless somebody else runs the crawl by now."""
    with folders.reading(folder) as database, database.transaction():
        if read_run(database) != run:
            return
        last = read_live(database) or LiveFigures(run=run.id, at=run.began, state=state)
        folders.write_meta(database, LIVE, replace(last, state=state, why=why))


def read_run(database: Database) -> RunRecord | None:
    """Which process runs the crawl, or ran it last; None when none did, or an older shoal."""
    return _read(database, RUN, RunRecord)


def read_live(database: Database) -> LiveFigures | None:
    """How the run stood at its last commit; None when there was none yet."""
    found, run = _read(database, LIVE, LiveFigures), read_run(database)
    return found if found is not None and run is not None and found.run == run.id else None


def forget_run(copy: Database) -> None:
    """A copy that goes elsewhere was run by nobody."""
    copy.execute(f"DELETE FROM meta WHERE key IN ({question_marks(len(_ALL))})", _ALL)


def _read(database: Database, key: str, kind: type[_T]) -> _T | None:
    try:
        return folders.read_meta(database, key, kind)
    except msgspec.DecodeError:  # another version of shoal wrote it
        return None


# --- what others want ------------------------------------------------------------------------------------------------


def wish(folder: Path, want: WishWord, at: float, by: str = "") -> Wish:
    """Say what the crawl shall do; it obeys with its next commit."""
    said = Wish(id=uuid.uuid4().hex, want=want, at=at, by=by)
    if folders.is_remote(folder):
        with folders.reading(folder) as database:
            folders.write_meta(database, _WISH, said)
        return said
    with folders.storage_errors(folder):
        try:
            with replaced(folder / WISH) as stream:
                stream.write(msgspec.json.encode(said) + b"\n")
        except PermissionError:
            raise FolderError(f"You may not write in {folder}: you cannot tell its crawl what to do.") from None
    return said


def forget_wish(folder: Path, database: PostgresDatabase | None) -> None:
    """A run begins: what was wanted of an earlier one is over. To be called by whoever has just locked the crawl."""
    if database is not None:
        folders.write_meta(database, _WISH, None)
        return
    with folders.storage_errors(folder):
        (folder / WISH).unlink(missing_ok=True)


class WishFile:
    """Hears what others want of a crawl in a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / WISH
        self._version: tuple[int, ...] | None = None
        """Of the file when it was read last; None when there was none."""

    def news(self) -> Wish | None:
        """What somebody wants since the last call; None when nobody wants anything else."""
        try:
            state = os.stat(self._path)
        except OSError:
            return None
        before, self._version = self._version, (state.st_ino, state.st_size, state.st_mtime_ns)
        if self._version == before:
            return None
        try:
            with self._path.open("rb") as stream:
                return _decoded(stream.read(_LONGEST_WISH))
        except OSError as error:
            logger.warning("%s cannot be read (%s): the crawl goes on as before.", self._path, error.strerror)
            return None


class WishRow:
    """The same for a crawl in PostgreSQL. `look` waits for the server, `news` does not."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._heard: str | None = None
        self._fresh: Wish | None = None
        """Read, but not told; `look` sets it, maybe in another thread, and `news` takes it away."""

    def look(self) -> None:
        """Read what is new."""
        row = self._database.execute("SELECT value FROM meta WHERE key = ?", (_WISH,)).fetchone()
        if row is not None and row[0] != self._heard:
            self._heard = row[0]
            self._fresh = _decoded(row[0].encode())

    def news(self) -> Wish | None:
        """What somebody wants since the last call; None when nobody wants anything else."""
        fresh, self._fresh = self._fresh, None
        return fresh


def _decoded(text: bytes) -> Wish | None:
    try:
        return msgspec.json.decode(text, type=Wish)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        logger.warning("What somebody wants of this crawl cannot be understood: it goes on as before.")
        return None
