"""What does a response say? Bytes in, `Page` out.

    bytes ─charset─► text ─markup─► notes ─► links, images, robots rules
                                      └─marked text─► main text ─text─► flat form, fingerprint

Broken HTML never raises, and every string of a page can be encoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from shoal import text, urls
from shoal.model import LinkKind, Page, Response
from shoal.parse import charset, html
from shoal.parse.links import resolve
from shoal.parse.main_text import MAX_TEXT, first_heading, headings, line, main_text
from shoal.parse.metadata import language_of, published
from shoal.parse.robots_txt import names_of
from shoal.settings import USER_AGENT

_HTML = frozenset(("text/html", "application/xhtml+xml"))
_PLAIN = frozenset(("text/plain", "text/markdown"))
_LOOKS_LIKE_HTML = re.compile(rb"<(?:!doctype|html|head|body|title|meta|a|p|div|table|script|h[1-6])[\s>]", re.I)
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SNIFFED = 1024
_MAX_FLAT = 2 * MAX_TEXT
"""Characters of the flat form. Only signs that stand for whole words make it so much longer than its text."""
_MOST_RULES, _MAX_RULES = 100, 2000
"""Places where rules for robots are said, and characters of each."""
_MOST_DATA, _MOST_DATES = 50, 20
"""Blocks of JSON-LD that are asked for dates, and dates of each."""

_DATE_METAS = (
    "article:published_time",
    "datepublished",
    "og:published_time",
    "publishdate",
    "pubdate",
    "publish_date",
    "date",
    "dc.date",
    "dc.date.issued",
    "dcterms.created",
    "article:modified_time",
)
_JSON_DATE = re.compile(r'"(?:datePublished|dateCreated|pubDate)"\s*:\s*"([^"\\]{4,40})"')
_AGENT = re.compile(r"[a-z][\w.-]*+(?:/\S*+)?+")
_VALUED_RULES = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))


class HtmlParser:
    """Reads HTML, XHTML and plain text."""

    def __init__(self, user_agent: str = USER_AGENT) -> None:
        self._names = names_of(user_agent)

    def parse(self, response: Response) -> Page | None:
        """The page, or None for a type that is not text. Never raises for what a page says."""
        kind = _kind_of(response)
        if kind is None:
            return None
        body, name = charset.decode(
            response.body, response.header("content-type"), urls.host_of(response.url).partition(":")[0]
        )
        if b"\x00" in response.body:
            body = body.replace("\x00", "")
        if kind == "plain":
            return _plain_page(response.url, body, name)
        return self._html_page(response, html.read(body), name)

    def _html_page(self, response: Response, notes: html.Markup, charset_name: str) -> Page:
        metas = dict(reversed(notes.metas))  # the first of a name counts
        content = main_text(notes.sections)
        title = line(notes.title) or line(metas.get("og:title", "")) or first_heading(notes.sections)
        base = urls.normalise(notes.base, response.url) or response.url
        links, images = resolve(notes, base, response.url, charset_name)
        rules = self._robots_rules(response, notes)
        flat = text.flattened(content)[:_MAX_FLAT]
        return Page(
            url=response.url,
            title=title,
            description=line(metas.get("description", "") or metas.get("og:description", "")),
            keywords=line(metas.get("keywords", "")),
            canonical=next((link.url for link in links if link.kind is LinkKind.CANONICAL), ""),
            language=language_of(content, notes.language or metas.get("content-language", "")),
            published=published(_stated_dates(notes, metas), response.url, content),
            charset=charset_name,
            headings=headings(notes.sections),
            text=content,
            flat=f"{text.flattened(title)}\n{flat}",
            fingerprint=text.fingerprint(flat),
            links=links,
            images=() if "noimageindex" in rules else images,
            noindex="noindex" in rules or "none" in rules,
            nofollow="nofollow" in rules or "none" in rules,
        )

    def _robots_rules(self, response: Response, notes: html.Markup) -> set[str]:
        """The directives for us, from meta tags and headers; the strictest of all wins."""
        said = [content.lower() for name, content in notes.metas if name == "robots" or name in self._names]
        words = {word.strip() for rules in said[:_MOST_RULES] for word in rules[:_MAX_RULES].split(",")}
        for name, value in response.headers:
            if name == "x-robots-tag":
                words.update(self._rules_for_us(value[:_MAX_RULES].lower()))
        return words

    def _rules_for_us(self, header: str) -> Iterator[str]:
        """Of `nofollow, otherbot: noindex, shoal: none` what is said to all or to us: a name holds until the next one."""
        is_for_us = True
        for part in header.split(","):
            name, colon, rule = (piece.strip() for piece in part.partition(":"))
            if colon and name not in _VALUED_RULES and _AGENT.fullmatch(name):
                is_for_us = name.partition("/")[0] in self._names
            else:
                rule = part.strip()
            if is_for_us:
                yield rule


def _kind_of(response: Response) -> str | None:
    """`html`, `plain` or nothing; a response without a usable type is looked at."""
    declared = response.content_type
    if declared in _HTML:
        return "html"
    if declared in _PLAIN:
        return "plain"
    if "/" in declared:
        return None
    head = response.body[:_SNIFFED]
    if _LOOKS_LIKE_HTML.search(head):
        return "html"
    is_wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return "plain" if head and (is_wide or not _BINARY.search(head)) else None


def _plain_page(url: str, body: str, charset_name: str) -> Page:
    content = body[:MAX_TEXT].strip()
    title = line(content.partition("\n")[0][:500]) or url.rstrip("/").rpartition("/")[2]
    flat = text.flattened(content)[:_MAX_FLAT]
    return Page(
        url=url,
        title=title,
        language=language_of(content, ""),
        published=published((), url, content),
        charset=charset_name,
        text=content,
        flat=f"\n{flat}",  # its title is a line of the text
        fingerprint=text.fingerprint(flat),
    )


def _stated_dates(notes: html.Markup, metas: dict[str, str]) -> Iterable[str]:
    """Every date the markup states, the most trustworthy first."""
    yield from (metas[name] for name in _DATE_METAS if name in metas)
    for data in notes.data[:_MOST_DATA]:
        yield from (found[1] for found in islice(_JSON_DATE.finditer(data), _MOST_DATES))
    yield from notes.dates
