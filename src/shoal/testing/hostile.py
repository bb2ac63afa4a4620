"""How does a crawler fare among villains? A server on loopback that does every evil we know, each at its own path.

    async with HostileServer() as server:
        await fetcher.fetch(Task(id=1, url=server.url("gzip-bomb")))
        assert server.log[-1].path == "/gzip-bomb"

The index page links to every evil, so that a whole crawl can run over it; `evils.EVILS` says what each must give.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self, cast

from shoal.testing.evils import EVILS, ROBOTS, RobotsVariant, Wire, page


@dataclass(frozen=True, kw_only=True)
class EvilRequest:
    """One line of the server's access log."""

    path: str
    time: float


class HostileServer:
    """Serves every evil on 127.0.0.1; use it as an async context manager."""

    def __init__(self, robots: RobotsVariant = "ok") -> None:
        self.robots: RobotsVariant = robots
        self.log: list[EvilRequest] = []
        """Every request, in the order received; only the server writes here."""
        self.connections = 0
        """How many connections were ever made."""
        self._stopped = asyncio.Event()
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}
        """The connections and the tasks that serve them; each task takes itself out."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve_connection, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        await asyncio.gather(*self._open.values())
        await self._server.wait_closed()

    def url(self, name: str = "") -> str:
        """The address of an evil; of the index page without a name."""
        return f"http://127.0.0.1:{self.port}/{name}"

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open[writer] = cast("asyncio.Task[None]", asyncio.current_task())
        try:
            while await self._serve_request(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client had enough, which is what we provoke
        finally:
            del self._open[writer]
            writer.close()

    async def _serve_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection is spent."""
        request = await reader.readuntil(b"\r\n\r\n")
        path = request.split(b" ", 2)[1].decode("latin-1")
        self.log.append(EvilRequest(path=path, time=time.time()))
        wire = Wire(writer=writer, path=path, stopped=self._stopped)
        name = path.split("/")[1]
        if evil := EVILS.get(name):
            await evil.serve(wire)
            return not evil.closes
        if path == "/robots.txt":
            await ROBOTS[self.robots](wire)
        elif path == "/":
            await wire.send(index_page())
        else:  # the leaves of many-links, and whatever a parser makes of broken pages
            await wire.send(page(b"nothing here", status="404 Not Found"))
        return True


def index_page() -> bytes:
    """A page that links to every evil."""
    links = "\n".join(f'<li><a href="/{name}">{evil.what}</a>' for name, evil in EVILS.items())
    return page(f"<title>A hostile server</title><h1>一个恶意的服务器</h1><ul>{links}</ul>".encode())
