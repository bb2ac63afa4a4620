"""The pages say what the truth says of them: their links, and whether they may be kept or followed."""

from __future__ import annotations

import pytest
import turbohtml

from shoal.evaluate.generated.ground_truth import WebPage
from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.urls import host_of, normalise
from tests.evaluate.generated.served import html_pages


def hrefs(page: WebPage) -> set[str]:
    """What a browser finds: every link that is not nofollow, in normal form."""
    document = turbohtml.parse(page.body.decode(page.charset))
    found = set()
    for anchor in document.select("a[href]"):
        if "nofollow" not in str(anchor.attrs.get("rel", "")):
            found.add(normalise(str(anchor.attrs["href"]), page.url))
    return {url for url in found if url}


def home(page: WebPage) -> str:
    return f"http://{host_of(page.url)}/"


@pytest.mark.slow
def test_the_links_of_a_page_are_those_a_browser_finds(web: SyntheticWeb) -> None:
    """But for the logo, which leads home and is not counted."""
    followed = [page for page in html_pages(web) if page.links]
    assert [page.url for page in followed if hrefs(page) - {home(page)} != set(page.links) - {home(page)}] == []


def test_some_pages_forbid_to_be_kept_or_followed(web: SyntheticWeb) -> None:
    headers = {value for page in web.pages.values() for name, value in page.headers if name == "X-Robots-Tag"}
    assert headers == {"noindex", "nofollow"}
    metas = [page for page in html_pages(web) if b'<meta name="robots"' in page.body]
    assert any(page.noindex for page in metas)
    assert any(page.links == () for page in metas)
