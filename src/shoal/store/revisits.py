"""What is asked for once more? Pages that are to be looked at again, and URLs that were skipped and get another chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from shoal.database.sql import Database
from shoal.model import Reason, State
from shoal.settings import Settings
from shoal.store.crawl_status import StoreAnswer

# Only what was understood can have changed in what it says.
_ADD = """
INSERT INTO due
SELECT pages.id FROM pages LEFT JOIN marks USING (id)
WHERE checked_at <= ? AND coalesce(marks.relevant, pages.relevant) >= ?
AND EXISTS (SELECT 1 FROM versions WHERE page = pages.id)
ON CONFLICT DO NOTHING
"""


class Looked(StoreAnswer, frozen=True, kw_only=True):
    """What came of looking at pages again."""

    looked: int
    changed: tuple[str, ...]
    """The URLs of pages that say something else now."""
    gone: tuple[str, ...]
    """The URLs of those that are not there any more."""
    waiting: int
    """Pages that are still to be looked at."""


def want(connection: Database, *, before: float, relevant_only: bool) -> int:
    """All pages that were last looked at before this moment are to be looked at again; answers how many there are in all."""
    connection.execute(_ADD, (before, int(relevant_only)))
    return waiting(connection)


def want_these(connection: Database, pages: Sequence[int]) -> int:
    """These pages are to be looked at again."""
    connection.executemany("INSERT INTO due VALUES (?) ON CONFLICT DO NOTHING", [(page,) for page in pages])
    return waiting(connection)


def waiting(connection: Database) -> int:
    """How many pages are to be looked at again."""
    (count,) = connection.execute("SELECT count(*) FROM due").fetchone()
    return int(count)


def looked(connection: Database, since: float) -> Looked:
    """What was found from this moment on."""
    rows = connection.execute(
        """
        SELECT url, gone, fetched_at >= ? FROM pages JOIN found USING (id)
        WHERE checked_at >= ? AND (fetched_at < ? OR (SELECT count(*) FROM versions WHERE page = pages.id) > 1)
        ORDER BY fetch_order
        """,
        (since, since, since),
    ).fetchall()
    return Looked(
        looked=len(rows),
        changed=tuple(url for url, gone, is_new in rows if is_new and not gone),
        gone=tuple(url for url, gone, _ in rows if gone),
        waiting=waiting(connection),
    )


# --- URLs that were skipped for a limit which the user has since raised, or for a while only -------------------------

_SKIPPED = "SELECT id, url, depth FROM urls WHERE state = ? AND reason = ?"
_OF_HOSTS = """
SELECT id FROM urls WHERE state = ? AND reason = ? AND host IN (SELECT id FROM hosts WHERE closed = ? AND pages < ?)
"""
_REFUSED_BY_STRATEGY = (Reason.BOUND, Reason.THRESHOLD)
# Every strategy has a scale of its own: what one has priced by thousands would stand before all that the next finds.
_FORGET_PRICES = """
    UPDATE found SET priority = 0, inherited = NULL, why = 'found by another strategy'
    WHERE parent <> 0 AND id NOT IN (SELECT id FROM fates WHERE state <> 0)
"""
_NO_LIMIT = 2**62
TALLY = "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (state, reason) DO UPDATE SET urls = tally.urls + excluded.urls"
"""A state has so many URLs more, for this reason."""


def reopen(connection: Database, before: Settings, settings: Settings, in_scope: Callable[[str], bool]) -> int:
    """Let skipped URLs wait again where the settings now allow them, and did not `before`; answers how many."""
    budget = settings.budget
    max_depth = _NO_LIMIT if budget.max_depth is None else budget.max_depth
    per_host = _NO_LIMIT if budget.max_pages_per_host is None else budget.max_pages_per_host
    with connection.transaction():
        count = _reopen(connection, Reason.DEPTH, lambda url, depth: depth <= max_depth)
        count += _reopen(connection, Reason.SCOPE, lambda url, depth: in_scope(url))
        count += _reopen_hosts(connection, Reason.HOST_BUDGET, per_host)
        # An unreadable robots.txt forbids everything for a while; whether that is over its own record says.
        count += _reopen_hosts(connection, Reason.ROBOTS_UNREACHABLE, _NO_LIMIT)
        if (before.strategy, before.parameters) != (settings.strategy, settings.parameters):
            count += sum(_reopen(connection, reason, lambda url, depth: True) for reason in _REFUSED_BY_STRATEGY)
        if before.strategy != settings.strategy:
            connection.execute(_FORGET_PRICES)
    return count


def _reopen(connection: Database, reason: Reason, allowed: Callable[[str, int], bool]) -> int:
    if not _tally(connection, reason):
        return 0
    skipped = connection.execute(_SKIPPED, (State.SKIPPED, reason)).fetchall()
    return _wait_again(connection, reason, [id for id, url, depth in skipped if allowed(url, depth)])


def _reopen_hosts(connection: Database, reason: Reason, pages_below: int) -> int:
    ids = (
        connection.execute(_OF_HOSTS, (State.SKIPPED, reason, reason, pages_below))
        if _tally(connection, reason)
        else ()
    )
    count = _wait_again(connection, reason, [id for (id,) in ids])
    connection.execute("UPDATE hosts SET closed = NULL WHERE closed = ? AND pages < ?", (reason, pages_below))
    return count


def _wait_again(connection: Database, reason: Reason, ids: Iterable[int]) -> int:
    """A URL without a fate waits."""
    rows = [(id,) for id in ids]
    connection.executemany("DELETE FROM fates WHERE id = ?", rows)
    if rows:
        connection.execute(TALLY, (State.SKIPPED, reason, -len(rows)))
        connection.execute(TALLY, (State.WAITING, "", len(rows)))
    return len(rows)


def _tally(connection: Database, reason: Reason) -> int:
    query = "SELECT urls FROM tally WHERE state = ? AND reason = ?"
    row = connection.execute(query, (State.SKIPPED, reason)).fetchone()
    return row[0] if row else 0
