"""What is behind this URL, and is it about the topic? The stateless half of a crawl: fetch, parse, judge."""

from __future__ import annotations

from shoal.model import Failure, Link, Missed, Moved, Page, Redirect, Response, RobotsRead, Seen, Task, Visit
from shoal.protocols import Fetcher, Judge, Parser

_CACHE_SIZE = 50_000
"""Links remembered; navigation repeats on every page of a site, and judging a link means analysing its words."""


class PageVisitor:
    """Makes one visit after another; it keeps nothing but a memory of links already judged."""

    def __init__(self, fetcher: Fetcher, parser: Parser, judge: Judge) -> None:
        self._fetcher = fetcher
        self._parser = parser
        self._judge = judge
        # Scores by what a judge looks at. Changed only here, between awaits; thrown away as a whole when it is full.
        self._scores: dict[tuple[str, str, str, str], float] = {}

    async def visit(self, task: Task) -> Visit:
        """Ask the server and make of its answer what can be made; parsing and judging do not wait."""
        match await self._fetcher.fetch(task):
            case Failure() as failure:
                return Missed(task=task, failure=failure)
            case Redirect() as redirect:
                return Moved(task=task, redirect=redirect)
            case Response() as response if task.kind == "robots":
                return RobotsRead(task=task, text=_robots_text(response.body), timing=response.timing)
            case Response() as response:
                return self._understand(task, response)

    def _understand(self, task: Task, response: Response) -> Seen:
        page = self._parser.parse(response)
        if page is None:
            return Seen(task=task, response=response)
        verdict = self._judge.judge(page)
        return Seen(task=task, response=response, page=page, verdict=verdict, hints=self._hints(page))

    def _hints(self, page: Page) -> tuple[float, ...]:
        if len(self._scores) + len(page.links) > _CACHE_SIZE:
            self._scores.clear()
        return tuple(map(self._score, page.links))

    def _score(self, link: Link) -> float:
        words = (link.url, link.anchor, link.before, link.after)
        score = self._scores.get(words)
        if score is None:
            score = self._scores[words] = self._judge.judge_link(link)
        return score


def _robots_text(body: bytes) -> str:
    return body.decode("utf-8", "replace").removeprefix("\ufeff")
