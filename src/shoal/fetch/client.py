"""What does the server say? One request, one answer, whatever the server does.

Every limit is held here: time, header size, body size after decompression, and the address that is connected to
(`fetch/addresses.py`). Everything that goes wrong becomes a `Failure` (`fetch/failures.py`), and whatever a server says becomes
text that can be stored and shown (`printable.legible`): `Exchange` makes all that leaves this file.
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Self
from urllib.parse import quote

import aiohttp
from yarl import URL

from shoal import urls
from shoal.fetch.addresses import AddressGuard, CachingResolver, Lookup, ask_system
from shoal.fetch.failures import explain, is_known
from shoal.internal_errors import failure_of
from shoal.model import Failure, Reason, Redirect, Response, Task, Timing
from shoal.printable import legible
from shoal.settings import Fetching
from shoal.steady_clock import evenly, seconds_up

ROBOTS_LIMIT = 500 * 2**10
"""RFC 9309 lets a crawler stop reading a robots.txt here."""
MAX_RETRY_AFTER = 24 * 3600.0
"""Seconds; a host that asks for more is asked again tomorrow all the same."""
_MAX_HEADERS = 256
_MAX_HEADER_BYTES = 64 * 2**10
"""Of all headers together: more than any honest server sends, so that nobody need change it."""
_MAX_PHRASE = 160
_LONGEST_DATE = 100
_MAX_VALIDATOR = 1000
"""Characters of an ETag or a date that are sent back to where they come from; more would be refused."""
_DRAIN_BYTES = 64 * 2**10
_DRAIN_SECONDS = 2.0
"""An unwanted body up to this size is read, because a new connection costs more."""

_KEEP_ALIVE = 4.0
"""Many servers close an idle connection after five seconds; a request sent just then would be lost."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEALING = frozenset({408, 425, 429, 500, 502, 503, 504})
_TEXT_TYPES = frozenset({"", "application/xml", "application/json"})
_ACCEPT_IMAGES = "image/avif,image/webp,image/png,image/jpeg,image/*;q=0.8,*/*;q=0.1"
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.8,*/*;q=0.1"

_peer: ContextVar[str] = ContextVar("_peer", default="")
"""The address of the connection this fetch uses. aiohttp lets go of the connection before it returns a short answer, and
a failed request has no answer object at all; so the address is left here on the way."""


class _Answer(aiohttp.ClientResponse):
    """An answer that notes where it comes from."""

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        if connection.transport is not None:
            _peer.set(connection.transport.get_extra_info("peername", ("",))[0])
        return await super().start(connection)


class HttpFetcher:
    """Asks web servers over HTTP/1.1 with kept-alive connections, directly or through a proxy.

    Use it as `async with HttpFetcher(settings) as fetcher`. A cancelled fetch closes its connection.
    """

    def __init__(
        self,
        settings: Fetching,
        *,
        lookup: Lookup = ask_system,
        clock: Callable[[], float] | None = None,
        wanted: Callable[[str], bool] | None = None,
        resolver: CachingResolver | None = None,
    ) -> None:
        """`wanted` decides by its Content-Type whether the body of a page is downloaded; a crawl wants text only (`is_text`).

        A `resolver` that others use too is not closed here; without one, names are looked up by `lookup`.
        """
        self._settings = settings
        self._shared_resolver = resolver
        self._wanted = wanted or is_text
        self._guard = AddressGuard(settings.allow_private)
        self._lookup = lookup
        self._clock = clock

    async def __aenter__(self) -> Self:
        settings = self._settings
        # aiohttp may repeat the URL of the proxy in what it complains of: so that has no password.
        proxy, *login = urls.login_of(settings.proxy)
        self._login = None
        if any(login):  # aiohttp sends it to nobody but the proxy
            self._login = {"Authorization": "Basic " + b64encode(":".join(login).encode()).decode()}
        self._resolver = self._shared_resolver or CachingResolver(self._lookup, threads=threads_for(settings))
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=settings.concurrency,
                limit_per_host=0,
                resolver=self._resolver,
                use_dns_cache=False,
                keepalive_timeout=_KEEP_ALIVE,
                # Through a proxy every socket goes to the proxy, which the operator trusts.
                socket_factory=None if settings.proxy else self._guard.open_socket,
            ),
            timeout=aiohttp.ClientTimeout(
                total=settings.total_timeout, connect=settings.connect_timeout, sock_read=settings.answer_timeout
            ),
            headers=request_headers(settings),
            cookie_jar=aiohttp.DummyCookieJar(),
            response_class=_Answer,
            proxy=proxy or None,
            trust_env=False,
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
            max_headers=_MAX_HEADERS,
        )
        # One fetch is one request: aiohttp would silently repeat it when a kept-alive connection breaks, and the host
        # would be asked twice without the pause it was promised. There is no public switch.
        self._session._retry_connection = False
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        if self._resolver is not self._shared_resolver:
            await self._resolver.close()

    async def fetch(self, task: Task) -> Response | Redirect | Failure:
        """One request, no redirect followed; whatever the server does comes back as a value."""
        # The computer's clock at this moment; if it is set during the request, the times of that stay in order.
        clock = self._clock or evenly(time.time, seconds_up)
        exchange = Exchange(task, self._settings, clock, self._wanted)
        try:
            async with self._session.get(
                URL(task.url, encoded=True), headers=_headers(task), allow_redirects=False, proxy_headers=self._login
            ) as answer:
                return await exchange.understand(answer)
        except Exception as error:  # whatever it is, it is the problem of this one URL
            return exchange.failed(error) if is_known(error) else failure_of(error, task.url, exchange.timing())


def threads_for(settings: Fetching) -> int:
    """How many names are looked up at once: a dead name server holds each for long."""
    return min(settings.concurrency, 128)


def request_headers(settings: Fetching) -> dict[str, str]:
    """What we tell every server about ourselves."""
    agent = f"{settings.user_agent} (+{settings.contact})" if settings.contact else settings.user_agent
    headers = {"User-Agent": agent, "Accept": _ACCEPT, "Accept-Encoding": "gzip, deflate, br, zstd"}
    if settings.languages:
        weights = [f"{language};q={max(0.2, 1 - 0.2 * i):.1f}" for i, language in enumerate(settings.languages)]
        weights[0] = settings.languages[0]
        headers["Accept-Language"] = ",".join([*weights, "*;q=0.1"])
    return headers


def _headers(task: Task) -> dict[str, str] | None:
    """What this request says beside what all say."""
    if task.kind == "image":
        return {"Accept": _ACCEPT_IMAGES, "Referer": task.referrer}
    if not (task.etag or task.last_modified):
        return None
    wanted = {"If-None-Match": task.etag, "If-Modified-Since": task.last_modified}
    return {name: value for name, value in wanted.items() if value and _can_be_sent(value)}


def _can_be_sent(value: str) -> bool:
    return len(value) <= _MAX_VALIDATOR and value.isascii() and value.isprintable()


class Exchange:
    """One request and its answer; lives as long as one `fetch`."""

    __slots__ = ("answered", "clock", "settings", "started", "task", "wanted")

    def __init__(
        self, task: Task, settings: Fetching, clock: Callable[[], float], wanted: Callable[[str], bool]
    ) -> None:
        self.task = task
        self.settings = settings
        self.clock = clock
        self.wanted = wanted
        self.started = clock()
        self.answered = 0.0
        _peer.set("")

    async def understand(self, answer: aiohttp.ClientResponse) -> Response | Redirect | Failure:
        """Sort an answer by its status."""
        self.answered = self.clock()
        if sum(len(name) + len(value) for name, value in answer.raw_headers) > _MAX_HEADER_BYTES:
            return self.failure(Reason.HEADERS_TOO_LARGE, "The headers are too large.", answer.status)
        if 200 <= answer.status <= 299:
            return await self.read(answer)
        await _drain(answer)
        if answer.status in REDIRECTS:
            return self.moved(answer)
        if answer.status == 304:
            return self.failure(Reason.UNCHANGED, "The page has not changed since the last visit.", 304)
        return self.failure(
            Reason.STATUS,
            f"The server answered {answer.status} {legible(answer.reason or '')[:_MAX_PHRASE]}".rstrip() + ".",
            answer.status,
            heals=answer.status in _HEALING,
            retry_after=_retry_after(answer.headers.get("Retry-After", ""), self.answered),
        )

    async def read(self, answer: aiohttp.ClientResponse) -> Response:
        """Take the body, as far as it is wanted."""
        body, truncated = b"", False
        if self.task.kind == "robots":
            body, truncated = await _read_body(answer.content, ROBOTS_LIMIT)
        elif self.task.kind == "image":
            # Some servers call their images anything but text.
            if not is_text(answer.headers.get("Content-Type", "image/")):
                body, truncated = await _read_body(answer.content, self.settings.max_image)
        elif self.wanted(answer.headers.get("Content-Type", "")):
            body, truncated = await _read_body(answer.content, self.settings.max_body)
        return Response(
            url=self.task.url,
            status=answer.status,
            headers=tuple((legible(name).lower(), legible(value)) for name, value in answer.raw_headers),
            body=body,
            truncated=truncated,
            timing=self.timing(),
        )

    def moved(self, answer: aiohttp.ClientResponse) -> Redirect | Failure:
        location = next((value for name, value in answer.raw_headers if name.lower() == b"location"), b"")
        if not location:
            return self.failure(Reason.BAD_REDIRECT, "The redirect does not say where to.", answer.status)
        # Bytes beyond ASCII are escaped one by one as browsers do, so a path in GBK arrives as it was sent.
        text = location.decode("ascii") if location.isascii() else quote(location, safe=_ASCII)
        target = urls.normalise(text, self.task.url)
        if target is None:
            return self.failure(
                Reason.BAD_REDIRECT, f"The redirect leads to {text[:200]!r}, which cannot be fetched.", answer.status
            )
        return Redirect(url=self.task.url, status=answer.status, target=target, timing=self.timing())

    def failed(self, error: BaseException) -> Failure:
        """The exchange broke down."""
        trouble = explain(error, self.settings)
        return self.failure(trouble.reason, trouble.detail, heals=trouble.heals)

    def failure(
        self, reason: Reason, detail: str, status: int = 0, *, heals: bool = False, retry_after: float | None = None
    ) -> Failure:
        return Failure(
            url=self.task.url,
            reason=reason,
            detail=legible(detail),
            status=status,
            heals=heals,
            retry_after=retry_after,
            timing=self.timing(),
        )

    def timing(self) -> Timing:
        now = self.clock()
        address = "" if self.settings.proxy else _peer.get()
        return Timing(started=self.started, answered=self.answered or now, ended=now, address=address)


_ASCII = "".join(map(chr, range(128)))


def is_text(content_type: str) -> bool:
    """True for types worth downloading; an answer without a type counts as text."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith(("+xml", "+json"))


async def _read_body(content: aiohttp.StreamReader, limit: int) -> tuple[bytes, bool]:
    """The body up to `limit`, and whether there was more. aiohttp unpacks at most a buffer ahead: bombs stay small."""
    parts: list[bytes] = []
    size = 0
    while size <= limit and (part := await content.readany()):
        parts.append(part)
        size += len(part)
    body = parts[0] if len(parts) == 1 else b"".join(parts)
    return (body[:limit], True) if size > limit else (body, False)


async def _drain(answer: aiohttp.ClientResponse) -> None:
    """Read a small unwanted body, so that the connection can be used again; otherwise it is closed."""
    if answer.content.at_eof() or (answer.content_length or _DRAIN_BYTES) > _DRAIN_BYTES:
        return
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            await _read_body(answer.content, _DRAIN_BYTES)
    except Exception:  # whatever is wrong with a body that nobody wants
        answer.close()  # the answer is known already; only the connection is lost


def _retry_after(text: str, now: float) -> float | None:
    """Seconds from now, for both forms of the header; None when there is none or it says nothing."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), MAX_RETRY_AFTER)
    if len(text) > _LONGEST_DATE:
        return None
    try:
        date = parsedate_to_datetime(text)
        # A date without a zone is one of Greenwich: all dates of HTTP are.
        wanted = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now
    # The standard library is not strict about what it raises.
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(wanted, 0.0), MAX_RETRY_AFTER)
