"""What does this address say, wherever it moved? One request after the other, with a pause between two to the same host."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from shoal.model import Failure, Redirect, Response, Task, TaskKind, Unanswered
from shoal.protocols import Fetcher
from shoal.urls import host_of

_MOST_REDIRECTS = 10
"""As in a crawl."""
_IMAGES = ("image/", "audio/", "video/", "font/")


def is_wanted(content_type: str) -> bool:
    """True for what may be a list of pages: all but images and their like, because packed sitemaps come under any name."""
    return not content_type.strip().lower().startswith(_IMAGES)


class PoliteClient:
    """Follows redirects, and turns what goes wrong into one sentence."""

    def __init__(
        self, fetcher: Fetcher, *, delay: float = 0.0, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._fetcher = fetcher
        self._delay = delay
        self._sleep = sleep
        self._asked: set[str] = set()
        """The hosts that were asked before."""

    async def ask(self, url: str, *, kind: TaskKind = "page", stay: bool = False) -> Response | Failure | Unanswered:
        """The answer at the end of all redirects; with `stay`, those to another host are not followed."""
        address = url
        for _ in range(_MOST_REDIRECTS + 1):
            await self._pause(host_of(address))
            answer = await self._fetcher.fetch(Task(id=0, url=address, kind=kind))
            if not isinstance(answer, Redirect):
                return answer
            if stay and host_of(answer.target) != host_of(url):
                return Unanswered(why=f"{url} sends us on to {host_of(answer.target)}; give that address instead")
            address = answer.target
        return Unanswered(why=f"{url} sends us on more than {_MOST_REDIRECTS} times")

    async def _pause(self, host: str) -> None:
        if host in self._asked and self._delay > 0:
            await self._sleep(self._delay)
        self._asked.add(host)


def in_a_sentence(detail: str) -> str:
    """A sentence as the end of another one: `The server answered 404.` becomes `the server answered 404`."""
    return detail[:1].lower() + detail[1:].rstrip(".")
