"""What in a folder is ours? Nothing that we did not make is ever removed or written over (`docs/decisions/0021-what-is-ours.md`).

A crawl begins in a folder that is empty, or not there yet: so whatever has one of our names in it later, we made. How files come
and go there without harm: `files.py`.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import msgspec

from shoal import files
from shoal.errors import FolderError
from shoal.printable import typed

DATABASE = "crawl.sqlite"
MODEL = "crawl.model"
"""What another crawl learned and this one began with (`store/strategy_memory.py`), if it did."""
MARKS = "marks.jsonl"
"""What the user said of pages (`store/mark_log.py`); may be written while a crawl is at work."""
COPY = "settings.json"
"""What the crawl was started with, without secrets: if the database is lost, this says what it was (`store/recovery.py`)."""
CLUSTER = "cluster.json"
"""Where a crawl of many machines is, and whatever else is secret (`store/shared_crawl.py`)."""
LOCK = "lock"
LOG = "internal-errors.log"
"""Bugs of ours that pages brought to light (`internal_errors.py`)."""
RUN_LOG = "run.log"
"""What a crawl says that runs as a process of its own (`services/supervisor.py`), and what it ended with."""
WISH = "wish.json"
"""What somebody wants of the crawl that runs (`store/run_control.py`)."""
MOVED = f"{DATABASE}.moved"
"""A database whose crawl has moved to PostgreSQL."""
PAGE_FILE = re.compile(r"pages-(?:[0-9a-f]{8}-)?\d{5,}\.warc\.gz")
_NAMES = (
    *(DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", MOVED, MODEL, COPY, CLUSTER),
    *(LOCK, LOG, RUN_LOG, f"{RUN_LOG}.old", WISH),
)
"""Of all files that a run makes beside those with pages; what the user said is not among them."""
_PATTERNS = (
    f"{DATABASE}*",
    MODEL,
    f"{MARKS}*",
    COPY,
    f"{CLUSTER}*",
    LOCK,
    LOG,
    f"{RUN_LOG}*",
    WISH,
    "pages-*.warc.gz*",
    "index",
    "index-images",
)
"""Of all that makes a crawl, also of what was set aside."""


class Made(msgspec.Struct, frozen=True):
    """What a run made: it may be taken back, and nothing else."""

    folder: Path
    folders: tuple[Path, ...]
    """Those that were not there before, the innermost first."""


# --- may we begin here ------------------------------------------------------------------------------------------------


def make_folder(folder: Path) -> Made:
    """A folder for a new crawl; one that is there must be empty. What we make above it, as a home, is this user's alone."""
    missing = tuple(_missing(folder))
    try:
        for place in reversed(missing[1:]):
            place.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise FolderError(f"The folder {folder} cannot be used: it is no folder, or stands below a file.") from None
    made = Made(folder, missing)
    try:
        refuse_strange(folder)
    except FolderError:
        remove_folders(made)
        raise
    return made


def refuse_strange(folder: Path) -> None:
    """One sentence when there is something in a folder that is no crawl."""
    found = sorted(path.name for path in folder.iterdir() if not path.name.startswith(files.UNFINISHED))
    if not found:
        return
    if any(map(PAGE_FILE.fullmatch, found)):
        raise FolderError(
            f"The folder {folder} has page files, but no database: 'shoal check --repair --dir {typed(folder)}' makes one from "
            "them; for a new crawl choose another --dir."
        )
    more = f" and {len(found) - 1:,} more" if len(found) > 1 else ""
    raise FolderError(f"The folder {folder} is not empty and holds no crawl ({found[0]}{more}): choose another --dir.")


def _missing(folder: Path) -> Iterator[Path]:
    for place in (folder, *folder.parents):
        if os.path.lexists(place):
            return
        yield place


# --- what did we make --------------------------------------------------------------------------------------------------


def take_back(made: Made, also: Iterable[str] = ()) -> None:
    """Remove the files of a crawl that this run began, and the folders that it made; all else stays."""
    for name in chain(_NAMES, also):
        (made.folder / name).unlink(missing_ok=True)
    for path in list(made.folder.iterdir()):
        if PAGE_FILE.fullmatch(path.name):
            path.unlink()
    remove_folders(made)


def remove_folders(made: Made) -> None:
    """Remove the folders that this run made, as far as nobody has put anything there."""
    for folder in made.folders:
        try:
            folder.rmdir()
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                raise
            return


def is_own(folder: Path, path: Path) -> bool:
    """True for a file that is part of the crawl, or would be taken for one: nothing else may be written there."""
    place, home = path.resolve(), folder.resolve()
    if not place.is_relative_to(home) or place == home:
        return False
    first = Path(place.relative_to(home).parts[0])
    return any(first.match(pattern) for pattern in _PATTERNS)


@contextmanager
def all_or_nothing(made: Made) -> Iterator[Callable[[Path, str], None]]:
    """What is put there inside stays; if something goes wrong, exactly that goes again, and the folders made for it."""
    placed: list[Path] = []

    def put(part: Path, name: str) -> None:
        files.place(part, made.folder / name)
        placed.append(made.folder / name)

    try:
        yield put
    except BaseException:
        for path in placed:
            path.unlink(missing_ok=True)
        remove_folders(made)
        raise
