"""Who reads a page, so that nothing it says holds up the rest? Parser, judges and decoder of the settings, against the clock.

What may take long is read by a process that can be ended (`crawl/page_reader.py`); `python -m shoal.crawl.readers SOCKET` is
that process.
"""

from __future__ import annotations

import resource
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial

from shoal.crawl.page_reader import PageReader, ReaderProcess, Reading, given_up, serve
from shoal.crawl.time_slices import Alarm, TimeSlices, TookTooLong, can_be_used, collect_seldom
from shoal.extras import need
from shoal.judge import make_judge
from shoal.judge.image_judge import DescriptionImageJudge
from shoal.model import Missed, Reason, Response, Task, Timing, Topic
from shoal.parse.parser import HtmlParser
from shoal.protocols import ImageDecoder, ImageJudge
from shoal.settings import Settings
from shoal.store.packed_page import pack
from shoal.strategy import judge_of
from shoal.urls import domain_of

HERE_BYTES = 192 * 2**10
"""What is larger is read elsewhere at once: the HTML library cannot be interrupted, and it takes its time with hostile markup."""
HERE_SECONDS = 0.1
"""Of CPU. An honest page of the largest size that is read here takes a fifth of it."""
_PATIENCE = 3
"""Pages of one site that are given up, until it is not read elsewhere any more."""
_MOST_SITES = 10_000
"""Sites whose given-up pages are counted; who fills this up is forgotten with all others."""


class InTurns:
    """Reads pages in turns with the event loop, however long each takes: for webs that are known, in time that is not real."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader
        self._turns = TimeSlices()

    async def read(self, task: Task, response: Response) -> Reading:
        return await self._turns.do(partial(self._reader.read, task, response))


class BoundedReader:
    """Reads pages in bounded time, here or elsewhere. Owns only the count of what was given up."""

    def __init__(self, reader: PageReader, alarm: Alarm | None, pages: ReaderProcess, images: ReaderProcess) -> None:
        """Without an alarm, which only a main thread can have, all is read elsewhere.

        Images have a process of their own, so that they and slow pages do not wait for each other.
        """
        self._reader = reader
        self._alarm = alarm
        self._pages = pages
        self._images = images
        self._turns = TimeSlices()
        self._given_up: Counter[str] = Counter()

    async def read(self, task: Task, response: Response) -> Reading:
        """What a page or image says, or that it takes too long to find out."""
        if task.kind == "image":
            return await self._read_elsewhere(self._images, task, response)
        if len(response.body) <= HERE_BYTES and self._alarm is not None:
            reading = await self._turns.do(partial(self._read_here, self._alarm, task, response))
            if reading is not None:
                return reading
        return await self._read_elsewhere(self._pages, task, response)

    def _read_here(self, alarm: Alarm, task: Task, response: Response) -> Reading | None:
        try:
            return alarm.within(HERE_SECONDS, partial(self._reader.read, task, response))
        except TookTooLong:
            return None

    async def _read_elsewhere(self, process: ReaderProcess, task: Task, response: Response) -> Reading:
        site = domain_of(task.host)
        if self._given_up[site] >= _PATIENCE:
            why = "It takes long to understand, as pages of this site did that were given up."
            return given_up(task, response, why)
        reading = await process.read(task, response)
        if isinstance(reading, Missed) and reading.failure.reason is Reason.TOO_COMPLEX:
            if len(self._given_up) >= _MOST_SITES:
                self._given_up.clear()
            self._given_up[site] += 1
        return reading


# --- which parts understand pages ------------------------------------------------------------------------------------

_MEMORY = 2 * 2**30
"""Bytes that the process may have; most of a gigabyte is for one page."""
_FIRST = """<!doctype html><html lang="zh"><title>电网 grid</title><meta name="description" content="变电站"><h1>變電站</h1>
<p>2024年5月1日 电网由变电站和输电线路组成。The power grid is made of substations and lines, and much else besides.
<p><a href="/站">变电站 substation</a> <img src="a.png" alt="变压器 transformer">"""


def make_reader(settings: Settings) -> PageReader:
    """All that parsing, judging and packing need, ready for the first page."""
    topic = settings.topic
    reader = PageReader(
        HtmlParser(settings.fetching.user_agent),
        make_judge(judge_of(settings), topic),
        pack,
        make_image_judge(settings, topic),
        make_decoder(settings),
        learns=settings.learning.reads_pages,
    )
    _warm_up(reader)
    return reader


def adopt_topic(reader: PageReader, settings: Settings, topic: Topic) -> None:
    """What a reader does when the topic changes."""
    reader.adopt(make_judge(judge_of(settings), topic), make_image_judge(settings, topic))
    _warm_up(reader)


@asynccontextmanager
async def open_reader(settings: Settings) -> AsyncIterator[tuple[BoundedReader, Callable[[Topic], None]]]:
    """A reader that no page can hold up, and what tells it of another topic."""
    reader = make_reader(settings)
    command = (sys.executable, "-m", "shoal.crawl.readers")
    pages, images = ReaderProcess(command, settings), ReaderProcess(command, settings)
    with Alarm() if can_be_used() else nullcontext() as alarm:

        def adopt(topic: Topic) -> None:
            adopt_topic(reader, settings, topic)
            pages.adopt(topic)
            images.adopt(topic)

        try:
            yield BoundedReader(reader, alarm, pages, images), adopt
        finally:
            await pages.close()
            await images.close()


def make_image_judge(settings: Settings, topic: Topic) -> ImageJudge | None:
    """Who knows which images are worth having; nobody in a crawl without images."""
    return DescriptionImageJudge(topic, settings.images) if settings.images.wanted != "none" else None


def make_decoder(settings: Settings) -> ImageDecoder | None:
    """Who makes images of bytes."""
    if settings.images.wanted == "none":
        return None
    need("PIL")
    # Only here, because the image library takes a tenth of a second to import, and most crawls do without.
    from shoal.images.decode import PillowDecoder

    return PillowDecoder(settings.images)


def _warm_up(reader: PageReader) -> None:
    """Dictionaries are read with the first page, which takes longer than any page may: so the first one is our own."""
    url = "http://first.invalid/"
    never = Timing(started=0.0, answered=0.0, ended=0.0)
    headers = (("content-type", "text/html; charset=utf-8"),)
    reader.read(Task(id=0, url=url), Response(url=url, status=200, headers=headers, body=_FIRST.encode(), timing=never))


def _main(number: int) -> None:
    """Serve whoever is at the other end of a socket."""
    collect_seldom()
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    with socket.socket(fileno=number) as line:
        serve(line, make_reader, adopt_topic)


if __name__ == "__main__":
    _main(int(sys.argv[1]))
