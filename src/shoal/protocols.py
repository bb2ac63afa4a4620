"""The seams of shoal: each is small, and each has at least two implementations (fakes and test doubles count)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

from shoal.model import (
    Candidate,
    DecodedImage,
    Entry,
    Evidence,
    Failure,
    Link,
    Mark,
    Missed,
    Outlook,
    Page,
    Redirect,
    Repriced,
    Response,
    Seen,
    SeenImage,
    Sighting,
    Suggestions,
    Task,
    Unanswered,
    Verdict,
    Visit,
)
from shoal.model.stored import Changes, DueRevisit, Duplicate, HostRecord, Known, Waiting, WantedImage

Progress = Callable[[int, int], None]
"""Hears how far a long work has come: so much is done, of so much in all (pages, rows or bytes)."""


def no_progress(done: int, total: int) -> None:
    """A `Progress` for work that nobody watches."""


class Fetcher(Protocol):
    """Asks a server."""

    async def fetch(self, task: Task) -> Response | Redirect | Failure:
        """One request, no redirect followed. Never raises for what a server did; cancellation closes the connection."""


class Parser(Protocol):
    """Understands a response."""

    def parse(self, response: Response) -> Page | None:
        """The page, or None for a type that is not text. Never raises for what a page says."""


class Judge(Protocol):
    """Knows the topic."""

    def judge(self, page: Page) -> Verdict:
        """How much the page is about the topic."""

    def judge_links(self, links: Sequence[Link]) -> tuple[float, ...]:
        """How much each link promises, 0 to 1, by what stands in and around it; a page's links come together."""


class ImageJudge(Protocol):
    """Knows which images are worth having."""

    def judge_images(self, page: Page) -> tuple[Sighting, ...]:
        """The images of a page that are about the topic, each URL once, in the order of the page."""


class ImageDecoder(Protocol):
    """Makes images of bytes."""

    def decode(self, response: Response) -> DecodedImage | Failure:
        """The image, or why it is none that we want. Never raises for what a server sent."""


class Reader(Protocol):
    """Understands what servers send."""

    async def read(self, task: Task, response: Response) -> Seen | SeenImage | Missed:
        """What a page or image says. Others have their turn meanwhile, however long it takes."""


class Visitor(Protocol):
    """The stateless half of a crawl: fetch, parse, judge."""

    async def visit(self, task: Task) -> Visit: ...


class Strategy(Protocol):
    """Where would a fish swim now? What else a strategy can do, the protocols below say: each is implemented whole or not at all.

    A crawl asks once which of them its strategy is (`strategy.capabilities_of`).
    """

    @abstractmethod
    def follow(self, seen: Seen) -> Iterable[Candidate]:
        """A candidate for every link of the page, also for those it refuses."""


@runtime_checkable
class Repricer(Protocol):
    """Thinks differently of URLs that wait, the more it has seen."""

    def pace(self) -> int:
        """After how many more pages `refresh` is due."""

    async def refresh(self) -> Sequence[Repriced]:
        """URLs whose priority changed by what was learned since. What takes long runs in a thread: the crawl does not wait."""

    def lost(self, keys: Iterable[int]) -> None:
        """URLs (`urls.key_of`) that will not be fetched, and need no price any more: failed, moved, out of scope."""


@runtime_checkable
class LeaseObserver(Protocol):
    """Takes into account what is being fetched and has not come yet."""

    def chosen(self, entry: Entry) -> None:
        """The URL is being asked for now."""


@runtime_checkable
class LinkExplainer(Protocol):
    """Knows more of the value of a URL than what stood on its candidate."""

    def why(self, entry: Entry) -> str:
        """Why this URL was worth asking for, now that its page came (after `follow`); empty when the entry says it already."""

    def reasons(self, entry: Entry) -> tuple[Evidence, ...]:
        """What makes the value of a URL that waits, the strongest first; nothing when it does not know the URL."""


@runtime_checkable
class MarkLearner(Protocol):
    """Learns from what a user says of pages."""

    def learn_mark(self, mark: Mark) -> None:
        """A user says whether a page is relevant, or takes it back (None: it is as the judge said). A refresh follows.

        Of several marks of a page the last counts. After a restart all that hold come again, once `recall` is over.
        The page may be one that this crawl has not fetched; then the mark holds when it comes.
        """


@runtime_checkable
class Forecaster(Protocol):
    """Can tell when it is not worth going on."""

    def outlook(self, pages: int) -> Outlook:
        """What the next pages will bring."""


@runtime_checkable
class Portable(Protocol):
    """Learns what another crawl could begin with."""

    def knowledge(self) -> bytes:
        """What was learned; empty when nothing was yet."""

    def begin_with(self, knowledge: bytes) -> None:
        """Start with what another crawl learned; `errors.InputError` when it is not this strategy's."""


@runtime_checkable
class Persistent(Protocol):
    """Knows after a restart what it knew before."""

    def memo(self, seen: Seen) -> bytes:
        """What must be known of this page after a restart; stored with the page."""

    def recall(self, memos: Iterable[bytes]) -> None:
        """The memos of all pages of earlier runs, in the order of fetching. Those of another strategy may be among them."""


class Broker(Protocol):
    """Hands out work and takes results."""

    async def lease(self) -> Task | None:
        """The next request to make, as soon as there is one; None when the crawl is over."""

    async def settle(self, visit: Visit) -> None:
        """The result of a leased task."""


class Ledger(Protocol):
    """The clocks of all hosts, shared by every crawl of the installation."""

    @property
    def has_room(self) -> bool:
        """False when so many claims are under way that another one would only wait."""

    def claim(
        self, key: str, now: float, until: float, next_at: float = 0.0, tell: Callable[[], None] = lambda: None
    ) -> float:
        """Reserve a host for a request that ends before `until`: 0 when granted, else the time to ask again.

        That is infinity when the answer is not known yet: whoever claims again once `tell` was called, not long after, has it.
        Others have their turn meanwhile; a ledger never waits. If the claim is never released, because its owner died, nobody
        may ask the host before `next_at`.
        """

    def release(self, key: str, next_at: float) -> None:
        """The request is over; nobody may ask this host before `next_at`."""

    def flush(self) -> None:
        """Tell the other crawls what was claimed and released. Until then they may have to wait, as may those who claim."""


class Locator(Protocol):
    """Knows where hosts live."""

    @property
    def has_room(self) -> bool:
        """False when so many look-ups are under way that another one would only wait."""

    def ask(self, host: str, tell: Callable[[str], None]) -> None:
        """Look a host up; `tell` hears its address, empty when nobody knows it, and never before this returns."""


class UrlIndex(Protocol):
    """The durable side of the frontier: it shows what was committed."""

    def last_id(self) -> int:
        """The highest id ever given."""

    def find(self, key: int) -> Known | None:
        """What is known of the URL with this key."""

    def read(self, id: int) -> Entry:
        """The whole entry."""

    def hosts(self) -> Iterable[HostRecord]:
        """Every host."""

    def waiting(self) -> Iterable[Waiting]:
        """Every URL that waits."""


class Store(Protocol):
    """The memory of a crawl."""

    def take_lost(self) -> list[tuple[str, Exception]]:
        """What could not be written since the last call, each with what it raised."""

    async def commit(self, changes: Changes) -> list[Duplicate]:
        """Make a batch durable, all of it or nothing; answers which of its pages were known already."""


class Backlog(Protocol):
    """What a crawl still wants besides new pages, on the disk."""

    def image_numbers(self) -> dict[int, int]:
        """The number of every image that is known, by `urls.key_of` its URL."""

    def images_here(self) -> int:
        """How many images have come."""

    def wanted(self, start: int, limit: int) -> list[WantedImage]:
        """The first so many images from this number on that wait, in the order of their numbers."""

    def due(self) -> list[DueRevisit]:
        """The pages that are to be looked at again."""


class SeedSource(Protocol):
    """Knows pages that a crawl may begin at."""

    async def find(self, words: str, limit: int) -> Suggestions | Unanswered:
        """At most `limit` pages that have to do with the words, each once, the best first. Never raises for what a server did."""
