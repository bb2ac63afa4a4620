"""Which URLs get another chance? Those that were skipped for a limit which the user has since raised, or for a while only.

It runs when a crawl is resumed, before anything else has the folder open for writing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

from shoal.model import Reason, State
from shoal.settings import Settings

_SKIPPED = "SELECT id, url, depth FROM urls WHERE state = ? AND reason = ?"
_HOSTS = "SELECT id FROM hosts WHERE closed = ? AND pages < ?"
_NO_LIMIT = 2**62


def reopen(connection: sqlite3.Connection, settings: Settings, in_scope: Callable[[str], bool]) -> int:
    """Let skipped URLs wait again where the settings now allow them; answers how many."""
    budget = settings.budget
    max_depth = _NO_LIMIT if budget.max_depth is None else budget.max_depth
    per_host = _NO_LIMIT if budget.max_pages_per_host is None else budget.max_pages_per_host
    connection.execute("BEGIN IMMEDIATE")
    count = _reopen(connection, Reason.DEPTH, lambda url, depth: depth <= max_depth)
    count += _reopen(connection, Reason.SCOPE, lambda url, depth: in_scope(url))
    count += _reopen_hosts(connection, Reason.HOST_BUDGET, per_host)
    # An unreadable robots.txt forbids everything for a while; whether that is over its own record says.
    count += _reopen_hosts(connection, Reason.ROBOTS_UNREACHABLE, _NO_LIMIT)
    connection.execute("COMMIT")
    return count


def _reopen(connection: sqlite3.Connection, reason: Reason, allowed: Callable[[str, int], bool]) -> int:
    if not _tally(connection, reason):
        return 0
    skipped = connection.execute(_SKIPPED, (State.SKIPPED, reason)).fetchall()
    return _wait_again(connection, reason, [id for id, url, depth in skipped if allowed(url, depth)])


def _reopen_hosts(connection: sqlite3.Connection, reason: Reason, pages_below: int) -> int:
    hosts = [id for (id,) in connection.execute(_HOSTS, (reason, pages_below))]
    count = 0
    for host in hosts:
        ids = connection.execute(
            "SELECT id FROM urls WHERE host = ? AND state = ? AND reason = ?", (host, State.SKIPPED, reason)
        )
        count += _wait_again(connection, reason, [id for (id,) in ids])
        connection.execute("UPDATE hosts SET closed = NULL WHERE id = ?", (host,))
    return count


def _wait_again(connection: sqlite3.Connection, reason: Reason, ids: Iterable[int]) -> int:
    """A URL without a fate waits."""
    rows = [(id,) for id in ids]
    connection.executemany("DELETE FROM fates WHERE id = ?", rows)
    change = "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET urls = urls + excluded.urls"
    if rows:
        connection.execute(change, (State.SKIPPED, reason, -len(rows)))
        connection.execute(change, (State.WAITING, "", len(rows)))
    return len(rows)


def _tally(connection: sqlite3.Connection, reason: Reason) -> int:
    row = connection.execute(
        "SELECT urls FROM tally WHERE state = ? AND reason = ?", (State.SKIPPED, reason)
    ).fetchone()
    return row[0] if row else 0
