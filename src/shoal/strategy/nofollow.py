"""Which links of a page may be followed? Not those whose author asks us not to."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.model import Candidate, Link, LinkKind, Page, Reason, Seen

# These lead to the same page under another name, so what the page says is said about them.
_SAME_PAGE = frozenset({LinkKind.FRAME, LinkKind.REFRESH, LinkKind.CANONICAL, LinkKind.REDIRECT})


def refusal(page: Page, link: Link) -> Candidate | None:
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
