"""Nothing that a page or an image says holds up the event loop: the slowest inputs we know cost it less than a quarter second.

Measured is the CPU time of one turn of the loop, so that other work on the machine does not count.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from shoal.crawl.page_reader import ReaderProcess
from shoal.crawl.readers import HERE_BYTES, BoundedReader, make_reader, open_reader
from shoal.crawl.time_slices import Alarm
from shoal.model import Missed, Reason, Response, Seen, Task, Term, Timing, Topic
from shoal.settings import ImageSettings, Settings
from shoal.testing.fuzz.slow_images import slow_images
from shoal.testing.fuzz.slow_pages import slow_pages

pytestmark = pytest.mark.slow

LONGEST = 0.25
"""Seconds of CPU that one turn of the loop may take."""
TOPIC = Topic(name="grid", terms=(Term(text="grid"), Term(text="电网"), Term(text="substation", weight=0.5)))
SETTINGS = Settings(topic=TOPIC, seeds=("http://a.test/",), images=ImageSettings(wanted="relevant"))
LAZY = """
import socket, sys
from shoal.crawl import page_reader
from shoal.crawl.page_reader import given_up

class Lazy:
    def read(self, task, response):
        return given_up(task, response)

with socket.socket(fileno=int(sys.argv[1])) as line:
    page_reader.serve(line, lambda settings: Lazy(), lambda *said: None)
"""
"""A process that gives up at once: here it only matters that a page is read elsewhere, not what comes of it."""


@pytest.fixture(autouse=True)
def without_listeners_of_the_collector() -> Iterator[None]:
    """Hypothesis listens to the garbage collector, and Python drops what a timer raises that rings in a listener."""
    kept, gc.callbacks[:] = list(gc.callbacks), []
    yield
    gc.callbacks[:] = kept


class Ticker:
    """Notes how much CPU every turn of the event loop takes."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def tick(self) -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self.longest = max(self.longest, now - last)
            last = now


@asynccontextmanager
async def ticking() -> AsyncIterator[Ticker]:
    ticker = Ticker()
    async with asyncio.TaskGroup() as group:
        running = group.create_task(ticker.tick())
        await asyncio.sleep(0)
        yield ticker
        await asyncio.sleep(0)
        running.cancel()


def answer(body: bytes, kind: str = "text/html; charset=utf-8") -> Response:
    timing = Timing(started=1.0, answered=2.0, ended=3.0)
    return Response(url="http://a.test/x", status=200, headers=(("content-type", kind),), body=body, timing=timing)


def task(number: int, kind: str = "page") -> Task:
    return Task(id=number, url="http://a.test/x", host=f"a{number}.test{number}", kind=kind)  # type: ignore[arg-type]


async def held_by(reader: BoundedReader, task: Task, answer: Response) -> float:
    """Seconds of CPU of the longest turn while this is read."""
    async with ticking() as ticker:
        await reader.read(task, answer)
    return ticker.longest


@pytest.mark.parametrize("size", [32_000, HERE_BYTES])
async def test_the_slowest_pages_do_not_hold_up_the_loop(tmp_path: Path, size: int) -> None:
    script = tmp_path / "lazy.py"
    script.write_text(LAZY, encoding="utf-8")
    make = partial(ReaderProcess, (sys.executable, str(script)), SETTINGS)
    pages, images = make(), make()
    held: dict[str, float] = {}
    with Alarm() as alarm:
        reader = BoundedReader(make_reader(SETTINGS), alarm, pages, images)
        await reader.read(task(0, "image"), answer(b"x"))
        for number, (name, body) in enumerate(slow_pages(size).items()):
            held[name] = await held_by(reader, task(number), answer(body[:HERE_BYTES]))
            if held[name] > LONGEST:  # what a neighbour takes of the machine counts as ours: twice it is
                held[name] = await held_by(reader, task(number), answer(body[:HERE_BYTES]))
    await pages.close()
    await images.close()
    assert len(held) > 50
    assert {name: round(seconds, 2) for name, seconds in held.items() if seconds > LONGEST} == {}


async def test_large_pages_and_images_are_read_or_given_up_in_bounded_time() -> None:
    """With the real process: a page of two megabytes of each kind that took seconds, and every slow image."""
    kinds = slow_pages(2 * 2**20)
    slowest = (
        "formatting and paragraphs",
        "attributes of the body again",
        "deep a",
        "ligatures",
        "links about the topic",
    )
    pages = {name: kinds[name] for name in slowest}
    held: dict[str, float] = {}
    async with open_reader(SETTINGS) as (reader, _):
        for number, (name, body) in enumerate(pages.items()):
            async with ticking() as ticker:
                came = await reader.read(task(number), answer(body))
            held[name] = ticker.longest
            assert isinstance(came, Seen) or came_to_an_end(came), name
        for number, (name, body) in enumerate(slow_images(500_000).items()):
            async with ticking() as ticker:
                came = await reader.read(task(number, "image"), answer(body, "image/jpeg"))
            held[name] = ticker.longest
            assert not isinstance(came, Missed) or came.failure.reason in (Reason.IMAGE, Reason.TOO_COMPLEX), name
    assert {name: round(seconds, 2) for name, seconds in held.items() if seconds > LONGEST} == {}


def came_to_an_end(came: object) -> bool:
    return isinstance(came, Missed) and came.failure.reason is Reason.TOO_COMPLEX
