"""What does an answer say, and is it about the topic? Parse, judge, pack: all that is computed for one page, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from shoal.model import Failure, Missed, Pictured, Response, Seen, Task
from shoal.protocols import Darkroom, Judge, Parser, Spotter

Reading = Seen | Pictured | Missed


def _as_it_is(seen: Seen) -> Seen:
    return seen


class PageReader:
    """Reads one page or picture after another, and keeps nothing."""

    def __init__(
        self,
        parser: Parser,
        judge: Judge,
        spotter: Spotter | None = None,
        darkroom: Darkroom | None = None,
        pack: Callable[[Seen], Seen] = _as_it_is,
    ) -> None:
        """Without a spotter no picture is worth having; only a crawl with one needs a darkroom. `pack` makes a page ready for
        the disk."""
        self._parser = parser
        self._judge = judge
        self._spotter = spotter
        self._darkroom = darkroom
        self._pack = pack

    def adopt(self, judge: Judge, spotter: Spotter | None = None) -> None:
        """Judge by these from now on: the topic has changed."""
        self._judge = judge
        self._spotter = spotter

    def read(self, task: Task, response: Response) -> Reading:
        """Make of an answer what can be made."""
        return self._develop(task, response) if task.kind == "picture" else self._pack(self._understand(task, response))

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
