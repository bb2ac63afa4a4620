"""How is an index opened that is not in one folder, or in a folder where nothing may be written?

A folder with a list of segments, and links to their files, is an index, too. List and links are gone as soon as the files are
open, and what is open stays as it is, whatever is written meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypeVar
from uuid import UUID, uuid4

import msgspec
import tantivy

from shoal.errors import FolderError

META = "meta.json"
"""Where tantivy lists what was committed."""
_MOST_TRIES = 20
"""So often files may vanish between the moment they are listed and the moment they are open: a writer merges segments."""
_T = TypeVar("_T")


def open_links(places: Sequence[Path], opening: Callable[[tantivy.Index], _T]) -> _T:
    """What `opening` makes of an index that has all segments of those places; whatever it needs, it opens."""
    with _folder_of_links() as folder:
        for number in range(_MOST_TRIES):
            with suppress(ValueError, FileNotFoundError):
                return opening(_joined(places, folder / str(number)))
    raise FolderError("The indexes of these crawls change too fast to be searched together: search again.")


@contextmanager
def _folder_of_links() -> Iterator[Path]:
    """A folder for a moment."""
    folder = Path(mkdtemp(prefix="shoal-index-"))
    try:
        yield folder
    finally:
        # While it is emptied, a thread of tantivy that looks for changes may put a lock there: then it is emptied again.
        for _ in range(_MOST_TRIES):
            if folder.exists():
                rmtree(folder, ignore_errors=True)


def _joined(places: Sequence[Path], folder: Path) -> tantivy.Index:
    """An index in a new folder that has all segments of those places."""
    folder.mkdir()
    lists = [msgspec.json.decode((place / META).read_bytes()) for place in places]
    segments = [
        _linked(segment, place, folder)
        for place, meta in zip(places, lists, strict=True)
        for segment in meta["segments"]
    ]
    (folder / META).write_bytes(msgspec.json.encode(lists[0] | {"segments": segments}))
    return tantivy.Index.open(str(folder))


def _linked(segment: dict[str, Any], place: Path, folder: Path) -> dict[str, Any]:
    """The segment under a new name, because a copied crawl has segments of the same name."""
    old, new = UUID(segment["segment_id"]), uuid4()
    for path in place.glob(f"{old.hex}.*"):
        (folder / path.name.replace(old.hex, new.hex)).symlink_to(path.resolve())
    return segment | {"segment_id": str(new)}
