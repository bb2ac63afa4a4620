"""Which parts visit pages? The stateless half of a crawl, in the process of the coordinator or in one of its own.

`python -m shoal.visiting SOCKET` is a worker process; `shoal crawl --processes N` starts N of them.
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
from shoal.crawl.fetch import HttpFetcher
from shoal.crawl.judge import make_judge
from shoal.crawl.judge.pictures import PictureSpotter
from shoal.crawl.parse import HtmlParser
from shoal.crawl.pipe import PipeBroker, connect
from shoal.crawl.strategy import judge_of
from shoal.crawl.visit import PageVisitor
from shoal.crawl.worker import work_together
from shoal.harmless import log_to_stderr
from shoal.model import Task, Topic, Visit
from shoal.protocols import Darkroom, Spotter, Visitor
from shoal.settings import Learning, Settings
from shoal.store.packing import packed


@asynccontextmanager
async def open_visitor(settings: Settings) -> AsyncIterator[PageVisitor]:
    """All that fetching, parsing and judging need."""
    _allow_many_sockets()
    async with HttpFetcher(settings.fetching) as fetcher:
        parser = HtmlParser(settings.fetching.user_agent)
        judge = make_judge(judge_of(settings), settings.topic)
        yield PageVisitor(fetcher, parser, judge, make_spotter(settings, settings.topic), make_darkroom(settings))


def adopting(visitor: PageVisitor, settings: Settings) -> Callable[[Topic], None]:
    """What a visitor does when the topic changes."""
    return lambda topic: visitor.adopt(make_judge(judge_of(settings), topic), make_spotter(settings, topic))


def make_spotter(settings: Settings, topic: Topic) -> Spotter | None:
    """Who knows which pictures are worth having; nobody in a crawl without pictures."""
    return PictureSpotter(topic, settings.pictures) if settings.pictures.wanted != "none" else None


def make_darkroom(settings: Settings) -> Darkroom | None:
    """Who makes pictures of bytes."""
    if settings.pictures.wanted == "none":
        return None
    # Only here, because the image library takes a tenth of a second to import, and most crawls do without.
    from shoal.images.developing import PillowDarkroom

    return PillowDarkroom(settings.pictures)


class PackingVisitor:
    """A visitor for a process that only stores what comes: pages are packed here. Implements `protocols.Visitor`."""

    def __init__(self, visitor: Visitor, learning: Learning) -> None:
        self._visitor = visitor
        self._learning = learning

    async def visit(self, task: Task) -> Visit:
        """The same visit, ready for the disk."""
        return packed(await self._visitor.visit(task), self._learning)


async def work_for(socket_number: int) -> None:
    """Take tasks from the coordinator at the other end of a socket until it has no more."""
    interpreter.tune()
    channel = await connect(socket_number)
    if (message := await channel.receive()) is None:
        return
    settings = msgspec.msgpack.decode(message, type=Settings)
    share = -(-settings.fetching.concurrency // settings.processes)
    async with open_visitor(settings) as visitor, asyncio.TaskGroup() as group:
        broker = PipeBroker(channel, adopting(visitor, settings))
        working = group.create_task(work_together(broker, PackingVisitor(visitor, settings.learning), share))
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
