"""What every fetcher promises (`protocols.Fetcher`), run on the real one and on the fake."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from shoal.fetch.client import HttpFetcher
from shoal.model import Failure, Reason, Redirect, Response, Task, TaskKind
from shoal.protocols import Fetcher
from shoal.settings import Fetching
from shoal.testing.fakes import Answer, FakeFetcher, failure, html, redirect
from tests.crawl.scripted import answer, scripted

HTML = "Content-Type: text/html; charset=utf-8"


@dataclass(frozen=True)
class Site:
    """A small site and the fetcher under test."""

    fetcher: Fetcher
    root: str

    async def ask(self, path: str, *, kind: TaskKind = "page", etag: str = "") -> Response | Redirect | Failure:
        return await self.fetcher.fetch(Task(id=1, url=self.root + path, kind=kind, etag=etag))


async def real() -> AsyncIterator[Site]:
    script = {
        "/page": answer("<p>页面".encode(), HTML),
        "/robots.txt": answer(b"User-agent: *", "Content-Type: text/plain"),
        "/moved": answer(b"", "Location: /page", status="301 Moved Permanently"),
        "/busy": answer(b"", "Retry-After: 30", status="503 Service Unavailable"),
        "/same": b"HTTP/1.1 304 Not Modified\r\n\r\n",
    }
    settings = Fetching(allow_private=("127.0.0.0/8",))
    async with scripted(script) as server, HttpFetcher(settings) as fetcher:
        yield Site(fetcher, server.url(""))


async def fake() -> AsyncIterator[Site]:
    root = "http://a.test"
    pages: dict[str, Answer] = {
        "/page": html("", "<p>页面"),
        "/robots.txt": html("", "User-agent: *", content_type="text/plain"),
        "/moved": redirect("", root + "/page", status=301),
        "/busy": failure("", status=503, heals=True, retry_after=30.0),
        "/same": failure("", Reason.UNCHANGED, status=304),
    }
    yield Site(FakeFetcher({root + path: page for path, page in pages.items()}), root)


@pytest.fixture(params=[real, fake])
async def site(request: pytest.FixtureRequest) -> AsyncIterator[Site]:
    async for made in request.param():
        yield made


async def test_a_page_comes_with_its_url_body_and_type(site: Site) -> None:
    page = await site.ask("/page")
    assert isinstance(page, Response)
    assert (page.url, page.status, page.body.decode()) == (site.root + "/page", 200, "<p>页面")
    assert page.content_type == "text/html"
    assert not page.truncated


async def test_a_redirect_is_reported_and_not_followed(site: Site) -> None:
    moved = await site.ask("/moved")
    assert isinstance(moved, Redirect)
    assert (moved.url, moved.status, moved.target) == (site.root + "/moved", 301, site.root + "/page")


async def test_what_is_not_there_is_a_failure_that_does_not_heal(site: Site) -> None:
    gone = await site.ask("/nowhere")
    assert isinstance(gone, Failure)
    assert (gone.url, gone.reason, gone.status, gone.heals) == (site.root + "/nowhere", Reason.STATUS, 404, False)


async def test_a_busy_server_says_when_to_come_back(site: Site) -> None:
    busy = await site.ask("/busy")
    assert isinstance(busy, Failure)
    assert (busy.status, busy.heals, busy.retry_after) == (503, True, 30.0)


async def test_an_unchanged_page_is_a_failure_of_its_own(site: Site) -> None:
    same = await site.ask("/same", etag='"1"')
    assert isinstance(same, Failure)
    assert (same.reason, same.status, same.heals) == (Reason.UNCHANGED, 304, False)


async def test_a_robots_txt_is_a_response_like_any_other(site: Site) -> None:
    robots = await site.ask("/robots.txt", kind="robots")
    assert isinstance(robots, Response)
    assert robots.body == b"User-agent: *"


@pytest.mark.parametrize("path", ["/page", "/moved", "/nowhere", "/busy"])
async def test_times_are_in_order_and_the_address_is_known(site: Site, path: str) -> None:
    timing = (await site.ask(path)).timing
    assert 0 < timing.started <= timing.answered <= timing.ended
    assert timing.address


async def test_many_fetches_at_once_do_not_mix(site: Site) -> None:
    paths = ["/page", "/moved", "/nowhere", "/busy"] * 10
    results = await asyncio.gather(*map(site.ask, paths))
    assert [result.url for result in results] == [site.root + path for path in paths]
    kinds = {"/page": Response, "/moved": Redirect, "/nowhere": Failure, "/busy": Failure}
    assert [type(result) for result in results] == [kinds[path] for path in paths]
