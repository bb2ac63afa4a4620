"""What do the pictures of a crawl look like? One page of HTML that needs nothing but itself.

Thumbnails and style are in the file, it runs no scripts, and a policy in its head forbids it to load anything: who opens it tells
nobody. Whatever a stranger's page said is shown as text and never as markup.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files
from urllib.parse import urlsplit

from shoal.model import Value

_MAX_TEXT = 300
_MAX_TITLE = 120
_MAX_WORDS = 5
"""More reasons than these make the small print longer than the picture."""
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")


class Exhibit(Value, frozen=True, kw_only=True):
    """A picture with what is told of it."""

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


def gallery(title: str, pictures: Iterable[Exhibit]) -> Iterator[str]:
    """The page in parts, in the order of the pictures; nothing is kept, so there may be any number of them."""
    style = files("shoal.images").joinpath("gallery.css").read_text(encoding="utf-8")
    yield _head(title, style)
    count = 0
    for picture in pictures:
        count += 1
        yield _card(picture)
    yield f"</ol>\n<footer>{_count(count)}, found by Shoal.</footer>\n</main>\n</body>\n</html>\n"


def _head(title: str, style: str) -> str:
    # The style is allowed by its hash, so that no other can be.
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1{_language(title)}>{_text(title)}</h1>\n<ol>\n"
    )


def _card(picture: Exhibit) -> str:
    text = _shortened(picture.text, _MAX_TEXT)
    caption = f'<p class="text" dir="auto"{_language(text)}>{_text(text)}</p>' if text else ""
    words = "".join(
        f"<li{_language(word)}>{_text(_shortened(word, _MAX_TITLE))}</li>" for word in picture.why[:_MAX_WORDS]
    )
    why = f'<ul class="why" title="why it was kept">{words}</ul>' if words else ""
    frame = _linked(picture.url, _thumbnail(picture, text), "frame")
    return (
        f'<li class="card">{frame}<div class="told">{caption}{_origin(picture)}'
        f'{why}<p class="facts">{_facts(picture)}</p></div></li>\n'
    )


def _thumbnail(picture: Exhibit, text: str) -> str:
    if not picture.thumbnail:
        return '<span class="none">no thumbnail</span>'
    data = b64encode(picture.thumbnail).decode()
    return f'<img src="data:image/webp;base64,{data}" alt="{_text(text)}" decoding="async">'


def _origin(picture: Exhibit) -> str:
    """The page that shows it, and its site; a page without a title has its address."""
    title = _shortened(picture.page_title, _MAX_TITLE)
    site = f' <span class="site">{_text(_site(picture.page))}</span>' if title else ""
    shown = title or _shortened(picture.page.partition("://")[2] or picture.page, _MAX_TITLE)
    return f'<p class="page" dir="auto"{_language(shown)}>{_linked(picture.page, _text(shown))}{site}</p>'


def _facts(picture: Exhibit) -> str:
    """`1,200 × 800 · JPEG · 245 KB · score 0.60`; a line ends between two of them."""
    facts = (
        f"{picture.width:,} × {picture.height:,}" if picture.width and picture.height else "",
        _text(picture.format.upper()),
        _size(picture.bytes) if picture.bytes else "",
        f"score {picture.score:.2f}",
    )
    return " · ".join(f"<span>{fact}</span>" for fact in facts if fact)


# --- what a stranger's page said -------------------------------------------------------------------------------------


def _text(value: str) -> str:
    """As text, never as markup. Half a surrogate pair cannot be written to a file."""
    return escape(value.encode("utf-8", "replace").decode())


def _shortened(value: str, most: int) -> str:
    value = " ".join(value[: 4 * most].split())
    return value if len(value) <= most else f"{value[: most - 1].rstrip()}…"


def _linked(url: str, inside: str, kind: str = "") -> str:
    """A link, if a browser would ask a web server for it; else only what would be inside."""
    named = f' class="{kind}"' if kind else ""
    if not _site(url):
        return f"<span{named}>{inside}</span>"
    return f'<a{named} href="{_text(url)}" target="_blank" rel="noreferrer noopener">{inside}</a>'


def _site(url: str) -> str:
    """The host of a web address; empty for anything else."""
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").removeprefix("www.") if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _language(text: str) -> str:
    """Browsers draw the same Chinese and Japanese characters differently, and must be told."""
    if not _HAN.search(text):
        return ""
    return ' lang="ja"' if _KANA.search(text) else ' lang="zh"'


def _size(count: int) -> str:
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f} MB"
    return f"{count / 1000:.0f} KB" if count >= 1000 else f"{count} bytes"


def _count(count: int) -> str:
    if count == 0:
        return "No pictures"
    return "1 picture" if count == 1 else f"{count:,} pictures"
