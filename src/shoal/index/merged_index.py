"""How are the indexes of several crawls searched as one?

An index is a list of segments, and files for each of them that never change. So a folder with one list of the segments of several
indexes, and links to their files, is an index too (`index_links.py`). Its statistics are those of all of them, so every page has
the score that it would have if one crawl had found them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import tantivy

from shoal.errors import FolderError, InputError
from shoal.index.index_folder import complaints, may_lock, opened, origin_of
from shoal.index.index_links import open_links
from shoal.model import Value
from shoal.text import fold

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
    if len(by_origin) == 1 and may_lock(crawl.place):
        with complaints(crawl.place):
            return MergedIndex(alone, by_origin)
    with complaints(Path(gettempdir())):
        return open_links([crawl.place for crawl in by_origin.values()], lambda index: MergedIndex(index, by_origin))
