"""Where do the files of a comparison go? Into an empty folder, or into that of an earlier comparison."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import FolderError
from shoal.store.folder import lock, storage_errors

MARKER = "shoal-compare"
"""A file of this name says that the folder is ours."""


@contextmanager
def result_folder(folder: Path) -> Iterator[None]:
    """Nobody else writes there meanwhile; what the folder of somebody else holds is never touched."""
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()) and not (folder / MARKER).is_file():
            raise FolderError(
                f"The folder {folder} is not empty and not of an earlier comparison: choose another --out."
            )
        (folder / MARKER).write_text("Made by `shoal compare`; the next comparison in this folder replaces it.\n")
    with lock(folder):
        yield
