"""Which parts visit pages? The stateless half of a crawl, in the process of the coordinator or in one of its own.

`python -m shoal.crawl.visitor SOCKET` is a worker process; `shoal crawl --processes N` starts N of them.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec
import uvloop

from shoal import interpreter
from shoal.crawl.pipe import PipeBroker, connect
from shoal.crawl.visit import PageVisitor
from shoal.crawl.worker import work_together
from shoal.fetch.addresses import CachingResolver
from shoal.fetch.client import HttpFetcher
from shoal.model import Topic
from shoal.printable import log_to_stderr
from shoal.readers import open_reader
from shoal.settings import Settings


class Visits:
    """All that visits pages of one crawl. Implements `protocols.Visitor`."""

    def __init__(self, visitor: PageVisitor, adopt: Callable[[Topic], None]) -> None:
        self.visit = visitor.visit
        self.adopt = adopt
        """Judge by another topic from now on."""


@asynccontextmanager
async def open_visitor(
    settings: Settings, resolver: CachingResolver | None = None, *, packs: bool = True
) -> AsyncIterator[Visits]:
    """All that fetching, parsing and judging need; it packs pages for the disk, unless somebody else will.

    Names need not be looked up that a `resolver` knows already.
    """
    _allow_many_sockets()
    async with (
        HttpFetcher(settings.fetching, resolver=resolver) as fetcher,
        open_reader(settings, packs=packs) as (reader, adopt),
    ):
        yield Visits(PageVisitor(fetcher, reader), adopt)


async def work_for(socket_number: int) -> None:
    """Take tasks from the coordinator at the other end of a socket until it has no more."""
    interpreter.tune()
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
