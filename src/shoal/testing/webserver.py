"""What does a crawl really ask for? A web of many hosts on one loopback port, which writes down every request.

It answers as a plain server (by the Host header) and as an HTTP proxy (`GET http://host/path`), so that a crawler with
`--proxy http://127.0.0.1:PORT` crawls names that exist nowhere else. Raw asyncio instead of a framework: the crawler
under test shares the processor with it.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TextIO, cast

import msgspec

MAX_HEAD = 64 * 2**10
"""Bytes of a request before its empty line; more is answered with 431."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAnswer:
    """What a host says to one request."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    """Without Content-Length and Connection, which the server adds."""
    body: bytes = b""
    delay: float = 0.0
    """Seconds to wait before answering."""


NO_TLS = "There is no TLS here: ask for http:// instead of https://, and you get the same pages."
"""To those who want a tunnel through the proxy."""
NOT_FOUND = WebAnswer(status=404, headers=(("Content-Type", "text/plain"),), body=b"There is no such page.")


class ServedWeb(Protocol):
    """All that the server needs to know of a web."""

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """The answer to `target` (path and query) on `host`, which is this host's `nth` request, from 1."""


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the access log; times are seconds since the epoch."""

    host: str
    path: str
    """With its query."""
    started: float
    """When the request had arrived completely."""
    ended: float
    """When the answer was handed to the network, or the client left."""
    status: int
    """0 when the client left before the answer."""


def read_log(path: Path) -> list[Access]:
    """The access log that a server, perhaps in another process, has written so far."""
    return [msgspec.json.decode(line, type=Access) for line in path.read_bytes().splitlines()]


class WebServer:
    """Serves a web on loopback while its `async with` block lasts."""

    def __init__(self, web: ServedWeb, *, port: int = 0, log: Path | None = None) -> None:
        self.web = web
        self.port = port
        """The real port once the block is entered."""
        # Changed by this object only, between two turns of the event loop.
        self.log: list[Access] = []
        self._asked: Counter[str] = Counter()
        self._connections: set[_Connection] = set()
        self._log_path = log
        self._log_file: TextIO | None = None
        self._server: asyncio.Server | None = None

    @property
    def proxy(self) -> str:
        """What to give a crawler as its proxy."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def open_requests(self) -> int:
        """Requests that wait for their delayed answer."""
        return sum(connection.waiting for connection in self._connections)

    async def __aenter__(self) -> Self:
        if self._log_path:
            # Line buffered: each line reaches the file before the next request, whatever happens to this process.
            self._log_file = self._log_path.open("a", buffering=1, encoding="utf-8")
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self._connections):
            connection.abort()
        await self._server.wait_closed()
        # The connections hear of their end in the next turn of the loop, and write it to the log.
        await asyncio.sleep(0)
        if self._log_file:
            self._log_file.close()

    def _opened(self, connection: _Connection) -> None:
        self._connections.add(connection)

    def _closed(self, connection: _Connection) -> None:
        self._connections.discard(connection)

    def _answer(self, host: str, target: str) -> WebAnswer:
        self._asked[host] += 1
        return self.web.answer(host, target, self._asked[host])

    def _record(self, access: Access) -> None:
        self.log.append(access)
        if self._log_file:
            self._log_file.write(msgspec.json.encode(access).decode() + "\n")


class _Connection(asyncio.Protocol):
    """One client's connection: requests are answered one after the other, in their order."""

    def __init__(self, server: WebServer) -> None:
        self._server = server
        self._received = bytearray()
        self._transport: asyncio.Transport
        self._waiting: tuple[_Exchange, asyncio.TimerHandle] | None = None
        """The request whose answer is delayed, if there is one."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._server._opened(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._server._closed(self)
        if self._waiting:
            exchange, timer = self._waiting
            timer.cancel()
            self._server._record(exchange.over(status=0))

    @property
    def waiting(self) -> bool:
        return self._waiting is not None

    def abort(self) -> None:
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._read()

    def _read(self) -> None:
        while self._waiting is None and not self._transport.is_closing():
            end = self._received.find(b"\r\n\r\n")
            if end < 0:
                if len(self._received) > MAX_HEAD:
                    self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
                return
            head = self._received[:end].decode("latin-1")
            del self._received[: end + 4]
            self._take(head)

    def _take(self, head: str) -> None:
        """Answer one request, now or after the delay of its answer."""
        request = _understand(head, self._server.port)
        if isinstance(request, HTTPStatus):
            self._refuse(request)
            return
        started = time.time()
        exchange = _Exchange(request, self._server._answer(request.host, request.target), started)
        if exchange.answer.delay <= 0:
            self._send(exchange)
        else:
            timer = asyncio.get_running_loop().call_later(exchange.answer.delay, self._send_late, exchange)
            self._waiting = exchange, timer

    def _send_late(self, exchange: _Exchange) -> None:
        self._waiting = None
        self._send(exchange)
        self._read()

    def _send(self, exchange: _Exchange) -> None:
        # First the log: whoever has the answer can read of it.
        self._server._record(exchange.over(status=exchange.answer.status))
        self._transport.write(_serialise(exchange.answer, exchange.request))
        if not exchange.request.keep_alive:
            self._transport.close()

    def _refuse(self, status: HTTPStatus) -> None:
        """What is not a GET or HEAD for a host is answered, not logged, and ends the connection."""
        body = NO_TLS if status is HTTPStatus.NOT_IMPLEMENTED else ""
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain\r\n"
        self._transport.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        self._transport.close()


@dataclass(frozen=True, slots=True)
class _Request:
    host: str
    target: str
    bodiless: bool
    keep_alive: bool


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A request and its answer, from arrival to the log."""

    request: _Request
    answer: WebAnswer
    started: float

    def over(self, *, status: int) -> Access:
        return Access(
            host=self.request.host, path=self.request.target, started=self.started, ended=time.time(), status=status
        )


def _understand(head: str, own_port: int) -> _Request | HTTPStatus:
    """The request, or the status that refuses it."""
    request_line, _, header_lines = head.partition("\r\n")
    parts = request_line.split(" ")
    if len(parts) != 3:
        return HTTPStatus.BAD_REQUEST
    method, target, version = parts
    if method == "CONNECT":
        return HTTPStatus.NOT_IMPLEMENTED
    if method not in ("GET", "HEAD"):
        return HTTPStatus.METHOD_NOT_ALLOWED
    headers = dict(_headers(header_lines))
    if target.startswith("http://"):
        host, _, rest = target.removeprefix("http://").partition("/")
        target = "/" + rest
    else:
        host = headers.get("host", "")
    if not host or not target.startswith("/"):
        return HTTPStatus.BAD_REQUEST
    connection = (headers.get("proxy-connection") or headers.get("connection", "")).lower()
    keep_alive = connection != "close" if version == "HTTP/1.1" else connection == "keep-alive"
    return _Request(_site_of(host, own_port), target, method == "HEAD", keep_alive)


def _headers(lines: str) -> list[tuple[str, str]]:
    pairs = (line.partition(":") for line in lines.split("\r\n") if line)
    return [(name.strip().lower(), value.strip()) for name, _, value in pairs]


def _site_of(host: str, own_port: int) -> str:
    """The name of the site: pages are written down without the port, which nobody knows before the server runs."""
    return host.lower().removesuffix(":80").removesuffix(f":{own_port}")


def _serialise(answer: WebAnswer, request: _Request) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {_phrase(answer.status)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    lines += [
        f"Content-Length: {len(answer.body)}",
        f"Connection: {'keep-alive' if request.keep_alive else 'close'}",
        "\r\n",
    ]
    head = "\r\n".join(lines).encode("latin-1")
    return head if request.bodiless else head + answer.body


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # a test may invent its own status
        return "Unknown"


class SimpleWeb:
    """A web written down in a test: `SimpleWeb().page("http://a.test/", "words", links=["/b"]).redirect(...)`."""

    def __init__(self) -> None:
        # Filled by the test before the crawl, read by the server during it.
        self._answers: dict[str, WebAnswer] = {}
        self._refusals: dict[str, tuple[int, WebAnswer]] = {}

    def page(
        self,
        url: str,
        text: str = "",
        *,
        links: Sequence[str] = (),
        title: str = "",
        delay: float = 0.0,
        head: str = "",
    ) -> Self:
        """An HTML page; each link's anchor text is its own address. `head` is put into the head as it is."""
        anchors = "".join(f'<li><a href="{escape(link)}">{escape(link)}</a></li>' for link in links)
        html = (
            f'<!doctype html><html><head><meta charset="utf-8"><title>{escape(title or url)}</title>{head}</head>'
            f"<body><main><p>{escape(text)}</p></main><ul>{anchors}</ul></body></html>"
        )
        return self.raw(url, html.encode(), content_type="text/html; charset=utf-8", delay=delay)

    def redirect(self, url: str, target: str, status: int = 301) -> Self:
        """An address that sends its visitors elsewhere."""
        return self.answering(url, WebAnswer(status=status, headers=(("Location", target),)))

    def robots(self, host: str, text: str, status: int = 200) -> Self:
        """The robots.txt of a host; a host without one answers 404."""
        headers = (("Content-Type", "text/plain; charset=utf-8"),)
        return self.answering(
            f"http://{host}/robots.txt", WebAnswer(status=status, headers=headers, body=text.encode())
        )

    def raw(
        self, url: str, body: bytes, *, content_type: str = "text/html", status: int = 200, delay: float = 0.0
    ) -> Self:
        """Exactly these bytes."""
        return self.answering(
            url, WebAnswer(status=status, headers=(("Content-Type", content_type),), body=body, delay=delay)
        )

    def answering(self, url: str, answer: WebAnswer) -> Self:
        """Anything else that a server may say."""
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        assert scheme == "http", f"{url}: this server speaks plain http"
        self._answers[f"{host}/{path}"] = answer
        return self

    def refusing(self, host: str, first: int, *, status: int = 429, retry_after: int = 1) -> Self:
        """A host that refuses its first so many requests, robots.txt not counted among the refused."""
        self._refusals[host] = first, WebAnswer(status=status, headers=(("Retry-After", str(retry_after)),))
        return self

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """What was written down for this address, else 404."""
        first, refusal = self._refusals.get(host, (0, NOT_FOUND))
        if nth <= first and target != "/robots.txt":
            return refusal
        return self._answers.get(host + target, NOT_FOUND)
