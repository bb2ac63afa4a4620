"""How does a test have bad luck? Full disks, folders that cannot be written or are none, links, files in the way."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

NAMES = (
    "notes.txt", "lock", "marks.jsonl", "pages-00001.warc.gz", "crawl.model", "crawl.sqlite.new", "settings.json",
    "index/notes.txt", "index/meta.json", "index-images/x", "crawl.sqlite-wal",
)  # fmt: skip
"""What a user may have in a folder: most of these names we give, too."""


def users_file(folder: Path, name: str) -> Path:
    """A file of the user's, which must be there for ever."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    return path


def contents(folder: Path) -> dict[str, bytes | None]:
    """All that is in a folder, and what it says; None for folders."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process may grow beyond this size: the kernel takes a part of a write, then refuses the rest."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A disk of its own, with room for so much; only root can have one."""
    place.mkdir(parents=True, exist_ok=True)
    mounted = mount(place, f"size={size}")
    if mounted.returncode:
        pytest.fail(f"This test mounts a small tmpfs, so it must run as root, with CAP_SYS_ADMIN: {mounted.stderr!r}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(file: Path) -> None:
    """Take all the room that is left."""
    with suppress(OSError), file.open("wb", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))


def mount(place: Path, options: str) -> subprocess.CompletedProcess[bytes]:
    """A disk in memory at this place; or the one that is there, with other options."""
    return subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True, check=False
    )


@contextmanager
def read_only(place: Path, fill: Callable[[Path], None] = lambda place: None) -> Iterator[Path]:
    """A disk that nothing can be written to, not even by root."""
    with small_disk(place, "20m"):
        fill(place)
        assert not mount(place, "remount,ro").returncode
        yield place


def no_folders(place: Path) -> Sequence[Path]:
    """Places that look like a folder's and are none: a file, a place below one, a link to a file, a link to nothing."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "file").write_text("mine")
    (place / "link").symlink_to(place / "file")
    (place / "nowhere").symlink_to(place / "gone" / "away")
    return [place / "file", place / "file" / "below", place / "link", place / "nowhere"]
