"""Where does an answer go that the user wants in a file? There, when all of it is written; until then an older file stays.

To name a file that is there means to replace it. But a failed export costs nothing, and what is no file keeps its place.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import InputError, StorageFull
from shoal.store import ownership as ours

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextmanager
def written(out: Path) -> Iterator[BinaryIO]:
    """A stream into a file that takes its name in the end; what the disk says is one sentence."""
    # A link keeps its place, and a device (`/dev/null`) must not be replaced by a file.
    path = out.resolve()
    with complaints(str(out)), (_replaced if path.is_file() or not path.exists() else _direct)(path) as stream:
        yield stream


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    with ours.unfinished(path.parent) as part:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():  # who may read it does not change
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)


@contextmanager
def _direct(path: Path) -> Iterator[BinaryIO]:
    with path.open("wb") as stream:
        yield stream


@contextmanager
def complaints(out: str) -> Iterator[None]:
    """A full disk is one sentence, and so is a place where nothing can be written."""
    try:
        yield
    except BrokenPipeError:  # whoever reads our output has had enough
        raise
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise StorageFull(f"There is no room left to write {out}.") from error
        raise InputError(f"Cannot write {out}: {error.strerror or error}.") from error
