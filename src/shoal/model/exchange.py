"""What is asked of a server, and what does it answer? A task; a response, a redirect, or a failure with its reason."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta

from shoal.model.value import Finite, Value

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
