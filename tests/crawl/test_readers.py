"""A page is read here when that is quick, elsewhere when it is not, and given up when nobody can."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.crawl.page_reader import PageReader, ReaderProcess, Reading
from shoal.crawl.readers import HERE_BYTES, BoundedReader
from shoal.crawl.time_slices import Alarm
from shoal.model import Missed, Reason, Response, Seen, Task, Term, Timing, Topic
from shoal.settings import Settings
from shoal.store.packed_page import pack

SETTINGS = Settings(topic=Topic(name="grid", terms=(Term(text="grid"),)), seeds=("http://a.test/",))
TASK = Task(id=7, url="http://a.test/x", host="a.test")
STUB = """
import socket, sys
from shoal.crawl import page_reader
from shoal.model import Seen
from shoal.store.packed_page import pack

class There:
    def read(self, task, response):
        while response.body == b"never": pass
        return Seen(task=task, response=response, packed=pack(response, None), hints=(1.0,))

page_reader.CPU_SECONDS = 0.2
with socket.socket(fileno=int(sys.argv[1])) as line:
    page_reader.serve(line, lambda settings: There(), lambda *said: None)
"""
THERE = (1.0,)
"""What a page has that was read elsewhere."""


class Here(PageReader):
    """Reads what is quick to read, and for ever at the rest."""

    def __init__(self) -> None:
        self.tried = 0

    def read(self, task: Task, response: Response) -> Reading:
        self.tried += 1
        while response.body in (b"slow", b"never"):
            pass
        if response.body == b"bug":
            raise ValueError("bug")
        return Seen(task=task, response=response, packed=pack(response, None))


@asynccontextmanager
async def reader(tmp_path: Path, here: Here, *, alarm: bool = True) -> AsyncIterator[BoundedReader]:
    script = tmp_path / "there.py"
    script.write_text(STUB, encoding="utf-8")
    command = (sys.executable, str(script))
    pages, images = ReaderProcess(command, SETTINGS), ReaderProcess(command, SETTINGS)
    with Alarm() as bell:
        try:
            yield BoundedReader(here, bell if alarm else None, pages, images)
        finally:
            await pages.close()
            await images.close()


def answer(body: bytes) -> Response:
    timing = Timing(started=1.0, answered=2.0, ended=3.0)
    return Response(url=TASK.url, status=200, headers=(), body=body, timing=timing)


async def test_a_quick_page_is_read_here(tmp_path: Path) -> None:
    async with reader(tmp_path, Here()) as bounded:
        came = await bounded.read(TASK, answer(b"x" * HERE_BYTES))
    assert isinstance(came, Seen)
    assert came.hints == ()


@pytest.mark.parametrize("body", [b"slow", b"x" * (HERE_BYTES + 1)], ids=["slow", "large"])
async def test_a_slow_or_large_page_is_read_elsewhere(tmp_path: Path, body: bytes) -> None:
    here = Here()
    async with reader(tmp_path, here) as bounded:
        came = await bounded.read(TASK, answer(body))
    assert isinstance(came, Seen)
    assert came.hints == THERE
    assert here.tried == (body == b"slow")


@pytest.mark.slow
async def test_a_image_is_read_elsewhere(tmp_path: Path) -> None:
    here = Here()
    async with reader(tmp_path, here) as bounded:
        came = await bounded.read(replace(TASK, kind="image"), answer(b"x"))
    assert isinstance(came, Seen)
    assert (came.hints, here.tried) == (THERE, 0)


@pytest.mark.slow
async def test_without_an_alarm_all_is_read_elsewhere(tmp_path: Path) -> None:
    here = Here()
    async with reader(tmp_path, here, alarm=False) as bounded:
        came = await bounded.read(TASK, answer(b"x"))
    assert isinstance(came, Seen)
    assert (came.hints, here.tried) == (THERE, 0)


async def test_a_bug_is_left_to_the_boundary(tmp_path: Path) -> None:
    async with reader(tmp_path, Here()) as bounded:
        with pytest.raises(ValueError, match="bug"):
            await bounded.read(TASK, answer(b"bug"))
        assert isinstance(await bounded.read(TASK, answer(b"x")), Seen)


@pytest.mark.slow
async def test_a_site_that_is_given_up_again_and_again_does_not_keep_others_waiting(tmp_path: Path) -> None:
    async with reader(tmp_path, Here()) as bounded:
        for number in range(3):
            given_up = await bounded.read(replace(TASK, host=f"h{number}.a.test"), answer(b"never"))
            assert isinstance(given_up, Missed)
            assert given_up.failure.reason is Reason.TOO_COMPLEX
        left = await bounded.read(TASK, answer(b"slow"))
        assert isinstance(left, Missed), "it could be read, but this site had its share"
        assert "this site" in left.failure.detail
        assert isinstance(await bounded.read(TASK, answer(b"x")), Seen), "what is quick is still read"
        other = await bounded.read(replace(TASK, host="b.test"), answer(b"slow"))
        assert isinstance(other, Seen)
