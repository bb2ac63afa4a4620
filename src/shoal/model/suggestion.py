"""Where may a crawl begin? What sources of seeds suggest."""

from __future__ import annotations

from shoal.model.value import Value


class Suggestion(Value, frozen=True, kw_only=True):
    """A URL that a crawl may begin at."""

    url: str
    """Absolute and in normal form."""
    title: str = ""
    snippet: str = ""
    """A few words of the page, or about it."""
    source: str = ""
    """Who suggests it: a search instance, a sitemap or a feed, each by its address."""
    engines: tuple[str, ...] = ()
    """The search engines that found it."""
    updated: str = ""
    """ISO 8601 date of its last change, as exact as the source says, or empty."""


class Suggestions(Value, frozen=True, kw_only=True):
    """What a source of seeds suggests, the best first."""

    found: tuple[Suggestion, ...] = ()
    more: bool = False
    """There is more than was asked for."""
    notes: tuple[str, ...] = ()
    """What went wrong on the way without ending it; each is one sentence for a person."""


class Unanswered(Value, frozen=True, kw_only=True):
    """A source of seeds has nothing to say, because something is wrong with it."""

    why: str
    """One sentence for a person: what is wrong, and what to do about it."""
