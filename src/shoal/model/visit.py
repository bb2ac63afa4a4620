"""What does a worker send home? What it found behind a URL, judged and packed."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from shoal.model.exchange import Failure, Redirect, Response, ResponseHead, Task, Timing
from shoal.model.page import Image, PageSummary
from shoal.model.value import Count, Finite, Int64, Value


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
    """The main text and its flat form (`store/page_versions.py`); empty when there is no page, or it may not be kept."""
    links: bytes = b""
    """Where the page leads (`store/page_links.py`)."""
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
