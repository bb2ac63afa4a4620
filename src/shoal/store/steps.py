"""How is a batch written without stopping everything else? In small steps, and whoever runs them decides what happens between.

Steps are a generator: at each `yield` others may have their turn, and what it yields, if anything, is something to wait for.
On the event loop, rows are written in bites: a thread would fight with the loop over the interpreter at every row. Where each
statement waits for a server, all steps together run in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TypeVar

from shoal.store.database import Database

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


async def on_the_loop(steps: Steps[_T]) -> _T:
    """Run to the end; others have their turn at each step. Whoever is cancelled meanwhile closes what the steps have open."""
    with closing(steps):
        while True:
            try:
                wait = next(steps)
            except StopIteration as end:
                result: _T = end.value
                return result
            await (asyncio.sleep(0) if wait is None else asyncio.to_thread(wait))


def at_once(steps: Steps[_T]) -> _T:
    """Run to the end in this thread."""
    with closing(steps):
        while True:
            try:
                wait = next(steps)
            except StopIteration as end:
                result: _T = end.value
                return result
            if wait is not None:
                wait()
