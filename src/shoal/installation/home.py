"""How does the home of an installation come to be? Its folder is for its user alone, because secrets are in it."""

from __future__ import annotations

from pathlib import Path

from shoal.errors import FolderError, StorageFull
from shoal.files import is_full

_PRIVATE = 0o700
SECRETS = "secrets"


def make_home(home: Path) -> Path:
    """The folder, made when it is not there; one that is there stays as it is, whoever may read it."""
    try:
        if not home.is_dir():
            home.parent.mkdir(parents=True, exist_ok=True)
            home.mkdir(mode=_PRIVATE, exist_ok=True)
    except OSError as error:
        if is_full(error):
            raise StorageFull(f"There is no room left to make the home of Shoal, {home}.") from error
        why = "a file is in its way" if isinstance(error, FileExistsError | NotADirectoryError) else error.strerror
        raise FolderError(f"The home of Shoal, {home}, cannot be made: {why}. {ELSEWHERE}") from error
    return home


def secrets_folder(home: Path) -> Path:
    """Where keys and passwords are kept, in files for this user alone; made when it is first needed."""
    folder = make_home(home) / SECRETS
    try:
        folder.mkdir(mode=_PRIVATE, exist_ok=True)
        if folder.stat().st_mode & 0o077:  # an older umask, or a copy
            folder.chmod(_PRIVATE)
    except OSError as error:
        raise FolderError(f"{folder} cannot be made, or kept for this user alone: {error.strerror}.") from error
    return folder


ELSEWHERE = "Say with SHOAL_HOME where Shoal may keep things."
"""The end of a sentence about a home that cannot be used."""
