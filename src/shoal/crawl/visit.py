"""What is behind this URL, and is it about the topic? The stateless half of a crawl: fetch, parse, judge."""

from __future__ import annotations

from msgspec.structs import replace

from shoal.crawl.turns import Turns
from shoal.model import Failure, Missed, Moved, Redirect, Response, RobotsRead, Seen, Task, Visit
from shoal.protocols import Fetcher, Judge, Parser


class PageVisitor:
    """Makes one visit after another, and keeps nothing."""

    def __init__(self, fetcher: Fetcher, parser: Parser, judge: Judge) -> None:
        self._fetcher = fetcher
        self._parser = parser
        self._judge = judge
        self._turns = Turns()

    def adopt(self, judge: Judge) -> None:
        """Judge by this one from now on: the topic has changed."""
        self._judge = judge

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
                return await self._turns.do(lambda: self._understand(task, response))

    def _understand(self, task: Task, response: Response) -> Seen:
        page = self._parser.parse(response)
        if page is None:
            return Seen(task=task, response=response)
        verdict, hints = self._judge.judge(page), self._judge.judge_links(page.links)
        # The flat form is for judging only, and as long as the text itself: it stays here.
        return Seen(task=task, response=response, page=replace(page, flat=""), verdict=verdict, hints=hints)


def _robots_text(body: bytes) -> str:
    return body.decode("utf-8", "replace").removeprefix("\ufeff")
