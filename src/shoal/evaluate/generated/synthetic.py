"""Which web does Shoal measure itself on? One made from a seed, whose every page is known.

    sites ─► articles ─► moves, copies ─► linking ─► rendering ─► assembly ─► Web

`generate(7)` gives the same bytes on every machine. The web is meant to be as tiresome as the real one, and is shaped for
no strategy: links follow fixed chances (`linking`), and a page is about what most of its sentences were made of
(`articles`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from shoal.evaluate.generated.articles import write_all
from shoal.evaluate.generated.assembly import Plan, all_pages
from shoal.evaluate.generated.copies import copies
from shoal.evaluate.generated.linking import Map
from shoal.evaluate.generated.moves import dead_ends, moves, redirect_pages
from shoal.evaluate.generated.sites import BY_HOST, SEEDS, SITES, TOPICS, Site
from shoal.evaluate.generated.traps import trap
from shoal.evaluate.generated.webpage import WebPage
from shoal.model import Topic
from shoal.testing.webserver import NOT_FOUND, Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """A whole web, and the truth about it; `shoal.testing.webserver` serves it."""

    seed: int
    pages: Mapping[str, WebPage]
    """By URL; what traps make up is not among them."""

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(BY_HOST)

    @property
    def behaviours(self) -> Mapping[str, Site]:
        """What each host is like: its delay, how many requests it refuses, its charset."""
        return BY_HOST

    @property
    def robots(self) -> dict[str, str]:
        """The robots.txt of each host that has one."""
        return {site.host: site.robots for site in SITES if site.robots}

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
        site = BY_HOST.get(host)
        if site is None:
            return NOT_FOUND
        if target == "/robots.txt":
            body = site.robots.encode()
            return Answer(headers=(("Content-Type", "text/plain"),), body=body) if body else NOT_FOUND
        if nth <= site.refuses:
            return Answer(status=429, headers=(("Retry-After", "1"),))
        page = self.pages.get(f"http://{host}{target}") or trap(self.seed, host, target)
        return _as_answer(page) if page else NOT_FOUND


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
    plan = Plan(seed, Map(articles, moved), {copy.original.url: copy for copy in copied})
    pages = [*all_pages(plan, articles), *redirect_pages([*moved, *dead_ends()])]
    return Web(seed=seed, pages={page.url: page for page in pages})
