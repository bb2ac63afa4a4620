"""Where is a page read, so that nothing it says holds up the rest? Here, against the clock, or in a process that can be ended.

    small page ─► here, in turns with the event loop ─► read
                       └── after `HERE_SECONDS` ──┐
    large page, picture ──────────────────────────┴─► a process of its own ─► read, or given up (`Reason.TOO_COMPLEX`)

A site whose pages were given up before is not read elsewhere any more: a thousand such pages must not keep others waiting.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from shoal.crawl.alarm import Alarm, TookTooLong
from shoal.crawl.page_reader import PageReader, Reading
from shoal.crawl.reader_process import ReaderProcess, given_up
from shoal.crawl.turns import Turns
from shoal.model import Missed, Reason, Response, Task, Topic
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
        self._turns = Turns()

    async def read(self, task: Task, response: Response) -> Reading:
        """What it says."""
        return await self._turns.do(partial(self._reader.read, task, response))


class BoundedReader:
    """Reads pages in bounded time, here or elsewhere. Owns only the count of what was given up."""

    def __init__(self, reader: PageReader, alarm: Alarm | None, pages: ReaderProcess, pictures: ReaderProcess) -> None:
        """Without an alarm, which only a main thread can have, all is read elsewhere.

        Pictures have a process of their own, so that they and slow pages do not wait for each other.
        """
        self._reader = reader
        self._alarm = alarm
        self._pages = pages
        self._pictures = pictures
        self._turns = Turns()
        self._given_up: Counter[str] = Counter()

    def adopt(self, topic: Topic) -> None:
        """The reader here knows already; the processes hear of it with the next page."""
        self._pages.adopt(topic)
        self._pictures.adopt(topic)

    async def read(self, task: Task, response: Response) -> Reading:
        """What a page or picture says, or that it takes too long to find out."""
        if task.kind == "picture":
            return await self._read_elsewhere(self._pictures, task, response)
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
            return given_up(
                task, response, "It takes long to understand, as pages of this site did that were given up."
            )
        reading = await process.read(task, response)
        if isinstance(reading, Missed) and reading.failure.reason is Reason.TOO_COMPLEX:
            if len(self._given_up) >= _MOST_SITES:
                self._given_up.clear()
            self._given_up[site] += 1
        return reading
