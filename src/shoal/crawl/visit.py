"""What is behind this URL, and is it about the topic? The stateless half of a crawl: fetch, parse, judge."""

from __future__ import annotations

from shoal.crawl.turns import Turns
from shoal.model import Failure, Missed, Moved, Pictured, Redirect, Response, RobotsRead, Seen, Task, Visit
from shoal.protocols import Darkroom, Fetcher, Judge, Parser, Spotter


class PageVisitor:
    """Makes one visit after another, and keeps nothing."""

    def __init__(
        self,
        fetcher: Fetcher,
        parser: Parser,
        judge: Judge,
        spotter: Spotter | None = None,
        darkroom: Darkroom | None = None,
    ) -> None:
        """Without a spotter no picture is worth having; only a crawl with one needs a darkroom."""
        self._fetcher = fetcher
        self._parser = parser
        self._judge = judge
        self._spotter = spotter
        self._darkroom = darkroom
        self._turns = Turns()

    def adopt(self, judge: Judge, spotter: Spotter | None = None) -> None:
        """Judge by these from now on: the topic has changed."""
        self._judge = judge
        self._spotter = spotter

    async def visit(self, task: Task) -> Visit:
        """Ask the server and make of its answer what can be made."""
        match await self._fetcher.fetch(task):
            case Failure() as failure:
                return Missed(task=task, failure=failure)
            case Redirect() as redirect:
                return Moved(task=task, redirect=redirect)
            case Response() as response if task.kind == "robots":
                return RobotsRead(task=task, text=_robots_text(response.body), timing=response.timing)
            case Response() as response if task.kind == "picture":
                return await self._turns.do(lambda: self._develop(task, response))
            case Response() as response:
                return await self._turns.do(lambda: self._understand(task, response))

    def _understand(self, task: Task, response: Response) -> Seen:
        page = self._parser.parse(response)
        if page is None:
            return Seen(task=task, response=response)
        verdict, hints = self._judge.judge(page), self._judge.judge_links(page.links)
        # What a page does not want to be kept of itself, it does not want of its pictures.
        sightings = self._spotter.spot(page) if self._spotter and not page.noindex else ()
        return Seen(task=task, response=response, page=page, verdict=verdict, hints=hints, sightings=sightings)

    def _develop(self, task: Task, response: Response) -> Pictured | Missed:
        assert self._darkroom is not None, "nobody wants pictures here"
        developed = self._darkroom.develop(response)
        if isinstance(developed, Failure):
            return Missed(task=task, failure=developed)
        return Pictured(task=task, response=response, picture=developed)


def _robots_text(body: bytes) -> str:
    return body.decode("utf-8", "replace").removeprefix("\ufeff")
