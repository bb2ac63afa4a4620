"""How does a web answer that is only a file? Through the same eyes as the real one: `fetch.client` understands the answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any, TypeVar, cast

from shoal.evaluate.offline_web import OfflineWeb
from shoal.fetch.client import REDIRECTS, Exchange, is_text
from shoal.model import Failure, Redirect, Response, Task
from shoal.settings import Fetching
from shoal.testing.webserver import NOT_FOUND, WebAnswer
from shoal.urls import host_of

_Done = TypeVar("_Done")
_TICKS = 1e5
"""Per second, far enough apart for `testing.clock`. No two answers come in the same tick, as on a real network: what comes at
one moment would be understood in an order that depends on how fast this computer is."""
_ANYBODY = Fetching()
"""Who asks makes no difference to where an answer sends us."""


class OfflineFetcher:
    """Asks an offline web, whose every answer takes `latency` seconds of the clock, or longer where the web says so.

    Implements `protocols.Fetcher`, for one run. Waiting is `asyncio.sleep`, so the clock should be that of the event loop.
    """

    def __init__(self, web: OfflineWeb, settings: Fetching, clock: Callable[[], float], latency: float) -> None:
        self.requests = 0
        self._web = web
        self._settings = settings
        self._clock = clock
        self._latency = latency
        self._asked: Counter[str] = Counter()
        self._taken: set[int] = set()
        """The ticks at which answers will come."""

    async def fetch(self, task: Task) -> Response | Redirect | Failure:
        """One request, no redirect followed; what was not recorded is a 404."""
        self.requests += 1
        host = host_of(task.url)
        self._asked[host] += 1
        answer = self._web.answer(task.url, self._asked[host]) or NOT_FOUND
        exchange = Exchange(task, self._settings, self._clock, is_text)
        await self._wait(max(self._latency, answer.delay))
        # It has all that is asked of an answer of the HTTP client.
        return await exchange.understand(cast(Any, _Recorded(answer)))

    async def _wait(self, seconds: float) -> None:
        now = self._clock()
        tick = round((now + seconds) * _TICKS)
        while tick in self._taken:
            tick += 1
        self._taken.add(tick)
        try:
            await asyncio.sleep(max(tick / _TICKS - now, 0.0))
        finally:
            self._taken.discard(tick)


def target_of(url: str, answer: WebAnswer) -> str | None:
    """Where a crawl would go that is sent elsewhere by this answer; None when it would go nowhere."""
    if answer.status not in REDIRECTS:
        return None
    exchange = Exchange(Task(id=0, url=url), _ANYBODY, lambda: 0.0, is_text)
    moved = exchange.moved(cast(Any, _Recorded(answer)))
    return moved.target if isinstance(moved, Redirect) else None


def read_answer(url: str, answer: WebAnswer, settings: Fetching) -> Response | None:
    """What a crawl would read in this answer; None when it is not a page."""
    if not 200 <= answer.status <= 299:
        return None
    exchange = Exchange(Task(id=0, url=url), settings, lambda: 0.0, is_text)
    understood = _at_once(exchange.understand(cast(Any, _Recorded(answer))))
    return understood if isinstance(understood, Response) else None


def _at_once(work: Coroutine[Any, Any, _Done]) -> _Done:
    """Do what never waits, because all of its answer is there, without the cost of an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        return cast(_Done, end.value)
    work.close()
    raise RuntimeError("an answer that is all there was waited for")


class _Recorded:
    """An answer in the shape that the HTTP client gives it."""

    def __init__(self, answer: WebAnswer) -> None:
        self.status = answer.status
        self.reason = _phrase(answer.status)
        self.raw_headers = tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers)
        self.headers = _Headers(answer.headers)
        self.content_length = len(answer.body)
        self.content = self
        self._rest = answer.body

    def at_eof(self) -> bool:
        return not self._rest

    async def readany(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest


class _Headers:
    """The first value of each header, by its name in any case."""

    def __init__(self, headers: tuple[tuple[str, str], ...]) -> None:
        self._values = {name.lower(): value for name, value in reversed(headers)}

    def get(self, name: str, default: str) -> str:
        return self._values.get(name.lower(), default)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # servers make up their own
        return ""
