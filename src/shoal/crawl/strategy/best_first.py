"""Best first: the most promising link of all that are known (PUSH 2.3.2.2, baseline in AVSM and RESTORE)."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.crawl.choice import Choice
from shoal.crawl.strategy.nofollow import refusal
from shoal.model import Candidate, LinkKind, Seen, Topic

PARENT_SHARE = 0.3
"""How much of the priority comes from the page; the rest comes from the link's own words.

Of 0, 0.2, 0.3, 0.5, 0.7 and 1, tried on three real webs: from 0.2 to 0.5 it hardly matters where links say little, and from
0.5 on it harms where they say much.
"""

# These lead to the same page under another name, so what the page says is said about them.
_SAME_PAGE = frozenset({LinkKind.FRAME, LinkKind.REFRESH, LinkKind.CANONICAL, LinkKind.REDIRECT})


class BestFirst:
    """Links with promising words on relevant pages first. The frontier drops the worst when it is full."""

    def __init__(self, topic: Topic) -> None:
        """The topic is in the scores already: the judge's verdict on the page and its hints on the links."""

    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """Each link with the mix of its page's score and its own; both count from 0 to 1."""
        if (page := seen.page) is None or seen.verdict is None:
            return
        parent = min(max(seen.verdict.score, 0.0), 1.0)
        base, why_page = PARENT_SHARE * parent, f"parent page {parent:.2f}"
        why_link = why_page + ", link text "
        for link, hint in zip(page.links, seen.hints, strict=True):
            if refused := refusal(page, link):
                yield refused
            elif link.kind in _SAME_PAGE:
                yield Candidate(link=link, priority=parent, why=why_page)
            else:
                yield Candidate(link=link, priority=base + (1 - PARENT_SHARE) * hint, why=f"{why_link}{hint:.2f}")

    def refresh(self) -> Iterable[Candidate]:
        """Scores do not change while the topic stays the same."""
        return ()


CHOICE = Choice(
    name="best-first",
    summary="links with promising words on relevant pages first",
    paper="PUSH 2.3.2.2",
    make=BestFirst,
)
