"""How does a generated page show its images? In all the ways that real pages do, as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from urllib.parse import unquote

from shoal.evaluate.generated.ground_truth import ShownImage, WebImage
from shoal.evaluate.generated.image_hosts import ornaments
from shoal.evaluate.generated.sites import Site

_NOTHING_YET = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
"""What stands where an image will be when the reader gets there."""


def image_html(shown: ShownImage, site: Site) -> str:
    """The element, as a block of its own."""
    small, large = src(shown.files[0], site), src(shown.files[-1], site)
    words = _words(shown)
    match shown.way:
        case "plain":
            return f'<p class="photo"><img src="{small}"{words}></p>\n'
        case "figure":
            return f'<figure><img src="{small}"{words}><figcaption>{escape(shown.caption)}</figcaption></figure>\n'
        case "lazy":
            return f'<p class="photo"><img class="lazy" src="{_NOTHING_YET}" data-src="{small}"{words}></p>\n'
        case "srcset":
            return f'<p class="photo"><img src="{small}" srcset="{_srcset(shown.files, site)}"{words}></p>\n'
        case "picture":
            wide = f'<source media="(min-width: 800px)" srcset="{large}">'
            return f'<p class="photo"><picture>{wide}<img src="{small}"{words}></picture></p>\n'
        case "background":
            return f'<div class="photo" style="height: 240px; background-image: url(\'{small}\')"></div>\n'
        case "thumbnail":
            # A page is behind a link, an image is not: who follows links need not come here.
            return f'<p class="photo"><a href="{large}" rel="nofollow"><img src="{small}"{words}></a></p>\n'


def src(image: WebImage, site: Site) -> str:
    """As people write it: without the host on the same host, without the scheme elsewhere, and in plain letters."""
    url = image.url if site.traditional else unquote(image.url)
    own = f"http://{site.host}"
    return escape(url.removeprefix(own) if url.startswith(f"{own}/") else url.removeprefix("http:"))


def _srcset(files: Sequence[WebImage], site: Site) -> str:
    return ",\n ".join(f"{src(file, site)} {file.width}w" for file in files)


def _words(shown: ShownImage) -> str:
    alt = "" if shown.alt is None else f' alt="{escape(shown.alt)}"'
    title = f' title="{escape(shown.title)}"' if shown.title else ""
    small = shown.files[0]
    return f"{alt}{title}" + (f' width="{small.width}" height="{small.height}"' if shown.says_size else "")


def shared_html(images: Sequence[ShownImage]) -> str:
    """What the head says to those who link to the page."""
    return "".join(
        f'<meta property="og:image" content="{escape(shown.files[-1].url)}">' for shown in images if shown.is_shared
    )


def thumbnail_html(shown: ShownImage, site: Site) -> str:
    """Beside a line of a list."""
    return f'<img src="{src(shown.files[0], site)}" alt="">'


@cache
def ornaments_html(site: Site) -> str:
    """The logo, the icons, the white space and the tracker of every page."""
    return "".join(f'<img src="{src(shown.files[0], site)}"{_words(shown)}>' for shown in ornaments(site))
