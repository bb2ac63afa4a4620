"""Which page next? What strategies, the frontier and sources of seeds know and say of URLs."""

from __future__ import annotations

from enum import IntEnum

from shoal.model.page import Link, Value
from shoal.model.visit import Reason


class Candidate(Value, frozen=True, kw_only=True, gc=False):
    """A link that a strategy wants followed."""

    link: Link
    priority: float
    """Larger is sooner."""
    why: str = ""
    """One short sentence: what made the priority."""
    refused: Reason | None = None
    """Set when the strategy decided against the link; it is recorded, not fetched."""
    inherited: float | None = None
    """What the page will leave to its own links: the remaining depth of a fish, the value of a gene. Of several ways to a
    page the largest counts; None is what seeds have."""
    key: int = 0
    """`urls.key_of` the link's URL, from a strategy that has it at hand; 0 from one that has not."""


class Repriced(Value, frozen=True, kw_only=True):
    """A waiting URL that is worth more or less than it was."""

    key: int
    """`urls.key_of` its URL."""
    priority: float
    why: str


class Mark(Value, frozen=True, kw_only=True):
    """What a user says of a page: it counts more than what any judge says. It is also a line of `marks.jsonl`."""

    url: str
    """Absolute and in normal form: the URL that answered, whatever redirects led to it."""
    relevant: bool | None
    """None takes back what was said before: the page is again as the judge said."""
    at: float


class Outlook(Value, frozen=True, kw_only=True):
    """What a strategy expects of the pages that come next."""

    pages: int
    """The next so many."""
    relevant: float
    """How many of them it expects to be relevant, at its best guess."""
    missed: float
    """How many relevant pages it expects among all that waits: what a crawl would miss that stops now."""
    audited: int = 0
    """Pages that were fetched at random from all that waits, to check the model against what it did not choose."""
    audited_relevant: float = 0.0
    """How many of those were relevant."""
    expected_relevant: float = 0.0
    """How many of those the model had expected to be."""


class State(IntEnum):
    """Where a URL is in its life."""

    WAITING = 0
    DONE = 1
    FAILED = 2
    SKIPPED = 3
    MOVED = 4


class Entry(Value, frozen=True, kw_only=True, gc=False):
    """What the frontier keeps about one URL."""

    id: int
    url: str
    host: str
    priority: float
    depth: int = 0
    parent: int = 0
    """The entry whose page had the link; 0 for a seed."""
    origin: int = 0
    """The entry at the start of the chain of redirects this stands in; 0 outside of one."""
    hop: int = 0
    """Redirects between the link and this URL."""
    attempt: int = 1
    state: State = State.WAITING
    reason: Reason | None = None
    detail: str = ""
    target: str = ""
    """Where it redirects to, once it has moved."""
    anchor: str = ""
    why: str = ""
    inherited: float | None = None
    not_before: float = 0.0
    """A retry waits until then."""
    key: int = 0
    """`urls.key_of` the URL; 0 until the frontier has it."""


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
