"""What does the site look like that the crawlers race on? Thousands of static pages of real size, the same every time.

Measured on some 600 real pages of 20 to 60 KB, the median page has 14 KB of text, 81 links and 390 tags in 26 KB.
The pages made here keep that proportion of text to markup and have 60 to 120 links. Seven of ten are English, three
Chinese, and one of these three is in GBK. Page n links to the pages 8n+1 to 8n+8, so every page can be reached;
its other links go to pages all over the site.

`python -m benchmarks.site` makes the site and says where it is and what it is like.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from random import Random

from benchmarks import words

SMALLEST, LARGEST = 20_000, 60_000
HUBS = 30
"""The first pages after the index: the navigation of every page links to them."""
BRANCHES = 8
SECTIONS = words.SECTIONS


@dataclass(frozen=True, kw_only=True)
class Site:
    """A finished site on disk."""

    root: Path
    pages: int
    start: str = "/index.html"


def build(*, pages: int = 3200, seed: int = 7) -> Site:
    """Make the site, or find it already made; it lives outside the repository."""

    def write(folder: Path) -> None:
        for number in range(pages):
            file = folder / address(number).lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(page(number, pages=pages, seed=seed))
        (folder / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")

    return Site(root=made_once(f"site-{pages}-{seed}", write, recipe=(Path(__file__), *words.RECIPE)), pages=pages)


def made_once(name: str, write: Callable[[Path], None], *, recipe: tuple[Path, ...]) -> Path:
    """A generated folder, made when it is not there yet or when the code that makes it (`recipe`) has changed.

    It is kept in $SHOAL_BENCH_DIR, or in the system's temporary folder.
    """
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in recipe)).hexdigest()[:10]
    cached = Path(os.environ.get("SHOAL_BENCH_DIR") or Path(tempfile.gettempdir()) / "shoal-bench")
    folder = cached / f"{name}-{digest}"
    if not folder.exists():
        # Under another name until it is whole, so that an interrupted build is never mistaken for a finished one.
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        write(partial)
        partial.rename(folder)
    return folder


def address(number: int) -> str:
    """The path of a page."""
    return f"/{_section(number)}/{number:05d}.html" if number else "/index.html"


@cache
def title(number: int) -> str:
    """The title of a page, and the anchor of the links to it."""
    return _vocabulary(number).title(Random(f"title {number}"))


def page(number: int, *, pages: int, seed: int) -> bytes:
    """One page, encoded as it declares."""
    rng = Random(f"{seed} page {number}")
    writer = _Writer(rng=rng, number=number, pages=pages, words=_vocabulary(number))
    charset = _charset(number)
    top, bottom = writer.top(charset), writer.bottom()
    parts, size = [top], len(top.encode(charset)) + len(bottom.encode(charset))
    target = rng.randint(SMALLEST + 500, LARGEST - 4_000)
    for block in writer.blocks():
        if size >= target:
            break
        parts.append(block)
        size += len(block.encode(charset))
    return "".join([*parts, bottom]).encode(charset)


def _section(number: int) -> str:
    return SECTIONS[number % len(SECTIONS)]


def _vocabulary(number: int) -> words.Vocabulary:
    # By the tens, not the ones: each section has pages in both languages.
    return words.vocabulary(_section(number), "zh" if number // len(SECTIONS) % 10 in (3, 6, 9) else "en")


def _charset(number: int) -> str:
    return "gbk" if number // len(SECTIONS) % 10 == 9 else "utf-8"


@dataclass(frozen=True, kw_only=True)
class _Writer:
    """Writes the pieces of one page; `rng` is the page's own, so the order of pages does not matter."""

    rng: Random
    number: int
    pages: int
    words: words.Vocabulary

    def link(self, number: int, css: str) -> str:
        return f'<a class="{css}" href="{address(number)}">{escape(title(number))}</a>'

    def anywhere(self, css: str) -> str:
        return self.link(self.rng.randrange(self.pages), css)

    def sentence(self) -> str:
        return self.words.sentence(self.rng)

    def top(self, charset: str) -> str:
        name, about, section = escape(title(self.number)), self.sentence(), _section(self.number)
        date = f"2025-{self.number % 12 + 1:02d}-{self.number % 28 + 1:02d}"
        hubs = "".join(
            f'\n      <li class="nav-item" data-id="{hub}">{self.link(hub, "nav-link")}</li>'
            for hub in range(1, HUBS + 1)
        )
        recent = "".join(
            f'\n      <li class="recent-item"><span class="icon icon-page" aria-hidden="true"></span>'
            f'{self.anywhere("recent-link")}<time datetime="2025-{self.rng.randint(1, 12):02d}-15"></time></li>'
            for _ in range(8)
        )
        return f"""<!DOCTYPE html>
<html lang="{self.words.language}">
<head>
<meta charset="{charset}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name} - The Long Shore Gazette</title>
<meta name="description" content="{about}">
<meta name="keywords" content="{", ".join(self.words.subjects[:6])}">
<meta property="og:title" content="{name}">
<meta property="og:type" content="article">
<meta property="article:published_time" content="{date}T08:00:00Z">
<link rel="stylesheet" href="/static/site.css"><link rel="icon" href="/static/icon.png">
<style>.nav-list{{display:flex;flex-wrap:wrap}} .nav-item{{margin:0 .5em}} .prose{{max-width:42em}}</style>
<script>window.pageConfig = {{"id": {self.number}, "section": "{section}", "ads": false}};</script>
</head>
<body class="page page-{section}">
<header class="site-header" role="banner"><p class="brand"><a href="/index.html">The Long Shore Gazette</a></p>
  <nav class="site-nav" aria-label="sections">
    <ul class="nav-list">{hubs}
    </ul>
  </nav>
</header>
<div class="layout">
  <aside class="sidebar" role="complementary">
    <h2 class="sidebar-title">Recent</h2>
    <ul class="recent-list">{recent}
    </ul>
  </aside>
  <main id="content"><article class="prose">
<h1 class="headline">{name}</h1>
<p class="lead">{about}</p>
"""

    def blocks(self) -> Iterator[str]:
        """The article, without an end: mostly paragraphs, and what articles have between them."""
        for turn in range(1, 1000):
            match turn % 12:
                case 1:
                    yield f'<h2 id="part-{turn}" class="section-title">{escape(self.words.title(self.rng))}</h2>\n'
                case 5:
                    yield self.bullets()
                case 8:
                    yield self.picture(turn)
                case 11:
                    yield self.table()
                case _:
                    yield self.paragraph(turn)

    def paragraph(self, turn: int) -> str:
        sentences = [self.sentence() for _ in range(self.rng.randint(3, 7))]
        # Links thin out further down: a long page has not many times the links of a short one.
        if self.rng.random() < (0.8 if turn < 20 else 0.2):
            sentences.insert(self.rng.randrange(len(sentences)), f"<em>{self.anywhere('inline-link')}</em>")
        if self.rng.random() < 0.4:
            sentences[-1] = f"<strong>{sentences[-1]}</strong>"
        return f'<p class="body-text" data-part="{turn}">{" ".join(sentences)}</p>\n'

    def bullets(self) -> str:
        items = "".join(f'\n  <li class="point"><span>{self.sentence()}</span></li>' for _ in range(5))
        return f'<ul class="points">{items}\n</ul>\n'

    def picture(self, turn: int) -> str:
        return (
            f'<figure class="figure"><img src="/images/{self.number:05d}-{turn}.jpg" '
            f'alt="{escape(self.words.title(self.rng))}" width="640" height="420" loading="lazy">'
            f'<figcaption class="caption">{self.sentence()}</figcaption></figure>\n'
        )

    def table(self) -> str:
        rows = "".join(
            f'\n  <tr class="row"><td class="cell">{self.anywhere("cell-link")}</td>'
            f'<td class="cell number">{self.rng.randint(1, 9999)}</td>'
            f'<td class="cell">{self.words.draw(self.rng, 1)[0]}</td></tr>'
            for _ in range(3)
        )
        return f'<table class="data-table"><tbody>{rows}\n</tbody></table>\n'

    def bottom(self) -> str:
        first = self.number * BRANCHES + 1
        children = range(first, min(first + BRANCHES, self.pages))
        related = [*children, *(self.rng.randrange(self.pages) for _ in range(4))]
        cards = "".join(
            f'\n    <li class="card" data-track="related-{place}"><div class="card-body">'
            f'{self.link(number, "card-link")}<p class="card-text">{escape(title(number))}</p></div></li>'
            for place, number in enumerate(related)
        )
        foot = "".join(f'\n    <li class="foot-item">{self.link(hub, "foot-link")}</li>' for hub in range(1, 11))
        return f"""</article>
  <section class="related"><h2>More</h2><ul class="cards">{cards}
  </ul></section></main>
</div>
<footer class="site-footer" role="contentinfo"><ul class="foot-list">{foot}
    <li class="foot-item"><a rel="external" href="https://partner.example/about">Partner</a></li>
    <li class="foot-item"><a rel="nofollow" href="mailto:editor@gazette.example">Write to us</a></li>
  </ul><p class="small">Page {self.number} of {self.pages}. An invented newspaper for measuring crawlers.</p></footer>
<script>document.documentElement.className += " ready";</script>
</body>
</html>
"""


def main() -> None:
    site = build()
    print(f"{site.pages} pages in {site.root}")
    sample = [file.read_bytes() for file in sorted(site.root.rglob("*.html"))[::7]]
    for what, values in (
        ("bytes", [len(body) for body in sample]),
        ("links", [body.count(b"<a ") for body in sample]),
        ("tags", [len(re.findall(rb"<[a-z]", body)) for body in sample]),
        ("bytes of text", [len(re.sub(rb"\s+", b" ", re.sub(rb"(?s)<[^>]*>", b"", body))) for body in sample]),
    ):
        print(f"{what}: least {min(values)}, median {statistics.median(values):.0f}, most {max(values)}")


if __name__ == "__main__":
    main()
