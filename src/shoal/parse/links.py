"""Where do the links and images of a page lead, and what stands around them?"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, islice
from urllib.parse import quote

from msgspec.structs import replace

from shoal import urls
from shoal.cache import LONGEST
from shoal.model import Image, Link, LinkKind
from shoal.parse import charset
from shoal.parse.html import MAX_IMAGES, Markup
from shoal.parse.main_text import MAX_LINE, RawImage, RawLink, line, single_spaced

_WITHOUT_PLACE = (LinkKind.CANONICAL, LinkKind.REFRESH)
"""They stand in the head of a page, so no text is around them."""
_AROUND = 50
"""Characters of text kept on either side of a link or image."""
# A URL or path in normal form already: no dot segments, no query, no escapes but those of non-ASCII characters. Most links
# are such, and adding strings is several times faster than resolving a URL. (Possessive, so that no href is slow.)
_PLAIN = re.compile(
    r"(https?://(?!xn--)(?:[a-z0-9-]++\.(?!xn--))+[a-z]{2,}/|/)?+(?![/.])(?:[A-Za-z0-9_.~/-]++|%[89A-F][0-9A-F])*+"
)
_MAX_PLAIN = 500
_BLANK = "".join(map(chr, range(33)))
"""What browsers cut from both ends of an href."""
_LOCAL = frozenset(f"{_BLANK}?#")
"""How an href may start that keeps the path of its page."""
_REFRESH = re.compile(r"\s*+\d*+(?:\.\d*+)?+\s*+[;,]\s*+(?:url\s*+=\s*+)?+[\"']?+\s*+([^\"'\s]++)", re.I)

_IMAGE_FILES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif")
_SHARED = {
    "og:image": "url",
    "og:image:url": "same",
    "og:image:secure_url": "same",
    "og:image:alt": "alt",
    "og:image:width": "width",
    "og:image:height": "height",
    "twitter:image": "url",
    "twitter:image:src": "url",
    "twitter:image:alt": "alt",
    "image": "url",
    "image_src": "url",
}
"""What the metas of a head say of the image of the page; `same` is another address of the image before."""
_SIDES = ("width", "height")
_MAX_SHARED = 20
_MAX_REFRESHES = 10
_MAX_REFRESH = 2 * urls.MAX_URL_LENGTH
_MAX_REL = 200
_ALWAYS_ROOM = 200
_MAX_SAID = 4_000_000
"""Characters of all links, or all images, of a page together. The busiest honest pages have a million."""


def resolve(notes: Markup, base: str, url: str, charset_name: str) -> tuple[tuple[Link, ...], tuple[Image, ...]]:
    """The links and images of a page, absolute, with what stands around them."""
    codec = charset.encoder(charset_name)
    folder = _folder(base)
    links: list[Link] = []
    for raw in (*notes.links, *_refreshes(notes)):
        if target := _target(raw.href, base, folder, codec):
            links.append(_link(notes.text, raw, target, url, len(links)))
    return tuple(links[: _with_room(links)]), _images(notes, base, folder, codec)


def _with_room(found: Sequence[Link] | Sequence[Image]) -> int:
    """How many of them may go on; whoever fills thousands of links with texts and addresses without end is not served."""
    if len(found) <= _ALWAYS_ROOM:
        return len(found)
    sizes = accumulate(map(_size, found))
    return bisect_right(list(sizes), _MAX_SAID)


def _size(found: Link | Image) -> int:
    if isinstance(found, Link):
        return len(found.url) + len(found.source) + len(found.anchor) + len(found.path)
    said = len(found.alt) + len(found.title) + len(found.caption) + len(found.anchor)
    return len(found.url) + len(found.link) + said


def _refreshes(notes: Markup) -> Iterable[RawLink]:
    found = (_REFRESH.match(content[:_MAX_REFRESH]) for name, content in notes.metas if name == "refresh")
    for match in islice(filter(None, found), _MAX_REFRESHES):
        yield RawLink(match.group(1), LinkKind.REFRESH, "")


def _link(page_text: str, raw: RawLink, target: str, source: str, position: int) -> Link:
    around = raw.kind not in _WITHOUT_PLACE
    return Link(
        url=target,
        anchor=single_spaced(page_text[raw.start : raw.end])[:MAX_LINE] or line(raw.label),
        before=_before(page_text, raw.start) if around else "",
        after=_after(page_text, raw.end) if around else "",
        rel=tuple(raw.rel[:_MAX_REL].lower().split()) if raw.rel else (),
        position=position,
        path=raw.path,
        source=source,
        kind=raw.kind,
    )


# --- images ----------------------------------------------------------------------------------------------------------


def _images(notes: Markup, base: str, folder: str, codec: str) -> tuple[Image, ...]:
    """Each image once, with the best that the page says about it."""
    found: dict[str, Image] = {}
    for raw in notes.images:
        link = (_target(raw.link.href, base, folder, codec) or "") if raw.link and raw.link.href else ""
        # What a thumbnail leads to is the image.
        target = link if link and _is_image_file(link) else _target(raw.src, base, folder, codec)
        if target is None:
            continue
        if (known := found.get(target)) is None:
            found[target] = _image(notes.text, raw, target, link)
        elif raw.alt or raw.title or raw.caption or raw.link:
            found[target] = _merged(known, _image(notes.text, raw, target, link))
    for shared in _shared(notes):
        if target := _target(shared.url, base, folder, codec):
            found[target] = _merged(found.get(target, shared), replace(shared, url=target))
    images = list(islice(found.values(), MAX_IMAGES))
    return tuple(images[: _with_room(images)])


def _image(page_text: str, raw: RawImage, target: str, link: str) -> Image:
    """Of an image that only its thumbnail is shown of, no size is known."""
    is_large = not link or link != target
    return Image(
        url=target,
        alt=line(raw.alt) if raw.alt else "",
        title=line(raw.title) if raw.title else "",
        caption=raw.caption,
        before=_before(page_text, raw.start),
        after=_after(page_text, raw.start),
        link=link,
        anchor=_anchor_around(page_text, raw, raw.link) if raw.link else "",
        width=raw.width if is_large else 0,
        height=raw.height if is_large else 0,
    )


def _is_image_file(url: str) -> bool:
    """Whether the name says so. In MediaWiki `/wiki/File:Grid.jpg` is a page."""
    name = url.partition("?")[0].rpartition("/")[2].lower()
    return name.endswith(_IMAGE_FILES) and ":" not in name and "%3a" not in name


def _anchor_around(page_text: str, raw: RawImage, link: RawLink) -> str:
    """What the link says beside its image, or else its title. A link's label may be the image's own alt text."""
    near = page_text[link.start : min(link.end, link.start + 2 * MAX_LINE)]
    return single_spaced(near)[:MAX_LINE] or (line(link.label) if link.label != raw.alt else "")


def _merged(one: Image, other: Image) -> Image:
    """What both say of the same image: of each text the longer one."""
    nearer = max(one, other, key=lambda image: len(image.before) + len(image.after))
    return Image(
        url=other.url,
        alt=max(one.alt, other.alt, key=len),
        title=max(one.title, other.title, key=len),
        caption=max(one.caption, other.caption, key=len),
        before=nearer.before,
        after=nearer.after,
        link=one.link or other.link,
        anchor=max(one.anchor, other.anchor, key=len),
        width=max(one.width, other.width),
        height=max(one.height, other.height),
    )


def _shared(notes: Markup) -> Iterator[Image]:
    """The images that the head names for those who share the page, not resolved yet. What says nothing else has its title."""
    found: list[dict[str, str]] = []
    for name, content in notes.metas:
        field = _SHARED.get(name)
        if field is None or not content.strip():
            continue
        # What follows an image is about it: another address of it, its size, its description.
        if field == "url" or (field == "same" and not found):
            found.append({"url": content})
        elif found:
            found[-1]["url" if field == "same" else field] = content
    title = line(notes.title) if found else ""
    for said in found[:_MAX_SHARED]:
        alt = line(said.get("alt", ""))
        width, height = (
            int(size) if (size := said.get(side, "")).isdecimal() and len(size) < 6 else 0 for side in _SIDES
        )
        yield Image(url=said["url"], alt=alt, title="" if alt else title, width=width, height=height)


def _before(page_text: str, at: int) -> str:
    """Up to 50 characters in front; two spaces may meet where a link starts or ends, and count as one."""
    near = page_text[at - _AROUND - 1 if at > _AROUND else 0 : at]
    if "  " in near:
        near = " ".join(page_text[max(0, at - 3 * _AROUND) : at].split())
    return near.rstrip()[-_AROUND:].lstrip()


def _after(page_text: str, at: int) -> str:
    near = page_text[at : at + _AROUND + 1]
    if "  " in near:
        near = " ".join(page_text[at : at + 3 * _AROUND].split())
    return near.lstrip()[:_AROUND].rstrip()


def _target(href: str, base: str, folder: str, codec: str) -> str | None:
    """Where an href on a page leads, as a browser would go there."""
    is_short = len(href) + len(folder) <= LONGEST
    if not is_short and len(href) > urls.MAX_URL_LENGTH:
        href = href.partition("#")[0].strip(_BLANK)
        if len(href) > urls.MAX_URL_LENGTH:
            return None
    if codec != "utf-8" and "?" in href and not href.isascii():
        href = _encode_query(href, codec)
    if not href or href[0] in _LOCAL:
        href = href.partition("#")[0].strip(_BLANK)
        if href[:1] in ("", "?"):
            return urls.normalise(href, base)
    return _remembered(href, folder) if is_short else _resolved(href, folder)


def _folder(base: str) -> str:
    """What a relative path is added to."""
    path = base.partition("?")[0]
    return path[: path.rfind("/") + 1]


def _resolved(href: str, folder: str) -> str | None:
    href = href.partition("#")[0].strip(_BLANK)
    if len(href) < _MAX_PLAIN and "/." not in href and (plain := _PLAIN.fullmatch(href)):
        start = plain.group(1)
        return href if start and start != "/" else (urls.origin_of(folder) if start else folder) + href
    return urls.normalise(href, folder)


# The pages of a folder share most of their links, and resolving is the dearest part of a link.
_remembered = lru_cache(maxsize=20_000)(_resolved)


def _encode_query(href: str, codec: str) -> str:
    """Browsers send the query of a link in the charset of its page; what it lacks goes as a character reference."""
    path, mark, query = href.partition("?")
    query, hash_mark, fragment = query.partition("#")
    encoded = "".join(
        character if character.isascii() else quote(character.encode(codec, "xmlcharrefreplace"), safe="")
        for character in query
    )
    return path + mark + encoded + hash_mark + fragment
