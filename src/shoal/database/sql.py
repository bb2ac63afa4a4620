"""What do we ask of a database? A few verbs that SQLite and PostgreSQL share, and how much is written at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import islice
from typing import Any, Protocol, TypeVar

_MOST_VALUES = 10_000
"""In one statement; both databases take three times as many."""
_PORTION = 2_000
"""Rows that are copied at once."""


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

    def executemany(self, statement: str, rows: Iterable[Sequence[object]], /) -> object:
        """Run one statement with each of these rows, in one go."""

    def executescript(self, script: str, /) -> object:
        """Run statements without values, written in the words of `store/schema.sql`."""

    def stream(self, question: str, values: Sequence[object] = ()) -> Iterator[Any]:
        """Rows that need not fit into memory all at once."""

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside is there together, or not at all."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All questions asked inside see the same moment of a crawl that goes on."""

    @property
    def in_transaction(self) -> bool:
        """True inside of both, as long as the connection lives."""

    def damage(self) -> list[str]:
        """What the database finds wrong with itself, one line each."""

    def close(self) -> None:
        """Let go of it; twice does no harm."""


@contextmanager
def between(database: Database, beginning: str) -> Iterator[None]:
    """A transaction that begins with this statement; what goes wrong inside takes it back."""
    database.execute(beginning)
    try:
        yield
        database.execute("COMMIT")
    finally:
        if database.in_transaction:
            database.execute("ROLLBACK")


def question_marks(count: int) -> str:
    """`?, ?, ?`"""
    return ", ".join("?" * count)


def upsert(table: str, key: str, *columns: str) -> str:
    """A statement that writes whole rows, each in the place of one with the same key; that may be several columns."""
    marks = question_marks(len(key.split(", ")) + len(columns))
    new = ", ".join(f"{column} = excluded.{column}" for column in columns)
    return f"INSERT INTO {table} VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {new}"


def ask_for(database: Database, question: str, values: Iterable[object]) -> Iterator[Any]:
    """The rows of a question with `IN ({})`, for any number of values: as many at a time as one statement takes."""
    left = iter(values)
    while portion := list(islice(left, _MOST_VALUES)):
        yield from database.execute(question.format(question_marks(len(portion))), portion)


def portions(database: Database, question: str) -> Iterator[list[Any]]:
    """The rows of a question, so many at a time."""
    rows = database.stream(question)
    while portion := list(islice(rows, _PORTION)):
        yield portion


def insert(database: Database, table: str, rows: list[Any]) -> None:
    """Write whole rows into a table, at least one of them."""
    database.executemany(f"INSERT INTO {table} VALUES ({question_marks(len(rows[0]))})", rows)


# --- writing without stopping everything else ------------------------------------------------------------------------

_T = TypeVar("_T")
Wait = Callable[[], object]
"""Takes long, but leaves the interpreter alone meanwhile."""
Steps = Generator[Wait | None, None, _T]
Rows = Sequence[tuple[object, ...]]
Write = tuple[str, Rows]
"""A statement, and the rows it is run with."""


def in_bites(database: Database, statement: str, rows: Rows) -> Steps[None]:
    """Write rows, and let the rest of the crawl have its turn in between."""
    for start in range(0, len(rows), database.bite):
        database.executemany(statement, rows[start : start + database.bite])
        yield None


async def on_the_loop(steps: Steps[None]) -> None:
    """Run to the end; others have their turn at each step. Whoever is cancelled meanwhile closes what the steps have open."""
    with closing(steps):
        for wait in steps:
            await (asyncio.sleep(0) if wait is None else asyncio.to_thread(wait))


def at_once(steps: Steps[None]) -> None:
    """Run to the end in this thread."""
    with closing(steps):
        for wait in steps:
            if wait is not None:
                wait()
