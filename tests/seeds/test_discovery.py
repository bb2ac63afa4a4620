"""Which pages does a site publish?"""

import gzip
from collections.abc import Mapping

import pytest

from shoal.fetch.polite_client import PoliteClient
from shoal.model import Failure, Reason, Redirect, Response, Suggestions, Unanswered
from shoal.seeds.discovery import MOST_DOCUMENTS, PublishedSource, lists_named_in, understood
from shoal.seeds.list_document import ListDocument
from shoal.testing.fakes import FakeFetcher, failure, html, redirect

HOME = "https://a.test/"
FEED = "<rss><channel><item><title>电网 news</title><link>https://a.test/n</link></item></channel></rss>"
PAGE = "<!doctype html><html><head><title>x</title>{}</head><body>words</body></html>"
Web = Mapping[str, str | bytes | Response | Redirect | Failure]


def urlset(*urls: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>"


def index(*urls: str) -> str:
    return "<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls) + "</sitemapindex>"


def web(pages: Web) -> FakeFetcher:
    return FakeFetcher({url: html("", page) if isinstance(page, str | bytes) else page for url, page in pages.items()})


async def read(place: str | ListDocument, pages: Web, words: str = "", limit: int = 50) -> Suggestions | Unanswered:
    return await PublishedSource(place, PoliteClient(web(pages))).find(words, limit)


async def paths(place: str | ListDocument, pages: Web, words: str = "", limit: int = 50) -> list[str]:
    found = await read(place, pages, words, limit)
    assert isinstance(found, Suggestions), found
    return [one.url.removeprefix(HOME) for one in found.found]


async def refusal(place: str | ListDocument, pages: Web) -> str:
    answer = await read(place, pages)
    assert isinstance(answer, Unanswered), answer
    return answer.why


# --- documents -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        urlset("https://a.test/n"),
        gzip.compress(urlset("https://a.test/n").encode(), mtime=0),
        FEED,
        "<!-- <html> --><?xml-stylesheet href='x'?>" + FEED,
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/n"/></entry></feed>',
        '{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/n"}]}',
        "https://a.test/n\n",
        FEED.encode("gbk"),
        "\n\n" + urlset("/n"),
    ],
    ids=["sitemap", "gzip", "rss", "prolog", "atom", "json", "text", "gbk", "blank lines"],
)
async def test_every_kind_of_list_is_recognised_by_what_it_is(body: str | bytes) -> None:
    assert await paths(f"{HOME}x", {f"{HOME}x": body}) == ["n"]


async def test_an_index_is_followed_in_order_each_sitemap_once() -> None:
    pages: Web = {
        f"{HOME}i.xml": index(f"{HOME}1.xml", f"{HOME}2.xml.gz", f"{HOME}1.xml", f"{HOME}i.xml"),
        f"{HOME}1.xml": urlset(f"{HOME}a", f"{HOME}b"),
        f"{HOME}2.xml.gz": gzip.compress(urlset(f"{HOME}b", f"{HOME}c").encode()),
    }
    fetcher = web(pages)
    found = await PublishedSource(f"{HOME}i.xml", PoliteClient(fetcher)).find("", 50)
    assert isinstance(found, Suggestions)
    assert [one.url for one in found.found] == [f"{HOME}a", f"{HOME}b", f"{HOME}c"]
    assert [task.url[len(HOME) :] for task in fetcher.asked] == ["i.xml", "1.xml", "2.xml.gz"]


async def test_no_more_is_read_than_is_needed() -> None:
    fetcher = web(
        {f"{HOME}i.xml": index(f"{HOME}1.xml", f"{HOME}2.xml"), f"{HOME}1.xml": urlset(f"{HOME}a", f"{HOME}b")}
    )
    found = await PublishedSource(f"{HOME}i.xml", PoliteClient(fetcher)).find("", 2)
    assert isinstance(found, Suggestions)
    assert (len(found.found), found.more, found.notes) == (2, True, ())
    assert len(fetcher.asked) == 2


async def test_endless_indexes_end() -> None:
    deep = {f"{HOME}{level}.xml": index(f"{HOME}{level + 1}.xml") for level in range(20)}
    fetcher = web(deep)
    await PublishedSource(f"{HOME}0.xml", PoliteClient(fetcher)).find("", 50)
    assert len(fetcher.asked) == 4  # the first, and three levels below it
    wide = web(
        {f"{HOME}w.xml": index(*(f"{HOME}{number}.xml" for number in range(900)))}
        | {f"{HOME}{number}.xml": urlset(f"{HOME}{number}") for number in range(900)}
    )
    found = await PublishedSource(f"{HOME}w.xml", PoliteClient(wide)).find("", 10_000)
    assert isinstance(found, Suggestions)
    assert (len(wide.asked), len(found.found)) == (1 + MOST_DOCUMENTS, MOST_DOCUMENTS)
    assert found.notes == ("700 more sitemaps were not read: 200 at a time is enough.",)


async def test_a_missing_sitemap_is_only_a_note_while_others_are_there() -> None:
    found = await read(
        f"{HOME}i.xml", {f"{HOME}i.xml": index(f"{HOME}1.xml", f"{HOME}2.xml"), f"{HOME}2.xml": urlset(HOME)}
    )
    assert isinstance(found, Suggestions)
    assert [one.url for one in found.found] == [HOME]
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"{HOME}1.xml cannot be read: ")


async def test_words_pick_out_pages_by_title_and_address() -> None:
    pages = {f"{HOME}s.xml": urlset(f"{HOME}power-grid/1", f"{HOME}%E7%94%B5%E7%BD%91/2", f"{HOME}cats/3")}
    assert await paths(f"{HOME}s.xml", pages, "power grid, 電網") == ["power-grid/1", "%E7%94%B5%E7%BD%91/2"]
    assert await paths(f"{HOME}s.xml", pages, "dogs") == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"<urlset><url>", "was not read to its end: line 1 is not XML (no element found)"),
        (gzip.compress(b"x" * 9999, mtime=0)[:40], "its gzip ends too early"),
        (b"%PDF-1.7", "is neither a sitemap, a feed nor a list of URLs"),
        (b'{"a": 1}', "is neither a sitemap, a feed nor a list of URLs"),
        (b"", "is neither a sitemap, a feed nor a list of URLs"),
    ],
    ids=["bad XML", "bad gzip", "PDF", "JSON", "empty"],
)
async def test_what_cannot_be_read_is_one_sentence(body: bytes, complaint: str) -> None:
    assert complaint in await refusal(f"{HOME}x", {f"{HOME}x": body})


async def test_an_address_that_does_not_answer_is_one_sentence() -> None:
    broken = failure("", Reason.DNS, detail="The host name does not exist.")
    assert await refusal(f"{HOME}x", {f"{HOME}x": broken}) == f"{HOME}x cannot be read: the host name does not exist"


# --- files -----------------------------------------------------------------------------------------------------------


async def test_a_file_may_lead_into_the_web() -> None:
    document = ListDocument(name="index.xml", body=index(f"{HOME}1.xml", "2.xml").encode())
    assert await paths(document, {f"{HOME}1.xml": urlset("/a")}) == ["a"]


async def test_a_file_that_is_no_list_is_one_sentence() -> None:
    why = await refusal(ListDocument(name="x.html", body=PAGE.encode()), {})
    assert why.startswith("x.html is neither a sitemap")


# --- sites -----------------------------------------------------------------------------------------------------------


async def test_a_site_names_its_sitemaps_in_robots_txt() -> None:
    pages: Web = {
        f"{HOME}robots.txt": "Sitemap: https://a.test/1.xml\nSitemap: /2.xml",
        f"{HOME}1.xml": urlset("/a"),
        f"{HOME}2.xml": urlset("/b"),
        f"{HOME}sitemap.xml": urlset("/c"),
    }
    assert await paths(HOME, pages) == ["a", "b"]


async def test_else_the_usual_place_is_looked_at() -> None:
    assert await paths(HOME, {f"{HOME}sitemap.xml": index("/1.xml"), f"{HOME}1.xml": urlset("/a")}) == ["a"]
    broken: Web = {f"{HOME}robots.txt": "Sitemap: /gone.xml", f"{HOME}sitemap.xml": urlset("/a")}
    assert await paths(HOME, broken) == ["a"]


async def test_else_the_feeds_that_its_page_names() -> None:
    head = '<link rel="alternate" type="application/rss+xml" href="feed">'
    pages: Web = {HOME: PAGE.format(head), f"{HOME}sitemap.xml": PAGE, f"{HOME}feed": FEED}
    assert await paths(HOME, pages) == ["n"]


async def test_a_home_page_that_moved_names_its_feeds_from_where_it_is() -> None:
    head = '<link rel="alternate" type="application/rss+xml" href="feed">'
    pages: Web = {HOME: redirect("", f"{HOME}zh/"), f"{HOME}zh/": PAGE.format(head), f"{HOME}zh/feed": FEED}
    assert await paths(HOME, pages) == ["n"]


async def test_a_site_that_moved_is_followed() -> None:
    pages: Web = {
        "http://a.test/robots.txt": redirect("", f"{HOME}robots.txt"),
        f"{HOME}robots.txt": "Sitemap: https://a.test/1.xml",
        f"{HOME}1.xml": urlset("/a"),
    }
    assert await paths("http://a.test/", pages) == ["a"]


async def test_a_site_without_any_list_is_one_sentence() -> None:
    why = await refusal(HOME, {HOME: PAGE, f"{HOME}sitemap.xml": PAGE})
    assert why.startswith("https://a.test/ has no sitemap (neither in robots.txt nor as /sitemap.xml)")
    named = await refusal(HOME, {HOME: PAGE, f"{HOME}robots.txt": "Sitemap: /gone.xml"})
    assert named.startswith("https://a.test/gone.xml cannot be read: ")


async def test_a_page_leads_to_its_own_feeds_first_and_then_to_those_of_its_site() -> None:
    head = "<link REL='alternate' type='application/atom+xml' href='/feed?a=1&amp;b=2'>"
    pages: Web = {f"{HOME}blog/": PAGE.format(head), f"{HOME}feed?a=1&b=2": FEED, f"{HOME}sitemap.xml": urlset("/a")}
    assert await paths(f"{HOME}blog/", pages) == ["n"]
    assert await paths(f"{HOME}blog/", {**pages, f"{HOME}blog/": PAGE}) == ["a"]


def test_only_feeds_and_sitemaps_are_taken_from_a_page() -> None:
    page = (
        '<link rel="stylesheet" href="/s.css"><link rel=sitemap href=/map.xml>'
        '<link rel="alternate" hreflang="de" href="/de"><link rel="alternate" type="application/feed+json" href="/f.json">'
        '<link rel="alternate" type="application/rss+xml"><link rel="sitemap" href="ftp://x/">'
    )
    assert lists_named_in(page, HOME) == ("https://a.test/map.xml", "https://a.test/f.json")


@pytest.mark.slow
def test_evil_pages_cost_little() -> None:
    assert lists_named_in("<link " * 100_000, HOME) == ()
    assert understood(ListDocument(name="x", body=b"<!--" * 100_000)) is None
    assert understood(ListDocument(name="x", body=b"<" * 1_000_000)) is None
