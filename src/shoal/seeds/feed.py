"""Which pages does a feed tell of? RSS, Atom and RDF, whether they are XML or only look like it; and JSON Feed.

A feed is gone through once, tag by tag, and of each entry a few short fields are kept. So its cost grows with its size and with
nothing else, a broken feed gives what can be read of it, and what it declares about itself (entities, namespaces) has no effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from shoal.model import Suggestion
from shoal.parse.html import unescaped
from shoal.seeds.list_document import UNREADABLE, Listing, plain, suggestion
from shoal.urls import normalise

ROOTS = frozenset({"rss", "feed", "rdf", "channel"})
TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})
_LARGEST = 5 * 2**20
"""Characters of a feed that are read; the newest entries come first."""
_LARGEST_JSON = 10 * 2**20
"""Half of it would be nothing, so it is read as a whole or not at all; it takes twenty times its size while that is done."""
_MOST_ENTRIES = 50_000
"""As of a sitemap."""


def read_feed(text: str, *, base: str | None, source: str) -> Listing:
    """The pages behind the entries of an RSS, Atom or RDF feed."""
    reading = _FeedReader(base, source)
    for token in _tokens(text[:_LARGEST]):
        reading.take(token)
        if reading.begun > _MOST_ENTRIES:
            return Listing(pages=tuple(reading.pages), problem=f"it has more than {_MOST_ENTRIES:,} entries")
    reading.end_entry()
    problem = "" if reading.pages or reading.closed else "it is damaged (its end is missing)"
    return Listing(pages=tuple(reading.pages), problem=problem)


# --- tags and text ---------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"<!\[CDATA\[|<!--|<\?|<!"
    # No part of a tag goes beyond the next `<`, so what is none costs no more than the way there.
    r"|<(/?)([A-Za-z_][\w.:-]{0,99}+)((?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)[^<>]*+>"
)
_ENDS = {"<![CDATA[": "]]>", "<!--": "-->", "<?": "?>", "<!": ">"}
_ATTRIBUTE = re.compile(r"(?<![\w.:-])([\w.:-]{1,50}+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_LONGEST_TAG = 5000


class _Tag(msgspec.Struct, frozen=True):
    name: str
    """In small letters, with its prefix."""
    inside: str
    """What stands behind the name."""
    closes: bool

    @property
    def is_empty(self) -> bool:
        return self.inside.endswith("/")

    @property
    def attributes(self) -> dict[str, str]:
        found = _ATTRIBUTE.findall(self.inside[:_LONGEST_TAG])
        return {name.lower(): unescaped(one or other) for name, one, other in found}


def _tokens(text: str) -> Iterator[_Tag | str]:
    """Tags and text in turn. Comments and declarations are left out, and CDATA is text that means what it says."""
    place = 0
    while (found := _TOKEN.search(text, place)) is not None:
        if found.start() > place:
            yield unescaped(text[place : found.start()][:_LONGEST_FIELD])
        place = found.end()
        if (end := _ENDS.get(found[0])) is None:
            yield _Tag(name=found[2].lower(), inside=found[3], closes=bool(found[1]))
            continue
        if (closed := text.find(end, place)) < 0:
            return
        if found[0] == "<![CDATA[":
            yield text[place : min(closed, place + _LONGEST_FIELD)]
        place = closed + len(end)


# --- entries ---------------------------------------------------------------------------------------------------------

_ENTRIES = frozenset({"item", "entry"})
_FIELDS = {
    "title": "title",
    "link": "link",
    "guid": "id",
    "id": "id",
    "description": "summary",
    "summary": "summary",
    "content": "content",
    "encoded": "content",
    "pubdate": "published",
    "published": "published",
    "issued": "published",
    "date": "published",
    "created": "published",
    "updated": "updated",
    "modified": "updated",
}
"""The elements that are read of an entry, and what they are to us."""
_WITH_MARKUP = frozenset({"title", "summary", "content"})
"""Fields that may have tags in them."""
_LONGEST_FIELD = 20_000
_USUAL = frozenset({"", "rss", "atom", "atom10", "a10", "rdf", "dc", "dcterms", "content"})
_VOCABULARIES = (
    "w3.org/2005/atom",
    "purl.org/atom",
    "purl.org/rss",
    "purl.org/dc/",
    "rdf-syntax-ns",
    "backend.userland.com",
)
"""Prefixes, and what stands in the addresses of namespaces, whose elements are read; `media:title` is none of the page."""


class _FeedReader:
    """One feed while it is read."""

    def __init__(self, base: str | None, source: str) -> None:
        self.pages: list[Suggestion] = []
        self.begun = 0
        """Entries, also those that name no page."""
        self.closed = False
        """The last tag was that of the root."""
        self._base = base
        self._source = source
        self._root = ""
        self._prefixes = _USUAL
        self._entry: _Entry | None = None

    def take(self, token: _Tag | str) -> None:
        if isinstance(token, str):
            if self._entry is not None:
                self._entry.add(token)
            return
        if not self._root and not token.closes:
            self._begin(token)
        self.closed = token.closes and token.name == self._root
        prefix, _, local = token.name.rpartition(":")
        if prefix not in self._prefixes:
            local = ""
        if local in _ENTRIES:
            self.end_entry()
            if not token.closes:
                self.begun += 1
                self._entry = _Entry(token.attributes, self._base)
        elif self._entry is not None:
            self._entry.take(token, local)

    def _begin(self, token: _Tag) -> None:
        self._root = token.name
        for name, value in token.attributes.items():
            if name == "xml:base":
                self._base = normalise(value.strip(), self._base) or self._base
            elif name.startswith("xmlns:"):
                known = {name.removeprefix("xmlns:")}
                is_ours = any(part in value.lower() for part in _VOCABULARIES)
                self._prefixes = self._prefixes | known if is_ours else self._prefixes - known

    def end_entry(self) -> None:
        """Whether it was closed or the next one has begun."""
        if self._entry is not None and (page := self._entry.page(self._source)) is not None:
            self.pages.append(page)
        self._entry = None


class _Entry:
    """One entry while it is read."""

    def __init__(self, attributes: dict[str, str], base: str | None) -> None:
        self._base = normalise(attributes.get("xml:base", "").strip(), base) or base
        self._fields: dict[str, str] = {"id": attributes.get("rdf:about", "")}
        self._field = ""
        """The one that is open, with the name of its tag and its text."""
        self._tag = ""
        self._parts: list[str] = []
        self._size = 0
        self._is_quoted = False
        """We are within what says where the entry was taken from, which has a title and a link of its own."""

    def add(self, text: str) -> None:
        if self._field and self._size < _LONGEST_FIELD:
            self._parts.append(text)
            self._size += len(text)

    def take(self, token: _Tag, local: str) -> None:
        if local == "source":
            self._is_quoted = not token.closes and not token.is_empty
        elif self._is_quoted:
            return
        elif token.name == self._tag and token.closes:
            self._end()
        elif self._field in _WITH_MARKUP and local not in ("link", "guid"):
            self.add(" ")
        elif local in _FIELDS and not token.closes:
            self._field, self._tag, self._parts, self._size = "", "", [], 0
            self._begin(token, _FIELDS[local])

    def _begin(self, token: _Tag, field: str) -> None:
        attributes = token.attributes if field in ("link", "id") else {}
        if field == "link" and attributes.get("href"):
            if attributes.get("rel", "alternate").lower() == "alternate":
                self._base = normalise(attributes.get("xml:base", ""), self._base) or self._base
                self._fields.setdefault("link", attributes["href"])
        elif not token.is_empty and attributes.get("ispermalink", "true").lower() != "false":
            self._field, self._tag = field, token.name

    def _end(self) -> None:
        text = "".join(self._parts).strip()
        if text and not self._fields.get(self._field):
            self._fields[self._field] = text
        self._field, self._tag, self._parts, self._size = "", "", [], 0

    def page(self, source: str) -> Suggestion | None:
        """What was read; a field that was not closed may be half of one, and is left out."""
        said = self._fields
        named = said.get("id", "")
        return suggestion(
            said.get("link") or (named if named.startswith(("http://", "https://")) else ""),
            base=self._base,
            title=plain(said.get("title", "")),
            snippet=plain(said.get("summary") or said.get("content", "")),
            source=source,
            updated=said.get("published") or said.get("updated", ""),
        )


# --- JSON Feed -------------------------------------------------------------------------------------------------------


class _Item(msgspec.Struct):
    """One entry, as far as we need it."""

    url: str | None = None
    external_url: str | None = None
    """Where the page is that a link blog speaks of."""
    title: str | None = None
    summary: str | None = None
    content_text: str | None = None
    content_html: str | None = None
    date_modified: str | None = None
    date_published: str | None = None


class _JsonFeed(msgspec.Struct):
    version: str
    items: list[msgspec.Raw] = []


def read_json_feed(text: str, *, base: str | None, source: str) -> Listing | None:
    """The pages behind the entries of a JSON Feed; None when this is other JSON, or none at all."""
    if len(text) > _LARGEST_JSON:
        return Listing(problem=f"it is larger than {_LARGEST_JSON // 2**20} MiB")
    try:
        feed = msgspec.json.decode(text, type=_JsonFeed)
    except UNREADABLE:
        return None
    if "jsonfeed.org" not in feed.version:
        return None
    pages = (_item(raw, base, source) for raw in feed.items[:_MOST_ENTRIES])
    return Listing(pages=tuple(filter(None, pages)))


def _item(raw: msgspec.Raw, base: str | None, source: str) -> Suggestion | None:
    try:
        item = msgspec.json.decode(raw, type=_Item)
    except UNREADABLE:
        return None
    return suggestion(
        item.url or item.external_url or "",
        base=base,
        title=item.title or "",
        snippet=item.summary or item.content_text or plain(item.content_html or ""),
        source=source,
        updated=item.date_modified or item.date_published or "",
    )
