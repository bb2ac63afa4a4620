"""What stands where on a page? One pass over the markup, as a browser would build it.

The pass only notes offsets; strings are cut from the joined text afterwards (`parse.py`), because most notes are never
needed and joining once is cheap. It never recurses and everything has a limit, so a hostile page costs about a second at most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import msgspec
from turbohtml.saxparse import SaxHandler, sax_parse

from shoal.crawl.maintext import Block, is_noise
from shoal.model import LinkKind

MAX_LINKS = 10_000
MAX_IMAGES = 2_000
MAX_HTML = 3_000_000
MAX_RAW_TEXT = 500_000
"""Characters of text that are looked at, links and navigation included."""
_PATH_TAGS = 12
"""Tags of a link's path that are kept, the nearest to the link."""

# What a tag means to a reader, as bits: one dictionary lookup per tag decides almost everything.
_BLOCK, _BOX, _NOISE, _MUTE, _NOTED, _HEADING = 1, 2, 4, 8, 16, 32
_TAGS = (
    (_BLOCK, "html body p br hr li dd dt dl dir pre blockquote address center details summary fieldset caption"),
    (_BLOCK, "tbody tfoot thead tr th option optgroup"),
    (_BLOCK | _BOX, "div section ul ol table td form header hgroup main article"),
    (_BLOCK | _NOISE, "nav footer aside menu button dialog video audio canvas object noscript select datalist"),
    (_BLOCK | _HEADING, "h1 h2 h3 h4 h5 h6"),
    (_BLOCK | _NOTED, "figure figcaption"),
    (_NOTED, "a area img meta link base frame time"),
    (_MUTE | _NOTED, "iframe"),
    (_MUTE, "script style template svg textarea title noframes noembed"),
)
_TRAITS = {tag: traits for traits, tags in _TAGS for tag in tags.split()}

# Any element may carry it, so it is cheaper to look for the word than at every element.
_ITEM_DATE = re.compile(
    r"itemprop\s{0,9}=\s{0,9}[\"']?datePublished\b(?:[^>]{0,200}?\b(?:content|datetime)\s{0,9}=\s{0,9}[\"']?([^\"'>]{4,40})"
    r"|[^>]{0,200}>\s{0,99}([^<]{4,60}))"
)
_ANCHOR = LinkKind.ANCHOR  # looking a member up in its class is slow on Python 3.11

Attributes = tuple[tuple[str, str | None], ...]


class RawLink(msgspec.Struct, gc=False):
    """A link as it is written."""

    href: str
    kind: LinkKind
    path: str
    start: int
    end: int = -1
    rel: str = ""
    label: str = ""
    """What stands for the anchor when it has no text: alt text, title."""


class RawImage(msgspec.Struct, gc=False):
    """An image as it is written."""

    src: str
    alt: str
    title: str
    at: int
    link: RawLink | None
    caption: tuple[int, int] = (0, 0)


@dataclass(slots=True)
class Markup:
    """Everything that was noted on the way through a page; offsets point into `text`."""

    text: str = ""
    title: str = ""
    base: str = ""
    language: str = ""
    metas: list[tuple[str, str]] = field(default_factory=list)
    """Name and content of each meta tag, the name in lower case."""
    dates: list[str] = field(default_factory=list)
    """What elements with `itemprop="datePublished"` say, then what `time` elements say."""
    data: list[str] = field(default_factory=list)
    """JSON-LD."""
    blocks: list[Block] = field(default_factory=list)
    links: list[RawLink] = field(default_factory=list)
    images: list[RawImage] = field(default_factory=list)


def read(html: str) -> Markup:
    """Go through a page once and note what stands where."""
    reader = _Reader()
    sax_parse(html[:MAX_HTML], reader)
    reader.markup.text = "".join(reader.pieces)
    if "datePublished" in html:
        reader.markup.dates[:0] = (quoted or shown for quoted, shown in _ITEM_DATE.findall(html[:MAX_HTML]))
    return reader.markup


class _Reader(SaxHandler):
    """The pass itself. The state says where in the tree we are; depths count open elements, 0 means not inside."""

    def __init__(self) -> None:
        self.markup = Markup()
        self.pieces: list[str] = []
        self._size = 0
        self._stack: list[str] = []
        self._muted = 0
        self._noise = 0
        self._main = 0
        self._captured: list[str] | None = None
        self._block_start = 0
        self._block_linked = 0
        self._open_links: list[RawLink | None] = []
        self._figures: list[int] = []
        self._caption_start = -1
        self._caption = (0, 0)

    # --- the three events ---

    def start_element(self, tag: str, attrs: Attributes) -> None:
        stack = self._stack
        stack.append(tag)
        traits = _TRAITS.get(tag)
        if traits is None or self._muted:
            return
        if traits & _BLOCK:
            if self._size > self._block_start:
                self.end_block(heading=False)
            if traits & (_BOX | _NOISE) and not self._noise:
                self._enter_box(tag, attrs, traits)
        if traits & _NOTED:
            _STARTS[tag](self, dict(attrs))
        if traits & _MUTE:
            self._muted = len(stack)
            if tag == "title" or (tag == "script" and ("type", "application/ld+json") in attrs):
                self._captured = []
        elif attrs and tag == "html":
            self.markup.language = dict(attrs).get("lang") or dict(attrs).get("xml:lang") or ""

    def end_element(self, tag: str) -> None:
        stack = self._stack
        depth = len(stack)
        stack.pop()
        if self._muted:
            if depth == self._muted:
                self._unmute(tag)
            return
        traits = _TRAITS.get(tag)
        if traits is None:
            return
        if traits & _BLOCK:
            if self._size > self._block_start:
                self.end_block(heading=traits & _HEADING != 0)
            if depth == self._noise:
                self._noise = 0
            if depth == self._main:
                self._main = 0
        if traits & _NOTED and tag in _ENDS:
            _ENDS[tag](self)

    def characters(self, data: str) -> None:
        if self._muted:
            if self._captured is not None:
                self._captured.append(data)
            return
        if self._size > MAX_RAW_TEXT:
            return
        self.pieces.append(data)
        self._size += len(data)
        if self._open_links:
            self._block_linked += len(data.strip())

    # --- blocks ---

    def end_block(self, *, heading: bool) -> None:
        """A block-level tag: what stands before it and after it is not one line."""
        size = self._size
        self.markup.blocks.append(
            Block(self._block_start, size, self._block_linked, self._noise > 0, self._main > 0, heading)
        )
        self.pieces.append("\n")
        self._block_start = self._size = size + 1
        self._block_linked = 0

    def _enter_box(self, tag: str, attrs: Attributes, traits: int) -> None:
        """A container opens: it may be noise, or hold the main text."""
        if traits & _NOISE or (tag == "header" and not self._main):
            self._noise = len(self._stack)
            return
        names = role = ""
        for name, value in attrs:
            if value and (name == "class" or name == "id"):
                names = f"{names} {value}"
            elif value and name == "role":
                role = value
        if tag == "main" or tag == "article" or role == "main":
            self._main = self._main or len(self._stack)
        elif (names or role) and is_noise(names, role):
            self._noise = len(self._stack)

    def _unmute(self, tag: str) -> None:
        self._muted = 0
        if self._captured is None:
            return
        captured, self._captured = "".join(self._captured), None
        if tag == "script":
            self.markup.data.append(captured)
        elif not self.markup.title:
            self.markup.title = captured

    # --- links and images ---

    def _add_link(
        self, href: str | None, kind: LinkKind, rel: str | None = "", label: str | None = ""
    ) -> RawLink | None:
        if not href or href[0] == "#" or len(self.markup.links) >= MAX_LINKS:
            return None
        stack = self._stack
        path = "/".join(stack[max(2, len(stack) - _PATH_TAGS) :])
        link = RawLink(href, kind, path, self._size, self._size, rel or "", label or "")
        self.markup.links.append(link)
        return link

    def start_a(self, attrs: dict[str, str | None]) -> None:
        self._open_links.append(
            self._add_link(attrs.get("href"), _ANCHOR, attrs.get("rel"), attrs.get("title") or attrs.get("aria-label"))
        )

    def end_a(self) -> None:
        if self._open_links and (link := self._open_links.pop()):
            link.end = self._size

    def start_area(self, attrs: dict[str, str | None]) -> None:
        self._add_link(attrs.get("href"), LinkKind.AREA, attrs.get("rel"), attrs.get("alt") or attrs.get("title"))

    def start_frame(self, attrs: dict[str, str | None]) -> None:
        self._add_link(attrs.get("src"), LinkKind.FRAME, "", attrs.get("title") or attrs.get("name"))

    def start_img(self, attrs: dict[str, str | None]) -> None:
        alt = attrs.get("alt") or ""
        link = self._open_links[-1] if self._open_links else None
        if link and alt:
            link.label = alt
        src = attrs.get("src") or ""
        if not src or src.startswith("data:"):
            src = attrs.get("data-src") or attrs.get("data-original") or ""
        if src and len(self.markup.images) < MAX_IMAGES:
            self.markup.images.append(RawImage(src, alt, attrs.get("title") or "", self._size, link))

    def start_figure(self, attrs: dict[str, str | None]) -> None:
        self._figures.append(len(self.markup.images))

    def start_caption(self, attrs: dict[str, str | None]) -> None:
        self._caption_start = self._size

    def end_caption(self) -> None:
        """A caption may stand before or after its image, so the figure keeps it for all of them."""
        if self._figures and self._caption_start >= 0:
            self._caption = (self._caption_start, self._size)
            self._caption_start = -1

    def end_figure(self) -> None:
        if self._figures:
            for image in self.markup.images[self._figures.pop() :]:
                image.caption = self._caption
            self._caption = (0, 0)

    # --- what the head says ---

    def start_meta(self, attrs: dict[str, str | None]) -> None:
        name = attrs.get("name") or attrs.get("property") or attrs.get("http-equiv") or attrs.get("itemprop")
        content = attrs.get("content")
        if name and content and len(self.markup.metas) < MAX_LINKS:
            self.markup.metas.append((name.strip().lower(), content))

    def start_link(self, attrs: dict[str, str | None]) -> None:
        if "canonical" in (attrs.get("rel") or "").lower().split():
            self._add_link(attrs.get("href"), LinkKind.CANONICAL, "canonical")

    def start_base(self, attrs: dict[str, str | None]) -> None:
        self.markup.base = self.markup.base or attrs.get("href") or ""

    def start_time(self, attrs: dict[str, str | None]) -> None:
        if (value := attrs.get("datetime")) and len(self.markup.dates) < 10:
            self.markup.dates.append(value)


_STARTS = {
    "a": _Reader.start_a,
    "area": _Reader.start_area,
    "frame": _Reader.start_frame,
    "iframe": _Reader.start_frame,
    "img": _Reader.start_img,
    "figure": _Reader.start_figure,
    "figcaption": _Reader.start_caption,
    "meta": _Reader.start_meta,
    "link": _Reader.start_link,
    "base": _Reader.start_base,
    "time": _Reader.start_time,
}
_ENDS = {"a": _Reader.end_a, "figure": _Reader.end_figure, "figcaption": _Reader.end_caption}
