"""Which pages does a sitemap list? Those of `urlset`, the further sitemaps of `sitemapindex`, and plain lists of URLs.

A sitemap that declares entities of its own is refused: none needs them, and they are how a small file becomes a huge one.
"""

from __future__ import annotations

import re
from itertools import islice
from xml.parsers import expat

from shoal.model import Suggestion
from shoal.seeds.list_document import Listing, suggestion
from shoal.urls import normalise

ROOTS = frozenset({"urlset", "sitemapindex"})
_MOST_ENTRIES = 50_000
"""What the protocol allows in one sitemap."""
_MOST_ELEMENTS = 2_000_000
"""Of all kinds: every URL may have some dozen translations and images."""
_DEEPEST = 50
_ADDRESS = re.compile(r"(?:\A|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])[ \t]*+(https?://[^\s\x00]++)(?!\x00)", re.I)
"""At the beginning of a line, whichever of the ways to end one its writer knew."""
_BARE_AMPERSAND = re.compile(r"&(?!#?\w{1,32};)")
_MOST_AMPERSANDS = 1_000_000
"""That are put right: each makes the text longer."""
_LONG_TAG = re.compile(r"<[^<>]{65536}")
"""Its attributes would take twenty times the memory of the text."""
_KEPT = {"loc", "lastmod", "title"}
"""Of `title` there is none in the protocol itself; the extension for news has it."""


def read_sitemap(text: str, *, base: str | None, source: str) -> Listing:
    """The pages or sitemaps it lists, as far as it can be read."""
    reading = _SitemapReader(base, source)
    problem = reading.feed(_well_formed(text))
    return Listing(pages=tuple(reading.pages), lists=tuple(dict.fromkeys(reading.lists)), problem=problem)


def read_addresses(text: str, *, source: str) -> Listing:
    """A text file with one URL a line, perhaps with a remark behind it; other lines are no harm."""
    addresses = [line[1] for line in islice(_ADDRESS.finditer(text), _MOST_ENTRIES + 1)]
    pages = (suggestion(address, source=source) for address in addresses[:_MOST_ENTRIES])
    return Listing(pages=tuple(filter(None, pages)), problem=_too_many(len(addresses)))


def sitemaps_named_in(robots: str, base: str) -> tuple[str, ...]:
    """The addresses behind `Sitemap:` in a robots.txt."""
    lines = (line.partition("#")[0].partition(":") for line in robots.splitlines())
    values = (value.strip() for name, _, value in lines if name.strip().lower() == "sitemap")
    named = (normalise(value, base) for value in values if value)
    return tuple(dict.fromkeys(filter(None, named)))


def _too_many(count: int) -> str:
    return f"it lists more than {_MOST_ENTRIES:,} URLs" if count > _MOST_ENTRIES else ""


def _well_formed(text: str) -> str:
    """The two mistakes that many sites make are put right: blank lines at the top, and `&` in addresses."""
    text = text.lstrip("\ufeff \t\r\n")
    if (long := _LONG_TAG.search(text)) is not None:
        text = text[: long.start()]  # the XML ends too early then, as we say
    return text if "<![CDATA[" in text else _BARE_AMPERSAND.sub("&amp;", text, count=_MOST_AMPERSANDS)


class _Stop(Exception):
    """Enough was read; the words say why."""


class _SitemapReader:
    """One sitemap while it is read."""

    def __init__(self, base: str | None, source: str) -> None:
        self.pages: list[Suggestion] = []
        self.lists: list[str] = []
        self._base = base
        self._source = source
        self._path: list[str] = []
        """The names of the open elements, from the root."""
        self._elements = self._entries = 0
        self._entry: dict[str, str] = {}
        self._text: list[str] = []

    def feed(self, text: str) -> str:
        """Read it all; the answer is what stopped us, or empty."""
        # The text is Unicode already, so what it says about its charset is not to be believed.
        parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        parser.EntityDeclHandler = self._entity
        try:
            parser.Parse(text.encode("utf-8", "replace"), True)
        except expat.ExpatError as error:
            return f"line {error.lineno} is not XML ({expat.ErrorString(error.code)})"
        except _Stop as stop:
            return str(stop)
        return ""

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name.rpartition(" ")[2])
        self._text.clear()
        self._elements += 1
        if len(self._path) == 2:
            self._entry = {}
            self._entries += 1
            if self._entries > _MOST_ENTRIES:
                raise _Stop(_too_many(self._entries))
        if self._elements > _MOST_ELEMENTS or len(self._path) > _DEEPEST:
            raise _Stop("it has more tags, or more within each other, than any sitemap needs")

    def _end(self, name: str) -> None:
        tag = self._path.pop()
        # Images and videos have a `loc` too, one level further down; only news has a title that is the page's own.
        if tag in _KEPT and (len(self._path) == 2 or (tag == "title" and self._path[-1:] == ["news"])):
            self._entry.setdefault(tag, "".join(self._text))
        elif len(self._path) == 1 and "loc" in self._entry:
            self._take(tag)
        self._text.clear()

    def _take(self, tag: str) -> None:
        address = self._entry["loc"].strip()
        if tag == "sitemap" and (further := normalise(address, self._base)):
            self.lists.append(further)
        elif tag == "url":
            page = suggestion(
                address,
                base=self._base,
                title=self._entry.get("title", ""),
                source=self._source,
                updated=self._entry.get("lastmod", ""),
            )
            if page is not None:
                self.pages.append(page)

    def _entity(self, *declaration: object) -> None:
        raise _Stop("it declares entities of its own, which no sitemap needs")
