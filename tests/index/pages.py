"""Pages to search, and a folder to search them in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.index.index_folder import IndexWriter
from shoal.index.query import parse
from shoal.index.schema import Document
from shoal.index.searcher import Index, open_index

DAY = 86400.0
NOW = 20_000 * DAY


def page(id: int, text: str = "", **more: Any) -> Document:
    """A document; whatever is not given is the same for all."""
    url = more.pop("url", f"https://example.org/{id}")
    return Document(id=id, version=more.pop("version", id), url=url, text=text, fetched_at=NOW, **more)


def index_of(folder: Path, pages: Iterable[Document]) -> Index:
    with IndexWriter(folder) as writer:
        writer.add(pages)
    return open_index(folder)


def found(index: Index, text: str, **more: Any) -> list[int]:
    """The ids of the hits, in their order."""
    return [hit.id for hit in index.search(parse(text), **more).hits]


FILLER = [page(id, f"filler text number{id} about nothing") for id in range(1000, 1020)]
