"""What is looked for, and what is on a page? A topic; and text, links and images, as a parser understood them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

Finite = Annotated[float, Meta(ge=-1e300, le=1e300)]
"""What comes from another process is held to this while it is read: neither infinite nor "not a number"."""
Count = Annotated[int, Meta(ge=0, le=2**53)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""What a database calls a number."""


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The common shape of all that travels: it cannot change, and it is encoded without its defaults."""


class Origin(StrEnum):
    """Where a word of a topic comes from."""

    HAND = "hand"
    SEEDS = "seeds"
    ADAPTED = "adapted"


class Term(Value, frozen=True, kw_only=True):
    """One word or phrase of a topic."""

    text: str
    """As the user wrote it; the analyser decides what matches it."""
    weight: float = 1.0
    factor: float = 1.0
    """What one occurrence on a page counts: `log(N/n + 0.1) x C` of AVSM 2.1; 1 while no samples are known."""
    origin: Origin = Origin.HAND


class Topic(Value, frozen=True, kw_only=True):
    """What the user wants to know about."""

    name: str
    terms: tuple[Term, ...]
    negative: tuple[Term, ...] = ()
    """Words that speak against a page; their weights are positive numbers."""
    languages: tuple[str, ...] = ()
    """Languages to ask servers for, best first (`zh`, `en`); empty means whatever comes."""
    threshold: float | None = None
    """A page scoring at least this is relevant; None means the judge's own default."""
    version: int = 1
    """Raised whenever terms or threshold change during a crawl."""
    any: tuple[Topic, ...] = ()
    """Several topics at once, each judged on its own: a page counts when one of them matches. `terms` has the words of all."""

    @property
    def each(self) -> tuple[Topic, ...]:
        """The topics to judge one by one: those of `any`, or just this one."""
        return self.any or (self,)


# --- a page -----------------------------------------------------------------------------------------------------------


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
