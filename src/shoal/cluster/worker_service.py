"""Who works for the crawls of other machines? `shoal worker`: visits pages for all crawls whose coordinators use its broker.

A crawl that this machine cannot work for (a file with word vectors is not here) does not end the work for others: its tasks go
back to its coordinator, which says so and gives them to somebody else.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass
from typing import NamedTuple

from shoal.cluster.wire import Assigned, Brief
from shoal.cluster.worker_broker import WorkerBroker
from shoal.crawl.metrics import WorkerFigures
from shoal.crawl.time_slices import collect_seldom
from shoal.crawl.worker import PageVisitor, open_visitor, work_together
from shoal.errors import first_of
from shoal.model import Task, Visit
from shoal.settings import ListenAddress
from shoal.signals import Interrupted

logger = logging.getLogger(__name__)
_REST = 1.0
"""Seconds before a task of a crawl that we cannot work for goes back: the next one may come to us at once."""
_TRY_AGAIN = 30.0
"""Seconds after which such a crawl is tried again: somebody may have brought what was missing."""
Watch = Callable[[WorkerBroker], Coroutine[None, None, None]]
"""Shows how a worker stands; cancelled when it is over."""


@dataclass
class _Open:
    """The visitor of one crawl. Owned by `Visitors`."""

    visitor: PageVisitor
    brief: Brief
    stack: AsyncExitStack
    users: int = 0
    replaced: bool = False

    def adopt(self, brief: Brief) -> None:
        """Judge by the topic as it is now."""
        if brief.settings.topic.version != self.brief.settings.topic.version:
            self.visitor.adopt(brief.settings.topic)
        self.brief = brief


class _Refusal(NamedTuple):
    """Why we cannot work for a crawl."""

    run: str
    why: str
    until: float


class Visitors:
    """A visitor for each crawl, opened when its first task comes. Implements `protocols.Visitor`; sole owner of them."""

    def __init__(self, hand: WorkerBroker, clock: Callable[[], float] = time.time) -> None:
        self._hand = hand
        self._clock = clock
        self._open: dict[str, _Open] = {}
        self._refusals: dict[str, _Refusal] = {}
        self._opening = asyncio.Lock()

    async def why_not(self, task: Assigned) -> str:
        """Why this machine cannot do a task, in one sentence; empty when it can, and from then on it is ready for it."""
        brief = self._hand.brief(task.crawl)
        async with self._opening:
            known = self._refusals.get(brief.crawl)
            if known is not None and known.run == brief.run and self._clock() < known.until:
                return known.why
            try:
                await self._make_ready(brief)
            except Exception as error:  # whatever it is, other crawls have nothing to do with it
                return self._refuse(brief, error)
            self._refusals.pop(brief.crawl, None)
            return ""

    def _refuse(self, brief: Brief, error: Exception) -> str:
        name = self._hand.name
        why = f"The worker {name} cannot work for this crawl: {str(error) or type(error).__name__}"
        last = self._refusals.get(brief.crawl)
        if last is None or last.why != why:
            logger.warning("This worker cannot work for the crawl %s.", brief.crawl, exc_info=error)
        self._refusals[brief.crawl] = _Refusal(brief.run, why, self._clock() + _TRY_AGAIN)
        return why

    async def visit(self, task: Task) -> Visit:
        """Ask the server as the crawl of this task wants it; `why_not` must have said that nothing is against it."""
        assert isinstance(task, Assigned), "it did not come through the broker"
        found = self._open[task.crawl]
        found.users += 1
        try:
            return await found.visitor.visit(task)
        finally:
            found.users -= 1
            if found.replaced and not found.users:
                await found.stack.aclose()

    async def close(self) -> None:
        """No visit is under way any more."""
        for found in self._open.values():
            await found.stack.aclose()

    async def _make_ready(self, brief: Brief) -> None:
        found = self._open.get(brief.crawl)
        if found is not None and found.brief.run == brief.run:
            found.adopt(brief)
            return
        stack = AsyncExitStack()
        visitor = await stack.enter_async_context(open_visitor(brief.settings))
        self._open[brief.crawl] = _Open(visitor, brief, stack)
        if found is not None:
            found.replaced = True
            if not found.users:
                await found.stack.aclose()


class SkilledWorkerBroker:
    """The tasks that this machine can do; the others go back. Implements `protocols.Broker`."""

    def __init__(self, hand: WorkerBroker, visitors: Visitors) -> None:
        self._hand = hand
        self._visitors = visitors
        self.settle = hand.settle

    async def lease(self) -> Assigned | None:
        """The next request to make; None when the worker is to go home."""
        while (task := await self._hand.lease()) is not None:
            if not (why := await self._visitors.why_not(task)):
                return task
            await asyncio.sleep(_REST)
            await self._hand.decline(task, why)
        return None


async def work_for_all(
    url: str,
    *,
    name: str,
    concurrency: int,
    watch: Watch,
    interrupted: Interrupted,
    metrics: ListenAddress | None = None,
) -> WorkerFigures:
    """Visit pages for whoever hands out tasks there, until `interrupted` ends it, which lets what is under way come home."""
    collect_seldom()
    hand = WorkerBroker(name, concurrency)
    visitors = Visitors(hand)
    try:
        with interrupted(hand.leave):
            async with _shown(hand, name, metrics), asyncio.TaskGroup() as group:
                watching = group.create_task(watch(hand))
                group.create_task(hand.run(url))
                await work_together(SkilledWorkerBroker(hand, visitors), visitors, concurrency)
                hand.gone()
                watching.cancel()
    except BaseExceptionGroup as failed:
        raise first_of(failed) from failed
    finally:
        await visitors.close()
    return hand.figures


def _shown(hand: WorkerBroker, name: str, address: ListenAddress | None) -> AbstractAsyncContextManager[object]:
    """The figures of a worker are there for others to watch, if somebody said where."""
    if address is None:
        return nullcontext()
    # Only here, because most workers are watched by nobody.
    from shoal.crawl.prometheus import WorkerCollector, serving

    return serving(address, WorkerCollector(name, hand.figures.snapshot))
