"""What did the user say of pages? A file in the crawl's folder, one mark per line; the last line about a URL counts.

It is a file of its own because the database belongs to the crawl that is at work: this one anybody may add to meanwhile.
What was cut off by a crash stands at its end, without a newline; readers ignore it, and the next writer sets it aside.
A crawl in PostgreSQL has a table instead, to which anybody may add from any machine.

Marks stand beside the pages wherever those are read, and count more than the judge. Every connection that `reading` opens has
a temporary table `marks`; what is shown or exported joins it:

    SELECT coalesce(marks.relevant, pages.relevant) FROM pages LEFT JOIN marks USING (id)
"""

from __future__ import annotations

import fcntl
import io
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import chain
from pathlib import Path

import msgspec
from msgspec.structs import asdict, replace

from shoal.database.sql import Database, ask_for, upsert
from shoal.errors import FolderError, InputError, ShoalError
from shoal.files import copy_aside, sync, write_all
from shoal.model import Mark, State
from shoal.store import crawl_folder as folders
from shoal.store.crawl_status import StoreAnswer, time_of
from shoal.store.provenance import spellings
from shoal.urls import key_of, normalise

logger = logging.getLogger(__name__)
_LATEST = 253_402_300_799.0
"""The end of the year 9999: no calendar of Python goes further."""
_LONGEST_LINE = 2**20
"""Bytes: more than any URL has."""
_ROWS = "SELECT id, url, relevant, at FROM mark_log"
_decode = msgspec.json.Decoder(Mark).decode


def read(folder: Path) -> dict[str, Mark]:
    """What holds now, by URL, what was said last at the end; pages of which the user took everything back are not in it."""
    return {url: mark for url, mark in _last_said(folder).items() if mark.relevant is not None}


def all_said(folder: Path) -> list[Mark]:
    """The last that was said of each URL, also where it was taken back."""
    return list(_last_said(folder).values())


def add(folder: Path, marks: Iterable[Mark]) -> None:
    """Say something of pages, durably: all of it, or nothing when the disk is full."""
    if folders.is_remote(folder):
        _insert(folder, marks)
        return
    lines = b"".join(msgspec.json.encode(mark) + b"\n" for mark in marks)
    with folders.storage_errors(folder), _appending(folder / folders.MARKS) as handle:
        size, gap = _mend_end(folder / folders.MARKS, handle)
        try:
            write_all(handle, gap + lines)
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, size)
            raise
        if not size:
            sync(folder)


class MarkLogReader:
    """Hears what the user says while a crawl is at work."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._version: tuple[int, ...] | None = None
        """Of the file when it was read last; None when there was none."""
        self._known: Mapping[str, Mark] = {}
        self._listening = False

    def news(self) -> Sequence[Mark]:
        """What changed since the last call; the first time, everything that holds.

        A file that cannot be read is an error the first time. Later it is no reason to end a crawl that goes well: there is a
        warning, and what was said before holds.
        """
        first, self._listening = not self._listening, True
        before, self._version = self._version, _version(self._folder / folders.MARKS)
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


class MarkTable:
    """The same for a crawl in PostgreSQL. `look` waits for the server, `news` does not (save for the first time)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last = 0
        """The number of the last mark that was read."""
        self._heard: dict[str, bool | None] = {}
        self._fresh: list[Mark] = []
        """Read, but not told; `look` adds to it, maybe in another thread, and `news` takes it away."""
        self._listening = False

    def look(self) -> None:
        """Read what is new."""
        for id, url, relevant, at in self._database.execute(f"{_ROWS} WHERE id > ? ORDER BY id", (self._last,)):
            self._fresh.append(_from_row(url, relevant, at))
            self._last = id

    def news(self) -> Sequence[Mark]:
        """What changed since the last call; the first time, everything that holds."""
        if not self._listening:
            self._listening = True
            self.look()
        fresh, self._fresh = self._fresh, []
        latest = {mark.url: mark for mark in fresh}
        news = [mark for mark in latest.values() if self._heard.get(mark.url) is not mark.relevant]
        self._heard |= {mark.url: mark.relevant for mark in news}
        return news


def _difference(known: Mapping[str, Mark], said: Mapping[str, Mark]) -> list[Mark]:
    """What must be told to somebody who knows the one, so that the other holds. A line that is gone was taken back."""
    gone = [replace(known[url], relevant=None) for url in known.keys() - said.keys()]
    latest = {url: mark.relevant for url, mark in known.items()}
    return [mark for mark in (*gone, *said.values()) if latest.get(mark.url) is not mark.relevant]


# --- reading ---------------------------------------------------------------------------------------------------------


def _version(path: Path) -> tuple[int, ...] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns


def _last_said(folder: Path) -> dict[str, Mark]:
    """The last line about each URL, in the order of the file."""
    said: dict[str, Mark] = {}
    for mark in _rows(folder) if folders.is_remote(folder) else _from_file(folder):
        said.pop(mark.url, None)
        said[mark.url] = mark
    return said


def _from_file(folder: Path) -> Iterator[Mark]:
    path = folder / folders.MARKS
    with folders.storage_errors(folder), suppress(FileNotFoundError), path.open("rb") as stream:
        yield from _lines(path, iter(lambda: stream.readline(_LONGEST_LINE + 1), b""))


def _rows(folder: Path) -> Iterator[Mark]:
    with folders.reading(folder) as database:
        for _, *row in database.stream(f"{_ROWS} ORDER BY id"):
            yield _from_row(*row)


def _from_row(url: str, relevant: int | None, at: float) -> Mark:
    return Mark(url=url, relevant=_flag(relevant), at=at)


def _flag(stored: int | None) -> bool | None:
    return None if stored is None else bool(stored)


def _lines(path: Path, lines: Iterable[bytes]) -> Iterator[Mark]:
    for number, line in enumerate(lines, start=1):
        if len(line) > _LONGEST_LINE:
            raise FolderError(f"{path}, line {number} is too long for a mark; put the line right or delete it.")
        if not line.endswith(b"\n"):  # cut off by a crash; or by hand, with an editor that writes no newline at the end
            if _is_mark(line):
                yield _mark(line)
            return  # what somebody adds meanwhile is read the next time
        if line.strip():
            try:
                yield _mark(line)
            except ValueError as error:
                raise FolderError(f"{path}, line {number}: {error}; put the line right or delete it.") from error


def _mark(line: bytes) -> Mark:
    try:
        mark = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"it is not a mark in JSON ({error})") from error
    if normalise(mark.url) != mark.url:
        raise ValueError(f"{mark.url!r:.200} is not a URL in normal form")
    if not 0 <= mark.at <= _LATEST:
        raise ValueError(f"{mark.at:g} is not a time in seconds since 1970")
    return mark


def _is_mark(line: bytes) -> bool:
    try:
        _mark(line)
    except ValueError:
        return False
    return True


# --- writing ---------------------------------------------------------------------------------------------------------


def _insert(folder: Path, marks: Iterable[Mark]) -> None:
    rows = [(mark.url, mark.relevant, mark.at) for mark in marks]
    with folders.reading(folder) as database, database.transaction():
        # One writer at a time: numbers must become visible in their order, or the crawl would miss one.
        database.execute("LOCK TABLE mark_log IN EXCLUSIVE MODE")
        database.executemany("INSERT INTO mark_log (url, relevant, at) VALUES (?, ?, ?)", rows)


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
    if not end or _is_mark(end):
        return size, b"\n" if end else b""
    copy_aside(io.BytesIO(end), path, "cut-off")
    os.ftruncate(handle, size - len(end))
    return size - len(end), b""


_MAX_HOPS = 20
"""More than a crawl follows; a chain that it left for a page it knew goes on from there."""
_TABLES = """
CREATE TEMP TABLE IF NOT EXISTS marks (id INTEGER PRIMARY KEY, relevant INTEGER NOT NULL, at REAL NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS said (key INTEGER PRIMARY KEY, relevant INTEGER NOT NULL, at REAL NOT NULL);
DELETE FROM marks;
DELETE FROM said;
"""
# In this order, because only pages can be marked, and `found` has no index on its keys.
_MARK = """
INSERT INTO marks SELECT pages.id, said.relevant, said.at
FROM pages CROSS JOIN found CROSS JOIN said WHERE found.id = pages.id AND said.key = found.key
"""
_PAGE = """
SELECT found.url, pages.title, pages.score, pages.relevant, marks.relevant, marks.at
FROM pages JOIN found USING (id) LEFT JOIN marks USING (id) WHERE pages.id = ?
"""
_BY_KEY = "SELECT key, id, state, target FROM found JOIN fates USING (id) WHERE key IN ({})"
_SAY = upsert("said", "key", "relevant", "at")


class MarkedPage(StoreAnswer, frozen=True, kw_only=True):
    """A page that the user marked, beside what the judge said of it."""

    url: str
    """The URL that answered."""
    title: str
    relevant: bool | None
    """What the user said; None when nothing, or when it was taken back."""
    at: datetime | None
    """When that was said."""
    judged: bool | None
    """What the judge said; None for types that are not judged."""
    score: float | None


class GivenMark(MarkedPage, frozen=True, kw_only=True):
    """The same, at the moment when the user says it."""

    asked: str
    """The URL as it was typed."""
    before: bool | None
    """What the user had said before."""


class MeantPage(StoreAnswer, frozen=True, kw_only=True):
    """Which page a typed URL stands for."""

    asked: str
    url: str
    """Where its redirects led, as far as they are known."""
    page: int | None
    """`pages.id`; None when nothing was fetched there."""


@contextmanager
def reading(folder: Path) -> Iterator[Database]:
    """The database of a crawl with the user's marks, for a few questions."""
    with folders.reading(folder) as database:
        lay_over(database, read(folder))
        yield database


def lay_over(connection: Database, said: Mapping[str, Mark]) -> None:
    """Put what the user said beside the pages, in place of what lay there before."""
    connection.executescript(_TABLES)
    if said:
        connection.executemany(_SAY, [(key_of(url), mark.relevant, mark.at) for url, mark in said.items()])
        connection.execute(_MARK)


def by_page(connection: Database) -> dict[int, bool]:
    """What the user said, by `pages.id`."""
    return {id: bool(relevant) for id, relevant in connection.execute("SELECT id, relevant FROM marks")}


def marks(connection: Database, said: Mapping[str, Mark]) -> list[MarkedPage]:
    """Every mark, in the order in which they were said; also those about pages that this crawl has not fetched."""
    on_pages = [_marked_page(connection, id) for (id,) in connection.execute("SELECT id FROM marks").fetchall()]
    by_url = {mark.url: mark for mark in on_pages}
    return [
        by_url.get(url)
        or MarkedPage(url=url, title="", relevant=mark.relevant, at=time_of(mark.at), judged=None, score=None)
        for url, mark in said.items()
    ]


def _marked_page(connection: Database, page: int) -> MarkedPage:
    url, title, score, judged, marked, at = connection.execute(_PAGE, (page,)).fetchone()
    verdict = None if score is None else bool(judged)
    return MarkedPage(url=url, title=title, relevant=_flag(marked), at=time_of(at), judged=verdict, score=score)


# --- giving marks ----------------------------------------------------------------------------------------------------


def give(connection: Database, meant: Iterable[MeantPage], relevant: bool | None, now: float) -> list[GivenMark]:
    """What it means to say this of these pages, each once; nothing is written."""
    given: dict[int, GivenMark] = {}
    for one in meant:
        assert one.page is not None, "only pages can be marked"
        mark = _marked_page(connection, one.page)
        new = mark if mark.relevant is relevant else replace(mark, relevant=relevant, at=time_of(now))
        given.setdefault(one.page, GivenMark(**asdict(new), asked=one.asked, before=mark.relevant))
    return list(given.values())


def find(connection: Database, urls: Iterable[str]) -> list[MeantPage]:
    """Which pages a user means, who may type URLs without `https://`, and old ones that lead elsewhere now.

    It takes one pass over all that is known for each hop of the longest chain, however many URLs were typed.
    """
    with connection.snapshot():
        places = {asked: spellings(asked) for asked in urls}
        meant = {asked: MeantPage(asked=asked, url=asked, page=None) for asked in places}
        for _ in range(_MAX_HOPS):
            fates = _fates(connection, chain.from_iterable(places.values()))
            here = {asked: fates[form] for asked, forms in places.items() for form in forms if form in fates}
            meant |= {asked: replace(fate, asked=asked) for asked, fate in here.items()}
            places = {asked: [fate.url] for asked, fate in here.items() if fate.url != fate.asked}
            if not places:
                break
        return list(meant.values())


def page_of(connection: Database, url: str) -> int:
    """Which stored page a person means by a URL; one sentence when there is none."""
    (meant,) = find(connection, [url])
    if meant.page is None:
        raise InputError(f"{url} was not fetched by this crawl: shoal explain says why not.")
    return meant.page


def _fates(connection: Database, urls: Iterable[str]) -> dict[str, MeantPage]:
    """What became of URLs, one redirect further; those that wait have no fate."""
    keys = {key_of(url): url for url in urls}
    return {
        keys[key]: MeantPage(asked=keys[key], url=target or keys[key], page=id if state == State.DONE else None)
        for key, id, state, target in ask_for(connection, _BY_KEY, keys)
    }
