"""A server that says exactly what a test wrote down, and keeps every request as it came."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


def answer(body: bytes = b"", *headers: str, status: str = "200 OK") -> bytes:
    """An honest HTTP answer."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


@dataclass
class Script:
    """What is served, and what was asked."""

    answers: Mapping[str, bytes]
    """By request target; anything else is a 404."""
    requests: list[str] = field(default_factory=list)
    connections: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the first request came."""
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client closed its connection."""
    port: int = 0
    pause: float = 0.0
    """Seconds between the head and the body of an answer, which then come in two packets."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.requests.append(request)
                self.asked.set()
                said = self.answers.get(request.split(" ")[1], answer(b"not here", status="404 Not Found"))
                head, blank, body = said.partition(b"\r\n\r\n")
                writer.write(head + blank)
                if self.pause:
                    await asyncio.sleep(self.pause)
                writer.write(body)
                await writer.drain()
                if b"connection: close" in said.lower():
                    break
        except (OSError, asyncio.IncompleteReadError):
            self.hung_up.set()
        finally:
            writer.close()


@asynccontextmanager
async def scripted(answers: Mapping[str, bytes], *, pause: float = 0.0) -> AsyncIterator[Script]:
    """Serve a script on loopback. Leave all clients before leaving this."""
    script = Script(answers, pause=pause)
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    script.port = server.sockets[0].getsockname()[1]
    try:
        yield script
    finally:
        server.close()
        await server.wait_closed()
