"""Which parts understand pages? Parser, judge, spotter and darkroom, as a crawl's settings want them, in one process or another.

`python -m shoal.readers packed SOCKET` is that process (`crawl/reader_process.py`): it reads what may take long.
"""

from __future__ import annotations

import resource
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from functools import partial

from shoal import interpreter
from shoal.crawl.alarm import Alarm, can_be_used
from shoal.crawl.bounded_reader import BoundedReader
from shoal.crawl.page_reader import PageReader
from shoal.crawl.reader_process import ReaderProcess, serve
from shoal.judge import make_judge
from shoal.judge.image_judge import PictureSpotter
from shoal.model import Response, Task, Timing, Topic
from shoal.parse.parser import HtmlParser
from shoal.protocols import Darkroom, Spotter
from shoal.settings import Settings
from shoal.store.packed_page import packed
from shoal.strategy import judge_of

_MEMORY = 2 * 2**30
"""Bytes that the process may have; most of a gigabyte is for one page."""
_FIRST = """<!doctype html><html lang="zh"><title>电网 grid</title><meta name="description" content="变电站"><h1>變電站</h1>
<p>2024年5月1日 电网由变电站和输电线路组成。The power grid is made of substations and lines, and much else besides.
<p><a href="/站">变电站 substation</a> <img src="a.png" alt="变压器 transformer">"""


def make_reader(settings: Settings, *, packs: bool = True) -> PageReader:
    """All that parsing, judging and packing need, ready for the first page."""
    topic = settings.topic
    pack = {"pack": partial(packed, learning=settings.learning)} if packs else {}
    reader = PageReader(
        HtmlParser(settings.fetching.user_agent),
        make_judge(judge_of(settings), topic),
        make_spotter(settings, topic),
        make_darkroom(settings),
        **pack,
    )
    _warm_up(reader)
    return reader


def adopt_topic(reader: PageReader, settings: Settings, topic: Topic) -> None:
    """What a reader does when the topic changes."""
    reader.adopt(make_judge(judge_of(settings), topic), make_spotter(settings, topic))
    _warm_up(reader)


@asynccontextmanager
async def open_reader(
    settings: Settings, *, packs: bool = True
) -> AsyncIterator[tuple[BoundedReader, Callable[[Topic], None]]]:
    """A reader that no page can hold up, and what tells it of another topic. It `packs` unless somebody else will."""
    reader = make_reader(settings, packs=packs)
    command = (sys.executable, "-m", "shoal.readers", "packed" if packs else "whole")
    pages, pictures = ReaderProcess(command, settings), ReaderProcess(command, settings)
    with Alarm() if can_be_used() else nullcontext() as alarm:
        bounded = BoundedReader(reader, alarm, pages, pictures)

        def adopt(topic: Topic) -> None:
            adopt_topic(reader, settings, topic)
            bounded.adopt(topic)

        try:
            yield bounded, adopt
        finally:
            await pages.close()
            await pictures.close()


def make_spotter(settings: Settings, topic: Topic) -> Spotter | None:
    """Who knows which pictures are worth having; nobody in a crawl without pictures."""
    return PictureSpotter(topic, settings.pictures) if settings.pictures.wanted != "none" else None


def make_darkroom(settings: Settings) -> Darkroom | None:
    """Who makes pictures of bytes."""
    if settings.pictures.wanted == "none":
        return None
    # Only here, because the image library takes a tenth of a second to import, and most crawls do without.
    from shoal.images.decode import PillowDarkroom

    return PillowDarkroom(settings.pictures)


def _warm_up(reader: PageReader) -> None:
    """Dictionaries are read with the first page, which takes longer than any page may: so the first one is our own."""
    url = "http://first.invalid/"
    never = Timing(started=0.0, answered=0.0, ended=0.0)
    headers = (("content-type", "text/html; charset=utf-8"),)
    reader.read(Task(id=0, url=url), Response(url=url, status=200, headers=headers, body=_FIRST.encode(), timing=never))


def _main(how: str, number: int) -> None:
    """Serve whoever is at the other end of a socket."""
    interpreter.tune()
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    with socket.socket(fileno=number) as line:
        serve(line, partial(make_reader, packs=how == "packed"), adopt_topic)


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]))
