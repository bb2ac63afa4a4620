"""Sitemaps, feeds and answers of search engines: whatever they are, they list pages or they do not."""

from __future__ import annotations

import asyncio

from shoal.fetch.polite_client import PoliteClient
from shoal.model import Suggestion, Suggestions, Unanswered
from shoal.parse.charset import decode
from shoal.seeds.discovery import lists_named_in, understood
from shoal.seeds.list_document import ListDocument
from shoal.seeds.searxng import SearxngSource
from shoal.seeds.sitemap import sitemaps_named_in
from shoal.testing.fakes import FakeFetcher, html
from shoal.testing.fuzz.listings import feed, json_feed, search_answer, sitemap
from shoal.urls import normalise
from tests.fuzz.target import Target

_ASKED = "http://x.test/search?q=grid&format=json&pageno={}&language=auto"


def _check(data: bytes) -> None:
    for label in ("", "text/xml; charset=gbk", "text/xml; charset=bz2"):
        listing = understood(ListDocument(name="it", body=data, base="http://base.test/a/", content_type=label))
        for page in listing.pages if listing is not None else ():
            _check_page(page)
        for address in listing.lists if listing is not None else ():
            assert normalise(address) == address
    text, _ = decode(data)
    lists_named_in(text, "http://base.test/")
    sitemaps_named_in(text, "http://base.test/")


def _check_answer(data: bytes) -> None:
    fetcher = FakeFetcher({_ASKED.format(number): html("", data) for number in range(1, 11)})
    answer = asyncio.run(SearxngSource("http://x.test", PoliteClient(fetcher)).find("grid", 50))
    assert isinstance(answer, Suggestions | Unanswered)
    for page in answer.found if isinstance(answer, Suggestions) else ():
        _check_page(page)


def _check_page(page: Suggestion) -> None:
    assert normalise(page.url) == page.url
    assert len(page.title) <= 200
    assert len(page.snippet) <= 300
    assert "\n" not in page.title + page.snippet


TARGETS = (
    Target(name="sitemaps", make=sitemap, check=_check, runs=250),
    Target(name="feeds", make=feed, check=_check, runs=250),
    Target(name="json-feeds", make=json_feed, check=_check, runs=200),
    Target(name="search-answers", make=search_answer, check=_check_answer, runs=150),
)
