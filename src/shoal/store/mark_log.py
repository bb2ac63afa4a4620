"""What did the user say of pages? A file in the crawl's folder, one opinion per line; the last line about a URL counts.

It is a file of its own because the database belongs to the crawl that is at work: this one anybody may add to meanwhile.
What was cut off by a crash stands at its end, without a newline; readers ignore it, and the next writer sets it aside.
A crawl in PostgreSQL has a table instead, to which anybody may add from any machine.
"""

from __future__ import annotations

import fcntl
import io
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from shoal.errors import FolderError, ShoalError
from shoal.model import Opinion
from shoal.store import crawl_folder as folders
from shoal.store import ownership as ours
from shoal.store.database import Database
from shoal.urls import normalise

logger = logging.getLogger(__name__)
_LATEST = 253_402_300_799.0
"""The end of the year 9999: no calendar of Python goes further."""
_LONGEST_LINE = 2**20
"""Bytes: more than any URL has."""
_ROWS = "SELECT id, url, relevant, at FROM opinions"
_decode = msgspec.json.Decoder(Opinion).decode


def read(folder: Path) -> dict[str, Opinion]:
    """What holds now, by URL, what was said last at the end; pages of which the user took everything back are not in it."""
    return {url: opinion for url, opinion in _last_said(folder).items() if opinion.relevant is not None}


def all_said(folder: Path) -> list[Opinion]:
    """The last that was said of each URL, also where it was taken back."""
    return list(_last_said(folder).values())


def add(folder: Path, opinions: Iterable[Opinion]) -> None:
    """Say something of pages, durably: all of it, or nothing when the disk is full."""
    if folders.is_remote(folder):
        _insert(folder, opinions)
        return
    lines = b"".join(msgspec.json.encode(opinion) + b"\n" for opinion in opinions)
    with folders.storage_errors(folder), _appending(folder / folders.FEEDBACK) as handle:
        size, gap = _mend_end(folder / folders.FEEDBACK, handle)
        try:
            _write(handle, gap + lines)
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, size)
            raise
        if not size:
            _sync_name(folder)


class OpinionReader:
    """Hears what the user says while a crawl is at work."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._version: tuple[int, ...] | None = None
        """Of the file when it was read last; None when there was none."""
        self._known: Mapping[str, Opinion] = {}
        self._listening = False

    def news(self) -> Sequence[Opinion]:
        """What changed since the last call; the first time, everything that holds.

        A file that cannot be read is an error the first time. Later it is no reason to end a crawl that goes well: there is a
        warning, and what was said before holds.
        """
        first, self._listening = not self._listening, True
        before, self._version = self._version, _version(self._folder / folders.FEEDBACK)
        if self._version == before:
            return ()
        try:
            said = _last_said(self._folder)
        except ShoalError as error:
            if first:
                raise
            logger.warning("%s Until then the crawl goes on with what it heard before.", error)
            return ()
        known, self._known = self._known, said
        return _difference(known, said)


class OpinionTable:
    """The same for a crawl in PostgreSQL. `look` waits for the server, `news` does not (save for the first time)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last = 0
        """The number of the last opinion that was read."""
        self._heard: dict[str, bool | None] = {}
        self._fresh: list[Opinion] = []
        """Read, but not told; `look` adds to it, maybe in another thread, and `news` takes it away."""
        self._listening = False

    def look(self) -> None:
        """Read what is new."""
        for id, url, relevant, at in self._database.execute(f"{_ROWS} WHERE id > ? ORDER BY id", (self._last,)):
            self._fresh.append(_from_row(url, relevant, at))
            self._last = id

    def news(self) -> Sequence[Opinion]:
        """What changed since the last call; the first time, everything that holds."""
        if not self._listening:
            self._listening = True
            self.look()
        fresh, self._fresh = self._fresh, []
        latest = {opinion.url: opinion for opinion in fresh}
        news = [opinion for opinion in latest.values() if self._heard.get(opinion.url) is not opinion.relevant]
        self._heard |= {opinion.url: opinion.relevant for opinion in news}
        return news


def _difference(known: Mapping[str, Opinion], said: Mapping[str, Opinion]) -> list[Opinion]:
    """What must be told to somebody who knows the one, so that the other holds. A line that is gone was taken back."""
    gone = [msgspec.structs.replace(known[url], relevant=None) for url in known.keys() - said.keys()]
    latest = {url: opinion.relevant for url, opinion in known.items()}
    news = [*gone, *said.values()]
    return [opinion for opinion in news if latest.get(opinion.url) is not opinion.relevant]


# --- reading ---------------------------------------------------------------------------------------------------------


def _version(path: Path) -> tuple[int, ...] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns


def _last_said(folder: Path) -> dict[str, Opinion]:
    """The last line about each URL, in the order of the file."""
    said: dict[str, Opinion] = {}
    for opinion in _rows(folder) if folders.is_remote(folder) else _from_file(folder):
        said.pop(opinion.url, None)
        said[opinion.url] = opinion
    return said


def _from_file(folder: Path) -> Iterator[Opinion]:
    path = folder / folders.FEEDBACK
    with folders.storage_errors(folder):
        try:
            stream = path.open("rb")
        except FileNotFoundError:
            return
    with stream, folders.storage_errors(folder):
        yield from _lines(path, iter(lambda: stream.readline(_LONGEST_LINE + 1), b""))


def _rows(folder: Path) -> Iterator[Opinion]:
    with folders.reading(folder) as database:
        for _, *row in database.stream(f"{_ROWS} ORDER BY id"):
            yield _from_row(*row)


def _from_row(url: str, relevant: int | None, at: float) -> Opinion:
    return Opinion(url=url, relevant=None if relevant is None else bool(relevant), at=at)


def _lines(path: Path, lines: Iterable[bytes]) -> Iterator[Opinion]:
    for number, line in enumerate(lines, start=1):
        if len(line) > _LONGEST_LINE:
            raise FolderError(f"{path}, line {number} is too long for an opinion; put the line right or delete it.")
        if not line.endswith(b"\n"):  # cut off by a crash; or by hand, with an editor that writes no newline at the end
            if _is_opinion(line):
                yield _opinion(line)
            return  # what somebody adds meanwhile is read the next time
        if line.strip():
            try:
                yield _opinion(line)
            except ValueError as error:
                raise FolderError(f"{path}, line {number}: {error}; put the line right or delete it.") from error


def _opinion(line: bytes) -> Opinion:
    try:
        opinion = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it is not an opinion in JSON ({error})") from error
    if normalise(opinion.url) != opinion.url:
        raise ValueError(f"{opinion.url!r:.200} is not a URL in normal form")
    if not 0 <= opinion.at <= _LATEST:
        raise ValueError(f"{opinion.at:g} is not a time in seconds since 1970")
    return opinion


def _is_opinion(line: bytes) -> bool:
    try:
        _opinion(line)
    except ValueError:
        return False
    return True


# --- writing ---------------------------------------------------------------------------------------------------------


def _insert(folder: Path, opinions: Iterable[Opinion]) -> None:
    rows = [(opinion.url, opinion.relevant, opinion.at) for opinion in opinions]
    with folders.reading(folder) as database, database.transaction():
        # One writer at a time: numbers must become visible in their order, or the crawl would miss one.
        database.execute("LOCK TABLE opinions IN EXCLUSIVE MODE")
        database.executemany("INSERT INTO opinions (url, relevant, at) VALUES (?, ?, ?)", rows)


@contextmanager
def _appending(path: Path) -> Iterator[int]:
    """The file, for one writer at a time; readers need not wait."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)


def _mend_end(path: Path, handle: int) -> tuple[int, bytes]:
    """Set aside what a crash, or an editor, left at the end; answers the size, and what must stand before the next line."""
    size = os.fstat(handle).st_size
    end = os.pread(handle, size, 0).rpartition(b"\n")[2]
    if not end or _is_opinion(end):
        return size, b"\n" if end else b""
    ours.copy_aside(io.BytesIO(end), path, "cut-off")
    os.ftruncate(handle, size - len(end))
    return size - len(end), b""


def _write(handle: int, data: bytes) -> None:
    """In one go, so that no reader sees a part; only a disk that is filling up takes less, and then says why."""
    while data:
        data = data[os.write(handle, data) :]


def _sync_name(folder: Path) -> None:
    """A new file is durable when its folder is."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
