"""How many images of a topic does a crawl bring home, and how soon? Counted against what the images really show.

Pages and images share clocks and robots.txt, so each image that is not wanted costs time: what counts is how a crawl stood at
a moment.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.evaluate.simulation import Fetched, FetchedImage, Run


class ImagePoint(msgspec.Struct, frozen=True, kw_only=True):
    """How a crawl stood at one moment."""

    seconds: float
    """Simulated."""
    pages: int
    found: int
    """Different images on these pages, icons left out."""
    downloaded: int
    """Image files."""
    relevant: int
    """Different relevant images among them, by the labels."""


class ImageHarvest(msgspec.Struct, frozen=True, kw_only=True):
    """What came. Moments are simulated seconds since the start, in ascending order."""

    total: int
    """Different relevant images that a perfect, polite crawler would have."""
    pages: tuple[float, ...]
    """When each page came."""
    found: tuple[int, ...]
    """How many different images the first 1, 2, 3 … pages show, icons left out."""
    downloads: tuple[float, ...]
    """When each image file came."""
    hits: tuple[float, ...]
    """When each relevant image came that was not there yet, in whatever size."""

    @property
    def end(self) -> float:
        """When the last page or image came."""
        return max((*self.pages[-1:], *self.downloads[-1:]), default=0.0)

    def at(self, moment: float) -> ImagePoint:
        """How the crawl stood then; after its end it is as at its end."""
        pages = bisect_right(self.pages, moment)
        return ImagePoint(
            seconds=min(moment, self.end),
            pages=pages,
            found=self.found[pages - 1] if pages else 0,
            downloaded=bisect_right(self.downloads, moment),
            relevant=bisect_right(self.hits, moment),
        )


def image_harvest(web: SyntheticWeb, topic: str, run: Run) -> ImageHarvest:
    """What a crawl of this web brought home for the topic."""
    pages = sorted(run.pages, key=lambda page: page.at)
    images = sorted(run.images, key=lambda image: image.at)
    return ImageHarvest(
        total=len(web.relevant_images(topic)),
        pages=tuple(page.at for page in pages),
        found=tuple(_found(web, pages)),
        downloads=tuple(image.at for image in images),
        hits=tuple(_hits(web, topic, images)),
    )


def _found(web: SyntheticWeb, pages: Sequence[Fetched]) -> Iterator[int]:
    seen: set[str] = set()
    for page in pages:
        known = web.pages.get(page.url)
        seen.update(web.images[url].motif for url in (known.images if known else ()) if not web.images[url].is_icon)
        yield len(seen)


def _hits(web: SyntheticWeb, topic: str, images: Sequence[FetchedImage]) -> Iterator[float]:
    seen: set[str] = set()
    for image in images:
        known = web.images.get(image.url)
        if known and topic in known.topics and known.motif not in seen:
            seen.add(known.motif)
            yield image.at
