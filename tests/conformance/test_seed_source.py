"""What every source of seeds promises (`protocols.SeedSource`), run on all of them."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from shoal.fetch.client import HttpFetcher
from shoal.fetch.polite_client import PoliteClient
from shoal.model import Suggestions, Unanswered
from shoal.protocols import SeedSource
from shoal.seeds.discovery import PublishedSource
from shoal.seeds.searxng import SearxngSource
from shoal.settings import Fetching
from shoal.testing.searxng_web import SearxngWeb, result
from shoal.testing.webserver import ServedWeb, SimpleWeb, WebAnswer, WebServer
from shoal.urls import normalise

PAGES = [f"http://a.test/grid/{number}" for number in range(25)]
URLS = ["HTTP://A.test/grid/0#top", *PAGES, "http://a.test:80/grid/1", "mailto:me@a.test", "http://a.test/电网/grid"]
EXPECTED = [*PAGES, "http://a.test/%E7%94%B5%E7%BD%91/grid"]
Make = Callable[[str, PoliteClient], SeedSource]


def sitemap(urls: list[str]) -> ServedWeb:
    text = "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>"
    return SimpleWeb().raw("http://127.0.0.1/list", text.encode(), content_type="application/xml")


def feed(urls: list[str]) -> ServedWeb:
    items = "".join(f"<item><title>t</title><link>{url}</link></item>" for url in urls)
    body = f'<?xml version="1.0" encoding="gbk"?><rss><channel>{items}</channel></rss>'.encode("gbk")
    return SimpleWeb().raw("http://127.0.0.1/list", body, content_type="application/rss+xml")


def text(urls: list[str]) -> ServedWeb:
    return SimpleWeb().raw("http://127.0.0.1/list", "\n".join(urls).encode(), content_type="text/plain")


def search(urls: list[str]) -> ServedWeb:
    return SearxngWeb([result(url) for url in urls], per_page=7)


@dataclass(frozen=True)
class Kind:
    """A kind of source, and the web in which it finds some URLs."""

    web: Callable[[list[str]], ServedWeb]
    make: Make


def published(root: str, asker: PoliteClient) -> SeedSource:
    return PublishedSource(f"{root}/list", asker)


KINDS = {
    "searxng": Kind(search, lambda root, asker: SearxngSource(root, asker)),
    "sitemap": Kind(sitemap, published),
    "feed": Kind(feed, published),
    "text": Kind(text, published),
}


@pytest.fixture(params=list(KINDS.values()), ids=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    assert isinstance(request.param, Kind)
    return request.param


@pytest.fixture
async def asker() -> AsyncIterator[PoliteClient]:
    async with HttpFetcher(Fetching(allow_private=("127.0.0.0/8",), connect_timeout=2.0)) as fetcher:
        yield PoliteClient(fetcher)


async def found(kind: Kind, asker: PoliteClient, urls: list[str], limit: int) -> Suggestions:
    async with WebServer(kind.web(urls)) as server:
        answer = await kind.make(server.proxy, asker).find("grid", limit)
    assert isinstance(answer, Suggestions), answer
    return answer


async def test_each_page_is_suggested_once_in_order_and_in_normal_form(kind: Kind, asker: PoliteClient) -> None:
    answer = await found(kind, asker, URLS, 100)
    assert [one.url for one in answer.found] == EXPECTED
    assert all(normalise(one.url) == one.url for one in answer.found)
    assert all(one.source.startswith("http://127.0.0.1:") for one in answer.found)
    assert not answer.more


async def test_the_limit_holds_and_it_is_said_that_there_is_more(kind: Kind, asker: PoliteClient) -> None:
    answer = await found(kind, asker, URLS, 3)
    assert [one.url for one in answer.found] == EXPECTED[:3]
    assert answer.more


@pytest.mark.parametrize("status", [404, 500, 403, 429])
async def test_a_server_that_refuses_is_one_sentence(kind: Kind, asker: PoliteClient, status: int) -> None:
    async with WebServer(SimpleWeb().refusing("127.0.0.1", 100, status=status)) as server:
        answer = await kind.make(server.proxy, asker).find("grid", 10)
    assert isinstance(answer, Unanswered)
    assert server.proxy in answer.why
    assert "\n" not in answer.why
    assert not answer.why.endswith(".")


async def test_nobody_there_is_one_sentence(kind: Kind, asker: PoliteClient) -> None:
    async with WebServer(SimpleWeb()) as server:
        pass
    answer = await kind.make(server.proxy, asker).find("grid", 10)
    assert isinstance(answer, Unanswered)
    assert "there is no connection" in answer.why


async def test_nonsense_is_one_sentence(kind: Kind, asker: PoliteClient) -> None:
    class Nonsense(SimpleWeb):
        def answer(self, host: str, target: str, nth: int) -> WebAnswer:
            return super().answer(host, "/x", nth)

    web = Nonsense().raw("http://127.0.0.1/x", b"\x00\x01\xff\xfe nonsense", content_type="application/octet-stream")
    async with WebServer(web) as server:
        answer = await kind.make(server.proxy, asker).find("grid", 10)
    assert isinstance(answer, Unanswered)
