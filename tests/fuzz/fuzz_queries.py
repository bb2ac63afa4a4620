"""Queries: whatever is typed means something or is a sentence, finds pages at once, and shows where the words are."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path

from shoal.errors import InputError
from shoal.index.query import MOST_LIMITS, MOST_WORDS, Query, parse
from shoal.index.searcher import Index
from shoal.index.snippet import snippet
from shoal.testing.fuzz import queries
from tests.fuzz.target import Target
from tests.index.pages import index_of, page

_WIDTH = 200


@cache
def _index() -> Index:
    """A few pages, in a folder that is gone when the tests are over."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    pages = [page(1, "Smart grids store energy in batteries."), page(2, "智能电网建设，变电站与发电站。", title="电网")]
    return index_of(
        Path(folder.name), [*pages, *(page(id, f"filler number{id} gridlock {id}") for id in range(10, 200))]
    )


def _read(data: bytes) -> Query | None:
    try:
        query = parse(data.decode("utf-8", "replace"))
    except InputError as error:
        why = str(error)
    else:
        assert len(query.wanted) + len(query.unwanted) <= MOST_WORDS
        assert len(query.only) + len(query.never) <= MOST_LIMITS
        return query
    assert why.endswith("."), "a sentence"
    return None


def _check_query(data: bytes) -> None:
    if (query := _read(data)) is not None:
        results = _index().search(query, limit=5)
        assert len(results.hits) <= 5
        assert all(note.endswith(".") for note in results.notes), "sentences"


def _check_snippet(data: bytes) -> None:
    typed, _, text = data.partition(b"\x00")
    if (query := _read(typed)) is not None:
        shown = snippet(text.decode("utf-8", "replace"), query, _WIDTH)
        assert len(shown.text) <= 2 * _WIDTH, "a snippet is short"
        assert all(part for part, _ in shown.parts)


TARGETS = (
    Target(name="queries", make=queries.query, check=_check_query, runs=150, seconds=1.0),
    Target(name="snippets", make=queries.question, check=_check_snippet, runs=300, seconds=0.5),
)
