"""Where in the text do links, images and boxes stand? Marks that were put into the page tell, and are taken out again.

A mark is half of a surrogate pair: neither decoding nor a character reference can bring one into a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

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
        if type(span) is RawImage and opened:
            _link_image(span, opened[-1])
        opened.append(span)
        end = piece.find(SPAN_END)
        while end >= 0:
            opened.pop().end = at + end
            at -= 1
            end = piece.find(SPAN_END, end + 1)
        at += len(piece)
    return "".join([before, *pieces]).replace(SPAN_END, "")


def _link_image(image: RawImage, around: Span) -> None:
    if type(around) is RawLink:
        image.link = around
        around.label = image.alt or around.label


def sections(marked: str, boxes: Sequence[Box]) -> list[TextSection]:
    """The text cut where a box starts or ends, with no white space but spaces and ends of lines. Boxes in document order."""
    before, *pieces = _single_spaced(marked).split(BOX)
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


def _single_spaced(marked: str) -> str:
    odd = [space for space in _ODD_SPACES if space in marked]
    for space in odd:
        marked = marked.replace(space, " ")
    while odd and "  " in marked:
        marked = marked.replace("  ", " ")
    return marked
