"""Which pages did the user mark? Their marks stand beside the pages wherever those are read, and count more than the judge.

Every connection that `reading` opens has a temporary table `marks`; what is shown or exported joins it:

    SELECT coalesce(marks.relevant, pages.relevant) FROM pages LEFT JOIN marks USING (id)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import asdict, replace

from shoal.errors import InputError
from shoal.model import Mark, State
from shoal.store import crawl_folder as folders
from shoal.store import mark_log
from shoal.store.crawl_status import StoreAnswer, time_of
from shoal.store.database import Database, ask_for
from shoal.store.provenance import spellings
from shoal.urls import key_of

_MAX_HOPS = 20
"""More than a crawl follows; a chain that it left for a page it knew goes on from there."""
_TABLES = """
CREATE TEMP TABLE IF NOT EXISTS marks (id INTEGER PRIMARY KEY, relevant INTEGER NOT NULL, at REAL NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS said (key INTEGER PRIMARY KEY, relevant INTEGER NOT NULL, at REAL NOT NULL);
DELETE FROM marks;
DELETE FROM said;
"""
# In this order, because only pages can be marked, and `found` has no index on its keys.
_MARK = """
INSERT INTO marks SELECT pages.id, said.relevant, said.at
FROM pages CROSS JOIN found CROSS JOIN said WHERE found.id = pages.id AND said.key = found.key
"""
_PAGE = """
SELECT found.url, pages.title, pages.score, pages.relevant, marks.relevant, marks.at
FROM pages JOIN found USING (id) LEFT JOIN marks USING (id) WHERE pages.id = ?
"""
_BY_KEY = "SELECT key, id, state, target FROM found JOIN fates USING (id) WHERE key IN ({})"
_SAY = """
INSERT INTO said VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET relevant = excluded.relevant, at = excluded.at
"""


class MarkedPage(StoreAnswer, frozen=True, kw_only=True):
    """A page that the user marked, beside what the judge said of it."""

    url: str
    """The URL that answered."""
    title: str
    relevant: bool | None
    """What the user said; None when nothing, or when it was taken back."""
    at: datetime | None
    """When that was said."""
    judged: bool | None
    """What the judge said; None for types that are not judged."""
    score: float | None


class GivenMark(MarkedPage, frozen=True, kw_only=True):
    """The same, at the moment when the user says it."""

    asked: str
    """The URL as it was typed."""
    before: bool | None
    """What the user had said before."""


class MeantPage(StoreAnswer, frozen=True, kw_only=True):
    """Which page a typed URL stands for."""

    asked: str
    url: str
    """Where its redirects led, as far as they are known."""
    page: int | None
    """`pages.id`; None when nothing was fetched there."""


@contextmanager
def reading(folder: Path) -> Iterator[Database]:
    """The database of a crawl with the user's marks, for a few questions."""
    with folders.reading(folder) as database:
        lay_over(database, mark_log.read(folder))
        yield database


def lay_over(connection: Database, said: Mapping[str, Mark]) -> None:
    """Put what the user said beside the pages, in place of what lay there before."""
    connection.executescript(_TABLES)
    if not said:
        return
    rows = [(key_of(url), mark.relevant, mark.at) for url, mark in said.items()]
    connection.executemany(_SAY, rows)
    connection.execute(_MARK)


def by_page(connection: Database) -> dict[int, bool]:
    """What the user said, by `pages.id`."""
    return {id: bool(relevant) for id, relevant in connection.execute("SELECT id, relevant FROM marks")}


def marks(connection: Database, said: Mapping[str, Mark]) -> list[MarkedPage]:
    """Every mark, in the order in which they were said; also those about pages that this crawl has not fetched."""
    on_pages = [_mark(connection, id) for (id,) in connection.execute("SELECT id FROM marks").fetchall()]
    by_url = {mark.url: mark for mark in on_pages}
    return [by_url.get(url) or _without_page(mark) for url, mark in said.items()]


def _without_page(said: Mark) -> MarkedPage:
    return MarkedPage(url=said.url, title="", relevant=said.relevant, at=time_of(said.at), judged=None, score=None)


def _mark(connection: Database, page: int) -> MarkedPage:
    url, title, score, judged, marked, at = connection.execute(_PAGE, (page,)).fetchone()
    verdict = None if score is None else bool(judged)
    return MarkedPage(url=url, title=title, relevant=_flag(marked), at=time_of(at), judged=verdict, score=score)


def _flag(stored: int | None) -> bool | None:
    return None if stored is None else bool(stored)


# --- giving marks ----------------------------------------------------------------------------------------------------


def give(connection: Database, meant: Iterable[MeantPage], relevant: bool | None, now: float) -> list[GivenMark]:
    """What it means to say this of these pages, each once; nothing is written."""
    given: dict[int, GivenMark] = {}
    for one in meant:
        assert one.page is not None, "only pages can be marked"
        mark = _mark(connection, one.page)
        new = mark if mark.relevant is relevant else replace(mark, relevant=relevant, at=time_of(now))
        given.setdefault(one.page, GivenMark(**asdict(new), asked=one.asked, before=mark.relevant))
    return list(given.values())


def find(connection: Database, urls: Iterable[str]) -> list[MeantPage]:
    """Which pages a user means, who may type URLs without `https://`, and old ones that lead elsewhere now.

    It takes one pass over all that is known for each hop of the longest chain, however many URLs were typed.
    """
    with connection.snapshot():
        places = {asked: spellings(asked) for asked in urls}
        meant = {asked: MeantPage(asked=asked, url=asked, page=None) for asked in places}
        for _ in range(_MAX_HOPS):
            fates = _fates(connection, chain.from_iterable(places.values()))
            here = {asked: fates[form] for asked, forms in places.items() for form in forms if form in fates}
            meant |= {asked: MeantPage(asked=asked, url=fate.url, page=fate.page) for asked, fate in here.items()}
            places = {asked: [fate.url] for asked, fate in here.items() if fate.moved}
            if not places:
                break
        return list(meant.values())


def page_of(connection: Database, url: str) -> int:
    """Which stored page a person means by a URL; one sentence when there is none."""
    (meant,) = find(connection, [url])
    if meant.page is None:
        raise InputError(f"{url} was not fetched by this crawl: shoal explain says why not.")
    return meant.page


class _Fate(NamedTuple):
    """What became of a URL."""

    url: str
    """The URL itself, or the one that it redirects to."""
    page: int | None
    moved: bool


def _fates(connection: Database, urls: Iterable[str]) -> dict[str, _Fate]:
    """Those that wait have no fate."""
    keys = {key_of(url): url for url in urls}
    rows = ask_for(connection, _BY_KEY, keys)
    return {keys[key]: _fate(keys[key], id, state, target) for key, id, state, target in rows}


def _fate(url: str, id: int, state: int, target: str) -> _Fate:
    return _Fate(target or url, id if state == State.DONE else None, moved=bool(target))
