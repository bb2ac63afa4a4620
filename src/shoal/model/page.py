"""What is on a page? Its text, its links and its images, as a parser understood them."""

from __future__ import annotations

from enum import StrEnum

from shoal.model.value import Count, Value


class LinkKind(StrEnum):
    """Where on a page a link was found."""

    ANCHOR = "anchor"
    AREA = "area"
    FRAME = "frame"
    REFRESH = "refresh"
    CANONICAL = "canonical"
    SEED = "seed"
    REDIRECT = "redirect"


class Link(Value, frozen=True, kw_only=True, gc=False):
    """One reference from a page to a URL."""

    url: str
    """Absolute and in normal form (`shoal.urls`)."""
    anchor: str = ""
    """The text a reader clicks on; of an image link, the image's alt text."""
    before: str = ""
    """Up to 50 characters of text in front of the link."""
    after: str = ""
    """Up to 50 characters of text behind the link."""
    rel: tuple[str, ...] = ()
    """The words of the rel attribute, lower case."""
    position: Count = 0
    """The how-many-th link of the page this is, from 0."""
    path: str = ""
    """Tag names from body down to the link, such as `div/ul/li/a`."""
    source: str = ""
    """The URL of the page it stands on; empty for a seed."""
    kind: LinkKind = LinkKind.ANCHOR


class Image(Value, frozen=True, kw_only=True):
    """One image on a page, with what the page says about it."""

    url: str
    alt: str = ""
    title: str = ""
    caption: str = ""
    """The figcaption of the figure it stands in."""
    before: str = ""
    after: str = ""
    link: str = ""
    """Where a click on it leads, or empty."""
    anchor: str = ""
    """The text of the link that it stands in, without its own alt text."""
    width: Count = 0
    """In pixels, as the page says; 0 when it does not."""
    height: Count = 0


class PageSummary(Value, frozen=True, kw_only=True):
    """What a crawl goes on with of a page."""

    url: str
    title: str = ""
    description: str = ""
    keywords: str = ""
    """The content of meta keywords."""
    canonical: str = ""
    language: str = ""
    """A two-letter code, or empty when nothing tells."""
    published: str = ""
    """ISO 8601 date, as exact as the page says, or empty."""
    charset: str = ""
    """The encoding the bytes were read with."""
    headings: str = ""
    """The headings of the main text, one on each line."""
    links: tuple[Link, ...] = ()
    noindex: bool = False
    nofollow: bool = False
    fingerprint: bytes = b""
    """MinHash of the main text (`text.fingerprint`); empty when the page has too little text to compare."""


class Page(PageSummary, frozen=True, kw_only=True):
    """What a parser understood of a response."""

    text: str = ""
    """The main text, without navigation and footers."""
    flat: str = ""
    """Title, end of line, and main text, in the form keywords are looked up in (`text.flat`)."""
    images: tuple[Image, ...] = ()
