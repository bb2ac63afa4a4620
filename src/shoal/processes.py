"""Which processes work for a crawl beside its own? Those that visit pages, and the one that keeps the index."""

from __future__ import annotations

import asyncio
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from shoal import indexer as indexing
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.pipe import Channel, serve
from shoal.errors import ShoalError
from shoal.settings import Settings

_PIPE_BUFFER = 2**20
_EXIT_SECONDS = 1.0
"""What a worker process that has hung up gets to end by itself; and what a user need not be told of."""
_SHORT = 2.0
"""Seconds. What is over by then is indexed when it is over."""


async def work_elsewhere(coordinator: Coordinator, settings: Settings) -> None:
    """Keep one worker process going; one that dies is replaced, and what it had in hand is tried again."""
    while coordinator.ending is None:
        ours, theirs = socket.socketpair()
        with theirs:
            # A session of its own: Ctrl-C is for the coordinator, which lets what is in flight come home.
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "shoal.crawl.visitor", str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        channel = Channel(*await asyncio.open_connection(sock=ours, limit=_PIPE_BUFFER))
        try:
            topic = coordinator.topic
            await channel.send(replace(settings, topic=topic))
            worked = await serve(coordinator, channel, lambda: coordinator.topic, told=topic, clock=coordinator.now)
            await _exited(process)
        finally:
            await channel.close()
            if process.returncode is None:
                process.terminate()
            await process.wait()
        # One that was killed from outside is replaced; one that cannot even start has a bug, and so would the next.
        if not worked and process.returncode and process.returncode > 0:
            raise RuntimeError(f"a worker process ended with code {process.returncode} before it asked for work")


async def _exited(process: Process) -> None:
    """Whose socket is closed may still be on its way out: if we ended it, we would not learn how it would have ended."""
    try:
        async with asyncio.timeout(_EXIT_SECONDS):
            await process.wait()
    except TimeoutError:
        return


@asynccontextmanager
async def index_kept(folder: Path, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Meanwhile the index is kept up to the store; in the end it is complete.

    `say` hears of what a user should know. That the index fell behind is no reason to end a crawl: a search puts it right.
    """
    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(_keep_index(folder, over := asyncio.Event()))
        try:
            yield
        finally:
            over.set()
        done, _ = await asyncio.wait([keeping], timeout=_EXIT_SECONDS)
        if not done:
            say("Finishing the index …")
        if why := await keeping:
            say(f"The index is not complete ({why}); the next search brings it up to date.")


async def _keep_index(folder: Path, over: asyncio.Event) -> str:
    """Index until the crawl is over, and then the rest; answers what went wrong. A short crawl needs no process for it."""
    try:
        async with asyncio.timeout(_SHORT):
            await over.wait()
    except TimeoutError:
        return await _index_elsewhere(folder, over)
    try:
        await asyncio.to_thread(indexing.catch_up, folder)
    except ShoalError as error:
        return str(error)
    return ""


async def _index_elsewhere(folder: Path, over: asyncio.Event) -> str:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shoal.indexer", str(folder)), stdin=PIPE, stderr=PIPE, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stderr is not None
    try:
        await over.wait()
    finally:
        process.stdin.close()  # which tells it that the crawl is over; when we are in a hurry, it goes on by itself
    complaint = (await process.stderr.read()).decode("utf-8", "replace").strip()
    return complaint.rpartition("\n")[2] if await process.wait() else ""
