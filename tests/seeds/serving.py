"""How does a test run a command in its own process against a web that answers at the same time? The web has a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from shoal.testing.webserver import Web, WebServer


@contextmanager
def served(web: Web) -> Iterator[WebServer]:
    """The web, on loopback, while the block lasts. Leave all clients before leaving this."""
    ready = threading.Event()
    server = WebServer(web)
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def serve() -> None:
        async with server:
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()
