"""Which stored pages answer this? Asks the index, and the store for what a person wants to see of each hit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Self

from shoal import indexer
from shoal.database.sql import Database
from shoal.errors import FolderBusy, FolderError, InputError
from shoal.index.index_folder import exists
from shoal.index.query import parse, today
from shoal.index.results import Facets, Hit, ScoreExplanation, SearchResults
from shoal.index.schema import Freshness
from shoal.index.searcher import Index, open_index
from shoal.index.snippet import Snippet, snippet
from shoal.protocols import Progress, no_progress
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, page_versions
from shoal.store.crawl_status import StoreAnswer

Now = Callable[[], float]
_WIDTH, _WIDE = 200, 110
"""Characters of a snippet, and of one in a script whose characters are twice as wide and say twice as much."""
_DENSE = frozenset({"zh", "ja", "ko"})


class SearchHit(StoreAnswer, frozen=True, kw_only=True):
    """A page that answers the query."""

    title: str
    url: str
    snippet: Snippet
    score: float
    date: str
    """When it was published, as exact as the page says; else when it was fetched."""
    fetched_at: datetime
    topic_score: float | None
    relevant: bool
    """By the user's mark, else by the judge."""
    topic: str
    language: str
    similar: int
    """How many near-copies were found too."""
    gone: str
    """Why the last look found no page any more, in one sentence; else empty."""
    why: ScoreExplanation | None = None
    """What made the score; only when it was asked for."""


class SearchAnswer(StoreAnswer, frozen=True, kw_only=True):
    """What a search found."""

    words: str
    hits: tuple[SearchHit, ...]
    offset: int = 0
    total: int = 0
    """All pages that match, near-copies too."""
    more: bool = False
    facets: Facets = Facets()
    notes: tuple[str, ...] = ()
    suggestion: str = ""


class Finder:
    """Answers questions about the pages of one crawl. A context manager: it keeps database and index open meanwhile."""

    def __init__(self, folder: Path, progress: Progress = no_progress, clock: Now = time.time) -> None:
        """`progress` hears of it when the index has to be brought up to date."""
        self._folder = folder
        self._progress = progress
        self._clock = clock

    def __enter__(self) -> Self:
        self._notes = _bring_up_to_date(self._folder, self._progress)
        with ExitStack() as stack:
            self._database = stack.enter_context(mark_log.reading(self._folder))
            self._index = _index_of(self._folder, self._database)
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def search(
        self, words: str, *, limit: int = 10, offset: int = 0, fresh: bool = False, explain: bool = False
    ) -> SearchAnswer:
        """The pages that answer the words, the best first."""
        query, index = parse(words), self._index
        if index is None:
            return SearchAnswer(words=words, hits=(), notes=self._notes or ("There is no page to be searched yet.",))
        newer = Freshness(today=today(self._clock())) if fresh else None
        results = index.search(query, limit=limit, offset=offset, fresh=newer)
        reasons = [index.explain(query, hit.id, fresh=newer) if explain else None for hit in results.hits]
        return SearchAnswer(
            words=words,
            hits=_shown(self._database, results, reasons),
            offset=offset,
            total=results.total,
            more=results.more,
            facets=results.facets,
            notes=(*self._notes, *results.notes),
            suggestion=results.suggestion,
        )

    def similar(self, url: str, *, limit: int = 10) -> SearchAnswer:
        """The pages that are most like a stored one."""
        page = mark_log.page_of(self._database, url)
        said = page_versions.versions(self._database, page)
        if not said:
            raise InputError(f"The text of {url} is not kept, because the page asked for that, or it is no text.")
        if self._index is None:
            raise FolderError("".join(self._notes) or "There is no index to look for similar pages in.")
        hits = self._index.similar(said[-1].title, said[-1].text, exclude=page, limit=limit)
        results = SearchResults(query=parse(said[-1].title), hits=hits, total=len(hits))
        shown = _shown(self._database, results, [None] * len(hits))
        return SearchAnswer(words=url, hits=shown, total=len(hits), notes=self._notes)


def search(folder: Path, words: str, *, limit: int = 10, offset: int = 0, explain: bool = False) -> SearchAnswer:
    """One question to a folder."""
    with Finder(folder) as finder:
        return finder.search(words, limit=limit, offset=offset, explain=explain)


def _bring_up_to_date(folder: Path, progress: Progress) -> tuple[str, ...]:
    """While a crawl is at work, its own process keeps the index; the last seconds may be missing then."""
    try:
        indexer.catch_up(folder, progress)
    except FolderError as error:
        if isinstance(error, FolderBusy) and folders.is_running(folder):
            return ()
        # Another search may be at it, or the folder is on a disk that cannot be written: what is there can be searched.
        return (f"The newest pages may be missing: {error}",)
    return ()


def _index_of(folder: Path, database: Database) -> Index | None:
    place = folder / indexer.PAGES
    return open_index(place, mark_log.by_page(database)) if exists(place) else None


def _shown(
    database: Database, results: SearchResults, reasons: Iterable[ScoreExplanation | None]
) -> tuple[SearchHit, ...]:
    found = (_one(database, hit, results, why) for hit, why in zip(results.hits, reasons, strict=True))
    return tuple(hit for hit in found if hit is not None)


def _one(database: Database, hit: Hit, results: SearchResults, why: ScoreExplanation | None) -> SearchHit | None:
    text = page_versions.latest_text(database, hit.id)
    if text is None:  # it asked not to be kept a moment ago
        return None
    page = page_versions.page(database, hit.id)
    return SearchHit(
        title=page.title,
        url=page.url,
        snippet=snippet(text, results.query, _WIDE if page.language in _DENSE else _WIDTH),
        score=hit.score,
        date=page.published or f"{page.fetched_at:%Y-%m-%d}",
        fetched_at=page.fetched_at,
        topic_score=page.score,
        relevant=page.relevant,
        topic=page.topic,
        language=page.language,
        similar=hit.similar,
        gone=page.gone,
        why=why,
    )
