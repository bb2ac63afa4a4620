"""What does a crawl do when the web is a dictionary? Stand-ins for the two things a test cannot control: servers and time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from shoal.model import Failure, Reason, Redirect, Response, Task, Timing

Answer = Response | Redirect | Failure


class ManualClock:
    """A clock that goes only when it is told to; call it for the time."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> float:
        """Let time pass; gives the new time."""
        self.now += seconds
        return self.now


class FakeFetcher:
    """Answers from a dictionary of URLs; what is not in it is a 404.

    The time of every answer is the fake clock's time at the request, whatever the recorded answer says.
    """

    def __init__(self, answers: Mapping[str, Answer], clock: Callable[[], float] | None = None) -> None:
        self.answers = dict(answers)
        """May be changed between two fetches: the web changes too."""
        self.asked: list[Task] = []
        """Every task, in the order of the requests."""
        self._clock = clock or ManualClock()

    async def fetch(self, task: Task) -> Answer:
        """The recorded answer."""
        self.asked.append(task)
        now = self._clock()
        timing = Timing(started=now, answered=now, ended=now, address="203.0.113.1")
        answer = self.answers.get(task.url) or failure(task.url, status=404)
        return msgspec.structs.replace(answer, url=task.url, timing=timing)


_NEVER = Timing(started=0.0, answered=0.0, ended=0.0)


def html(url: str, body: str | bytes, *, content_type: str = "text/html; charset=utf-8", status: int = 200) -> Response:
    """A page."""
    content = body.encode() if isinstance(body, str) else body
    return Response(url=url, status=status, headers=(("content-type", content_type),), body=content, timing=_NEVER)


def redirect(url: str, target: str, *, status: int = 302) -> Redirect:
    """A page that is elsewhere."""
    return Redirect(url=url, status=status, target=target, timing=_NEVER)


def failure(
    url: str,
    reason: Reason = Reason.STATUS,
    *,
    status: int = 0,
    heals: bool = False,
    retry_after: float | None = None,
    detail: str = "",
) -> Failure:
    """No page."""
    return Failure(
        url=url, reason=reason, status=status, heals=heals, retry_after=retry_after, detail=detail, timing=_NEVER
    )
