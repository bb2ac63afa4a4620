"""What does a crawl make of a web in which nothing is as it should be? A server on loopback whose every answer is broken.

    async with BrokenWeb(makers, hosts=500, pages=4) as web:
        crawl(seeds=web.urls)

Each host has an address of its own (127.0.2.1 and up), so that what one says does not spoil the next. The same seed gives the
same web: `answer(path)` is what was said to one URL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from random import Random
from types import TracebackType
from typing import Self, cast

Maker = Callable[[Random], bytes]
"""Makes all that a server says to one request, from the status line on, before it hangs up."""
_PER_NET = 250


class BrokenWeb:
    """Serves broken answers, and sometimes a robots.txt; use it as an async context manager."""

    def __init__(self, makers: Mapping[str, Maker], *, robots: Maker, hosts: int, pages: int, seed: str = "0") -> None:
        """`makers` by the name that is part of their URLs; of each host every third has a `robots`, the others have none."""
        self._makers = makers
        self._robots = robots
        self._seed = seed
        self._homes = [f"127.0.{2 + number // _PER_NET}.{1 + number % _PER_NET}" for number in range(hosts)]
        self._pages = pages
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        """The connections and the tasks that serve them; each task takes itself out."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self._homes[0], 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._others = await asyncio.start_server(self._serve, self._homes[1:], self.port) if self._homes[1:] else None
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in filter(None, (self._server, self._others)):
            server.close()
        for writer in self._open:
            writer.transport.abort()
        await asyncio.gather(*self._open.values())

    @property
    def urls(self) -> list[str]:
        """Of every page there is."""
        names = list(self._makers)
        count = len(self._homes) * self._pages
        return [
            f"http://{self._homes[number % len(self._homes)]}:{self.port}/{names[number % len(names)]}/{number}"
            for number in range(count)
        ]

    def answer(self, path: str, host: str = "") -> bytes:
        """What is said to a request."""
        random = Random(f"{self._seed}:{host if path == '/robots.txt' else path}")
        if path == "/robots.txt":
            return self._robots(random) if random.random() < 1 / 3 else _MISSING
        maker = self._makers.get(path.split("/")[1])
        return maker(random) if maker is not None else _MISSING

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open[writer] = cast("asyncio.Task[None]", asyncio.current_task())
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            host = writer.get_extra_info("sockname")[0]
            writer.write(self.answer(request.split(b" ", 2)[1].decode("latin-1"), host))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client had enough, which is what we provoke
        finally:
            del self._open[writer]
            writer.close()


def said(body: bytes, content_type: str, status: str = "200 OK") -> bytes:
    """An honest answer with this body."""
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode("utf-8", "replace") + body


_MISSING = said(b"", "text/plain", "404 Not Found")
