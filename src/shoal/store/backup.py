"""How is a crawl saved while it runs, and brought back? In one tar file: its database at one moment, and what that knows of.

    crawl.sqlite          all that is remembered, whichever database keeps it
    pages-….warc.gz       the bodies, up to where that moment knows them
    marks.jsonl        what the user said
    crawl.model           what the crawl began with, if it did
    manifest.json         the size and the hash of each of them; it comes last, so a file that was cut off has none

The index is not in it, because the first search makes it anew; nor are the URLs of servers, because they have passwords.
"""

from __future__ import annotations

import errno
import io
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from shoal.database.postgres import PostgresDatabase
from shoal.database.sql import Database
from shoal.database.sqlite import SqliteDatabase, open_file
from shoal.errors import FolderError, InputError
from shoal.files import complaints, created, written
from shoal.protocols import Progress, no_progress
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, migrate, ownership, run_control
from shoal.store import shared_crawl as clusters
from shoal.store.crawl_status import StoreAnswer
from shoal.store.upgrades import schema
from shoal.store.warc import is_page_file, series_and_number

MANIFEST = "manifest.json"
FORMAT = 1
"""Raised when a file of an older shoal can no longer be read as it is."""
_CHUNK = 2**20
_LARGEST_MANIFEST = 16 * 2**20
"""Bytes: of a hundred thousand files."""
_UNREADABLE = (tarfile.TarError, msgspec.DecodeError, EOFError, ValueError, OverflowError, RecursionError)
"""What is raised for an archive that nobody wrote as it is."""
_POSITIONS = "SELECT value FROM meta WHERE key = 'warc' OR key LIKE 'warc %'"


class Member(StoreAnswer, frozen=True, kw_only=True):
    """A file in a backup."""

    name: str
    size: int
    digest: str
    """BLAKE2b-256."""


class Manifest(StoreAnswer, frozen=True, kw_only=True):
    """What must be in a backup."""

    format: int
    crawl: str
    pages: int
    members: tuple[Member, ...]


class Saved(StoreAnswer, frozen=True, kw_only=True):
    """What is in a backup."""

    file: str
    pages: int
    files: int
    bytes: int


# --- saving ----------------------------------------------------------------------------------------------------------


def save(folder: Path, out: Path, progress: Progress) -> Saved:
    """Write a backup; the crawl may go on meanwhile. The file takes its name when it is complete."""
    if folders.is_own(folder, out):
        raise InputError(f"{out} is a file of the crawl itself: choose another name.")
    with (
        folders.reading(folder) as database,
        written(out) as stream,
        tempfile.TemporaryDirectory(prefix=".shoal-", dir=out.resolve().parent) as scratch,
    ):
        manifest = _write(folder, database, stream, Path(scratch), progress)
    return _saved(out, manifest)


def _saved(file: Path, manifest: Manifest) -> Saved:
    size = sum(member.size for member in manifest.members)
    return Saved(file=str(file), pages=manifest.pages, files=len(manifest.members), bytes=size)


def _write(folder: Path, database: Database, stream: BinaryIO, scratch: Path, progress: Progress) -> Manifest:
    copy = scratch / folders.DATABASE
    with _copying():
        crawl, pages, ends = _copy_database(database, copy)
    marks = scratch / folders.MARKS
    marks.write_bytes(b"".join(msgspec.json.encode(mark) + b"\n" for mark in mark_log.all_said(folder)))
    whole = [copy, marks, *_model(folder, database, scratch)]
    files = [*((path, path.stat().st_size) for path in whole), *_bodies(folder, ends)]
    total, done = sum(size for _, size in files), 0
    members: list[Member] = []
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for path, size in files:
            members.append(_add(tar, path, size))
            done += size
            progress(done, total)
        manifest = Manifest(format=FORMAT, crawl=crawl, pages=pages, members=tuple(members))
        data = msgspec.json.encode(manifest)
        tar.addfile(_info(MANIFEST, len(data)), io.BytesIO(data))
    return manifest


@contextmanager
def _copying() -> Iterator[None]:
    """A copy that finds no room is told as any other file of the backup is: it is not the crawl's disk that is full."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
            raise
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error


def _copy_database(database: Database, path: Path) -> tuple[str, int, list[tuple[str, int]]]:
    """All of it at one moment; answers the crawl's id, how many pages it has, and where its page files end."""
    with closing(open_file(path)) as copy:
        if isinstance(database, SqliteDatabase):
            database.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        else:
            copy.executescript(schema())
            with database.snapshot():
                migrate.copy_tables(database, copy)
        folders.erase_secrets(copy)
        run_control.forget_run(copy)
        crawl = folders.read_meta(copy, "crawl", str) or ""
        (pages,) = copy.execute("SELECT count(*) FROM pages").fetchone()
        ends = [msgspec.json.decode(value, type=tuple[str, int]) for (value,) in copy.execute(_POSITIONS)]
    return crawl, pages, ends


def _model(folder: Path, database: Database, scratch: Path) -> list[Path]:
    path = folder / folders.MODEL
    if isinstance(database, PostgresDatabase) and (model := clusters.model_of(database)):
        path = scratch / folders.MODEL
        path.write_bytes(model)
    return [path] if path.exists() else []


def _bodies(folder: Path, ends: list[tuple[str, int]]) -> list[tuple[Path, int]]:
    """The page files of this folder, each up to where it counts; what is behind that was never committed."""
    last = {series_and_number(name)[0]: (series_and_number(name)[1], end) for name, end in ends}
    found = []
    for path in sorted(path for path in folder.iterdir() if is_page_file(path.name)):
        series, number = series_and_number(path.name)
        current, end = last.get(series, (0, 0))
        if number <= current:
            size = path.stat().st_size
            if number == current and size < end:
                raise FolderError(f"The page file {path} has {size} bytes, but the database knows of {end}.")
            found.append((path, end if number == current else size))
    return found


def _add(tar: tarfile.TarFile, path: Path, size: int) -> Member:
    with path.open("rb") as file:
        reader = _Hashing(file)
        tar.addfile(_info(path.name, size), cast(BinaryIO, reader))
    return Member(name=path.name, size=size, digest=reader.digest())


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


class _Hashing:
    """A file that is hashed while somebody reads it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = blake2b(digest_size=32)

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self._hash.update(data)
        return data

    def digest(self) -> str:
        """Of all that was read."""
        return self._hash.hexdigest()


# --- bringing back ---------------------------------------------------------------------------------------------------


def bring_back(file: Path, folder: Path, database: str, progress: Progress) -> Saved:
    """Make the folder of a crawl from a backup; with the URL of a database, the crawl goes there. All of it, or nothing."""
    if folders.exists(folder):
        raise FolderError(f"There is a crawl in {folder} already: choose another --dir.")
    with complaints(str(folder)):
        made = ownership.make_folder(folder)
        with (
            ownership.all_or_nothing(made) as put,
            tempfile.TemporaryDirectory(prefix=".shoal-", dir=folder) as scratch,
        ):
            manifest = _unpacked(file, Path(scratch), progress)
            # The database comes last, because it makes the folder a crawl.
            for member in sorted(manifest.members, key=lambda member: member.name == folders.DATABASE):
                put(Path(scratch) / member.name, member.name)
        if database:
            _move_on(made, database)
    return _saved(file, manifest)


def _unpacked(file: Path, scratch: Path, progress: Progress) -> Manifest:
    """The files of a backup, each of them proven to be what was saved."""
    total = _size(file)
    found: dict[str, Member] = {}
    manifest: Manifest | None = None
    try:
        with _Sipping(io.FileIO(file)) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
            for info in tar:
                _refuse_odd(file, info, total, found)
                data = cast(BinaryIO, tar.extractfile(info))
                if info.name == MANIFEST:
                    manifest = msgspec.json.decode(data.read(_LARGEST_MANIFEST), type=Manifest)
                else:
                    found[info.name] = _extract(data, scratch / info.name, info)
                progress(min(tar.offset, total), total)
    except _UNREADABLE as error:
        raise _damaged(file, " ".join(str(error).split()).rstrip(".")) from error
    if manifest is None:
        raise _damaged(file, "its end is missing")
    if manifest.format != FORMAT:
        raise InputError(
            f"{file} was written by another version of shoal (format {manifest.format}, this one reads {FORMAT})."
        )
    for member in manifest.members:
        if found.get(member.name) != member:
            raise _damaged(file, f"{member.name!r:.100} is not what was saved")
    if folders.DATABASE not in {member.name for member in manifest.members}:
        raise _damaged(file, f"there is no {folders.DATABASE} in it")
    return manifest


def _refuse_odd(file: Path, info: tarfile.TarInfo, total: int, found: Collection[str]) -> None:
    """All but a plain file of ours that lies in the archive byte by byte: no links, no devices, no holes that become zeros."""
    if not _is_ours(info.name) or not info.isreg() or info.issparse():
        raise _damaged(file, f"it has a file {info.name!r:.100} that is none of a crawl's")
    if info.name in found:
        raise _damaged(file, f"it has two files {info.name!r}")
    if info.size < 0 or info.offset_data + info.size > total:
        raise _damaged(file, "its end is missing")
    if info.name == MANIFEST and info.size > _LARGEST_MANIFEST:
        raise _damaged(file, "its list of files is too long")


class _Sipping(io.BufferedReader):
    """A file of which nobody takes much at once: `tarfile` reads a header into memory, however long it says it is."""

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes; never all of them."""
        if size is None or not 0 <= size <= _CHUNK:
            raise tarfile.ReadError("it has a header that is too long")
        return super().read(size)


def _extract(stream: BinaryIO, path: Path, info: tarfile.TarInfo) -> Member:
    reader = _Hashing(stream)
    size = 0
    with created(path) as out:
        while data := reader.read(_CHUNK):
            out.write(data)
            size += len(data)
    return Member(name=info.name, size=size, digest=reader.digest())


def _is_ours(name: str) -> bool:
    """Only these names: a stranger's file must not be written anywhere else."""
    return is_page_file(name) or name in (folders.DATABASE, folders.MARKS, folders.MODEL, MANIFEST)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error


def _damaged(file: Path, why: str) -> InputError:
    return InputError(f"{file} is no whole backup: {why}; nothing was restored.")


def _move_on(made: ownership.Made, database: str) -> None:
    """What was restored goes to a database; what cannot be restored as a whole is taken away again."""
    try:
        migrate.to_postgresql(made.folder, database, no_progress)
    except BaseException:
        folders.remove(made, also=[folders.MARKS])
        raise
