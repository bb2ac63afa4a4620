"""Which file does an image element show? The largest that the page offers, wherever it has hidden it.

Pages write the same image in several sizes (`srcset`, the sources of `<picture>`), show a placeholder until a script puts the
real one in (`data-src` and its many names), or paint it behind a box (`background-image`). No script runs here, so each of
these is read as it is written. All input may be hostile: every look at it ends in time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

Attributes = Mapping[str, object]
"""Names in lower case; some values are lists of words."""

_LAZY_WORDS = """
    data-orig-file data-original data-original-src data-lazy-original data-full-src data-hi-res-src data-hires data-large
    data-large-src zoomfile data-src data-lazy-src data-lazy data-lazyload data-ks-lazyload data-echo data-actualsrc
    data-actual data-real-src data-origin data-defer-src data-src-retina file original lazysrc lazy-src real_src _src"""
_LAZY = tuple(_LAZY_WORDS.split())
"""Where scripts find the image to show later: the real one, whatever `src` shows meanwhile. Names of large ones first."""
_PERHAPS_LAZY = ("data-url", "data-image", "data-img", "data-source", "data-thumb", "data-bg")
"""Often something else, so only asked when `src` shows nothing."""
_LATER = frozenset((*_LAZY, *_PERHAPS_LAZY))
_LAZY_SETS = ("srcset", "data-srcset", "data-lazy-srcset", "data-original-set", "lazy-srcset")
_SETS = frozenset(_LAZY_SETS)
_PLACEHOLDER = re.compile(
    r"(?:^|/)(?:[a-z]{1,8}[_.-])?(?:blank|spacer|placeholder|placehold|loading|loader|lazy|lazy[_-]?load|transparent|trans|pixel|"
    r"empty|gr[ea]y|clear|shim|dot|none|null|nopic|no[_-]?(?:img|image|photo)|1x1)"
    r"(?:[_.@-]?(?:\d{1,4}(?:x\d{1,4})?|bg|img|image|icon|gif|small|large|default)){0,3}\.(?:gif|png|jpe?g|webp|svg)(?:[?!]|$)",
    re.I,
)
_NO_ADDRESS = ("data:", "javascript:", "about:", "blob:", "{", "[", "<", "#")
_MAX_ADDRESS = 8000

_CANDIDATE = re.compile(r"([^\s,]\S*+)(?:(?<!,)([^,]*+))?+")
"""One image of a srcset, as browsers cut it: an address may have commas inside, but not at its end."""
_MAX_CANDIDATES = 30
"""Of one srcset; honest ones have a dozen."""
_MAX_DESCRIPTOR = 50
_SIZE = re.compile(r"\s(\d{1,5}(?:\.\d{1,3})?)([wx])(?:\s|$)")
_SCREEN = re.compile(r"(min|max)-(?:device-)?width\s{0,9}:\s{0,9}(\d{1,5})")
_MAX_MEDIA = 200
_UNREADABLE = ("image/svg", "image/jxl", "image/heic", "image/heif")

_CSS_URL = re.compile(r"""url\(\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"')]++))""", re.I)
_MAX_STYLE = 4000
_MAX_LAYERS = 10
_LENGTH = re.compile(r"\s*+(\d{1,5})(?:\.\d*+)?+\s*+(?:px)?+\s*+$", re.I)
_STYLE_LENGTH = {
    side: re.compile(rf"(?:^|;)\s{{0,9}}{side}\s{{0,9}}:\s{{0,9}}(\d{{1,5}})(?:\.\d{{0,9}})?px", re.I)
    for side in ("width", "height")
}


class Offer(NamedTuple):
    """An image, and how large it promises to be."""

    known: bool
    """Its width in pixels is written beside it, which says more than any screen does."""
    width: float
    address: str


_PLAIN_SCREEN = 1000.0
"""Stands for the width of an image that nothing is said about."""


def best_source(attributes: Attributes, offered: Offer | None = None) -> str:
    """The address of the largest image that an image element and the sources in front of it offer, or an empty string."""
    shown = _shown(attributes)
    if offered is None and _SETS.isdisjoint(attributes):
        return shown
    plain = Offer(False, _PLAIN_SCREEN if shown else -1.0, shown)
    own = (found for name in _LAZY_SETS if type(srcset := attributes.get(name)) is str for found in _offers(srcset))
    best = best_of((plain, *own, offered))
    return best.address if best else ""


def offer(attributes: Attributes) -> Offer | None:
    """The best that a `<source>` in a `<picture>` offers, if it is of a type that can be read."""
    kind = attributes.get("type")
    if type(kind) is str and kind.strip().lower().startswith(_UNREADABLE):
        return None
    srcset = next((value for name in _LAZY_SETS if type(value := attributes.get(name)) is str and value), "")
    media = attributes.get("media")
    return best_of(_offers(srcset, media if type(media) is str else ""))


def best_of(offers: Iterable[Offer | None]) -> Offer | None:
    """The first of the largest."""
    return max(filter(None, offers), key=lambda one: (one.known, one.width), default=None)


def _shown(attributes: Attributes) -> str:
    """What the element shows, now or when its script has run."""
    source = _address(attributes.get("src"))
    if _LATER.isdisjoint(attributes):
        return source
    sure = next((late for name in _LAZY if (late := _late_address(attributes.get(name)))), source)
    if sure and not is_placeholder(sure):
        return sure
    return next((late for name in _PERHAPS_LAZY if (late := _late_address(attributes.get(name)))), sure)


def _address(value: object) -> str:
    if type(value) is not str:
        return ""
    value = value.strip()
    return "" if len(value) > _MAX_ADDRESS or value[:11].lower().startswith(_NO_ADDRESS) else value


def _late_address(value: object) -> str:
    """These attributes also hold `true`, `1` and settings of scripts."""
    address = _address(value)
    return address if ("/" in address or "." in address) and not is_placeholder(address) else ""


def is_placeholder(address: str) -> bool:
    """Whether the name of the file says that it only keeps a place, such as `blank.gif`."""
    return _PLACEHOLDER.search(address[-200:]) is not None


# --- several sizes ---------------------------------------------------------------------------------------------------


def _offers(srcset: str, media: str = "") -> Iterator[Offer]:
    """The images of a srcset for some screens."""
    screen = _screen(media)
    for found in islice(_CANDIDATE.finditer(srcset), _MAX_CANDIDATES):
        if address := _address(found[1].rstrip(",")):
            size = _SIZE.search((found[2] or "")[:_MAX_DESCRIPTOR])
            if size is None:
                yield Offer(False, screen, address)
            else:
                number = float(size[1])
                yield Offer(True, number, address) if size[2] == "w" else Offer(False, number * screen, address)


def _screen(media: str) -> float:
    """`min-width` is for larger screens than those that nothing is said about, `max-width` for smaller ones."""
    found = _SCREEN.search(media[:_MAX_MEDIA])
    if found is None:
        return _PLAIN_SCREEN
    width = float(found[2])
    return _PLAIN_SCREEN + width if found[1] == "min" else min(width, _PLAIN_SCREEN - 1)


# --- what else is written on an element --------------------------------------------------------------------------------


def background(style: str) -> str:
    """The address of the image that a style attribute paints behind its element; empty when it paints none."""
    style = style[:_MAX_STYLE]
    for found in islice(_CSS_URL.finditer(style), _MAX_LAYERS):
        declaration = style[style.rfind(";", 0, found.start()) + 1 : found.start()]
        if "background" in declaration and (address := _address(found[1] or found[2] or found[3])):
            return address
    return ""


def side(attributes: Attributes, name: str) -> int:
    """The `width` or `height` in pixels that an element is shown with, or 0. Trackers that say 0 have 1: 0 is for silence."""
    value = attributes.get(name)
    if type(value) is str and len(value) < 6 and value.isdecimal():
        return max(1, int(value))
    length = _LENGTH.match(value[:20]) if type(value) is str else None
    style = attributes.get("style")
    if length is None and type(style) is str:
        length = _STYLE_LENGTH[name].search(style[:_MAX_STYLE])
    return max(1, int(length[1])) if length else 0
