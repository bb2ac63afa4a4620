"""Visited pages for the tests of strategies."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.model import Link, Page, Response, Seen, Task, Timing, Verdict

URL = "http://x.example/page"


def seen(
    *, score: float, hints: Sequence[float], links: Sequence[Link] = (), depth: int = 0, nofollow: bool = False
) -> Seen:
    """A page with this score and links with these hints came back."""
    links = links or [Link(url=f"http://x.example/{place}", position=place) for place in range(len(hints))]
    timing = Timing(started=0.0, answered=0.0, ended=0.0)
    return Seen(
        task=Task(id=1, url=URL, depth=depth),
        response=Response(url=URL, status=200, headers=(), body=b"", timing=timing),
        page=Page(url=URL, links=tuple(links), nofollow=nofollow),
        verdict=Verdict(score=score, threshold=0.15),
        hints=tuple(hints),
    )
