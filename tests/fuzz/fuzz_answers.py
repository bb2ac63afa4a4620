"""HTTP answers, over a real socket: whatever comes, there is a value whose every text can be stored, sent and printed."""

from __future__ import annotations

import asyncio
import atexit
from functools import cache

from shoal.fetch.client import HttpFetcher
from shoal.model import Failure, Redirect, Response, Task
from shoal.settings import Fetching
from shoal.testing.fuzz.answers import http_answer
from tests.fetch.harmless import assert_harmless
from tests.fuzz.target import Target

_SETTINGS = Fetching(
    allow_private=("127.0.0.1/32",), connect_timeout=5.0, answer_timeout=1.0, total_timeout=2.0, max_body=2**20
)
_KINDS = ("page", "robots", "image")


class Bench:
    """A server that says what it is told to, and a fetcher that asks it; both on an event loop that only this class uses."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._said = b""
        self._fetcher = HttpFetcher(_SETTINGS)
        self._open: set[asyncio.StreamWriter] = set()
        self._server = self._loop.run_until_complete(self._start())
        atexit.register(self._close)

    def ask(self, said: bytes) -> Response | Redirect | Failure:
        """What a fetch makes of these bytes."""
        self._said = said
        port = self._server.sockets[0].getsockname()[1]
        kind = _KINDS[len(said) % len(_KINDS)]
        task = Task(id=1, url=f"http://127.0.0.1:{port}/p", kind=kind)  # type: ignore[arg-type]
        return self._loop.run_until_complete(self._fetcher.fetch(task))

    async def _start(self) -> asyncio.Server:
        await self._fetcher.__aenter__()
        return await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(self._said)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            return  # the client has heard enough
        finally:
            writer.close()
            self._open.discard(writer)

    def _close(self) -> None:
        self._loop.run_until_complete(self._end())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _end(self) -> None:
        await self._fetcher.__aexit__(None, None, None)
        self._server.close()
        for writer in list(self._open):
            writer.transport.abort()
        await self._server.wait_closed()
        await asyncio.sleep(0)


@cache
def _bench() -> Bench:
    return Bench()


def _check(data: bytes) -> None:
    result = _bench().ask(data)
    assert_harmless(result)
    if isinstance(result, Response):
        assert len(result.body) <= max(_SETTINGS.max_body, _SETTINGS.max_image)
        assert 200 <= result.status <= 299
    if isinstance(result, Failure):
        assert result.detail.endswith(".")
        assert len(result.detail) < 400
        assert result.retry_after is None or 0 <= result.retry_after <= 86_400


TARGETS = (Target(name="answers", make=http_answer, check=_check, runs=2000, megabytes=100),)
