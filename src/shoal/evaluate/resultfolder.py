"""Where do the files of a comparison go? Into an empty folder, or into that of an earlier comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import FolderError
from shoal.store.crawl_folder import lock, storage_errors

MARKER = "shoal-compare"
"""A file of this name says that the folder is ours, and which files in it."""
_SENTENCE = "Made by `shoal compare`; the next comparison in this folder replaces these files.\n"


@contextmanager
def result_folder(folder: Path) -> Iterator[None]:
    """Nobody else writes there meanwhile; what the folder of somebody else holds is never touched."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / MARKER).is_file():
            raise FolderError(
                f"The folder {folder} is not empty and not of an earlier comparison: choose another --out."
            )
        if not (folder / MARKER).exists():
            (folder / MARKER).write_text(_SENTENCE)
    with lock(folder):
        yield


def note(folder: Path, kind: str, names: Iterable[str]) -> None:
    """These files were made here by a comparison of this kind, and may be replaced by the next one."""
    others = [line for line in _lines(folder) if line[0] != kind]
    text = "".join(f"{of}: {name}\n" for of, name in (*others, *((kind, name) for name in names)))
    (folder / MARKER).write_text(_SENTENCE + text, encoding="utf-8", errors="surrogateescape")


def remove_noted(folder: Path, kind: str) -> None:
    """Remove what the last comparison of this kind made, and nothing else."""
    with storage_errors(folder):
        for of, name in _lines(folder):
            if of == kind and Path(name).name == name:
                (folder / name).unlink(missing_ok=True)


def _lines(folder: Path) -> list[tuple[str, str]]:
    """Of which kind each file is that was made here."""
    said = (folder / MARKER).read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    parts = [line.partition(": ") for line in said]
    return [(kind, name) for kind, _, name in parts if name]
