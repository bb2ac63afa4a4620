"""What is asked of a server, and what comes of it? A task; a response, redirect or failure; and what a worker sends home."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta

from shoal.model.page import Count, Finite, Image, Int64, PageSummary, Value

Status = Annotated[int, Meta(ge=0, le=999)]
TaskKind = Literal["page", "robots", "image", "revisit"]
"""A new page, a robots.txt, an image, or a page that is looked at again."""


class Task(Value, frozen=True, kw_only=True):
    """One request that a worker shall make."""

    id: int
    """Of the page, the image or the robots.txt, among all of its kind; settled under the same number."""
    url: str
    kind: TaskKind = "page"
    host: str = ""
    """The politeness key (`urls.host_of`) of the host this was leased for."""
    depth: int = 0
    """Links between a seed and this URL; redirects do not count."""
    attempt: int = 1
    inherited: float | None = None
    """What the pages above left to this one, as the strategy understands it (`Candidate.inherited`)."""
    topic_version: int = 1
    etag: str = ""
    last_modified: str = ""
    referrer: str = ""
    """The page that shows the image: some servers give their images to nobody else."""


class Timing(Value, frozen=True, kw_only=True):
    """When a request happened, for politeness and for the record."""

    started: Finite
    answered: Finite
    """When the server had certainly received the request: first byte of the answer, or the moment of failure."""
    ended: Finite
    address: str = ""
    """The IP address that was connected to; empty through a proxy or when no connection was made."""


class ResponseHead(Value, frozen=True, kw_only=True):
    """How a server answered, without what it sent."""

    url: str
    status: Status
    headers: tuple[tuple[str, str], ...]
    """As received, names lower case, in order; what cannot be printed stands there as blanks."""
    timing: Timing
    truncated: bool = False
    """The body was cut at the size limit."""

    def header(self, name: str) -> str:
        """The first value of a header, or an empty string."""
        return next((value for key, value in self.headers if key == name), "")

    @property
    def content_type(self) -> str:
        """The media type without its parameters, lower case."""
        return self.header("content-type").partition(";")[0].strip().lower()


class Response(ResponseHead, frozen=True, kw_only=True):
    """A server's final answer with a 2xx status."""

    body: bytes
    """Decompressed; empty for types that are not text, which are not downloaded."""


class Redirect(Value, frozen=True, kw_only=True):
    """The server says the page is elsewhere."""

    url: str
    status: Status
    target: str
    """Absolute and in normal form."""
    timing: Timing


class Reason(StrEnum):
    """Why a URL has no page: each is a word a person can search the documentation for."""

    # the web failed us
    DNS = "dns"
    CONNECT = "connect"
    TIMEOUT = "timeout"
    TLS = "tls"
    RESET = "reset"
    PROTOCOL = "protocol"
    TRUNCATED = "truncated"
    TOO_LARGE = "too-large"
    HEADERS_TOO_LARGE = "headers-too-large"
    STATUS = "status"
    BAD_REDIRECT = "bad-redirect"
    REDIRECT_LOOP = "redirect-loop"
    UNCHANGED = "unchanged"
    WORKER_DIED = "worker-died"
    IMAGE = "image"
    TOO_COMPLEX = "too-complex"
    # we failed
    INTERNAL = "internal"
    # we decided not to ask
    ADDRESS = "address"
    ROBOTS = "robots"
    ROBOTS_UNREACHABLE = "robots-unreachable"
    SCOPE = "scope"
    DEPTH = "depth"
    HOST_BUDGET = "host-budget"
    TRAP = "trap"
    THRESHOLD = "threshold"
    QUEUE_FULL = "queue-full"
    NOFOLLOW = "nofollow"
    BOUND = "bound"


class Failure(Value, frozen=True, kw_only=True):
    """No page came: a value, not an exception, because this is how the web is."""

    url: str
    reason: Reason
    detail: str = ""
    """One clear sentence for a person."""
    status: Status = 0
    """The HTTP status, if there was one."""
    heals: bool = False
    """True when asking again later may help."""
    retry_after: Finite | None = None
    """Seconds the server asked us to wait."""
    trace: str = ""
    """Where in our own code it happened, when it is our fault (`Reason.INTERNAL`)."""
    timing: Timing


class Evidence(Value, frozen=True, kw_only=True):
    """One part of a score, in words a person understands."""

    what: str
    amount: Finite


class Verdict(Value, frozen=True, kw_only=True):
    """How much a page is about the topic, and why."""

    score: Finite
    threshold: Finite
    why: tuple[Evidence, ...] = ()
    """What made the score, the strongest first."""
    topic: str = ""
    """Which of several topics it is about (`Topic.any`)."""

    @property
    def relevant(self) -> bool:
        """True when the score reaches the threshold."""
        return self.score >= self.threshold


class Sighting(Value, frozen=True, kw_only=True):
    """An image that is worth having, as one page shows it."""

    image: Image
    score: Finite
    """How much its description is about the topic, 0 to 1."""
    why: tuple[Evidence, ...] = ()
    """The words that made it relevant, the strongest first."""
    topic: str = ""
    """Which of several topics it is about (`Topic.any`)."""


class DecodedImage(Value, frozen=True, kw_only=True):
    """What a decoded image looks like."""

    format: str
    """`jpeg`, `png`, `webp`, `gif` …"""
    width: Count
    height: Count
    fingerprint: Annotated[bytes, Meta(max_length=8)]
    """8 bytes that are nearly equal for the same image in other sizes and formats."""
    thumbnail: bytes
    """A small WebP for lists and galleries."""


class Packed(Value, frozen=True, kw_only=True):
    """A page as it goes to the disk (`store/packed_page.py`); whoever visits it packs it."""

    size: Count
    """Bytes of the body."""
    digest: Annotated[bytes, Meta(min_length=16, max_length=16)]
    """BLAKE2b-128 of the body: equal for exact copies."""
    payload: Annotated[str, Meta(max_length=100)]
    """The digest of the body that web archives use."""
    record: bytes = b""
    """The record with the body for the WARC file, as a gzip member; empty when there is no body, or it may not be kept."""
    text: bytes = b""
    """The main text and its flat form (`store/packed_page.py`); empty when there is no page, or it may not be kept."""
    links: bytes = b""
    """Where the page leads (`store/packed_page.py`)."""
    images: Count = 0
    """How many images the page has."""
    bands: tuple[Int64, ...] = ()
    """`text.bands` of the page's fingerprint, each once."""


class Seen(Value, frozen=True, kw_only=True, tag=True):
    """A page came."""

    task: Task
    response: ResponseHead
    packed: Packed
    page: PageSummary | None = None
    """None when the response is of a type that is recorded but not parsed."""
    verdict: Verdict | None = None
    hints: tuple[Finite, ...] = ()
    """The judge's score of each link of the page, in the order of `page.links`."""
    sightings: tuple[Sighting, ...] = ()
    """The images of the page that are worth having; none in a crawl without images."""
    text: str = ""
    """The main text, for a crawl that learns from its pages (`settings.Learning`); empty in all others."""


class SeenImage(Value, frozen=True, kw_only=True, tag=True):
    """An image came."""

    task: Task
    response: Response
    image: DecodedImage


class Moved(Value, frozen=True, kw_only=True, tag=True):
    """The page is elsewhere; the new place goes through scope, robots and politeness like any other."""

    task: Task
    redirect: Redirect


class Missed(Value, frozen=True, kw_only=True, tag=True):
    """No page came."""

    task: Task
    failure: Failure


class RobotsRead(Value, frozen=True, kw_only=True, tag=True):
    """A robots.txt came."""

    task: Task
    text: str
    timing: Timing


Visit = Seen | SeenImage | Moved | Missed | RobotsRead


def timing_of(visit: Visit) -> Timing:
    """When the request of a visit happened."""
    match visit:
        case Seen(response=response) | SeenImage(response=response):
            return response.timing
        case Moved(redirect=redirect):
            return redirect.timing
        case Missed(failure=failure):
            return failure.timing
        case RobotsRead(timing=timing):
            return timing


def size_of(visit: Seen | SeenImage) -> int:
    """Bytes of the body that came."""
    return visit.packed.size if isinstance(visit, Seen) else len(visit.response.body)
