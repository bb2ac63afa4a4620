"""Which pages does a site publish? Reads a sitemap, a feed, a list of URLs, or finds those that a site has.

    a site's home page ─► sitemaps named in robots.txt ─► /sitemap.xml ─► feeds and sitemaps named in the page
    any other page ─────► feeds and sitemaps named in the page ─► those of its site

Documents that are named by the user, by robots.txt or by another sitemap are meant to be read, so robots.txt is not asked
whether they may be.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from shoal.fetch.polite_client import PoliteClient, in_a_sentence
from shoal.model import Response, Suggestions, TaskKind, Unanswered
from shoal.parse.charset import decode
from shoal.parse.html import link_elements
from shoal.seeds import feed, sitemap
from shoal.seeds.list_document import ListDocument, Listing, unpacked
from shoal.seeds.selection import SuggestionCollector, Wanted, everything, phrases_in
from shoal.urls import host_of, normalise, origin_of

MOST_DOCUMENTS = 200
"""Documents that are read at most for one answer."""
_DEEPEST = 3
"""Sitemap indexes within sitemap indexes; the protocol knows none, some sites have one or two."""
_HEAD = 200_000
"""Characters of a page in which it names its feeds."""
_NOT_AN_ELEMENT = re.compile(r"<!--.*?-->|<\?.*?\?>|(<!--.*+|<\?.*+)", re.DOTALL)
"""What is not closed is found once, not from each of its beginnings, and stays."""
_ELEMENT = re.compile(r"<(?:[\w.-]{1,50}:)?([A-Za-z][\w.-]{0,50})")


class PublishedSource:
    """Suggests what stands in a sitemap, a feed or a list, or in those of a site."""

    def __init__(self, place: str | ListDocument, asker: PoliteClient, *, wanted: Wanted = everything) -> None:
        """`place` is a URL in normal form, or a document that is at hand."""
        self._place = place
        self._asker = asker
        self._wanted = wanted

    async def find(self, words: str, limit: int) -> Suggestions | Unanswered:
        """All pages in which one of the words stands (title, summary or address), or all if there are no words."""
        collector = SuggestionCollector(limit, self._wanted, phrases_in(words) if words.strip() else ())
        document: ListDocument | Unanswered
        if isinstance(self._place, ListDocument):
            home, document = "", self._place
        else:
            home = self._place if self._place == f"{origin_of(self._place)}/" else ""
            if home and await self._read_sitemaps_of(home, collector):
                return collector.answer()
            document = await self._fetch(self._place)
        read = document if isinstance(document, Unanswered) else await self._read(document, home, collector)
        return read or collector.answer()

    # --- from a place to documents -----------------------------------------------------------------------------------

    async def _read(self, document: ListDocument, home: str, collector: SuggestionCollector) -> Unanswered | None:
        """What it lists; a page that lists nothing may name feeds, or be of a site that has sitemaps.

        Of a home page the sitemaps were looked for already.
        """
        if (listing := understood(document)) is not None:
            return await self._follow(document, listing, collector)
        if document.base is not None:
            named = lists_named_in(_text(document), document.base)
            if named and await self._walk(named, collector):
                return None
            if not home and await self._read_sitemaps_of(document.base, collector):
                return None
        why = f"{document.name} is neither a sitemap, a feed nor a list of URLs, and leads to none; give the address of one"
        if home:
            why = (
                f"{home} has no sitemap (neither in robots.txt nor as /sitemap.xml), and its page names no feed; "
                "give the address of a sitemap or a feed"
            )
        return _nothing(collector, why)

    async def _read_sitemaps_of(self, url: str, collector: SuggestionCollector) -> bool:
        """True when the site of this URL has sitemaps that can be read."""
        origin = origin_of(url)
        robots = await self._fetch(f"{origin}/robots.txt", kind="robots")
        named: Sequence[str] = ()
        if isinstance(robots, ListDocument):
            named = sitemap.sitemaps_named_in(_text(robots), f"{origin}/")
        if named and await self._walk(named, collector):
            return True
        usual = f"{origin}/sitemap.xml"
        if usual in named:
            return False
        document = await self._fetch(usual)
        # Many sites answer every address with a page.
        if isinstance(document, Unanswered) or (listing := understood(document)) is None:
            return False
        return await self._follow(document, listing, collector) is None

    async def _fetch(self, url: str, kind: TaskKind = "page") -> ListDocument | Unanswered:
        answer = await self._asker.ask(url, kind=kind)
        if isinstance(answer, Unanswered):
            return answer
        if isinstance(answer, Response):
            header = answer.header("content-type")
            return ListDocument(name=url, base=answer.url, body=answer.body, content_type=header)
        return Unanswered(why=f"{url} cannot be read: {in_a_sentence(answer.detail)}")

    # --- from documents to pages -------------------------------------------------------------------------------------

    async def _follow(
        self, document: ListDocument, listing: Listing, collector: SuggestionCollector
    ) -> Unanswered | None:
        """Take what a document lists, and what the documents list that it names."""
        _take(document.name, listing, collector)
        if listing.lists:
            await self._walk(listing.lists, collector, known=document.base or "")
        return _nothing(collector, "") if collector.untouched and collector.notes else None

    async def _walk(self, addresses: Sequence[str], collector: SuggestionCollector, *, known: str = "") -> bool:
        """Read documents and those they name, in their order, until there is enough; True when one could be read."""
        waiting = deque((address, 1) for address in addresses if address != known)
        seen = {known, *addresses}
        read = asked = 0
        while waiting and not collector.full and asked < MOST_DOCUMENTS:
            address, depth = waiting.popleft()
            asked += 1
            document = await self._fetch(address)
            if isinstance(document, Unanswered):
                collector.notes.append(f"{document.why}.")
                continue
            if (listing := understood(document)) is None:
                collector.notes.append(f"{address} is neither a sitemap nor a feed.")
                continue
            read += 1
            _take(address, listing, collector)
            further = [one for one in listing.lists if one not in seen] if depth < _DEEPEST else []
            seen.update(further)
            waiting.extend((one, depth + 1) for one in further)
        if waiting and collector.full:
            collector.more = True
        elif waiting:
            collector.notes.append(
                f"{len(waiting):,} more sitemaps were not read: {MOST_DOCUMENTS} at a time is enough."
            )
        return read > 0


def _text(document: ListDocument, body: bytes | None = None) -> str:
    """Its text, or that of what was packed in it."""
    host = host_of(document.base).partition(":")[0] if document.base else ""
    return decode(document.body if body is None else body, document.content_type, host)[0]


def _nothing(collector: SuggestionCollector, why: str) -> Unanswered:
    """Nothing came; if something went wrong on the way, that is the reason."""
    return Unanswered(why=collector.notes[0].rstrip(".") if collector.notes else why)


def _take(name: str, listing: Listing, collector: SuggestionCollector) -> None:
    for page in listing.pages:
        collector.add(page)
    if listing.problem:
        collector.notes.append(f"{name} was not read to its end: {listing.problem}.")


# --- what kind of document is this? ----------------------------------------------------------------------------------


def understood(document: ListDocument) -> Listing | None:
    """What it lists; None when it is nothing that lists pages."""
    body, problem = unpacked(document.body)
    listing = _listed(_text(document, body), document)
    if listing is None:
        return Listing(problem=problem) if problem else None
    return Listing(pages=listing.pages, lists=listing.lists, problem=problem or listing.problem)


def _listed(text: str, document: ListDocument) -> Listing | None:
    base, source = document.base, document.name
    start = text[:4000].lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        return feed.read_json_feed(text, base=base, source=source)
    if not start.startswith("<"):
        listing = sitemap.read_addresses(text, source=source)
        return listing if listing.pages else None
    root = _ELEMENT.search(_NOT_AN_ELEMENT.sub(r"\1", text[:20_000]))
    name = root[1] if root else ""
    if name in sitemap.ROOTS:
        return sitemap.read_sitemap(text, base=base, source=source)
    if name.lower() in feed.ROOTS:
        return feed.read_feed(text, base=base, source=source)
    return None


def lists_named_in(page: str, base: str) -> tuple[str, ...]:
    """The feeds and sitemaps that a page names in its head."""
    wanted = (
        normalise(href, base)
        for rel, kind, href in link_elements(page[:_HEAD])
        if href and ("sitemap" in rel or ("alternate" in rel and kind in feed.TYPES))
    )
    return tuple(dict.fromkeys(filter(None, wanted)))
