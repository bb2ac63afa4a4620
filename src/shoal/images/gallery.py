"""What do the images of a crawl look like? One page of HTML that needs nothing but itself.

Thumbnails and style are in the file, it runs no scripts, and a policy in its head forbids it to load anything: who opens it tells
nobody. Whatever a stranger's page said is shown as text and never as markup.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from urllib.parse import urlsplit

from shoal.model import Value
from shoal.templates import filled
from shoal.text import shortened

_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


class Exhibit(Value, frozen=True, kw_only=True):
    """An image with what is told of it."""

    url: str
    page: str
    """Where it was seen."""
    page_title: str = ""
    text: str = ""
    """Its caption or alt text."""
    score: float = 0.0
    why: tuple[str, ...] = ()
    """The words that made it relevant, the strongest first."""
    width: int = 0
    height: int = 0
    format: str = ""
    thumbnail: bytes = b""
    """WebP."""
    bytes: int = 0


def gallery(title: str, images: Iterable[Exhibit]) -> Iterator[str]:
    """The page in parts, in the order of the images; nothing is kept, so there may be any number of them."""
    style = files("shoal.images").joinpath("templates", "gallery.css").read_text(encoding="utf-8")
    # The style is allowed by its hash, so that no other can be.
    digest = _base64(sha256(style.encode()).digest())
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return filled(
        "shoal.images",
        "gallery.html",
        title=title,
        style=style,
        policy=policy,
        images=images,
        base64=_base64,
        count=_count,
        facts=_facts,
        language=_language,
        shortened=shortened,
        site=_site,
    )


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _facts(image: Exhibit) -> Iterator[str]:
    """`1,200 × 800`, `JPEG`, `245 KB`, `score 0.60`, as far as they are known."""
    if image.width and image.height:
        yield f"{image.width:,} × {image.height:,}"
    if image.format:
        yield image.format.upper()
    if image.bytes:
        yield _size(image.bytes)
    yield f"score {image.score:.2f}"


def _site(url: str) -> str:
    """The host of a web address; empty for anything else."""
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").removeprefix("www.") if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _language(text: str) -> str | None:
    """Browsers draw the same Chinese and Japanese characters differently, and must be told."""
    if not _HAN.search(text):
        return None
    return "ja" if _KANA.search(text) else "zh"


def _size(count: int) -> str:
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f} MB"
    return f"{count / 1000:.0f} KB" if count >= 1000 else f"{count} bytes"


def _count(count: int) -> str:
    if count == 0:
        return "No images"
    return "1 image" if count == 1 else f"{count:,} images"
