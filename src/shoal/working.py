"""Who works for the crawls of other machines? `shoal worker`: visits pages for all crawls whose coordinators use its broker."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, nullcontext

from shoal import interpreter
from shoal.cluster.hand import Hand
from shoal.cluster.wire import Assigned, Brief
from shoal.crawl.worker import work_together
from shoal.errors import first_of
from shoal.model import Task, Visit
from shoal.settings import Address
from shoal.visiting import Visits, open_visitor

Watch = Callable[[Hand], Coroutine[None, None, None]]
"""Shows how a worker stands; cancelled when it is over."""


class _Open:
    """The visitor of one crawl. Owned by `Visitors`."""

    def __init__(self, visitor: Visits, brief: Brief, stack: AsyncExitStack) -> None:
        self.visitor = visitor
        self.brief = brief
        self.stack = stack
        self.users = 0
        self.replaced = False

    def adopt(self, brief: Brief) -> None:
        """Judge by the topic as it is now."""
        if brief.settings.topic.version != self.brief.settings.topic.version:
            self.visitor.adopt(brief.settings.topic)
        self.brief = brief


class Visitors:
    """A visitor for each crawl, opened when its first task comes. Implements `protocols.Visitor`; sole owner of them."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._open: dict[str, _Open] = {}
        self._opening = asyncio.Lock()

    async def visit(self, task: Task) -> Visit:
        """Ask the server as the crawl of this task wants it."""
        assert isinstance(task, Assigned), "it did not come through the broker"
        async with self._opening:
            found = await self._visitor(self._hand.brief(task.crawl))
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

    async def _visitor(self, brief: Brief) -> _Open:
        found = self._open.get(brief.crawl)
        if found is not None and found.brief.run == brief.run:
            found.adopt(brief)
            return found
        stack = AsyncExitStack()
        new = _Open(await stack.enter_async_context(open_visitor(brief.settings, packs=False)), brief, stack)
        self._open[brief.crawl] = new
        if found is not None:
            found.replaced = True
            if not found.users:
                await found.stack.aclose()
        return new


async def work_for_all(url: str, *, name: str, concurrency: int, watch: Watch, metrics: Address | None = None) -> None:
    """Visit pages for whoever hands out tasks there, until a signal ends it: the first one lets what is under way come home."""
    interpreter.tune()
    hand = Hand(name, concurrency)
    visitors = Visitors(hand)
    try:
        with _leave_on_signals(hand):
            async with _shown(hand, name, metrics), asyncio.TaskGroup() as group:
                watching = group.create_task(watch(hand))
                group.create_task(hand.run(url))
                await work_together(hand, visitors, concurrency)
                hand.gone()
                watching.cancel()
    except BaseExceptionGroup as failed:
        raise first_of(failed) from failed
    finally:
        await visitors.close()


def _shown(hand: Hand, name: str, address: Address | None) -> AbstractAsyncContextManager[object]:
    """The figures of a worker are there for others to watch, if somebody said where."""
    if address is None:
        return nullcontext()
    # Only here, because most workers are watched by nobody.
    from shoal.metrics import WorkerCollector, serving

    return serving(address, WorkerCollector(name, hand.figures.snapshot))


@contextmanager
def _leave_on_signals(hand: Hand) -> Iterator[None]:
    """The first Ctrl-C lets what is under way come home; the second ends the process at once."""
    loop, this = asyncio.get_running_loop(), asyncio.current_task()
    assert this is not None
    asked = False

    def heard() -> None:
        nonlocal asked
        if asked:
            this.cancel()
        asked = True
        hand.leave()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, heard)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
