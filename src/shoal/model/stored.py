"""What is remembered of a crawl: the values that go to the disk, and come back from it.

What travels between the parts of a crawl is in `model/`; these hold some of it.
"""

from __future__ import annotations

from shoal.model import Entry, Reason, Seen, SeenImage, Sighting, State, Topic, Value
from shoal.model.live import LiveFigures


class Known(Value, frozen=True, gc=False):
    """What the frontier must know of a URL that turned up again."""

    id: int
    state: State
    priority: float
    depth: int
    inherited: float | None = None
    reason: Reason | None = None

    @classmethod
    def of(cls, entry: Entry) -> Known:
        """What the frontier must know of this entry."""
        return cls(entry.id, entry.state, entry.priority, entry.depth, entry.inherited, entry.reason)


class HostRecord(Value, frozen=True):
    """What is remembered of a host between two runs."""

    name: str
    pages: int = 0
    closed: Reason | None = None
    """Why nothing more is asked of it, if so."""


class Waiting(Value, frozen=True):
    """A URL that waits, in short."""

    id: int
    host: str
    priority: float
    not_before: float = 0.0
    """When it gets its second chance; 0 when it has not had its first."""


class Closing(Value, frozen=True):
    """Nothing more is asked of a host: its waiting URLs get this state and reason."""

    host: str
    state: State
    reason: Reason
    detail: str
    waiting: tuple[int, ...] = ()
    """These; the frontier knows them. Those that are being fetched at this moment go their own way."""


class FetchedPage(Value, frozen=True):
    """A fetched page on its way to the disk."""

    seen: Seen
    fetch_order: int
    memo: bytes = b""
    """What the strategy wants to know of it after a restart."""


class WantedImage(Value, frozen=True):
    """An image that is to be fetched."""

    id: int
    """`images.id`."""
    url: str
    referrer: str
    """The page that shows it."""


class DueRevisit(Value, frozen=True):
    """A page that is to be looked at again."""

    id: int
    """`pages.id`."""
    url: str
    etag: str
    last_modified: str


class ImageOnPage(Value, frozen=True):
    """A page shows an image."""

    image: int
    key: int
    """`urls.key_of` its URL."""
    url: str
    page: int
    sighting: Sighting


class ImageFate(Value, frozen=True):
    """What became of an image."""

    id: int
    state: State
    reason: Reason | None = None
    detail: str = ""
    came: SeenImage | None = None


class Revisited(Value, frozen=True):
    """What came of looking at a page again."""

    page: int
    at: float
    seen: Seen | None = None
    """The page; None when it has not changed (304), or is not there."""
    gone: str = ""
    """Why there is no page any more, in one sentence."""


class Duplicate(Value, frozen=True):
    """A stored page says what an earlier one said."""

    page: int
    of: int
    similarity: float
    """1 for an exact copy."""


class Totals(Value, frozen=True):
    """How far a crawl has come, over all its runs."""

    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    last_order: int = 0
    """The number of the page that came last; larger than `pages` when some could not be stored."""
    elapsed: float = 0.0
    """Seconds of crawling."""
    internal_errors: int = 0
    """Bugs of ours that pages brought to light."""


class TopicChange(Value, frozen=True, kw_only=True):
    """The topic is another one from here on."""

    topic: Topic
    pages: int
    """Pages fetched when it changed."""
    at: float
    why: str
    """One sentence."""
    memory: bytes = b""
    """What the next change builds on (`crawl/topic_learner.py`)."""


class RobotsRecord(Value, frozen=True, kw_only=True):
    """What a site's robots.txt said, and until when that counts."""

    origin: str
    text: str
    status: int
    fetched_at: float
    expires_at: float


class PatternCount(Value, frozen=True, kw_only=True):
    """How a family of similar URLs has fared."""

    host: str
    pattern: str
    pages: int
    repeats: int
    relevant: int


class WorkerRecord(Value, frozen=True, kw_only=True):
    """A worker of the cluster, as the coordinator heard of it."""

    name: str
    state: str
    """`cluster.worker_service`, `silent`, `left`, or `refused` (it is of another version)."""
    shoal: str
    """The version of its package."""
    capacity: int
    """Requests that it makes at once, at most."""
    busy: int
    visits: int
    """Since it began, for all crawls."""
    failures: int
    bytes: int
    rate: float
    """Visits per second, lately."""
    heard_at: float


class Changes(Value, frozen=True):
    """All that happened since the last commit: written in one transaction, or not at all."""

    added: tuple[Entry, ...] = ()
    changed: tuple[Entry, ...] = ()
    repriced: tuple[tuple[Entry, float], ...] = ()
    """Those of `changed` that have another priority now, or were found by another way, each with its old priority."""
    closed: tuple[Closing, ...] = ()
    tally: tuple[tuple[State, Reason | None, int], ...] = ()
    """By how many URLs each state has grown or shrunk, those of `closed` not counted."""
    pages: tuple[FetchedPage, ...] = ()
    robots: tuple[RobotsRecord, ...] = ()
    patterns: tuple[PatternCount, ...] = ()
    topics: tuple[TopicChange, ...] = ()
    shown: tuple[ImageOnPage, ...] = ()
    images: tuple[ImageFate, ...] = ()
    looks: tuple[Revisited, ...] = ()
    fetching: tuple[str, ...] = ()
    """The URLs in flight at this moment, for those who watch."""
    workers: tuple[WorkerRecord, ...] = ()
    """Who works for this crawl from elsewhere, for those who watch."""
    elapsed: float = 0.0
    """Seconds of crawling so far, over all runs."""
    internal_errors: int = 0
    """So far, over all runs."""
    live: LiveFigures | None = None
    """How the run stands at this moment, for those who watch."""
