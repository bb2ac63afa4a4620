"""Why did this URL fare so? How it was found, what it was worth, what became of it; changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Literal

import msgspec

from shoal.database.sql import Database
from shoal.model import Entry, Evidence, Reason, State
from shoal.settings import Settings
from shoal.store.crawl_folder import read_meta
from shoal.store.crawl_status import StoreAnswer, time_of
from shoal.urls import key_of, normalise

Reasons = Callable[[Entry], tuple[Evidence, ...]]
"""What makes the value of a URL that waits, the strongest first; it is asked at most once, because it may take seconds."""
_MAX_STEPS = 10_000
"""Longer than any real path; only a damaged database has longer ones."""

# Said when the record has no sentence of its own.
_SENTENCES = {
    Reason.DNS: "The name of its host could not be resolved.",
    Reason.CONNECT: "No connection to its host could be made.",
    Reason.TIMEOUT: "Its host took too long to answer.",
    Reason.TLS: "No secure connection to its host could be made.",
    Reason.RESET: "Its host broke the connection.",
    Reason.PROTOCOL: "Its host did not answer in valid HTTP.",
    Reason.TRUNCATED: "The answer ended before it was complete.",
    Reason.TOO_LARGE: "The answer was too large.",
    Reason.HEADERS_TOO_LARGE: "The headers of the answer were too large.",
    Reason.STATUS: "Its host answered with an error status.",
    Reason.BAD_REDIRECT: "It redirects to something that cannot be fetched.",
    Reason.REDIRECT_LOOP: "It redirects in a circle, or too often.",
    Reason.UNCHANGED: "The page has not changed since it was fetched last.",
    Reason.WORKER_DIED: "The worker that fetched it died, more than once.",
    Reason.TOO_COMPLEX: "It takes too long to understand.",
    Reason.INTERNAL: "Shoal could not handle it, which is our fault.",
    Reason.IMAGE: "It is no image that can be used.",
    Reason.ADDRESS: "Its host has an address that must not be connected to (see --allow-private).",
    Reason.ROBOTS: "The robots.txt of its host disallows it.",
    Reason.ROBOTS_UNREACHABLE: "The robots.txt of its host could not be read, which counts as a no.",
    Reason.SCOPE: "It is outside the scope of the crawl.",
    Reason.DEPTH: "It is further from the seeds than the crawl may go.",
    Reason.HOST_BUDGET: "Its host has given as many pages as the crawl takes from one host.",
    Reason.TRAP: "It looks like part of a trap: an endless family of like pages.",
    Reason.THRESHOLD: "The link promised too little.",
    Reason.QUEUE_FULL: "The queue was full, and it was among the least promising.",
    Reason.NOFOLLOW: "The page or the link asks robots not to follow it.",
    Reason.BOUND: "It lies beyond the bounds of the strategy.",
}


class PathStep(StoreAnswer, frozen=True, kw_only=True):
    """One URL on the way from a seed."""

    url: str
    by: Literal["seed", "link", "redirect"]
    """How the crawl came here."""
    anchor: str
    """The words of the link that led here."""
    priority: float
    score: float | None
    """The score of the page, if there is one."""


class Rank(StoreAnswer, frozen=True, kw_only=True):
    """A place in a queue; 1 is next."""

    place: int
    of: int


class UrlExplanation(StoreAnswer, frozen=True, kw_only=True):
    """All that is known of one URL."""

    url: str
    host: str
    state: str
    """waiting, done, failed, skipped or moved."""
    reason: str | None
    sentence: str
    """What became of it, in words."""
    path: tuple[PathStep, ...]
    """From the seed to the URL itself."""
    depth: int
    priority: float
    priority_why: str
    """As it was noted when the priority was set, or when the URL was chosen."""
    value_why: tuple[Evidence, ...] = ()
    """What makes the value of a waiting one at this moment, the strongest first; empty when its strategy does not say."""
    attempts: int
    """Requests made for it; of a waiting one, those that failed so far."""
    retry_at: datetime | None
    rank: Rank | None
    """Among all waiting URLs, by priority; only for a waiting one."""
    host_rank: Rank | None
    """Among the waiting URLs of its host."""
    moved_to: str | None
    fetched_at: datetime | None
    fetch_order: int | None
    status: int | None
    title: str | None
    score: float | None
    threshold: float | None
    relevant: bool | None
    """By the user's mark, else by the judge."""
    marked: bool | None = None
    """What the user said of it."""
    marked_at: datetime | None = None
    evidence: tuple[Evidence, ...]
    """What made the score, the strongest first."""
    duplicate_of: str | None
    similarity: float | None


class _Row(msgspec.Struct, frozen=True):
    """A URL and its page, if there is one, in the order of `_SELECT`, which begins with `_OF_ENTRY`."""

    entry: Entry
    """As the frontier has it."""
    host_id: int
    fetched_at: float | None
    fetch_order: int | None
    status: int | None
    title: str | None
    score: float | None
    threshold: float | None
    relevant: int | None
    evidence: str | None
    duplicate_of: str | None
    similarity: float | None
    marked: int | None
    marked_at: float | None


_OF_ENTRY = [name for name in Entry.__struct_fields__ if name != "key"]
_SELECT = """
SELECT urls.id, urls.url, hosts.name, urls.priority, urls.depth, urls.parent, urls.origin, urls.hop, urls.attempt, urls.state,
       urls.reason, urls.detail, urls.target, urls.anchor, urls.why, urls.inherited, urls.not_before,
       urls.host, pages.fetched_at, pages.fetch_order, pages.status, pages.title, pages.score, pages.threshold, pages.relevant,
       pages.why, original.url, pages.similarity, marks.relevant, marks.at
FROM urls JOIN hosts ON hosts.id = urls.host
LEFT JOIN pages ON pages.id = urls.id
LEFT JOIN marks ON marks.id = urls.id
LEFT JOIN found AS original ON original.id = pages.duplicate_of
"""


def explain(connection: Database, url: str) -> UrlExplanation | None:
    """How a URL was found and what became of it; None when the crawl never saw it."""
    with connection.snapshot():
        row = _find(connection, url)
        return None if row is None else _explained(connection, row)


def waiting_entry(connection: Database, url: str) -> Entry | None:
    """What is known of a URL that waits; None when it does not."""
    row = _find(connection, url)
    return row.entry if row is not None and row.entry.state is State.WAITING else None


def _find(connection: Database, url: str) -> _Row | None:
    for spelling in spellings(url):
        if row := _one(connection, "urls.key = ?", key_of(spelling)):
            return row
    return None


def spellings(url: str) -> list[str]:
    """What a person may mean who types this, also without `https://`, in normal form."""
    typed = [url] if "://" in url or "@" in url else [f"https://{url}", f"http://{url}"]
    return [normal for spelling in typed if (normal := normalise(spelling.strip())) is not None]


def _one(connection: Database, condition: str, *values: int) -> _Row | None:
    row = connection.execute(f"{_SELECT} WHERE {condition} LIMIT 1", values).fetchone()
    if row is None:
        return None
    entry = dict(zip(_OF_ENTRY, row, strict=False))
    return _Row(msgspec.convert(entry, Entry), *row[len(entry) :])


def _explained(connection: Database, row: _Row) -> UrlExplanation:
    entry = row.entry
    waiting = entry.state is State.WAITING
    rank = _rank(connection, entry, "state = 0") if waiting else None
    host_rank = _rank(connection, entry, f"state = 0 AND host = {row.host_id:d}") if waiting else None
    return UrlExplanation(
        url=entry.url,
        host=entry.host,
        state=entry.state.name.lower(),
        reason=entry.reason,
        sentence=_waiting(connection, entry, rank) if rank is not None else _sentence(row),
        path=tuple(reversed(list(_path(connection, row)))),
        depth=entry.depth,
        priority=entry.priority,
        priority_why=entry.why,
        attempts=entry.attempt - 1 if waiting else entry.attempt if entry.state is not State.SKIPPED else 0,
        retry_at=time_of(entry.not_before or None) if waiting else None,
        rank=rank,
        host_rank=host_rank,
        moved_to=entry.target or None,
        fetched_at=time_of(row.fetched_at),
        fetch_order=row.fetch_order,
        status=row.status,
        title=row.title,
        score=row.score,
        threshold=row.threshold,
        relevant=_relevant(row),
        marked=None if row.marked is None else bool(row.marked),
        marked_at=time_of(row.marked_at),
        evidence=msgspec.json.decode(row.evidence or "[]", type=tuple[Evidence, ...]),
        duplicate_of=row.duplicate_of,
        similarity=row.similarity if row.duplicate_of else None,
    )


def _relevant(row: _Row) -> bool | None:
    if row.marked is not None:
        return bool(row.marked)
    return None if row.score is None else bool(row.relevant)


# --- how it was found ------------------------------------------------------------------------------------------------


def _path(connection: Database, row: _Row) -> Iterator[PathStep]:
    """From the URL back to its seed."""
    passed: set[int] = set()
    for step, by in _back(connection, row):
        entry = step.entry
        if entry.id in passed or len(passed) > _MAX_STEPS:
            return
        passed.add(entry.id)
        yield PathStep(url=entry.url, by=by, anchor=entry.anchor, priority=entry.priority, score=step.score)


def _back(connection: Database, row: _Row) -> Iterator[tuple[_Row, Literal["seed", "link", "redirect"]]]:
    while True:
        if row.entry.origin and row.entry.origin != row.entry.id:
            yield row, "redirect"
            before = _hop_before(connection, row.entry)
        else:
            yield row, "link" if row.entry.parent else "seed"
            before = _one(connection, "urls.id = ?", row.entry.parent)
        if before is None:
            return
        row = before


def _hop_before(connection: Database, entry: Entry) -> _Row | None:
    """The URL that redirected here. A chain grows in the order of ids, so only that stretch of them is looked through."""
    condition = "urls.id BETWEEN ? AND ? AND urls.origin = ? AND urls.hop = ?"
    between = (
        _one(connection, condition, entry.origin, entry.id, entry.origin, entry.hop - 1) if entry.hop > 1 else None
    )
    return between or _one(connection, "urls.id = ?", entry.origin)


# --- what became of it -----------------------------------------------------------------------------------------------


def _rank(connection: Database, entry: Entry, among: str) -> Rank:
    better = "CASE WHEN priority > ? OR (priority = ? AND id < ?) THEN 1 END"
    query = f"SELECT 1 + count({better}), count(*) FROM urls WHERE {among}"
    place, of = connection.execute(query, (entry.priority, entry.priority, entry.id)).fetchone()
    return Rank(place=place, of=of)


def _waiting(connection: Database, entry: Entry, rank: Rank) -> str:
    failures = f", after {entry.attempt - 1} failed attempts" if entry.attempt > 1 else ""
    return f"It waits at rank {rank.place:,} of {rank.of:,} by priority{failures}{_spent(connection)}."


def _spent(connection: Database) -> str:
    """Why nothing that waits is fetched any more, if the crawl has used up a budget."""
    if (settings := read_meta(connection, "settings", Settings)) is None:
        return ""
    budget = settings.budget
    pages, size = connection.execute("SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM pages").fetchone()
    seconds = read_meta(connection, "elapsed", float) or 0.0
    if budget.max_pages is not None and pages >= budget.max_pages:
        return f"; the crawl has reached its budget of {budget.max_pages:,} pages (--max-pages)"
    if budget.max_bytes is not None and size >= budget.max_bytes:
        return f"; the crawl has reached its budget of {budget.max_bytes:,} bytes (--max-bytes)"
    if budget.max_time is not None and seconds >= budget.max_time:
        return f"; the crawl has reached its budget of {budget.max_time:g} seconds (--max-time)"
    return ""


def _sentence(row: _Row) -> str:
    entry = row.entry
    if entry.state is State.MOVED:
        return f"It redirects to {entry.target}."
    if entry.state is State.DONE:
        return f"It was fetched as page {row.fetch_order}{_verdict(row)}{_copy(row)}.{_marked(row)}"
    return entry.detail or (_SENTENCES[entry.reason] if entry.reason else "Nothing more is known.")


def _verdict(row: _Row) -> str:
    if row.score is None or row.threshold is None:
        return ", of a type that is not judged"
    verdict = "relevant" if row.relevant else "not relevant"
    said = "is" if row.marked is None else "was judged"
    return f" and {said} {verdict} (score {row.score:.3f}, threshold {row.threshold:.3f})"


def _marked(row: _Row) -> str:
    if row.marked is None:
        return ""
    mark = "relevant" if row.marked else "irrelevant"
    return f" You marked it {mark} on {time_of(row.marked_at):%Y-%m-%d %H:%M} UTC."


def _copy(row: _Row) -> str:
    if row.duplicate_of is None or row.similarity is None:
        return ""
    alike = "an exact copy of" if row.similarity >= 1 else f"{row.similarity:.0%} the same as"
    return f"; it is {alike} {row.duplicate_of}"
