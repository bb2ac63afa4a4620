"""Who does the visiting? Workers: each takes a task, visits, brings the result home, and takes the next."""

from __future__ import annotations

import asyncio

from shoal.protocols import Broker, Visitor


async def work(broker: Broker, visitor: Visitor) -> None:
    """A whole worker."""
    while (task := await broker.lease()) is not None:
        await broker.settle(await visitor.visit(task))


async def work_together(broker: Broker, visitor: Visitor, count: int) -> None:
    """So many workers at once; returns when the crawl is over."""
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(work(broker, visitor))
