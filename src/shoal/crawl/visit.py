"""What is behind this URL, and is it about the topic? The stateless half of a crawl: fetch, parse, judge."""

from __future__ import annotations

from shoal.model import Failure, Missed, Moved, Redirect, Response, RobotsRead, Task, Visit
from shoal.protocols import Fetcher, Reader


class PageVisitor:
    """Makes one visit after another, and keeps nothing."""

    def __init__(self, fetcher: Fetcher, reader: Reader) -> None:
        self._fetcher = fetcher
        self._reader = reader

    async def visit(self, task: Task) -> Visit:
        """Ask the server and make of its answer what can be made."""
        match await self._fetcher.fetch(task):
            case Failure() as failure:
                return Missed(task=task, failure=failure)
            case Redirect() as redirect:
                return Moved(task=task, redirect=redirect)
            case Response() as response if task.kind == "robots":
                return RobotsRead(task=task, text=_robots_text(response.body), timing=response.timing)
            case Response() as response:
                return await self._reader.read(task, response)


def _robots_text(body: bytes) -> str:
    # Nothing that means anything in it has a NUL, and not every database can keep one.
    return body.decode("utf-8", "replace").removeprefix("\ufeff").replace("\x00", "")
