"""How does a test type a command? In this process, as if in a folder of its own; a thread can serve a web meanwhile.

shell = Shell(tmp_path)
with served(web) as server:
    assert shell("crawl", "--topic", "grid", "--seed", url, "--dir", "c", "--proxy", server.proxy).code == 0

Where the process is the point (signals, kills, streams that are closed), `tests/running.py` starts a real one.
"""

from __future__ import annotations

import asyncio
import io
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from shoal.cli import main
from shoal.testing.webserver import ServedWeb, WebServer


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str

    def sentence(self) -> str:
        """The one line on standard error, if there is nothing else."""
        assert self.out == ""
        assert self.err.startswith("shoal: ")
        assert self.err.count("\n") == 1, self.err
        assert self.err.rstrip().endswith((".", "?")), self.err
        return self.err.removeprefix("shoal: ").rstrip()


class Shell:
    """Somebody at a keyboard, in a folder; `always` is what stands at the end of each of their commands."""

    def __init__(self, home: Path, *always: str) -> None:
        self.home = home
        self._always = always

    def __call__(self, *arguments: str, typed: bytes = b"") -> Said:
        said = self.bytes(*arguments, typed=typed)
        return Said(said[0], said[1].decode(), said[2].decode())

    def bytes(self, *arguments: str, typed: bytes = b"") -> tuple[int, bytes, bytes]:
        """The exit code, and what came on both streams."""
        out, err = io.BytesIO(), io.BytesIO()
        state = {"SHOAL_HOME": str(self.home / "state")}
        with (
            chdir(self.home),
            patch.dict(os.environ, state),
            patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed))),
            redirect_stdout(io.TextIOWrapper(out, write_through=True)) as to_out,
            redirect_stderr(io.TextIOWrapper(err, write_through=True)) as to_err,
            pytest.raises(SystemExit) as end,
        ):
            main([*arguments, *self._always])
        to_out.detach()
        to_err.detach()
        assert isinstance(end.value.code, int)
        return end.value.code, out.getvalue(), err.getvalue()


@contextmanager
def served(web: ServedWeb) -> Iterator[WebServer]:
    """A web that answers while this thread is busy with a command."""
    started: Future[tuple[WebServer, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        end = asyncio.Event()
        async with WebServer(web) as server:
            started.set_result((server, asyncio.get_running_loop(), end))
            await end.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    server, loop, end = started.result()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
