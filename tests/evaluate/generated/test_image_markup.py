"""A browser finds the images that the truth names, in whatever way a page shows them."""

from __future__ import annotations

import re

import turbohtml

from shoal.evaluate.generated.ground_truth import WebPage
from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.urls import normalise

_URL = re.compile(r"url\('([^']+)'\)")


def named_files(page: WebPage) -> set[str]:
    """All files that a browser could show for the images of a page, and larger ones behind a click."""
    document = turbohtml.parse(page.body.decode(page.charset))
    found = [element.attrs.get(name) for element in document.select("img") for name in ("src", "data-src")]
    for element in document.select("img[srcset], source[srcset]"):
        found += [candidate.split()[0] for candidate in str(element.attrs["srcset"]).split(",")]
    found += [_URL.findall(str(element.attrs["style"]))[0] for element in document.select("[style]")]
    found += [element.attrs["content"] for element in document.select("meta[property='og:image']")]
    found += [element.attrs["href"] for element in document.select("a[rel=nofollow]") if element.select("img")]
    urls = {normalise(str(url), page.url) for url in found if url and not str(url).startswith("data:")}
    return {url for url in urls if url and not url.endswith((".html", "/"))}


def test_the_images_of_a_page_are_those_a_browser_finds(web: SyntheticWeb) -> None:
    """On pages in GBK, with Chinese file names, and broken ones, too."""
    pages = [page for page in web.pages.values() if page.images]
    assert len(pages) > 2_500
    wrong = [page.url for page in pages[::7] if named_files(page) & web.images.keys() != set(page.images)]
    assert wrong == []


def test_every_image_is_on_some_page_and_known(web: SyntheticWeb) -> None:
    named = {url for page in web.pages.values() for url in page.images}
    assert named == web.images.keys()


def test_words_are_in_the_language_of_the_page(web: SyntheticWeb) -> None:
    body = web.pages["http://chuneng.test/batteries/index.html"].body.decode("gbk")
    assert 'alt="储能在线"' in body
    names = [url for url in web.images if url.startswith("http://chuneng.test/img/%E")]
    assert names
    page = next(page for page in web.pages.values() if names[0] in page.images)
    assert b"/img/%E" not in page.body  # written in GBK, asked for in UTF-8
