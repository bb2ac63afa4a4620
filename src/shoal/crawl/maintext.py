"""Which text is the main text? What is left of a page without navigation, footers, side bars and cookie banners.

    blocks ─► without noise (tags, roles, class names) ─► inside main or article ─► without link lists ─► text

Each step is taken back when too little is left: a page must never lose its text to a wrapper named `sidebar`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

MAX_TEXT = 200_000
"""Characters of main text that are kept of a page."""
_MAX_LINE = 1000
_ENOUGH = 80
"""Bytes of text (13 English words, 27 Chinese characters) below which a choice has left too little."""
_HUB_SHARE = 0.15
"""Below this many characters of text per character of link lists, the lists are what the page is for."""
_LEAST_SHARE = 0.1
_MAX_LINK_SHARE = 0.5
_FEW_LINKS = 2
_EDGE = 6
"""Lines at either end of the text where small print stands."""
_LEGAL = re.compile(r"©|\(c\)|copyright|all rights reserved|版权所有|版權所有|ICP[备證证]|公网安备|cookie", re.I)
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


class Block(msgspec.Struct, frozen=True, gc=False):
    """A run of text between two block-level tags."""

    start: int
    end: int
    linked: int
    """Characters of it that are links."""
    noise: bool
    """It stands in navigation, a footer or the like."""
    main: bool
    """It stands in a main or article element."""
    heading: bool


@lru_cache(maxsize=20_000)
def is_noise(names: str, role: str) -> bool:
    """Whether an element's class names and id, or its role, say that it is not content."""
    return role in _NOISE_ROLES or _NOISE_NAME.search(names.lower()) is not None


def main_text(raw: str, blocks: Sequence[Block]) -> str:
    """The main text of a page, a line per block."""
    content = [block for block in blocks if not block.noise]
    for choice in ([block for block in content if block.main], content):
        prose, links = _split(raw, choice)
        if len(prose[:_ENOUGH].encode("utf-8", "replace")) >= _ENOUGH and len(prose) > _HUB_SHARE * links:
            return prose[:MAX_TEXT]
    # A short page or a hub: its links are text too, unless almost everything was taken for noise.
    everything = "\n".join(filter(None, (_collapse(raw, block) for block in content)))
    prose, _ = _split(raw, blocks)
    return (everything if len(everything) >= _LEAST_SHARE * len(prose) else prose)[:MAX_TEXT]


def _split(raw: str, blocks: Sequence[Block]) -> tuple[str, int]:
    """The text without link lists and small print, and the size of these lists.

    One or two links between lines of the main text belong to it.
    """
    lines: list[str] = []
    links: list[str] = []  # waiting: is it a list of links, or a link in the text?
    listed = 0
    for block in blocks:
        if not (line := _collapse(raw, block)):
            continue
        if block.linked > _MAX_LINK_SHARE * len(line) and not block.heading:
            links.append(line)
            listed += len(line)
            continue
        if block.main and lines and len(links) <= _FEW_LINKS:
            lines += links
        links.clear()
        lines.append(line)
    return "\n".join(_without_small_print(lines)), listed


def _without_small_print(lines: list[str]) -> list[str]:
    """Cookie notices stand first, copyrights last: only there is looked, because looking everywhere is slow."""
    ends = {*range(_EDGE), *range(len(lines) - _EDGE, len(lines))}
    return [
        line
        for place, line in enumerate(lines)
        if place not in ends or len(line) > _MAX_LEGAL or not _LEGAL.search(line)
    ]


def _collapse(raw: str, block: Block) -> str:
    return " ".join(raw[block.start : block.end].split())


def line(value: str) -> str:
    """A title, an anchor or the like as one line of bounded length."""
    return " ".join(value[: 4 * _MAX_LINE].split())[:_MAX_LINE]
