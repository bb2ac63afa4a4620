"""What travels through a crawl: frozen, keyword-only values that are also the wire format.

    topic ─► Link ─► Candidate ─► Task ─► Response | Redirect | Failure ─► Page ─► Verdict ─► Visit

Times are seconds since the epoch (wall clock), because they are shared between processes and stored.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Finite = Annotated[float, Meta(ge=-1e300, le=1e300)]
"""What comes from another process is held to this while it is read: neither infinite nor "not a number"."""
Count = Annotated[int, Meta(ge=0, le=2**53)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""What a database calls a number."""


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The common shape of all that travels: it cannot change, and it is encoded without its defaults."""


# --- what are we looking for -----------------------------------------------------------------------------------------


class Origin(StrEnum):
    """Where a word of a topic comes from."""

    HAND = "hand"
    SEEDS = "seeds"
    FEEDBACK = "feedback"


class Term(Value, frozen=True, kw_only=True):
    """One word or phrase of a topic."""

    text: str
    """As the user wrote it; the analyser decides what matches it."""
    weight: float = 1.0
    factor: float = 1.0
    """What one occurrence on a page counts: `log(N/n + 0.1) x C` of AVSM 2.1; 1 while no samples are known."""
    origin: Origin = Origin.HAND


class Topic(Value, frozen=True, kw_only=True):
    """What the user wants to know about."""

    name: str
    terms: tuple[Term, ...]
    negative: tuple[Term, ...] = ()
    """Words that speak against a page; their weights are positive numbers."""
    languages: tuple[str, ...] = ()
    """Languages to ask servers for, best first (`zh`, `en`); empty means whatever comes."""
    threshold: float | None = None
    """A page scoring at least this is relevant; None means the judge's own default."""
    version: int = 1
    """Raised whenever terms or threshold change during a crawl."""
    any: tuple[Topic, ...] = ()
    """Several topics at once, each judged on its own: a page counts when one of them matches. `terms` has the words of all."""

    @property
    def each(self) -> tuple[Topic, ...]:
        """The topics to judge one by one: those of `any`, or just this one."""
        return self.any or (self,)


# --- what is on a page -----------------------------------------------------------------------------------------------


class LinkKind(StrEnum):
    """Where on a page a link was found."""

    ANCHOR = "anchor"
    AREA = "area"
    FRAME = "frame"
    REFRESH = "refresh"
    CANONICAL = "canonical"
    SEED = "seed"
    REDIRECT = "redirect"


class Link(Value, frozen=True, kw_only=True, gc=False):
    """One reference from a page to a URL."""

    url: str
    """Absolute and in normal form (`shoal.urls`)."""
    anchor: str = ""
    """The text a reader clicks on; of an image link, the image's alt text."""
    before: str = ""
    """Up to 50 characters of text in front of the link."""
    after: str = ""
    """Up to 50 characters of text behind the link."""
    rel: tuple[str, ...] = ()
    """The words of the rel attribute, lower case."""
    position: Count = 0
    """The how-many-th link of the page this is, from 0."""
    path: str = ""
    """Tag names from body down to the link, such as `div/ul/li/a`."""
    source: str = ""
    """The URL of the page it stands on; empty for a seed."""
    kind: LinkKind = LinkKind.ANCHOR


class Image(Value, frozen=True, kw_only=True):
    """One picture on a page, with what the page says about it."""

    url: str
    alt: str = ""
    title: str = ""
    caption: str = ""
    """The figcaption of the figure it stands in."""
    before: str = ""
    after: str = ""
    link: str = ""
    """Where a click on it leads, or empty."""
    anchor: str = ""
    """The text of the link that it stands in, without its own alt text."""
    width: Count = 0
    """In pixels, as the page says; 0 when it does not."""
    height: Count = 0


class Page(Value, frozen=True, kw_only=True):
    """What a parser understood of a response."""

    url: str
    title: str = ""
    description: str = ""
    keywords: str = ""
    """The content of meta keywords."""
    canonical: str = ""
    language: str = ""
    """A two-letter code, or empty when nothing tells."""
    published: str = ""
    """ISO 8601 date, as exact as the page says, or empty."""
    charset: str = ""
    """The encoding the bytes were read with."""
    headings: str = ""
    """The headings of the main text, one on each line."""
    text: str = ""
    """The main text, without navigation and footers."""
    flat: str = ""
    """Title, end of line, and main text, in the form keywords are looked up in (`text.flat`)."""
    links: tuple[Link, ...] = ()
    images: tuple[Image, ...] = ()
    noindex: bool = False
    nofollow: bool = False
    fingerprint: bytes = b""
    """MinHash of the main text (`text.fingerprint`); empty when the page has too little text to compare."""


# --- asking a server -------------------------------------------------------------------------------------------------

Status = Annotated[int, Meta(ge=0, le=999)]
TaskKind = Literal["page", "robots", "picture"]


class Task(Value, frozen=True, kw_only=True):
    """One request that a worker shall make."""

    id: int
    """The frontier's number for this URL; settled under the same number."""
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
    """The page that shows the picture: some servers give their pictures to nobody else."""


class Timing(Value, frozen=True, kw_only=True):
    """When a request happened, for politeness and for the record."""

    started: Finite
    answered: Finite
    """When the server had certainly received the request: first byte of the answer, or the moment of failure."""
    ended: Finite
    address: str = ""
    """The IP address that was connected to; empty through a proxy or when no connection was made."""


class Response(Value, frozen=True, kw_only=True):
    """A server's final answer with a 2xx status."""

    url: str
    status: Status
    headers: tuple[tuple[str, str], ...]
    """As received, names lower case, in order; what cannot be printed stands there as blanks."""
    body: bytes
    """Decompressed; empty for types that are not text, which are not downloaded."""
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
    PICTURE = "picture"
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


# --- what a worker sends home ----------------------------------------------------------------------------------------


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
    """A picture that is worth having, as one page shows it."""

    image: Image
    score: Finite
    """How much its description is about the topic, 0 to 1."""
    why: tuple[Evidence, ...] = ()
    """The words that made it relevant, the strongest first."""
    topic: str = ""
    """Which of several topics it is about (`Topic.any`)."""


class Picture(Value, frozen=True, kw_only=True):
    """What a decoded picture looks like."""

    format: str
    """`jpeg`, `png`, `webp`, `gif` …"""
    width: Count
    height: Count
    fingerprint: Annotated[bytes, Meta(max_length=8)]
    """8 bytes that are nearly equal for the same picture in other sizes and formats."""
    thumbnail: bytes
    """A small WebP for lists and galleries."""


class Packed(Value, frozen=True, kw_only=True):
    """A page as it goes to the disk (`store/packing.py`): whoever visits it for another process packs it, too."""

    size: Count
    """Bytes of the body."""
    digest: Annotated[bytes, Meta(min_length=16, max_length=16)]
    """BLAKE2b-128 of the body: equal for exact copies."""
    payload: Annotated[str, Meta(max_length=100)]
    """The digest of the body that web archives use."""
    record: bytes = b""
    """The record with the body for the WARC file, as a gzip member; empty when there is no body, or it may not be kept."""
    text: bytes = b""
    """The main text and its flat form (`store/texts.py`); empty when there is no page, or it may not be kept."""
    links: bytes = b""
    """Where the page leads (`store/linking.py`)."""
    images: Count = 0
    """How many pictures the page has."""
    bands: tuple[Int64, ...] = ()
    """`text.bands` of the page's fingerprint, each once."""


class Seen(Value, frozen=True, kw_only=True, tag=True):
    """A page came."""

    task: Task
    response: Response
    page: Page | None = None
    """None when the response is of a type that is recorded but not parsed."""
    verdict: Verdict | None = None
    hints: tuple[Finite, ...] = ()
    """The judge's score of each link of the page, in the order of `page.links`."""
    sightings: tuple[Sighting, ...] = ()
    """The pictures of the page that are worth having; none in a crawl without pictures."""
    packed: Packed | None = None
    """What goes to the disk, if it is made already. Then what only the store reads need not be here any more: the body,
    `page.text`, `page.flat` and `page.images`."""


class Pictured(Value, frozen=True, kw_only=True, tag=True):
    """A picture came."""

    task: Task
    response: Response
    picture: Picture


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


Visit = Seen | Pictured | Moved | Missed | RobotsRead


def timing_of(visit: Visit) -> Timing:
    """When the request of a visit happened."""
    match visit:
        case Seen(response=response) | Pictured(response=response):
            return response.timing
        case Moved(redirect=redirect):
            return redirect.timing
        case Missed(failure=failure):
            return failure.timing
        case RobotsRead(timing=timing):
            return timing


def size_of(visit: Seen | Pictured) -> int:
    """Bytes of the body that came."""
    packed = visit.packed if isinstance(visit, Seen) else None
    return packed.size if packed is not None else len(visit.response.body)


# --- which page next -------------------------------------------------------------------------------------------------


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


class Repriced(Value, frozen=True, kw_only=True):
    """A waiting URL that is worth more or less than it was."""

    key: int
    """`urls.key_of` its URL."""
    priority: float
    why: str


class Opinion(Value, frozen=True, kw_only=True):
    """What a user says of a page: it counts more than what any judge says. It is also a line of `feedback.jsonl`."""

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
    anchor: str = ""
    why: str = ""
    inherited: float | None = None
    not_before: float = 0.0
    """A retry waits until then."""


# --- where a crawl may begin -----------------------------------------------------------------------------------------


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
