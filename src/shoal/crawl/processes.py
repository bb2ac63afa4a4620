"""Which processes visit pages for a crawl beside its own? Each is kept going until the crawl is over."""

from __future__ import annotations

import asyncio
import socket
import sys
from asyncio.subprocess import Process

from msgspec.structs import replace

from shoal.crawl.coordinator import Coordinator
from shoal.crawl.pipe import Channel, serve
from shoal.settings import Settings

_PIPE_BUFFER = 2**20
_EXIT_SECONDS = 1.0
"""What a worker process that has hung up gets to end by itself."""


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
