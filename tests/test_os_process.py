"""A process that we start outlives us, and is no zombie while we live; one that has another's number is not hit in its place."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.os_process import OutlivingProcess, born, send_signal

_WAITS = (sys.executable, "-c", "import sys; sys.exit(len(sys.stdin.read()) + 7)")
"""Until its standard input ends."""


@pytest.fixture
def waiting() -> Iterator[OutlivingProcess]:
    process = OutlivingProcess(_WAITS, stdin=subprocess.PIPE)
    yield process
    process.close_stdin()
    process.ended.result(10)


@pytest.mark.slow
def test_it_is_in_a_session_of_its_own_and_leaves_no_zombie(waiting: OutlivingProcess) -> None:
    assert os.getsid(waiting.pid) == waiting.pid != os.getsid(0)
    waiting.close_stdin()
    assert waiting.ended.result(10) == 7
    assert not Path(f"/proc/{waiting.pid}").exists()


@pytest.mark.slow
def test_an_event_loop_that_ends_before_it_complains_of_nothing(waiting: OutlivingProcess) -> None:
    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.wrap_future(waiting.ended)

    asyncio.run(give_up())
    gc.collect()  # a warning would fail the test
    waiting.close_stdin()
    assert waiting.ended.result(10) == 7


@pytest.mark.slow
def test_only_the_process_that_is_meant_is_signalled(waiting: OutlivingProcess) -> None:
    assert not send_signal(waiting.pid, signal.SIGKILL, lambda: False)
    assert born(waiting.pid)
    assert send_signal(waiting.pid, signal.SIGKILL, lambda: True)
    assert waiting.ended.result(10) == -signal.SIGKILL
    assert not send_signal(waiting.pid, signal.SIGKILL, lambda: True)


@pytest.mark.parametrize("pid", [0, -1, None], ids=["group", "all", "ourselves"])
def test_neither_groups_nor_ourselves_are_signalled(pid: int | None) -> None:
    assert not send_signal(os.getpid() if pid is None else pid, signal.SIGKILL, lambda: True)


def test_when_a_process_began_tells_it_from_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert born(os.getpid()) == born(os.getpid()) != born(1)
    assert born(2**22 + 1) == "", "no system gives such a number"
    stat = f"7 (a ) (b) {' '.join(map(str, range(3, 53)))}"
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: stat)
    assert born(7) == "22", "the name of a program may have blanks and brackets"
