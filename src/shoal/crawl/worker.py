"""Who does the visiting? Workers: each takes a task, visits, brings the result home, and takes the next.

Here is the boundary of the stateless half: whatever is raised while one URL is visited, or while what came of it is sent home,
becomes the failure of that URL, and the worker goes on.
"""

from __future__ import annotations

import asyncio
import time

from shoal.internal_errors import failure_of
from shoal.model import Missed, Task, Timing, Visit
from shoal.protocols import Broker, Visitor


async def work(broker: Broker, visitor: Visitor) -> None:
    """A whole worker."""
    while (task := await broker.lease()) is not None:
        began = time.time()
        visit = await _visited(visitor, task)
        try:
            await broker.settle(visit)
        except Exception as error:  # what cannot be sent is not sent: a result may have what no message can hold
            await broker.settle(_failed(task, error, began))


async def _visited(visitor: Visitor, task: Task) -> Visit:
    began = time.time()
    try:
        return await visitor.visit(task)
    except Exception as error:
        return _failed(task, error, began)


def _failed(task: Task, error: Exception, began: float) -> Missed:
    now = time.time()
    # Nobody knows when the server had the request: now is the latest moment, and the kindest to the host.
    return Missed(
        task=task, failure=failure_of(error, task.url, Timing(started=min(began, now), answered=now, ended=now))
    )


async def work_together(broker: Broker, visitor: Visitor, count: int) -> None:
    """So many workers at once; returns when the crawl is over."""
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(work(broker, visitor))
