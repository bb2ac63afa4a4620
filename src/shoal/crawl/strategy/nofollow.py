"""Does the page's author ask us not to follow this link?"""

from __future__ import annotations

from shoal.model import Candidate, Link, Page, Reason


def refusal(page: Page, link: Link) -> Candidate | None:
    """A refused candidate when the page (meta robots, X-Robots-Tag) or the link (rel) says nofollow, else None."""
    if page.nofollow:
        return Candidate(link=link, priority=0.0, why="the page says nofollow", refused=Reason.NOFOLLOW)
    if "nofollow" in link.rel:
        return Candidate(link=link, priority=0.0, why="the link says nofollow", refused=Reason.NOFOLLOW)
    return None
