"""How does a file become whole on the disk, or does not become at all, and what is said when the disk refuses?

What is not complete yet has a name that nobody else gives (`unfinished`), and takes its own when it is: that of an older one
(`replaced`), or one that is still free (`place`). What is in the way goes aside under another name (`set_aside`). So nothing is
lost when something goes wrong, and nothing that we did not make is written over (`docs/decisions/0021-what-is-ours.md`).
"""

from __future__ import annotations

import errno
import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO

from shoal.errors import InputError, StorageFull

UNFINISHED = ".shoal-"
"""How the names begin of what is not complete yet. A crash may leave such a file; it is in nobody's way, and stays."""
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


# --- how a file becomes whole ----------------------------------------------------------------------------------------


@contextmanager
def written(out: Path) -> Iterator[BinaryIO]:
    """A stream into the file that a user named, which takes its name in the end; what the disk says is one sentence."""
    # A link keeps its place, and a device (`/dev/null`) must not be replaced by a file.
    path = out.resolve()
    with complaints(str(out)), replaced(path) if path.is_file() or not path.exists() else path.open("wb") as stream:
        yield stream


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """A stream into a file that takes the place of an older one, if there is one, when all of it is on the disk."""
    with unfinished(path.parent) as part:
        with created(part) as stream:
            yield stream
        with suppress(FileNotFoundError):  # who may read it does not change
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)


@contextmanager
def created(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A stream into a file that was not there before; in the end all of it is on the disk."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """A name for what is not complete yet, which nothing has; what is still there under this name in the end goes."""
    path = folder / f"{UNFINISHED}{uuid.uuid4().hex[:12]}"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def write_all(handle: int, data: bytes) -> None:
    """In one go, so that no reader sees a part; only a disk that is filling up takes less, and then says why."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def sync(path: Path) -> None:
    """Return when a file is on the disk, or what a folder says of its files: a new file is durable when its folder is, too."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- which name it gets ----------------------------------------------------------------------------------------------


def place(part: Path, path: Path) -> None:
    """A complete file takes its name; `FileExistsError` when somebody has it, who keeps it."""
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):  # a disk without links, on which nothing better can be done
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        part.rename(path)
        return
    part.unlink()


def set_aside(path: Path, why: str, of: Path | None = None) -> Path:
    """Give a file a name by which nobody takes it for what it was (or for `of`, of which it is a part); answers which."""
    old, stamp = of or path, datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    for number in count(1):
        name = old.with_name(f"{old.name}.{why}-{stamp}" + (f"-{number}" if number > 1 else ""))
        with suppress(FileExistsError):
            place(path, name)
            return name
    raise AssertionError("numbers do not end")


def copy_aside(file: BinaryIO, path: Path, why: str) -> Path:
    """The rest of an open file goes to a new one, on the disk; answers its name."""
    with unfinished(path.parent) as part:
        with created(part) as out:
            copyfileobj(file, out, 2**20)
        return set_aside(part, why, of=path)


# --- what a user named -----------------------------------------------------------------------------------------------


def read_bytes(path: Path, called: str, most: int) -> bytes:
    """What stands in a file that a user named; one sentence when that cannot be read, or is more than `most` bytes."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such {called}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give the path of a {called}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > most:
        raise InputError(f"{path} is too large for a {called}: at most {most // 2**20} MiB are read")
    return data


def read_text(path: Path, called: str, most: int) -> str:
    """The same as text, with or without a mark that says it is UTF-8."""
    try:
        return read_bytes(path, called, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


# --- what the disk says ----------------------------------------------------------------------------------------------


def may(path: Path, how: int) -> bool:
    """True when the disk and its rights let us (`os.R_OK`, `os.W_OK`); on a disk that is only for reading nobody may write."""
    return os.access(path, how, effective_ids=os.access in os.supports_effective_ids)


def is_full(error: BaseException) -> bool:
    """True when there was no room: on the disk, in what a user may have of it, or in what a file may have."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in _NO_ROOM
    return any(os.strerror(number) in str(error) for number in _NO_ROOM)  # as libraries tell it


@contextmanager
def complaints(out: str) -> Iterator[None]:
    """A full disk is one sentence, and so is a place where nothing can be written."""
    try:
        yield
    except BrokenPipeError:  # whoever reads our output has had enough
        raise
    except OSError as error:
        if is_full(error):
            raise StorageFull(f"There is no room left to write {out}.") from error
        raise InputError(f"Cannot write {out}: {error.strerror or error}.") from error
