"""How is the crawl doing? Questions to its database that change nothing (those about one URL: `store/provenance.py`)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, overload

import msgspec

from shoal.database.sql import Database
from shoal.model import Outlook, State
from shoal.store.crawl_folder import read_meta, write_meta

INTERNAL_ERRORS = "internal_errors"
"""The key of the number of them."""
_TOP_HOSTS = 10
_CLOSED_SHOWN = 20
_HOSTS_WAITING = "SELECT count(DISTINCT host) FROM urls WHERE state = 0"
_OF_URLS = "SELECT reason, urls FROM tally WHERE state = ? AND urls > 0 ORDER BY urls DESC, reason"
_OF_HOSTS = "SELECT closed, count(*) FROM hosts WHERE closed IS NOT NULL GROUP BY closed ORDER BY 2 DESC, closed"


class StoreAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The common shape of all reports: ready to be printed as JSON."""


class ReasonCount(StoreAnswer, frozen=True, kw_only=True):
    """How often something was the reason."""

    reason: str
    count: int


class HostCounts(StoreAnswer, frozen=True, kw_only=True):
    """What came of one host so far."""

    host: str
    pages: int
    relevant: int
    waiting: int
    failed: int


class ClosedHost(StoreAnswer, frozen=True, kw_only=True):
    """A host of which nothing more is asked."""

    host: str
    reason: str


class FailedSeed(StoreAnswer, frozen=True, kw_only=True):
    """A URL that the crawl was to start from, and that gave no page."""

    url: str
    why: str


class Forecast(StoreAnswer, frozen=True, kw_only=True):
    """What the strategy expected when the last run ended (`model.Outlook`), and when that was."""

    pages: int
    """The next so many."""
    relevant: float
    """How many of them it expected to be relevant."""
    missed: float
    """How many relevant pages it expected among all that waited."""
    audited: int
    """Pages that were drawn at random from what waits, to check the model."""
    audited_relevant: float
    expected_relevant: float
    """How many of those were relevant, and how many the model had expected to be."""
    waiting: int
    """URLs that waited then."""
    after: int
    """Pages that had come then."""
    warning: str
    """One sentence when the random checks do not fit the model, else empty."""


class ImageCounts(StoreAnswer, frozen=True, kw_only=True):
    """How many images there are, and what became of the others."""

    kept: int
    """Each once."""
    copies: int
    """Smaller ones that show the same as one that is kept."""
    waiting: int
    failed: int
    skipped: int


class Status(StoreAnswer, frozen=True, kw_only=True):
    """The whole crawl at a glance."""

    running: bool
    waiting: int
    fetching: int
    """Requests under way as of the last commit, robots.txt included; always 0 when no crawl is running."""
    done: int
    failed: int
    skipped: int
    moved: int
    fetching_urls: tuple[str, ...]
    failures: tuple[ReasonCount, ...]
    """Why URLs failed, the most frequent reason first."""
    skips: tuple[ReasonCount, ...]
    """Why URLs were not asked for, the most frequent reason first."""
    pages: int
    judged: int
    """Pages of a type that can be judged."""
    relevant: int
    """By the judge, or by the user where one has marked the page."""
    marked_relevant: int = 0
    """Pages that a user marked so."""
    marked_irrelevant: int = 0
    harvest_rate: float | None
    """Relevant pages among all fetched ones."""
    bytes: int
    first_fetch: datetime | None
    last_fetch: datetime | None
    elapsed: float
    """Seconds of crawling, over all runs together."""
    pages_per_second: float | None
    hosts: int
    hosts_waiting: int
    """Hosts that have URLs waiting."""
    hosts_closed: tuple[ReasonCount, ...]
    closed: tuple[ClosedHost, ...]
    """Some of the closed hosts, those with most pages first."""
    top_hosts: tuple[HostCounts, ...]
    """The hosts with most pages."""
    failed_seeds: tuple[FailedSeed, ...]
    """The seeds that gave no page."""
    images: ImageCounts | None = None
    """None when no page showed an image that was wanted."""
    due: int = 0
    """Pages that are to be looked at again."""
    internal_errors: int = 0
    """Bugs of ours that pages brought to light, over all runs; the folder has a log of them (`internal_errors.py`)."""
    outlook: Forecast | None = None
    """What was to be expected when the last run ended; None when the strategy cannot tell."""


class Glance(StoreAnswer, frozen=True, kw_only=True):
    """The little of a crawl that a list of crawls shows."""

    pages: int
    relevant: int
    """By the judge alone, which needs no look at the marks."""
    waiting: int
    first_fetch: datetime | None
    last_fetch: datetime | None


def glance(connection: Database) -> Glance:
    """How far a crawl is."""
    pages, relevant, first, last = connection.execute(
        "SELECT count(*), CAST(coalesce(sum(relevant), 0) AS BIGINT), min(fetched_at), max(fetched_at) FROM pages"
    ).fetchone()
    return Glance(
        pages=pages,
        relevant=relevant,
        waiting=per_state(connection)[State.WAITING],
        first_fetch=time_of(first),
        last_fetch=time_of(last),
    )


def status(connection: Database, *, running: bool) -> Status:
    """Where the crawl stands; `running` says whether a process is at work in its folder."""
    with connection.snapshot():
        urls = per_state(connection)
        # The tally takes them for waiting: their state changes only when a request is over.
        fetching = (read_meta(connection, "fetching", tuple[str, ...]) or ()) if running else ()
        return Status(
            running=running,
            waiting=urls[State.WAITING] - len(fetching),
            fetching=len(fetching),
            done=urls[State.DONE],
            failed=urls[State.FAILED],
            skipped=urls[State.SKIPPED],
            moved=urls[State.MOVED],
            fetching_urls=fetching,
            failures=_reasons(connection, _OF_URLS, State.FAILED),
            skips=_reasons(connection, _OF_URLS, State.SKIPPED),
            hosts=connection.execute("SELECT count(*) FROM hosts").fetchone()[0],
            hosts_waiting=connection.execute(_HOSTS_WAITING).fetchone()[0],
            hosts_closed=_reasons(connection, _OF_HOSTS),
            closed=_closed_hosts(connection),
            top_hosts=_top_hosts(connection),
            failed_seeds=failed_seeds(connection),
            images=images(connection),
            due=connection.execute("SELECT count(*) FROM due").fetchone()[0],
            internal_errors=read_meta(connection, INTERNAL_ERRORS, int) or 0,
            outlook=_forecast(connection),
            **_page_totals(connection),
        )


def images(connection: Database) -> ImageCounts | None:
    """How many images there are; None when none was ever wanted."""
    states = dict(connection.execute("SELECT state, count(*) FROM images GROUP BY state"))
    if not states:
        return None
    (copies,) = connection.execute("SELECT count(*) FROM images WHERE same_as <> 0").fetchone()
    return ImageCounts(
        kept=states.get(State.DONE, 0) - copies,
        copies=copies,
        waiting=states.get(State.WAITING, 0),
        failed=states.get(State.FAILED, 0),
        skipped=states.get(State.SKIPPED, 0),
    )


def keep_outlook(connection: Database, outlook: Outlook | None, *, pages: int, warning: str) -> None:
    """What the strategy expects at the end of a run, after so many pages; replaces what an earlier run left."""
    forecast = None
    if outlook is not None:
        waiting = per_state(connection)[State.WAITING]
        forecast = Forecast(**msgspec.structs.asdict(outlook), waiting=waiting, after=pages, warning=warning)
    write_meta(connection, "outlook", forecast)


def _forecast(connection: Database) -> Forecast | None:
    try:
        return read_meta(connection, "outlook", Forecast)
    except msgspec.DecodeError:  # what is no number is no estimate; or another version of shoal wrote it
        return None


def lately(connection: Database, pages: int) -> list[bool]:
    """Which of the last pages were relevant by the judge, in the order of fetching."""
    rows = connection.execute("SELECT relevant FROM pages ORDER BY fetch_order DESC LIMIT ?", (pages,)).fetchall()
    return [bool(relevant) for (relevant,) in reversed(rows)]


def failed_seeds(connection: Database) -> tuple[FailedSeed, ...]:
    """The seeds that gave no page, each with the reason."""
    rows = connection.execute(
        "SELECT url, reason, detail FROM urls WHERE parent = 0 AND state IN (?, ?) ORDER BY id",
        (State.FAILED, State.SKIPPED),
    )
    return tuple(FailedSeed(url=url, why=(detail or reason).rstrip(".")) for url, reason, detail in rows)


@overload
def time_of(seconds: float) -> datetime: ...
@overload
def time_of(seconds: float | None) -> datetime | None: ...
def time_of(seconds: float | None) -> datetime | None:
    """A stored time as a person reads it."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


# --- the parts of a status -------------------------------------------------------------------------------------------


def per_state(connection: Database) -> dict[State, int]:
    """How many URLs there are in each state of their life."""
    counted = dict(connection.execute("SELECT state, CAST(sum(urls) AS BIGINT) FROM tally GROUP BY state"))
    return {state: counted.get(state, 0) for state in State}


def _reasons(connection: Database, query: str, *values: object) -> tuple[ReasonCount, ...]:
    return tuple(ReasonCount(reason=reason, count=count) for reason, count in connection.execute(query, values))


def _page_totals(connection: Database) -> dict[str, Any]:
    pages, judged, relevant, yes, no, size, first, last = connection.execute(
        """
        SELECT count(*), count(score), count(CASE WHEN coalesce(marks.relevant, pages.relevant) = 1 THEN 1 END),
               count(CASE WHEN marks.relevant = 1 THEN 1 END), count(CASE WHEN marks.relevant = 0 THEN 1 END),
               CAST(coalesce(sum(bytes), 0) AS BIGINT), min(fetched_at), max(fetched_at)
        FROM pages LEFT JOIN marks USING (id)
        """
    ).fetchone()
    elapsed = read_meta(connection, "elapsed", float) or (last or 0.0) - (first or 0.0)
    return {
        "pages": pages,
        "judged": judged,
        "relevant": relevant,
        "marked_relevant": yes,
        "marked_irrelevant": no,
        "harvest_rate": relevant / pages if pages else None,
        "bytes": size,
        "first_fetch": time_of(first),
        "last_fetch": time_of(last),
        "elapsed": elapsed,
        "pages_per_second": pages / elapsed if elapsed > 0 else None,
    }


def _closed_hosts(connection: Database) -> tuple[ClosedHost, ...]:
    query = "SELECT name, closed FROM hosts WHERE closed IS NOT NULL ORDER BY pages DESC, name LIMIT ?"
    return tuple(ClosedHost(host=name, reason=why) for name, why in connection.execute(query, (_CLOSED_SHOWN,)))


def _top_hosts(connection: Database) -> tuple[HostCounts, ...]:
    """Three counts instead of one join, which would look up a page for each of the millions of URLs that have none."""
    query = "SELECT id, name, pages FROM hosts WHERE pages > 0 ORDER BY pages DESC, name LIMIT ?"
    if not (top := connection.execute(query, (_TOP_HOSTS,)).fetchall()):
        return ()
    ids = ", ".join(str(id) for id, _, _ in top)
    per_host = f"SELECT host, count(*) FROM {{}} AND host IN ({ids}) GROUP BY host"
    marked = "pages JOIN found USING (id) LEFT JOIN marks USING (id) WHERE coalesce(marks.relevant, pages.relevant) = 1"
    counted = {"relevant": marked, "waiting": "urls WHERE state = 0", "failed": "urls WHERE state = 2"}
    counts = {name: dict(connection.execute(per_host.format(rows))) for name, rows in counted.items()}
    return tuple(
        HostCounts(host=name, pages=pages, **{what: of.get(id, 0) for what, of in counts.items()})
        for id, name, pages in top
    )
