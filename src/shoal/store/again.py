"""Which pages are to be looked at again, and what came of it?"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.store.crawl_status import Answer
from shoal.store.database import Database

# Only what was understood can have changed in what it says.
_ADD = """
INSERT INTO due
SELECT pages.id FROM pages LEFT JOIN marks USING (id)
WHERE checked_at <= ? AND coalesce(marks.relevant, pages.relevant) >= ?
AND EXISTS (SELECT 1 FROM versions WHERE page = pages.id)
ON CONFLICT DO NOTHING
"""


class Looked(Answer, frozen=True, kw_only=True):
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
