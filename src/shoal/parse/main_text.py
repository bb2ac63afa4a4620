"""Which text is the main text? What is left of a page without navigation, footers, side bars and cookie banners.

    lines ─► without noise (tags, roles, class names) ─► inside main or article ─► without link lists ─► text

Each step is taken back when too little is left: a page must never lose its text to a wrapper named `sidebar`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import filterfalse, islice

from shoal.parse.markers import HEADING, SPAN, SPAN_END, TextSection

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
