"""What can a bad server do? Every evil we know, with what a fetch of it must give.

Bytes are written by hand, because an HTTP framework would not let us break the rules.
"""

from __future__ import annotations

import asyncio
import gzip
import random
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from shoal.model import Reason

Outcome = Reason | Literal["page", "redirect"]
RobotsVariant = Literal["ok", "missing", "huge", "html", "error", "hang"]
_HTML = "Content-Type: text/html; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class Wire:
    """What an evil plays with: the connection, the path asked for, and the moment the server stops."""

    writer: asyncio.StreamWriter
    path: str
    stopped: asyncio.Event

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def repeat(self, data: bytes, pause: float = 0.0) -> None:
        """Send the same for ever, or until the other side or the server has enough."""
        while not self.stopped.is_set():
            await self.send(data)
            await asyncio.sleep(pause)

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        raw = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Serve = Callable[[Wire], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Evil:
    """One way to be a bad server."""

    what: str
    outcome: Outcome
    """What one fetch gives, redirects not followed."""
    serve: Serve
    closes: bool = False
    """True when the server then closes the connection, without having said so."""


# --- building blocks -------------------------------------------------------------------------------------------------


def head(*headers: str, status: str = "200 OK") -> bytes:
    """The first lines of an answer; nothing is added that is not asked for."""
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode("latin-1")


def page(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """An honest answer with its right length."""
    return head(*(headers or (_HTML,)), f"Content-Length: {len(body)}", status=status) + body


def _says(data: bytes | Callable[[], bytes]) -> Serve:
    """Send some bytes; given as a function when they are too large to build at import."""

    async def serve(wire: Wire) -> None:
        await wire.send(data if isinstance(data, bytes) else data())

    return serve


def _then_hangs(data: bytes) -> Serve:
    async def serve(wire: Wire) -> None:
        await wire.send(data)
        await wire.stopped.wait()

    return serve


def _then_repeats(data: bytes, again: bytes, pause: float = 0.0) -> Serve:
    async def serve(wire: Wire) -> None:
        await wire.send(data)
        await wire.repeat(again, pause)

    return serve


def _then_resets(data: bytes) -> Serve:
    async def serve(wire: Wire) -> None:
        await wire.send(data)
        await asyncio.sleep(0.05)  # a reset overtakes data that was not yet read
        wire.reset()

    return serve


def _leads_to(location: str) -> Serve:
    return _says(head(f"Location: {location}", "Content-Length: 0", status="302 Found"))


async def _redirect_chain(wire: Wire) -> None:
    """50 hops, then a page."""
    hop = int(wire.path.rpartition("/")[2]) if wire.path.count("/") > 1 else 0
    if hop < 50:
        await _leads_to(f"/redirect-chain/{hop + 1}")(wire)
    else:
        await wire.send(page(b"<p>You have come a long way."))


@cache
def _gzip_bomb() -> bytes:
    """1 GiB of zeros in about 1 MiB: one block, flushed so that it can be repeated without compressing it again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(b"<html>") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return page(start + block * 1024, _HTML, "Content-Encoding: gzip")


def _garbage() -> bytes:
    return random.Random(7).randbytes(5000).replace(b"H", b"h")


def _corrupt_gzip() -> bytes:
    good = bytearray(gzip.compress(random.Random(7).randbytes(20_000), mtime=0))
    good[5000:5100] = bytes(100)
    return page(bytes(good), _HTML, "Content-Encoding: gzip")


def _many_links() -> bytes:
    return page(b"".join(b'<a href="/leaf/%d">link %d</a>\n' % (i, i) for i in range(100_000)))


def _deep() -> bytes:
    return page(b"<div>" * 100_000 + b"bottom" + b"</div>" * 100_000)


def _many_headers() -> bytes:
    return page(b"x", *(f"X-Header-{i}: {i}" for i in range(10_000)))


# --- the list --------------------------------------------------------------------------------------------------------

_TEXT = "<title>页面</title><p>Some honest words, 一些真话.".encode()

EVILS: dict[str, Evil] = {
    "hang": Evil(what="never answers", outcome=Reason.TIMEOUT, serve=_then_hangs(b"")),
    "hang-in-headers": Evil(
        what="stops in the middle of the headers", outcome=Reason.TIMEOUT, serve=_then_hangs(b"HTTP/1.1 200 OK\r\nA: b")
    ),
    "hang-in-body": Evil(
        what="stops in the middle of the body",
        outcome=Reason.TIMEOUT,
        serve=_then_hangs(head(_HTML, "Content-Length: 1000") + b"<p>half"),
    ),
    "slow-drip": Evil(
        what="sends a byte now and then, for ever",
        outcome=Reason.TIMEOUT,
        serve=_then_repeats(head(_HTML), b".", pause=0.05),
    ),
    "slow-headers": Evil(
        what="sends a header byte now and then, for ever",
        outcome=Reason.TIMEOUT,
        serve=_then_repeats(b"HTTP/1.1 200 OK\r\nX: ", b"x", pause=0.05),
    ),
    "endless-100": Evil(
        what="says 100 Continue for ever",
        outcome=Reason.TIMEOUT,
        serve=_then_repeats(b"", head(status="100 Continue"), pause=0.01),
    ),
    "close": Evil(what="closes without an answer", outcome=Reason.RESET, serve=_says(b""), closes=True),
    "reset": Evil(what="resets without an answer", outcome=Reason.RESET, serve=_then_resets(b""), closes=True),
    "reset-in-body": Evil(
        what="resets in the middle of the body",
        outcome=Reason.RESET,
        serve=_then_resets(head(_HTML, "Content-Length: 1000") + b"<p>half"),
        closes=True,
    ),
    "truncated": Evil(
        what="sends less than its Content-Length",
        outcome=Reason.TRUNCATED,
        serve=_says(head(_HTML, "Content-Length: 1000") + _TEXT),
        closes=True,
    ),
    "truncated-chunks": Evil(
        what="ends without the last chunk",
        outcome=Reason.TRUNCATED,
        serve=_says(head(_HTML, "Transfer-Encoding: chunked") + b"5\r\nhello\r\n"),
        closes=True,
    ),
    "over-long": Evil(
        what="sends more than its Content-Length",
        outcome=Reason.PROTOCOL,
        serve=_says(head(_HTML, f"Content-Length: {len(_TEXT)}") + _TEXT + b"and much more" * 1000),
        closes=True,
    ),
    "negative-length": Evil(
        what="Content-Length: -5",
        outcome=Reason.PROTOCOL,
        serve=_says(head(_HTML, "Content-Length: -5") + _TEXT),
        closes=True,
    ),
    "garbage-length": Evil(
        what="Content-Length: many",
        outcome=Reason.PROTOCOL,
        serve=_says(head(_HTML, "Content-Length: many") + _TEXT),
        closes=True,
    ),
    "two-lengths": Evil(
        what="two different Content-Lengths",
        outcome=Reason.PROTOCOL,
        serve=_says(head(_HTML, "Content-Length: 5", "Content-Length: 7") + _TEXT),
        closes=True,
    ),
    "bad-chunks": Evil(
        what="chunk sizes that are not numbers",
        outcome=Reason.PROTOCOL,
        serve=_says(head(_HTML, "Transfer-Encoding: chunked") + b"zz\r\nhello\r\n0\r\n\r\n"),
        closes=True,
    ),
    "gzip-bomb": Evil(what="1 MiB that unpacks to 1 GiB", outcome="page", serve=_says(_gzip_bomb)),
    "corrupt-gzip": Evil(what="gzip with a hole", outcome=Reason.PROTOCOL, serve=_says(_corrupt_gzip)),
    "not-gzip": Evil(
        what="says gzip and is not", outcome=Reason.PROTOCOL, serve=_says(page(_TEXT, _HTML, "Content-Encoding: gzip"))
    ),
    "unknown-encoding": Evil(
        what="a Content-Encoding nobody knows",
        outcome="page",
        serve=_says(page(_TEXT, _HTML, "Content-Encoding: utf-8")),
    ),
    "endless": Evil(what="a body without end", outcome="page", serve=_then_repeats(head(_HTML), b"all work " * 10_000)),
    "endless-chunks": Evil(
        what="chunks without end",
        outcome="page",
        serve=_then_repeats(head(_HTML, "Transfer-Encoding: chunked"), b"2710\r\n" + b"play no ma" * 1000 + b"\r\n"),
    ),
    "long-header": Evil(
        what="a header line of 1 MB",
        outcome=Reason.HEADERS_TOO_LARGE,
        serve=_says(lambda: page(_TEXT, _HTML, "X-Long: " + "x" * 1_000_000)),
        closes=True,
    ),
    "long-status": Evil(
        what="a status line of 1 MB",
        outcome=Reason.HEADERS_TOO_LARGE,
        serve=_says(lambda: page(_TEXT, status="200 " + "O" * 1_000_000)),
        closes=True,
    ),
    "many-headers": Evil(
        what="10,000 headers", outcome=Reason.HEADERS_TOO_LARGE, serve=_says(_many_headers), closes=True
    ),
    "endless-headers": Evil(
        what="headers without end",
        outcome=Reason.HEADERS_TOO_LARGE,
        serve=_then_repeats(b"HTTP/1.1 200 OK\r\n", b"X-Again: and again\r\n" * 50),
    ),
    "http-0.9": Evil(
        what="a body without any headers",
        outcome=Reason.PROTOCOL,
        serve=_says(b"<html>old times</html>"),
        closes=True,
    ),
    "garbage": Evil(what="random bytes", outcome=Reason.PROTOCOL, serve=_says(_garbage()), closes=True),
    "redirect-loop": Evil(what="leads to itself", outcome="redirect", serve=_leads_to("/redirect-loop")),
    "redirect-chain": Evil(what="leads on 50 times", outcome="redirect", serve=_redirect_chain),
    "redirect-nowhere": Evil(
        what="a redirect without a Location",
        outcome=Reason.BAD_REDIRECT,
        serve=_says(head("Content-Length: 0", status="302 Found")),
    ),
    **{
        f"redirect-to-{name}": Evil(what=f"leads to {target}", outcome="redirect", serve=_leads_to(target))
        for name, target in (
            ("loopback", "http://127.0.0.1:9/"),
            ("metadata", "http://169.254.169.254/latest/meta-data/"),
            ("loopback-6", "http://[::1]:9/"),
            ("mapped", "http://[::ffff:127.0.0.1]:9/"),
            ("private", "http://10.0.0.1/"),
            ("decimal", "http://2130706433:9/"),
        )
    },
    "redirect-to-file": Evil(
        what="leads to file:///etc/passwd", outcome=Reason.BAD_REDIRECT, serve=_leads_to("file:///etc/passwd")
    ),
    "redirect-to-script": Evil(
        what="leads to javascript:alert(1)", outcome=Reason.BAD_REDIRECT, serve=_leads_to("javascript:alert(1)")
    ),
    "bad-charset": Evil(
        what="a charset nobody knows",
        outcome="page",
        serve=_says(page(_TEXT, "Content-Type: text/html; charset=klingon")),
    ),
    "wrong-charset": Evil(
        what="says UTF-8 and is GBK", outcome="page", serve=_says(page("<p>电网调度与变电站".encode("gbk"), _HTML))
    ),
    "invalid-utf8": Evil(
        what="bytes that are no UTF-8", outcome="page", serve=_says(page(b"<p>\xff\xfe\xc3(\xa0\xa1", _HTML))
    ),
    "nul-bytes": Evil(
        what="NUL bytes in text and tags", outcome="page", serve=_says(page(b"<p\x00>a\x00b<a href='\x00'>"))
    ),
    "many-links": Evil(what="100,000 links", outcome="page", serve=_says(_many_links)),
    "deep": Evil(what="tags 100,000 deep", outcome="page", serve=_says(_deep)),
    "html-as-image": Evil(
        what="HTML labelled as an image", outcome="page", serve=_says(page(_TEXT, "Content-Type: image/png"))
    ),
    "image-as-html": Evil(
        what="an image labelled as HTML", outcome="page", serve=_says(page(b"\x89PNG\r\n\x1a\n" + _garbage()))
    ),
    "empty": Evil(what="an empty page", outcome="page", serve=_says(page(b""))),
    "no-content": Evil(what="204 No Content", outcome="page", serve=_says(head(status="204 No Content"))),
    "early-hints": Evil(
        what="100 and 103 before the answer",
        outcome="page",
        serve=_says(head(status="100 Continue") + head("Link: </x>", status="103 Early Hints") + page(_TEXT)),
    ),
    "status-999": Evil(what="a status nobody knows", outcome=Reason.STATUS, serve=_says(page(_TEXT, status="999 No"))),
    "error-without-end": Evil(
        what="a 500 with a body without end",
        outcome=Reason.STATUS,
        serve=_then_repeats(head(_HTML, status="500 Oops"), b"sorry " * 10_000),
    ),
    "error-that-hangs": Evil(
        what="a 404 whose body never comes",
        outcome=Reason.STATUS,
        serve=_then_hangs(head(_HTML, "Content-Length: 100", status="404 Not Found")),
    ),
}
"""Every evil by the first part of its path."""


# --- robots.txt ------------------------------------------------------------------------------------------------------

_RULES = b"User-agent: *\nDisallow: /forbidden\n"


@cache
def _huge_robots() -> bytes:
    return page(_RULES + b"Disallow: /padding/0123456789/0123456789\n" * 250_000, "Content-Type: text/plain")


ROBOTS: dict[RobotsVariant, Serve] = {
    "ok": _says(page(_RULES, "Content-Type: text/plain")),
    "missing": _says(page(b"nothing here", status="404 Not Found")),
    "huge": _says(_huge_robots),
    "html": _says(page(b"<!doctype html><html><body>User-agent: everybody is welcome<p>Disallow: nothing</html>")),
    "error": _says(page(b"oops", status="503 Service Unavailable")),
    "hang": _then_hangs(b""),
}
"""What the server may say to /robots.txt; `huge` is about 10 MB with its only real rule at the top."""
