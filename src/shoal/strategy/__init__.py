"""Where would a fish swim now? One file per strategy; a new file that declares a `CHOICE` is found by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from shoal.judge.registry import Registered, choices_in
from shoal.model import Candidate, Link, LinkKind, PageSummary, Reason, Seen
from shoal.protocols import Strategy
from shoal.settings import Settings

SEED_PRIORITY = 1e12
"""Seeds go first: no strategy gives a link more than this."""
# These lead to the same page under another name, so what the page says is said about them.
_SAME_PAGE = frozenset({LinkKind.FRAME, LinkKind.REFRESH, LinkKind.CANONICAL, LinkKind.REDIRECT})


@cache
def strategies() -> Mapping[str, Registered[Strategy]]:
    """Every strategy there is, by name; `strategies()["breadth"].make(topic)` builds one."""
    return choices_in(__name__, __path__)


def judge_of(settings: Settings) -> str:
    """The judge that the user named, or else the one that the strategy's paper runs it with."""
    return settings.judge or strategies()[settings.strategy].judge


# --- which links may be followed --------------------------------------------------------------------------------------


def refusal(page: PageSummary, link: Link) -> Candidate | None:
    """A refused candidate when the page (meta robots, X-Robots-Tag) or the link (rel) says nofollow, else None."""
    if page.nofollow:
        return Candidate(link=link, priority=0.0, why="the page says nofollow", refused=Reason.NOFOLLOW)
    if "nofollow" in link.rel:
        return Candidate(link=link, priority=0.0, why="the link says nofollow", refused=Reason.NOFOLLOW)
    return None


def promising(seen: Seen) -> Iterator[tuple[Link, float, Candidate | None]]:
    """Each link with what it promises, 0 to 1, and its refused candidate if its author asks us not to follow it."""
    if (page := seen.page) is None or seen.verdict is None:
        return
    score = min(max(seen.verdict.score, 0.0), 1.0)
    for link, hint in zip(page.links, seen.hints, strict=True):
        # Most links have no rel at all, and there are many.
        refused = refusal(page, link) if page.nofollow or link.rel else None
        yield link, score if link.kind in _SAME_PAGE else hint, refused
