"""Which web does Shoal measure itself on? One made from a seed, whose every page is known.

    sites ─► articles ─► moves, copies ─► linking ──────┬─► rendering ─► assembly ─► Web
    albums ─► illustrating ─► showing, gallery ─────────┘

`generate(7)` gives the same bytes on every machine. The web is meant to be as tiresome as the real one, and is shaped for
no strategy: links follow fixed chances (`linking`), and a page is about what most of its sentences were made of
(`articles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shoal.evaluate.generated.articles import write_all
from shoal.evaluate.generated.copies import copies
from shoal.evaluate.generated.gallery import all_pictures, answer_with
from shoal.evaluate.generated.illustrations import illustrate
from shoal.evaluate.generated.image_hosts import PICTURE_HOSTS
from shoal.evaluate.generated.link_structure import Map
from shoal.evaluate.generated.redirects import dead_ends, moves, redirect_pages
from shoal.evaluate.generated.site_pages import Plan, all_pages
from shoal.evaluate.generated.sites import BY_HOST, SEEDS, SITES, TOPICS, Site
from shoal.evaluate.generated.trap_pages import trap
from shoal.evaluate.generated.webpage import WebPage
from shoal.evaluate.generated.webpicture import WebPicture
from shoal.model import Topic
from shoal.testing.webserver import NOT_FOUND, Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A whole web, and the truth about it; `shoal.testing.webserver` serves it."""

    seed: int
    pages: Mapping[str, WebPage]
    """By URL; what traps make up is not among them."""
    pictures: Mapping[str, WebPicture]
    """By URL: every file that some page names, whether it can be had or not."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Those that have pages; some others have nothing but pictures."""
        return tuple(BY_HOST)

    @property
    def behaviours(self) -> Mapping[str, Site]:
        """What each host is like: its delay, how many requests it refuses, its charset."""
        return BY_HOST

    @property
    def robots(self) -> dict[str, str]:
        """The robots.txt of each host that has one."""
        robots = {site.host: site.robots for site in SITES} | PICTURE_HOSTS
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

    def relevant_pictures(self, topic: str) -> frozenset[str]:
        """The motif of every picture that a perfect, polite crawler would have found and kept.

        A picture counts when the topic can be seen on it, a page shows it that can be reached from the topic's seeds and may
        be kept, and one of its files can be had. However many files it has, it counts once.
        """
        pages = (self.pages[url] for url in self.reachable(self.seeds(topic)))
        files = {url for page in pages if not page.noindex for url in page.pictures}
        found = (self.pictures[url] for url in files)
        return frozenset(picture.motif for picture in found if topic in picture.topics and picture.can_be_had)

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

    def answer(self, host: str, target: str, nth: int) -> Answer:
        """What the host says to its `nth` request."""
        url = f"http://{host}{target}"
        if target == "/robots.txt":
            return _robots_answer(BY_HOST[host].robots if host in BY_HOST else PICTURE_HOSTS.get(host, ""))
        if host in BY_HOST and nth <= BY_HOST[host].refuses:
            return Answer(status=429, headers=(("Retry-After", "1"),))
        if page := self.pages.get(url) or trap(self.seed, host, target):
            return _as_answer(page)
        return answer_with(self.pictures[url]) if url in self.pictures else NOT_FOUND


def _robots_answer(text: str) -> Answer:
    return Answer(headers=(("Content-Type", "text/plain"),), body=text.encode()) if text else NOT_FOUND


def _as_answer(page: WebPage) -> Answer:
    headers = (("Content-Type", page.content_type), *page.headers)
    if page.location:
        headers = (*headers, ("Location", page.location))
    return Answer(status=page.status, headers=headers, body=page.body, delay=page.delay)


def generate(seed: int = 7) -> Web:
    """The web that grows from a seed, always the same."""
    articles = write_all(seed)
    moved = moves(seed, articles)
    copied = copies(seed, articles)
    shown = illustrate(seed, articles)
    plan = Plan(seed, Map(articles, moved), {copy.original.url: copy for copy in copied}, shown)
    pages = [*all_pages(plan, articles), *redirect_pages([*moved, *dead_ends()])]
    named = {url for page in pages for url in page.pictures}
    pictures = {url: file for url, file in all_pictures(articles, shown, copied).items() if url in named}
    return Web(seed=seed, pages={page.url: page for page in pages}, pictures=pictures)
