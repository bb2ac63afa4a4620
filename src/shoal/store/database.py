"""What does the store ask of a database? The few verbs that SQLite and PostgreSQL share; all SQL of the store suits both.

Values stand in statements as `?`. Rows are tuples. What one of the two does not know is not used: `coalesce` instead of
`ifnull`, `ON CONFLICT (…)` with its columns instead of `OR REPLACE`, comparisons instead of numbers where a truth is wanted,
sums cast to BIGINT, and no order that hangs on where NULL stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, Protocol

_MOST_VALUES = 10_000
"""In one statement; both databases take three times as many."""


class Cursor(Protocol):
    """The answer to a statement."""

    @property
    def rowcount(self) -> int:
        """How many rows were written."""

    def fetchone(self) -> Any:
        """The next row; None when there is none."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Database(Protocol):
    """A connection to the database of a crawl. Outside of `transaction` and `snapshot` each statement stands alone."""

    @property
    def bite(self) -> int:
        """Rows that are written at once, before others have their turn."""

    def execute(self, statement: str, values: Sequence[object] = (), /) -> Cursor:
        """Run one statement; the rows of a question may come all at once, so who wants many asks by `stream`."""

    def executemany(self, statement: str, rows: Iterable[Sequence[object]], /) -> Cursor:
        """Run one statement with each of these rows, in one go."""

    def executescript(self, script: str, /) -> Cursor:
        """Run statements without values, written in the words of `schema.sql`."""

    def stream(self, question: str, values: Sequence[object] = ()) -> Iterator[Any]:
        """Rows that need not fit into memory all at once."""

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside is there together, or not at all."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All questions asked inside see the same moment of a crawl that goes on."""

    def damage(self) -> list[str]:
        """What the database finds wrong with itself, one line each."""

    def close(self) -> None:
        """Let go of it; twice does no harm."""


def question_marks(count: int) -> str:
    """`?, ?, ?`"""
    return ", ".join("?" * count)


def ask_for(database: Database, question: str, values: Iterable[object]) -> Iterator[Any]:
    """The rows of a question with `IN ({})`, for any number of values: as many at a time as one statement takes."""
    left = iter(values)
    while portion := list(islice(left, _MOST_VALUES)):
        yield from database.execute(question.format(question_marks(len(portion))), portion)
