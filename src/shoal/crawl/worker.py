"""Who visits pages? The stateless half of a crawl: fetch, parse, judge; beside the coordinator or in another process.

Workers do it: each takes a task, visits, brings the result home, and takes the next. Here is the boundary of this half:
whatever is raised while one URL is visited, or while what came of it is sent home, becomes the failure of that URL, and the
worker goes on.

`python -m shoal.crawl.worker SOCKET` is a worker process; `shoal crawl --processes N` starts N of them.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
import uvloop

from shoal.crawl.own_code import OwnJudgeReader, for_own_judge
from shoal.crawl.processes import PipeBroker, connect
from shoal.crawl.readers import open_reader
from shoal.crawl.time_slices import collect_seldom
from shoal.fetch.addresses import CachingResolver
from shoal.fetch.client import HttpFetcher
from shoal.internal_errors import missed_by
from shoal.model import Failure, Missed, Moved, Redirect, Response, RobotsRead, Task, Timing, Topic, Visit
from shoal.printable import log_to_stderr
from shoal.protocols import Broker, Fetcher, Judge, Reader, Visitor
from shoal.settings import Settings


class PageVisitor:
    """Makes one visit after another, and keeps nothing. Implements `protocols.Visitor`."""

    def __init__(self, fetcher: Fetcher, reader: Reader, adopt: Callable[[Topic], None] = lambda topic: None) -> None:
        self._fetcher = fetcher
        self._reader = reader
        self.adopt = adopt
        """Judge by another topic from now on."""

    async def visit(self, task: Task) -> Visit:
        """Ask the server and make of its answer what can be made."""
        match await self._fetcher.fetch(task):
            case Failure() as failure:
                return Missed(task=task, failure=failure)
            case Redirect() as redirect:
                return Moved(task=task, redirect=redirect)
            case Response() as response if task.kind == "robots":
                return RobotsRead(task=task, text=_robots_text(response.body), timing=response.timing)
            case Response() as response:
                return await self._reader.read(task, response)


def _robots_text(body: bytes) -> str:
    # Nothing that means anything in it has a NUL, and not every database can keep one.
    return body.decode("utf-8", "replace").removeprefix("\ufeff").replace("\x00", "")


# --- workers ---------------------------------------------------------------------------------------------------------


async def work(broker: Broker, visitor: Visitor) -> None:
    """A whole worker."""
    while (task := await broker.lease()) is not None:
        began = time.time()
        try:
            visit = await visitor.visit(task)
        except Exception as error:
            visit = _failed(task, error, began)
        try:
            await broker.settle(visit)
        except Exception as error:  # what cannot be sent is not sent: a result may have what no message can hold
            await broker.settle(_failed(task, error, began))


def _failed(task: Task, error: Exception, began: float) -> Missed:
    now = time.time()
    # Nobody knows when the server had the request: now is the latest moment, and the kindest to the host.
    return missed_by(error, task, Timing(started=min(began, now), answered=now, ended=now))


async def work_together(broker: Broker, visitor: Visitor, count: int) -> None:
    """So many workers at once; returns when the crawl is over."""
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(work(broker, visitor))


# --- which parts visit pages -----------------------------------------------------------------------------------------


@asynccontextmanager
async def open_visitor(
    settings: Settings, resolver: CachingResolver | None = None, own: Judge | None = None
) -> AsyncIterator[PageVisitor]:
    """All that fetching, parsing and judging need. Names need not be looked up that a `resolver` knows already.

    `own` is a judge that a program passed, instead of the one that the settings name.
    """
    _allow_many_sockets()
    async with (
        HttpFetcher(settings.fetching, resolver=resolver) as fetcher,
        open_reader(for_own_judge(settings) if own else settings) as (reader, adopt),
    ):
        judging = OwnJudgeReader(reader, own, learns=settings.learning.reads_pages) if own else reader
        yield PageVisitor(fetcher, judging, adopt)


async def work_for(socket_number: int) -> None:
    """Take tasks from the coordinator at the other end of a socket until it has no more."""
    collect_seldom()
    channel = await connect(socket_number)
    if (message := await channel.receive()) is None:
        return
    settings = msgspec.msgpack.decode(message, type=Settings)
    share = -(-settings.fetching.concurrency // settings.processes)
    async with open_visitor(settings) as visitor, asyncio.TaskGroup() as group:
        broker = PipeBroker(channel, visitor.adopt)
        working = group.create_task(work_together(broker, visitor, share))
        listening = group.create_task(broker.listen())
        # Whichever is over first ends the other: the crawl is over, or the coordinator is gone and nobody waits for results.
        working.add_done_callback(lambda _: listening.cancel())
        listening.add_done_callback(lambda _: working.cancel())
    await channel.close()


def _allow_many_sockets() -> None:
    """As many open connections as the system lets us have: idle ones stay for seconds, over many hosts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


if __name__ == "__main__":
    log_to_stderr()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work_for(int(sys.argv[1])))
