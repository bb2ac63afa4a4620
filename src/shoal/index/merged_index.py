"""How are the indexes of several crawls searched as one?

An index is a list of segments, and files for each of them that never change. So a folder with one list of the segments of several
indexes, and links to their files, is an index too. Its statistics are those of all of them, so every page has the score that it
would have if one crawl had found them all. List and links are gone as soon as the files are open, and what is open stays as it
is, whatever is written meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp
from typing import Any
from uuid import UUID, uuid4

import msgspec
import tantivy

from shoal.errors import FolderError, InputError
from shoal.index.index_folder import META, complaints, opened, origin_of
from shoal.model import Value
from shoal.text import fold

_MOST_TRIES = 20
"""So often files may vanish between the moment they are listed and the moment they are open: a writer merges segments."""

Fingerprints = Callable[[str, Sequence[int]], Mapping[int, bytes]]
"""Answers what is known of how pages look (`text.fingerprint`): of a crawl by its name, of pages by their ids."""


class IndexedCrawl(Value, frozen=True, kw_only=True):
    """One of the crawls that are searched together."""

    name: str = ""
    place: Path
    """The folder of its index."""
    marks: Mapping[int, bool] = {}
    """What the user said of its pages, by their ids: it counts more than what the judge said."""


class MergedIndex:
    """One state of the index of a crawl, or of several as one. Any number may read while one writes."""

    def __init__(self, index: tantivy.Index, crawls: Mapping[int, IndexedCrawl]) -> None:
        index.config_reader("manual")
        index.reload()
        self.schema = index.schema
        self.searcher = index.searcher()
        self.crawls = crawls
        """By the origins of their pages."""

    def pages(self, origin: int, field: str, numbers: Iterable[int]) -> tantivy.Query:
        """The pages of one crawl that have one of these numbers in a field."""
        these = tantivy.Query.term_set_query(self.schema, field, list(numbers))
        if len(self.crawls) == 1:
            return these
        own = tantivy.Query.term_query(self.schema, "origin", origin)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, own), (tantivy.Occur.Must, these)])

    def origin(self, name: str) -> int:
        """That of the pages of a crawl."""
        names = {crawl.name: origin for origin, crawl in self.crawls.items()}
        alike = {fold(known): origin for known, origin in names.items()}
        if (found := names.get(name, alike.get(fold(name)))) is None:
            raise InputError(f"crawl: needs one of the crawls that are searched ({', '.join(names)}), not '{name}'.")
        return found

    def column(self, name: str, hits: Iterable[tuple[Any, tantivy.DocAddress]]) -> list[Any]:
        """The numbers of a field."""
        return self.searcher.fast_field_values(name, [address for _, address in hits])


def open_merged(crawls: Iterable[IndexedCrawl]) -> MergedIndex:
    """The indexes of these crawls as one, as they were when they were last committed.

    In the order of their names, whatever the order in which they are given; one sentence when one of them cannot be used.
    """
    by_origin: dict[int, IndexedCrawl] = {}
    for crawl in sorted(crawls, key=lambda crawl: crawl.name):
        found, origin = opened(crawl.place), origin_of(crawl.place)
        if isinstance(found, str) or origin is None:
            raise FolderError(str(found))
        if origin in by_origin:
            raise FolderError(f"The index in {crawl.place} is a copy of that in {by_origin[origin].place}.")
        by_origin[origin] = crawl
        alone = found[0]
    if len(by_origin) == 1:
        with complaints(crawl.place):
            return MergedIndex(alone, by_origin)
    with complaints(Path(gettempdir())), _folder_of_links() as folder:
        return _merged(by_origin, folder)


def _merged(crawls: Mapping[int, IndexedCrawl], folder: Path) -> MergedIndex:
    places = [crawl.place for crawl in crawls.values()]
    for number in range(_MOST_TRIES):
        with suppress(ValueError, FileNotFoundError):
            return MergedIndex(_joined(places, folder / str(number)), crawls)
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
