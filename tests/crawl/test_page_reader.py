"""A process that reads pages: it reads what others read, and whatever a page does to it, another one is there for the next."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import Process
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.crawl.page_reader import ReaderProcess
from shoal.crawl.readers import make_reader
from shoal.model import Missed, Reason, Response, Seen, SeenImage, Task, Term, Timing, Topic
from shoal.settings import ImageSettings, Settings
from tests.images.drawings import drawing, encoded

TOPIC = Topic(name="grid", terms=(Term(text="电网"), Term(text="substation")))
SETTINGS = Settings(topic=TOPIC, seeds=("http://a.test/",), images=ImageSettings(wanted="all"))
HERE = (sys.executable, "-m", "shoal.crawl.readers")
TASK = Task(id=7, url="http://a.test/x", host="a.test")
BODY = '<title>电网</title><p>A substation is part of the grid. 变电站<p><a href="/y">more</a>'.encode("gbk")

STUB = """
import socket, sys, os, time
from shoal.crawl import page_reader
from shoal.crawl.page_reader import PageReader
from shoal.model import Seen
from shoal.store.packed_page import pack

class Stub:
    def read(self, task, response):
        what = response.body.decode()
        if what == "die": os._exit(3)
        if what == "stuck": time.sleep(1000)
        if what == "raise": raise KeyError(what)
        if what == "memory": raise MemoryError
        while what == "loop": pass
        return Seen(task=task, response=response, packed=pack(response, None))

page_reader.CPU_SECONDS = 0.2
with socket.socket(fileno=int(sys.argv[1])) as line:
    page_reader.serve(line, lambda settings: Stub(), lambda *said: None)
"""


def answer(body: bytes, kind: str = "text/html; charset=gbk") -> Response:
    timing = Timing(started=1.0, answered=2.0, ended=3.0)
    return Response(url=TASK.url, status=200, headers=(("content-type", kind),), body=body, timing=timing)


def stub(tmp_path: Path, patience: float = 30.0) -> ReaderProcess:
    script = tmp_path / "stub.py"
    script.write_text(STUB, encoding="utf-8")
    return ReaderProcess((sys.executable, str(script)), SETTINGS, patience=patience)


def _without_record(seen: Seen) -> Seen:
    """A record for the disk has a number that no other has."""
    return replace(seen, packed=replace(seen.packed, record=b""))


@pytest.mark.slow
async def test_it_reads_what_is_read_here() -> None:
    process = ReaderProcess(HERE, SETTINGS)
    try:
        there = await process.read(TASK, answer(BODY))
    finally:
        await process.close()
    here = make_reader(SETTINGS).read(TASK, answer(BODY))
    assert isinstance(there, Seen)
    assert isinstance(here, Seen)
    assert _without_record(there) == _without_record(here)
    assert there.page is not None
    assert there.page.title == "电网"


@pytest.mark.slow
async def test_it_judges_by_the_topic_of_the_moment() -> None:
    process = ReaderProcess(HERE, SETTINGS)
    try:
        before = await process.read(TASK, answer(BODY))
        process.adopt(replace(TOPIC, terms=(Term(text="tea"),), version=2))
        after = await process.read(TASK, answer(BODY))
    finally:
        await process.close()
    assert isinstance(before, Seen)
    assert isinstance(after, Seen)
    assert before.verdict is not None
    assert after.verdict is not None
    assert before.verdict.score > 0 == after.verdict.score


@pytest.mark.slow
async def test_a_image_keeps_its_bytes() -> None:
    body = encoded(drawing(1), "PNG")
    process = ReaderProcess(HERE, SETTINGS)
    try:
        came = await process.read(replace(TASK, kind="image"), answer(body, "image/png"))
    finally:
        await process.close()
    assert isinstance(came, SeenImage)
    assert came.response.body == body


@pytest.mark.slow
async def test_what_takes_too_long_is_given_up_and_the_process_goes_on(tmp_path: Path) -> None:
    process = stub(tmp_path)
    try:
        slow = await process.read(TASK, answer(b"loop"))
        first = process._process
        fine = await process.read(TASK, answer(b"fine"))
        assert process._process is first, "it gave up by itself"
    finally:
        await process.close()
    assert isinstance(slow, Missed)
    assert (slow.failure.reason, slow.failure.heals) == (Reason.TOO_COMPLEX, False)
    assert slow.failure.timing == answer(b"").timing
    assert isinstance(fine, Seen)
    assert fine.packed.size == len(b"fine")


@pytest.mark.slow
@pytest.mark.parametrize("what", [b"die", b"stuck"])
async def test_one_that_dies_or_is_stuck_is_replaced(tmp_path: Path, what: bytes) -> None:
    process = stub(tmp_path, patience=2.0 if what == b"stuck" else 30.0)
    try:
        bad = await process.read(TASK, answer(what))
        assert isinstance(bad, Missed)
        assert bad.failure.reason is Reason.TOO_COMPLEX
        process._patience = 30.0
        assert isinstance(await process.read(TASK, answer(b"fine")), Seen)
    finally:
        await process.close()


@pytest.mark.slow
@pytest.mark.parametrize(("what", "reason"), [(b"raise", Reason.INTERNAL), (b"memory", Reason.TOO_COMPLEX)])
async def test_what_is_raised_there_is_a_failure_here(tmp_path: Path, what: bytes, reason: Reason) -> None:
    process = stub(tmp_path)
    try:
        bad = await process.read(TASK, answer(what))
    finally:
        await process.close()
    assert isinstance(bad, Missed)
    assert bad.failure.reason is reason
    assert (reason is Reason.INTERNAL) == ("KeyError" in bad.failure.trace)


async def _started(process: ReaderProcess) -> Process:
    for _ in range(100_000):
        if process._channel is not None and process._process is not None:
            return process._process
        await asyncio.sleep(0)
    raise AssertionError("it did not start")


async def test_whoever_is_cancelled_leaves_no_process_behind(tmp_path: Path) -> None:
    process = stub(tmp_path)
    reading = asyncio.create_task(process.read(TASK, answer(b"stuck")))
    started = await _started(process)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    with pytest.raises(ProcessLookupError):
        os.kill(started.pid, 0)


async def test_nothing_is_started_that_nobody_needs() -> None:
    process = ReaderProcess(("no such program",), SETTINGS)
    await process.close()
