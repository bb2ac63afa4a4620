"""Which web does Shoal measure itself on? One made from a seed, whose every page is known.

    sites ─► articles ─► redirects, copies ─► link_structure ────┬─► page_markup ─► site_pages ─► SyntheticWeb
    image_hosts ─► illustrations ─► image_markup, image_catalog ─┘

`generate(7)` gives the same bytes on every machine. The web is meant to be as tiresome as the real one, and is shaped for
no strategy: links follow fixed chances (`link_structure`), and a page is about what most of its sentences were made of
(`articles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from shoal.evaluate.generated.articles import write_all
from shoal.evaluate.generated.copies import copies
from shoal.evaluate.generated.ground_truth import WebImage, WebPage
from shoal.evaluate.generated.illustrations import illustrate
from shoal.evaluate.generated.image_catalog import all_images, answer_with
from shoal.evaluate.generated.image_hosts import IMAGE_HOSTS
from shoal.evaluate.generated.link_structure import Map
from shoal.evaluate.generated.redirects import dead_ends, moves, redirect_pages
from shoal.evaluate.generated.site_pages import WebPlan, all_pages
from shoal.evaluate.generated.sites import BY_HOST, SEEDS, SITES, TOPICS
from shoal.evaluate.generated.trap_pages import trap
from shoal.model import Topic
from shoal.testing.webserver import NOT_FOUND, WebAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticWeb:
    """A whole web, and the truth about it; `shoal.testing.webserver` serves it."""

    seed: int
    pages: Mapping[str, WebPage]
    """By URL; what traps make up is not among them."""
    images: Mapping[str, WebImage]
    """By URL: every file that some page names, whether it can be had or not."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Those that have pages; some others have nothing but images."""
        return tuple(BY_HOST)

    @property
    def robots(self) -> dict[str, str]:
        """The robots.txt of each host that has one."""
        robots = {site.host: site.robots for site in SITES} | IMAGE_HOSTS
        return {host: text for host, text in robots.items() if text}

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(TOPICS)

    def topic(self, name: str) -> Topic:
        """A topic as a person would type it."""
        return TOPICS[name]

    def seeds(self, name: str) -> tuple[str, ...]:
        """Where a person interested in a topic would start."""
        return SEEDS[name]

    def relevant(self, topic: str) -> frozenset[str]:
        """Every page that a perfect, polite crawler would have found and kept.

        A page counts when it is about the topic, answered with 200, allowed by robots.txt, not marked noindex, not a copy
        of another page, and can be reached from the topic's seeds over followable links and redirects. Redirecting
        addresses, homes and files do not count; the pages that list a section's articles do.
        """
        return frozenset(
            url
            for url in self.reachable(self.seeds(topic))
            if topic in (page := self.pages[url]).topics and page.note in ("article", "hub") and not page.noindex
        )

    def relevant_images(self, topic: str) -> frozenset[str]:
        """The motif of every image that a perfect, polite crawler would have found and kept.

        An image counts when the topic can be seen on it, a page shows it that can be reached from the topic's seeds and may
        be kept, and one of its files can be had. However many files it has, it counts once.
        """
        pages = (self.pages[url] for url in self.reachable(self.seeds(topic)))
        files = {url for page in pages if not page.noindex for url in page.images}
        found = (self.images[url] for url in files)
        return frozenset(image.motif for image in found if topic in image.topics and image.can_be_had)

    def reachable(self, seeds: Iterable[str]) -> set[str]:
        """Every page that polite link following can fetch, traps left aside."""
        waiting = [url for url in seeds if self._may_fetch(url)]
        found = set(waiting)
        while waiting:
            new = {url for url in self.pages[waiting.pop()].links if self._may_fetch(url)} - found
            found |= new
            waiting += new
        return found

    def _may_fetch(self, url: str) -> bool:
        return url in self.pages and self.pages[url].allowed

    def answer(self, host: str, target: str, nth: int) -> WebAnswer:
        """What the host says to its `nth` request."""
        url = f"http://{host}{target}"
        if target == "/robots.txt":
            return _robots_answer(BY_HOST[host].robots if host in BY_HOST else IMAGE_HOSTS.get(host, ""))
        if host in BY_HOST and nth <= BY_HOST[host].refuses:
            return WebAnswer(status=429, headers=(("Retry-After", "1"),))
        if page := self.pages.get(url) or trap(self.seed, host, target):
            return _as_answer(page)
        return answer_with(self.images[url]) if url in self.images else NOT_FOUND


def _robots_answer(text: str) -> WebAnswer:
    return WebAnswer(headers=(("Content-Type", "text/plain"),), body=text.encode()) if text else NOT_FOUND


def _as_answer(page: WebPage) -> WebAnswer:
    headers = (("Content-Type", page.content_type), *page.headers)
    if page.location:
        headers = (*headers, ("Location", page.location))
    return WebAnswer(status=page.status, headers=headers, body=page.body, delay=page.delay)


@lru_cache(maxsize=2)
def generate(seed: int = 7) -> SyntheticWeb:
    """The web that grows from a seed, always the same; nobody changes it, so the last two are kept."""
    articles = write_all(seed)
    moved = moves(seed, articles)
    copied = copies(seed, articles)
    shown = illustrate(seed, articles)
    plan = WebPlan(seed, Map(articles, moved), {copy.original.url: copy for copy in copied}, shown)
    pages = [*all_pages(plan, articles), *redirect_pages([*moved, *dead_ends()])]
    named = {url for page in pages for url in page.images}
    images = {url: file for url, file in all_images(articles, shown, copied).items() if url in named}
    return SyntheticWeb(seed=seed, pages={page.url: page for page in pages}, images=images)
