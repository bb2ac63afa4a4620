"""Does a crawl wait wherever it is called, and does Ctrl-C reach it there? Real processes get a real signal."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shoal.python.event_loop import Interruption, run
from tests.python.conftest import SlowPage
from tests.shell import served

# --- where it runs ---------------------------------------------------------------------------------------------------


async def _where(_: Interruption) -> threading.Thread:
    return threading.current_thread()


def test_without_a_loop_it_runs_here() -> None:
    assert run(_where) is threading.current_thread()


async def test_where_a_loop_runs_it_has_a_thread_of_its_own_and_somebody_is_told() -> None:
    told: list[threading.Thread] = []
    one = threading.Event()

    async def where(_: Interruption) -> threading.Thread:
        assert await asyncio.to_thread(one.wait, 30)
        return threading.current_thread()

    def tick() -> None:
        told.append(threading.current_thread())
        one.set()

    assert run(where, tick) is not threading.current_thread()
    assert set(told) == {threading.current_thread()}


async def _raises(_: Interruption) -> None:
    raise LookupError("电网")


def test_what_it_raises_comes_back() -> None:
    with pytest.raises(LookupError, match="电网"):
        run(_raises)


async def test_also_out_of_a_thread() -> None:
    with pytest.raises(LookupError, match="电网"):
        run(_raises)


async def test_who_cannot_be_told_any_more_ends_it() -> None:
    ended = threading.Event()

    async def waits(_: Interruption) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    def tick() -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run(waits, tick)
    assert ended.is_set()


def test_what_belongs_to_the_program_is_left_as_it_was() -> None:
    handler = signal.getsignal(signal.SIGINT)

    async def now(_: Interruption) -> object:
        return signal.getsignal(signal.SIGINT)

    assert run(now) is not handler
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_handler_of_the_program_stays() -> None:
    def own(number: int, frame: object) -> None:
        """Whatever the program does."""

    before = signal.signal(signal.SIGINT, own)

    async def looks(_: Interruption) -> object:
        return signal.getsignal(signal.SIGINT)

    try:
        assert run(looks) is own
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_first_time_it_may_finish_and_the_second_it_ends() -> None:
    asked: list[str] = []

    async def works(interruption: Interruption) -> None:
        done = asyncio.Event()

        def stop() -> None:
            asked.append("stop")
            interruption.heard()

        with interruption.interrupted(stop):
            interruption.heard()
            await done.wait()

    with pytest.raises(KeyboardInterrupt):
        run(works)
    assert asked == ["stop"]


def test_before_it_can_finish_it_ends_at_once() -> None:
    async def begins(interruption: Interruption) -> None:
        interruption.heard()
        await asyncio.get_running_loop().create_future()

    with pytest.raises(KeyboardInterrupt):
        run(begins)


# --- real signals ----------------------------------------------------------------------------------------------------

_SCRIPT = """
import signal, sys
import shoal

def main():
    try:
        given = {"proxy": sys.argv[1], "home": sys.argv[2], "name": "电网", "delay": 0.0}
        crawl = shoal.crawl("power grid, 电网", seeds="http://a.test/", **given)
        print(crawl.ending, len(crawl.pages()))
    except KeyboardInterrupt:
        print("at once", shoal.open("电网", home=sys.argv[2]).status().pages)
    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)

async def in_a_loop():
    main()

if sys.argv[3] == "loop":  # as a notebook's kernel has one
    import asyncio
    asyncio.new_event_loop().run_until_complete(in_a_loop())
else:
    main()
"""


@contextmanager
def script(tmp_path: Path, kind: str, delay: float) -> Iterator[subprocess.Popen[str]]:
    """A program that crawls, at the moment when it waits for a slow page."""
    web = SlowPage(delay)
    with served(web) as server:
        command = [sys.executable, "-W", "error", "-c", _SCRIPT, server.proxy, str(tmp_path), kind]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert web.asked.wait(30)
            yield process


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "loop"])
def test_ctrl_c_lets_what_is_under_way_come_home(tmp_path: Path, kind: str) -> None:
    with script(tmp_path, kind, delay=1.0) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert out.split("\n") == ["stopped 2", "True", ""], err


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "loop"])
def test_ctrl_c_again_ends_it_at_once(tmp_path: Path, kind: str) -> None:
    with script(tmp_path, kind, delay=600.0) as process:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert out.split("\n") == ["at once 1", "True", ""], err
