"""How do documents get into the index, and how far has it come? One writer at a time; what was committed survives everything."""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Self

import tantivy

from shoal.errors import FolderBusy
from shoal.index.index_folder import LOCK, claim, complaints, empty, last_version, open_or_create
from shoal.index.schema import Document, build_schema, indexed, mark, mark_query

_MEMORY = 40_000_000
"""Bytes of postings that wait in memory for a commit; fuller than that, tantivy writes a segment."""


class IndexWriter:
    """Adds documents to the index in a folder, and takes them out; a context manager that commits at its end.

    The only one who changes the index. With `anew`, whatever is in the folder goes first, damaged or not.
    """

    def __init__(self, folder: Path, *, anew: bool = False) -> None:
        self._folder = folder
        self._anew = anew
        self._schema = build_schema()
        self._held = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as held, complaints(self._folder):
            claim(self._folder)
            held.enter_context(_locked(self._folder))
            if self._anew:
                empty(self._folder)
            self._index = open_or_create(self._folder, self._schema)
            # One thread: the crawl needs the other cores.
            self._writer = self._index.writer(_MEMORY, 1)
            self._held = held.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._held, complaints(self._folder):
            if kind is None:
                self._writer.commit()
            else:
                self._writer.rollback()
            self._writer.wait_merging_threads()

    def add(self, documents: Iterable[Document]) -> None:
        """Put documents in; each replaces the one with its id."""
        latest = {document.id: document for document in documents}
        with complaints(self._folder):
            self.remove(latest)
            for document in latest.values():
                self._writer.add_document(indexed(document))

    def remove(self, ids: Iterable[int]) -> None:
        """Take documents out; an id that is not there is no mistake."""
        if unwanted := list(ids):
            with complaints(self._folder):
                self._writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "id", unwanted))

    def clear(self) -> None:
        """Take everything out."""
        with complaints(self._folder):
            self._writer.delete_all_documents()

    def commit(self, reached: int = 0) -> None:
        """Make all changes lasting and visible, all or none of them.

        `reached` is the version up to which the store was looked through: not every version has a document.
        """
        with complaints(self._folder):
            if reached:
                self._writer.delete_documents_by_query(mark_query(self._schema))
                self._writer.add_document(mark(reached))
            self._writer.commit()

    def last_version(self) -> int:
        """The largest version that was committed, by a document or by `reached`; 0 for an empty index."""
        with complaints(self._folder):
            self._index.reload()
            return last_version(self._index.searcher())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Nobody else writes meanwhile; the lock ends with the process, however that ends."""
    with (folder / LOCK).open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderBusy(f"Another shoal is writing to the index in {folder}.") from None
        yield
