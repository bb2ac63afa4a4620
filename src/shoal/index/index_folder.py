"""What is in the folder of an index, is it whole, and how do documents get into it?

One writer at a time; what was committed survives everything.
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import randbits
from threading import Lock
from typing import Self

import msgspec
import tantivy

from shoal.errors import FolderBusy, FolderError, ShoalError, StorageFull
from shoal.files import is_full, may
from shoal.index.analyzer import entries
from shoal.index.index_links import META, open_links
from shoal.index.schema import FORMAT, Document, build_schema, indexed, mark, mark_query
from shoal.text import SAMPLE, flattened

LOCK = "lock"
"""Held by the one who writes."""
_FORMAT = "format"
"""The file by which a folder is known to be ours."""
_READS = ".tantivy-meta.lock"
"""Locked by tantivy while somebody opens the index."""
_PRIVATE = (META, ".managed.json")
STANDINGS = "standings"
"""What whoever fills the index keeps beside it."""
_MADE = re.compile(rf"[0-9a-f]{{32}}\.[\w.]+|meta\.json|\.managed\.json|\.tantivy-\w+\.lock|\.tmp\w+|{STANDINGS}")
"""The names of all files that make an index."""
_MARK = "shoal index "
_ORIGIN, _ORIGIN_BITS = "\norigin ", 48
"""Few enough for a float, in which tantivy counts, and so many that no two indexes have the same."""
_TAIL = struct.Struct("<II")
"""How tantivy ends a file: the length of what it says about it in JSON, and a number by which the end is known."""
_KILLED = "index writer was killed"


class _Deletes(msgspec.Struct):
    """Which pages of a segment are gone: each change has a file of its own, and those before it are removed a moment later."""

    opstamp: int


class _Segment(msgspec.Struct):
    segment_id: str
    deletes: _Deletes | None = None

    def has(self, name: str) -> bool:
        """True for a file that was committed as a part of it; others are being written, or about to be removed."""
        id, _, kind = name.partition(".")
        newest = f"{self.deletes.opstamp}.del" if self.deletes else ""
        return id == self.segment_id.replace("-", "") and (not kind.endswith(".del") or kind == newest)


class _Meta(msgspec.Struct):
    """What tantivy says was committed; files of other segments were being written when somebody was killed."""

    segments: list[_Segment]


def problem(folder: Path) -> str:
    """Why the folder cannot be searched, as one sentence; empty when it can."""
    found = opened(folder)
    return found if isinstance(found, str) else ""


def opened(folder: Path) -> tuple[tantivy.Index, int] | str:
    """The index, and the largest version in it; or why it cannot be used, as one sentence."""
    if not exists(folder):
        return f"There is no index in {folder}."
    if origin_of(folder) is None:
        return f"The index in {folder} was made by another version of shoal."
    try:
        return (
            _with_version(tantivy.Index.open(str(folder))) if may_lock(folder) else open_links([folder], _with_version)
        )
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        # Any other: a damaged file can also make tantivy panic, which is no Exception in Python.
        if closed := next((path.name for path in _made(folder) if not may(path, os.R_OK)), ""):
            return f"The index in {folder} cannot be read: you may not read {closed}."
        return f"The index in {folder} is damaged."


def _with_version(index: tantivy.Index) -> tuple[tantivy.Index, int]:
    return index, last_version(index.searcher())


def may_lock(folder: Path) -> bool:
    """True when an index can be opened where it is: tantivy locks it for a moment, even to read it."""
    lock = folder / _READS
    return may(lock if lock.exists() else folder, os.W_OK)


def last_version(searcher: tantivy.Searcher) -> int:
    """The largest version in this state of the index."""
    found = searcher.aggregate(tantivy.Query.all_query(), {"last": {"max": {"field": "version"}}})
    return int(found["last"]["value"] or 0)


def origin_of(folder: Path) -> int | None:
    """The number by which the pages of this index are told from those of others; None when another version made it.

    Who copies an index copies its number.
    """
    said, _, number = _said(folder).partition(_ORIGIN)
    return int(number) if said == _format() and number.strip().isdecimal() else None


def damage(folder: Path) -> tuple[str, ...]:
    """The names of the files that are not as they were written; reads all that was committed."""
    try:
        meta = msgspec.json.decode((folder / META).read_bytes(), type=_Meta)
    except (OSError, msgspec.MsgspecError):
        return (META,)
    listed = sorted(path.name for path in folder.iterdir())
    committed = [name for name in listed if any(segment.has(name) for segment in meta.segments)]
    return tuple(name for name in committed if not _is_whole(folder / name))


def exists(folder: Path) -> bool:
    """True when something was indexed here, whether it can be used or not."""
    with complaints(folder):
        return (folder / META).is_file()


def claim(folder: Path) -> None:
    """Make a folder for an index; what is there already, and was not made for one, is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    if _is_marked(folder):
        return
    if any(folder.iterdir()):
        raise FolderError(f"{folder} is no index of shoal's: move it away, because the index needs this name.")
    # Another one may come at the same moment.
    with suppress(FileExistsError), (folder / _FORMAT).open("x", encoding="utf-8") as file:
        file.write(_format())


def open_or_create(folder: Path, schema: tantivy.Schema) -> tantivy.Index:
    """The index in the folder; a new one where there is none."""
    if exists(folder):
        if sentence := problem(folder):
            raise FolderError(sentence)
    else:
        empty(folder)
        (folder / _FORMAT).write_text(f"{_format()}{_ORIGIN}{randbits(_ORIGIN_BITS)}\n", encoding="utf-8")
    return tantivy.Index(schema, str(folder))


def empty(folder: Path) -> None:
    """Remove an index, damaged or not; who searches it meanwhile goes on with what they have opened.

    The file that says whose folder this is stays, and so does what is none of an index's.
    """
    # First the file that makes it an index, so that a crash in between leaves none behind.
    for path in sorted(_made(folder), key=lambda path: path.name != META):
        path.unlink()


def _made(folder: Path) -> Iterator[Path]:
    """The files that make an index."""
    return (path for path in folder.iterdir() if _MADE.fullmatch(path.name) and path.is_file())


def remove(folder: Path) -> None:
    """Take an index back, and its folder if there is nothing else in it; a folder that is none of ours stays as it is."""
    if not _is_marked(folder):
        return
    empty(folder)
    for name in (LOCK, _FORMAT):
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


@contextmanager
def complaints(folder: Path) -> Iterator[None]:
    """What tantivy and the disk complain of, as a sentence."""
    try:
        yield
    except (ValueError, OSError) as error:
        if isinstance(error, ShoalError):
            raise
        if is_full(error):
            raise StorageFull(f"There is no room left to index pages in {folder}.") from error
        if _KILLED in str(error):  # tantivy does not say why; most often it is this
            raise FolderError(f"The index in {folder} could not be written: is the disk full?") from error
        raise FolderError(f"The index in {folder} cannot be used: {_why(error)}.") from error


def _why(error: Exception) -> str:
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or " ".join(str(error).split()).rstrip(".")


def _is_marked(folder: Path) -> bool:
    """True for a folder that some shoal made for an index."""
    return _said(folder).startswith(_MARK)


def _said(folder: Path) -> str:
    try:
        with (folder / _FORMAT).open(encoding="utf-8", errors="replace") as file:
            return file.read(200)
    except OSError:
        return ""


def _format() -> str:
    """Changes with whatever makes an index another one: the fields, the analyser."""
    return f"{_MARK}{FORMAT}, analyser {zlib.crc32(entries(flattened(SAMPLE))[0].encode()):08x}"


def _is_whole(path: Path) -> bool:
    """True when the file has the checksum that its last bytes name; or is gone, because a writer needs it no more.

    An index whose files were removed by somebody else cannot be opened: `problem` says so.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return True
    if len(data) < _TAIL.size:
        return False
    length, _ = _TAIL.unpack_from(data, len(data) - _TAIL.size)
    end = len(data) - _TAIL.size - length
    try:
        said = msgspec.json.decode(data[max(0, end) : -_TAIL.size])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return end >= 0 and isinstance(said, dict) and said.get("crc") == zlib.crc32(data[:end])


_MEMORY = 40_000_000
"""Bytes of postings that wait in memory for a commit; fuller than that, tantivy writes a segment."""


class IndexWriter:
    """Adds documents to the index in a folder, and takes them out; a context manager that commits at its end.

    The only one who changes the index. With `anew`, whatever is in the folder goes first, damaged or not.
    """

    def __init__(self, folder: Path, *, anew: bool = False) -> None:
        self._folder = folder
        self._anew = anew
        self._schema = build_schema()
        self._held = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as held, complaints(self._folder):
            claim(self._folder)
            held.enter_context(_locked(self._folder))
            if self._anew:
                empty(self._folder)
            self._index = open_or_create(self._folder, self._schema)
            self._origin = origin_of(self._folder) or 0
            # One thread: the crawl needs the other cores.
            self._writer = self._index.writer(_MEMORY, 1)
            self._held = held.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._held, complaints(self._folder):
            if kind is None:
                self._writer.commit()
            else:
                self._writer.rollback()
            self._writer.wait_merging_threads()
            _share(self._folder)

    def add(self, documents: Iterable[Document]) -> None:
        """Put documents in; each replaces the one with its id."""
        latest = {document.id: document for document in documents}
        with complaints(self._folder):
            self.remove(latest)
            for document in latest.values():
                self._writer.add_document(indexed(document, self._origin))

    def remove(self, ids: Iterable[int]) -> None:
        """Take documents out; an id that is not there is no mistake."""
        if unwanted := list(ids):
            with complaints(self._folder):
                self._writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "id", unwanted))

    def commit(self, reached: int = 0) -> None:
        """Make all changes lasting and visible, all or none of them.

        `reached` is the version up to which the store was looked through: not every version has a document.
        """
        with complaints(self._folder):
            if reached:
                self._writer.delete_documents_by_query(mark_query(self._schema))
                self._writer.add_document(mark(reached))
            self._writer.commit()
            _share(self._folder)

    def last_version(self) -> int:
        """The largest version that was committed, by a document or by `reached`; 0 for an empty index."""
        with complaints(self._folder):
            self._index.reload()
            return last_version(self._index.searcher())


def _share(folder: Path) -> None:
    """Whoever may read the other files may read these: tantivy writes two of them for our user alone."""
    mode = (folder / _FORMAT).stat().st_mode & 0o777
    for name in _PRIVATE:
        with suppress(OSError):  # it was just replaced, is not there yet, or somebody else's
            if (path := folder / name).stat().st_mode & 0o777 != mode:
                path.chmod(mode)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Nobody else writes meanwhile; the lock ends with the process, however that ends."""
    with (folder / LOCK).open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(folder) from None
        yield


_turns: dict[str, Lock] = {}
"""By folder. Beside the lock of the file, which nobody waits for: the process of a crawl holds it for days."""
_PATIENCE = 5.0
"""Seconds: who waits longer takes what is there."""


@contextmanager
def in_turn(folder: Path, patience: float = _PATIENCE) -> Iterator[None]:
    """One thread of this process at a time brings an index up to date, and who waits for it finds that done."""
    turn = _turns.setdefault(os.path.realpath(folder), Lock())
    if not turn.acquire(timeout=patience):
        raise _busy(folder)
    try:
        yield
    finally:
        turn.release()


def _busy(folder: Path) -> FolderBusy:
    return FolderBusy(f"Another shoal is writing to the index in {folder}.")
