"""Which text of a page is its main text, and where in it do links, images and boxes stand?

    lines ─► without noise (tags, roles, class names) ─► inside main or article ─► without link lists ─► text

Marks that were put into the page tell where things stand, and are taken out again. A mark is half of a surrogate pair: neither
decoding nor a character reference can bring one into a page. The main text is what is left of a page without navigation,
footers, side bars and cookie banners; each step to it is taken back when too little is left: a page must never lose its text
to a wrapper named `sidebar`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import filterfalse, islice

import msgspec

from shoal.model import LinkKind

SPAN, SPAN_END = "\ud801", "\ud802"
"""Around what is in a link; side by side where an image, an area or a frame is."""
BOX, BOX_END = "\ud803", "\ud804"
"""Around what is in a container that is noise or holds the main text."""
HEADING = "\ud805"
"""Behind what is in a heading."""
# White space that the renderer leaves. Each is looked for alone: several times faster than looking for a set.
_ODD_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


class RawLink(msgspec.Struct, gc=False):
    """A link as it is written."""

    href: str
    kind: LinkKind
    path: str
    start: int = 0
    end: int = 0
    rel: str = ""
    label: str = ""
    """What stands for the anchor when it has no text: alt text, title."""


class RawImage(msgspec.Struct, gc=False):
    """An image as it is written."""

    src: str
    alt: str
    title: str
    start: int = 0
    end: int = 0
    link: RawLink | None = None
    caption: str = ""
    width: int = 0
    height: int = 0


Span = RawLink | RawImage


class Box(Enum):
    """What a container means for its text."""

    NOISE = "navigation, a footer or the like"
    HEADER = "noise, unless it is the header of the main text"
    MAIN = "the main text"


class TextSection(msgspec.Struct, frozen=True, gc=False):
    """The lines between two ends of boxes; the marks of links and headings are still in them."""

    text: str
    noise: bool
    """It stands in navigation, a footer or the like."""
    main: bool
    """It stands in a main or article element."""
    links: int
    """Links that are open where it starts."""


def place(cut: Iterable[TextSection], spans: Sequence[Span]) -> str:
    """The text without marks, as one line. Every span (in document order) is told where in it it stands."""
    marked = "".join([section.text for section in cut]).replace(HEADING, "")
    before, *pieces = " ".join(filter(None, marked.split("\n"))).split(SPAN)
    if (
        not len(pieces) == len(spans) == marked.count(SPAN_END)
    ):  # should a renderer ever lose one: no places, not wrong ones
        return "".join([before, *pieces]).replace(SPAN_END, "")
    at = len(before)
    opened: list[Span] = []
    for span, piece in zip(spans, pieces, strict=True):
        span.start = at
        if type(span) is RawImage and opened and type(around := opened[-1]) is RawLink:
            span.link, around.label = around, span.alt or around.label
        opened.append(span)
        end = piece.find(SPAN_END)
        while end >= 0:
            opened.pop().end = at + end
            at -= 1
            end = piece.find(SPAN_END, end + 1)
        at += len(piece)
    return "".join([before, *pieces]).replace(SPAN_END, "")


def sections(marked: str, boxes: Sequence[Box]) -> list[TextSection]:
    """The text cut where a box starts or ends, with no white space but spaces and ends of lines. Boxes in document order."""
    before, *pieces = _without_odd_spaces(marked).split(BOX)
    if not len(pieces) == len(boxes) == marked.count(BOX_END):  # see `place`
        return [TextSection("".join([before, *pieces]).replace(BOX_END, ""), False, False, 0)]
    found = [TextSection(before, False, False, 0)]
    around: list[TextSection] = []
    for box, piece in zip(boxes, pieces, strict=True):
        last = found[-1]
        around.append(last)
        noise = last.noise or box is Box.NOISE or (box is Box.HEADER and not last.main)
        main = last.main or (box is Box.MAIN and not noise)
        for place, text in enumerate(piece.split(BOX_END)):
            if place:
                outside = around.pop()
                noise, main = outside.noise, outside.main
            last = found[-1]
            links = last.links + last.text.count(SPAN) - last.text.count(SPAN_END)
            found.append(TextSection(text, noise, main, links))
    return found


def _without_odd_spaces(marked: str) -> str:
    odd = [space for space in _ODD_SPACES if space in marked]
    for space in odd:
        marked = marked.replace(space, " ")
    while odd and "  " in marked:
        marked = marked.replace("  ", " ")
    return marked


# --- the main text ---------------------------------------------------------------------------------------------------

MAX_TEXT = 200_000
"""Characters of main text that are kept of a page."""
MAX_LINE = 1000
"""Characters of a title, an anchor or the like that are kept."""
_MAX_HEADINGS = 50
_ENOUGH = 80
"""Bytes of text (13 English words, 27 Chinese characters) below which a choice has left too little."""
_HUB_SHARE = 0.15
"""Below this many characters of text per character of link lists, the lists are what the page is for."""
_LEAST_SHARE = 0.1
_MAX_LINK_SHARE = 0.5
_FEW_LINKS = 2
_EDGE = 6
"""Lines at either end of the text where small print stands."""
_LEGAL = (
    "©",
    "(c)",
    "copyright",
    "all rights reserved",
    "版权所有",
    "版權所有",
    "icp备",
    "icp證",
    "icp证",
    "公网安备",
    "cookie",
)
_MAX_LEGAL = 300
_NOISE_ROLES = frozenset(
    ("navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "dialog")
)
# A name is noise when one of these words is all of it but a short qualifier in front and a kind of box behind:
# `main-nav`, `footer_links`, `leftMenu`; but not `content-with-sidebar`.
_NOISE_NAME = re.compile(
    r"(?:^|\s)(?:[a-z0-9]{1,10}[-_])?(?:main|left|right|top|bottom|page|site|global|sub|foot|head)?"
    r"(?:nav|navs|navbar|navbox|navigation|menu|menus|submenu|sidebar|side|footer|foot|breadcrumbs?|crumbs?|cookies?|"
    r"consent|gdpr|adverts?|advertisement|ads?|adsbygoogle|sponsor|sponsored|share|sharing|sharebar|social|related|"
    r"recommend|recommended|recommendations|pagination|pager|pages|copyright|copyrights|toolbar|topbar|skip|skiplink|"
    r"login|signin|newsletter|subscribe|popup|modal|toc)"
    r"(?:[-_](?:bar|list|box|links?|wrapper|wrap|container|inner|menu|nav|area|block|section|panel|notice|banner|left|"
    r"right|top|bottom|items?|content|group|main|site))*\d*(?=\s|$)"
)


@lru_cache(maxsize=20_000)
def is_noise(names: str, role: str) -> bool:
    """Whether an element's class names and id, or its role, say that it is not content. Remembered: not for texts without end."""
    return role in _NOISE_ROLES or _NOISE_NAME.search(names.lower()) is not None


def main_text(sections: Sequence[TextSection]) -> str:
    """The main text of a page, a line per block."""
    content = [section for section in sections if not section.noise]
    for choice in ([section for section in content if section.main], content):
        prose, links = _split(choice)
        if len(prose[:_ENOUGH].encode("utf-8", "replace")) >= _ENOUGH and len(prose) > _HUB_SHARE * links:
            return prose[:MAX_TEXT]
    # A short page or a hub: its links are text too, unless almost everything was taken for noise.
    everything = "\n".join(filter(None, [_plain(marked) for section in content for marked in section.text.split("\n")]))
    prose, _ = _split(sections)
    return (everything if len(everything) >= _LEAST_SHARE * len(prose) else prose)[:MAX_TEXT]


def headings(sections: Iterable[TextSection]) -> str:
    """The headings outside of navigation and footers, one on each line."""
    marked = islice(_headings(section for section in sections if not section.noise), _MAX_HEADINGS)
    return "\n".join(filter(None, [_plain(text)[:MAX_LINE] for text in marked]))


def first_heading(sections: Iterable[TextSection]) -> str:
    """The text of the first heading, if there is one."""
    return next(filter(None, map(_plain, _headings(sections))), "")[:MAX_LINE]


def _headings(sections: Iterable[TextSection]) -> Iterator[str]:
    lines = (line for section in sections if HEADING in section.text for line in section.text.split("\n"))
    return (line for line in lines if line.endswith(HEADING))


def _split(sections: Iterable[TextSection]) -> tuple[str, int]:
    """The text without link lists and small print, and the size of these lists.

    One or two links between lines of the main text belong to it.
    """
    kept: list[str] = []
    links: list[str] = []  # waiting: is it a list of links, or a link in the text?
    listed = 0
    for section in sections:
        opened = section.links
        for marked in filter(None, section.text.split("\n")):
            text = _plain(marked)
            if opened or SPAN in marked:
                linked, opened = _linked(marked, opened)
                if linked > _MAX_LINK_SHARE * len(text) and marked[-1] != HEADING:
                    links.append(text)
                    listed += len(text)
                    continue
            if not text:
                continue
            if links:
                if section.main and kept and len(links) <= _FEW_LINKS:
                    kept += links
                links.clear()
            kept.append(text)
    return "\n".join(_without_small_print(kept)), listed


def _linked(marked: str, opened: int) -> tuple[int, int]:
    """How many characters of a line are links, and how many links are open at its end."""
    before, *parts = marked.split(SPAN)
    linked = 0
    if opened:
        linked, opened = _linked_until_closed(before, opened)
    for part in parts:
        more, opened = _linked_until_closed(part, opened + 1)
        linked += more
    return linked, opened


def _linked_until_closed(part: str, opened: int) -> tuple[int, int]:
    """The same for a part of a line in which no link starts."""
    pieces = part.split(SPAN_END)
    inside = pieces[:opened]
    return sum([len(piece.strip()) for piece in inside]), opened - len(pieces) + 1


def _plain(marked: str) -> str:
    """A line without marks."""
    if marked.isascii():
        return marked.strip()
    return single_spaced(marked.replace(SPAN, "").replace(SPAN_END, "").replace(HEADING, ""))


def _without_small_print(lines: list[str]) -> list[str]:
    """Cookie notices stand first, copyrights last: only there is looked, because looking everywhere is slow."""
    first, rest = lines[:_EDGE], lines[_EDGE:]
    return [*filterfalse(_is_small_print, first), *rest[:-_EDGE], *filterfalse(_is_small_print, rest[-_EDGE:])]


def _is_small_print(line: str) -> bool:
    if len(line) > _MAX_LEGAL:
        return False
    lowered = line.lower()
    return any(words in lowered for words in _LEGAL)


def single_spaced(value: str) -> str:
    """Without white space at the ends, and one space where two were beside a mark."""
    return " ".join(value.split()) if "  " in value else value.strip()


def line(value: str) -> str:
    """A title, an anchor or the like as one line of bounded length."""
    return " ".join(value[: 4 * MAX_LINE].split())[:MAX_LINE]
