"""Which stored pages answer this? Asks the indexes of one crawl or of many, and the stores for what a person wants to see."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from shoal.errors import FolderError, InputError
from shoal.index.query import Query, parse, today
from shoal.index.results import Facets, Hit, ScoreExplanation
from shoal.index.schema import Freshness
from shoal.index.snippet import Snippet, snippet
from shoal.printable import path_text
from shoal.protocols import Progress, no_progress
from shoal.services.open_crawls import open_crawls
from shoal.store import mark_log, page_versions
from shoal.store.crawl_status import StoreAnswer

Now = Callable[[], float]
Folders = Sequence[Path] | Mapping[Path, str]
"""Of the crawls that are asked, perhaps with the names by which a list knows them."""
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
    crawl: str
    """The name of the crawl that has it."""
    folder: str
    """The folder of that."""
    also_in: tuple[str, ...] = ()
    """The names of other searched crawls that have the page, or near-copies of it."""
    why: ScoreExplanation | None = None
    """What made the score; only when it was asked for."""


class SearchAnswer(StoreAnswer, frozen=True, kw_only=True):
    """What a search found."""

    words: str
    hits: tuple[SearchHit, ...]
    offset: int = 0
    total: int = 0
    """All pages that match, near-copies too; a page that several crawls have counts once."""
    more: bool = False
    facets: Facets = Facets()
    notes: tuple[str, ...] = ()
    suggestion: str = ""
    crawls: tuple[str, ...] = ()
    """The names of the crawls that were searched."""


class Finder:
    """Answers questions about the pages of some crawls. A context manager: indexes stay as they were when it was opened.

    It serves one thread, and waits for the disk: a program with an event loop makes one in a thread for each request.
    """

    def __init__(self, folders: Folders, progress: Progress = no_progress, clock: Now = time.time) -> None:
        """`progress` hears of it when an index has to be brought up to date."""
        self._folders = folders
        self._progress = progress
        self._clock = clock

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._crawls = stack.enter_context(open_crawls(self._folders, self._progress))
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def search(
        self, words: str, *, limit: int = 10, offset: int = 0, fresh: bool = False, explain: bool = False
    ) -> SearchAnswer:
        """The pages that answer the words, the best first."""
        query, index, notes = parse(words), self._crawls.index, tuple(self._crawls.notes)
        if index is None:
            return self._answer(words, (), notes=notes or ("There is no crawl to be searched.",))
        newer = Freshness(today=today(self._clock())) if fresh else None
        results = index.search(query, limit=limit, offset=offset, fresh=newer)
        why = [index.explain(query, hit.id, crawl=hit.crawl, fresh=newer) if explain else None for hit in results.hits]
        return self._answer(
            words,
            self._shown(results.hits, results.query, why),
            offset=offset,
            total=results.total,
            more=results.more,
            facets=results.facets,
            notes=(*notes, *results.notes),
            suggestion=results.suggestion,
        )

    def similar(self, url: str, *, limit: int = 10) -> SearchAnswer:
        """The pages that are most like a stored one."""
        pages = self._pages_of(url)
        versions = (page_versions.versions(self._crawls.databases[name], page) for name, page in pages.items())
        if not (said := next(filter(None, versions), [])):
            raise InputError(f"The text of {url} is not kept, because the page asked for that, or it is no text.")
        if self._crawls.index is None:
            raise FolderError(" ".join(self._crawls.notes))
        title, text = said[-1].title, said[-1].text
        hits = self._crawls.index.similar(title, text, exclude=pages.items(), limit=limit)
        shown = self._shown(hits, parse(title), [None] * len(hits))
        return self._answer(url, shown, total=len(hits), notes=tuple(self._crawls.notes))

    def _pages_of(self, url: str) -> dict[str, int]:
        """The number of a page in each crawl that has it."""
        databases = self._crawls.databases
        meant = {name: mark_log.find(database, [url])[0].page for name, database in databases.items()}
        if not (found := {name: page for name, page in meant.items() if page is not None}):
            who = "this crawl" if len(self._crawls.folders) == 1 else "any of these crawls"
            raise InputError(f"{url} was not fetched by {who}: shoal explain says why not.")
        return found

    def _answer(self, words: str, hits: Iterable[SearchHit], **more: Any) -> SearchAnswer:
        return SearchAnswer(words=words, hits=tuple(hits), crawls=tuple(self._crawls.databases), **more)

    def _shown(
        self, hits: Iterable[Hit], query: Query, why: Iterable[ScoreExplanation | None]
    ) -> tuple[SearchHit, ...]:
        found = (self._one(hit, query, reasons) for hit, reasons in zip(hits, why, strict=True))
        return tuple(hit for hit in found if hit is not None)

    def _one(self, hit: Hit, query: Query, why: ScoreExplanation | None) -> SearchHit | None:
        database = self._crawls.databases[hit.crawl]
        text = page_versions.latest_text(database, hit.id)
        if text is None:  # it asked not to be kept a moment ago
            return None
        page = page_versions.page(database, hit.id)
        return SearchHit(
            title=page.title,
            url=page.url,
            snippet=snippet(text, query, _WIDE if page.language in _DENSE else _WIDTH),
            score=hit.score,
            date=page.published or f"{page.fetched_at:%Y-%m-%d}",
            fetched_at=page.fetched_at,
            topic_score=page.score,
            relevant=page.relevant,
            topic=page.topic,
            language=page.language,
            similar=hit.similar,
            gone=page.gone,
            crawl=hit.crawl,
            folder=path_text(self._crawls.folders[hit.crawl]),
            also_in=hit.also_in,
            why=why,
        )


def search(
    folders: Folders, words: str, *, limit: int = 10, offset: int = 0, fresh: bool = False, explain: bool = False
) -> SearchAnswer:
    """One question to the crawls in these folders. The next page of hits fits to this one if nothing was crawled in between."""
    with Finder(folders) as finder:
        return finder.search(words, limit=limit, offset=offset, fresh=fresh, explain=explain)
