"""The loopback web answers by host name, as a server and as a proxy, and logs what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import pytest

from shoal.testing.webserver import MAX_HEAD, SimpleWeb, WebServer, read_log

WEB = (
    SimpleWeb()
    .page("http://a.test/", "the front page of a", links=["/next", "http://b.test/"])
    .page("http://b.test/", "the front page of b")
    .page("http://a.test/slow?x=1", "late", delay=0.2)
    .redirect("http://a.test/old", "http://b.test/", 302)
    .robots("a.test", "User-agent: *\nDisallow: /private\n")
    .raw("http://a.test/picture", b"\x00\x01", content_type="image/png")
    .page("http://busy.test/", "at last")
    .refusing("busy.test", 2)
)


@pytest.fixture
async def server() -> AsyncIterator[WebServer]:
    async with WebServer(WEB) as running:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def ask(client: aiohttp.ClientSession, server: WebServer, url: str) -> tuple[int, bytes]:
    async with client.get(url, proxy=server.proxy, allow_redirects=False) as response:
        return response.status, await response.read()


async def say(server: WebServer, request: bytes) -> bytes:
    """All that the server sends until it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request)
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


async def eventually(condition: Callable[[], bool]) -> None:
    """The other end of a socket tells nobody when it is done, so we look until it is."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_as_a_proxy_it_picks_the_site_by_the_host(client: aiohttp.ClientSession, server: WebServer) -> None:
    assert b"front page of a" in (await ask(client, server, "http://a.test/"))[1]
    assert b"front page of b" in (await ask(client, server, "http://B.test/"))[1]
    assert (await ask(client, server, "http://c.test/"))[0] == 404


async def test_as_a_server_it_picks_the_site_by_the_host_header(
    client: aiohttp.ClientSession, server: WebServer
) -> None:
    for name in ("b.test", f"b.test:{server.port}"):
        async with client.get(f"http://127.0.0.1:{server.port}/", headers={"Host": name}) as response:
            assert b"front page of b" in await response.read()


async def test_a_page_has_its_links(client: aiohttp.ClientSession, server: WebServer) -> None:
    _, body = await ask(client, server, "http://a.test/")
    assert b'<a href="/next">' in body
    assert b'<a href="http://b.test/">' in body


async def test_redirects_robots_and_raw_answers(client: aiohttp.ClientSession, server: WebServer) -> None:
    async with client.get("http://a.test/old", proxy=server.proxy, allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (302, "http://b.test/")
    assert await ask(client, server, "http://a.test/robots.txt") == (200, b"User-agent: *\nDisallow: /private\n")
    assert (await ask(client, server, "http://b.test/robots.txt"))[0] == 404
    assert await ask(client, server, "http://a.test/picture") == (200, b"\x00\x01")


async def test_a_refusing_host_relents(client: aiohttp.ClientSession, server: WebServer) -> None:
    assert [(await ask(client, server, "http://busy.test/"))[0] for _ in range(3)] == [429, 429, 200]


@pytest.mark.slow
async def test_the_log_says_what_was_asked_and_when(client: aiohttp.ClientSession, server: WebServer) -> None:
    await ask(client, server, "http://a.test/slow?x=1")
    await ask(client, server, "http://b.test/gone")
    slow, gone = server.log
    assert (slow.host, slow.path, slow.status) == ("a.test", "/slow?x=1", 200)
    assert slow.ended - slow.started >= 0.19
    assert (gone.host, gone.path, gone.status) == ("b.test", "/gone", 404)
    assert slow.ended <= gone.started <= gone.ended


async def test_a_client_that_leaves_is_logged(client: aiohttp.ClientSession, server: WebServer) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await ask(client, server, "http://a.test/slow?x=1")
    await eventually(lambda: bool(server.log))
    (left,) = server.log
    assert left.status == 0
    assert left.ended >= left.started


async def test_requests_cut_off_by_the_end_of_the_server_are_logged(client: aiohttp.ClientSession) -> None:
    async with WebServer(WEB) as server:
        asking = asyncio.ensure_future(ask(client, server, "http://a.test/slow?x=1"))
        await eventually(lambda: server.open_requests == 1)
    with pytest.raises(aiohttp.ClientError):
        await asking
    assert [access.status for access in server.log] == [0]


async def test_the_log_file_can_be_read_while_the_server_runs(client: aiohttp.ClientSession, tmp_path: Path) -> None:
    path = tmp_path / "access.jsonl"
    for _ in range(2):  # a second server goes on where the first ended
        async with WebServer(WEB, log=path) as server:
            await ask(client, server, "http://a.test/")
            assert read_log(path)[-1:] == server.log
    assert len(read_log(path)) == 2


async def test_connections_are_kept(server: WebServer) -> None:
    request = b"GET http://a.test/picture HTTP/1.1\r\nHost: a.test\r\n\r\n"
    last = b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"
    answer = await say(server, request + request + last)
    assert answer.count(b"HTTP/1.1 200 OK") == 3
    assert answer.index(b"\x00\x01") < answer.index(b"front page")


@pytest.mark.slow
async def test_pipelined_requests_wait_for_a_slow_one(server: WebServer) -> None:
    slow = b"GET http://a.test/slow?x=1 HTTP/1.1\r\nHost: a.test\r\n\r\n"
    last = b"GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n"
    answer = await say(server, slow + last)
    assert answer.index(b"late") < answer.index(b"front page of b")


async def test_a_head_request_gets_no_body(server: WebServer) -> None:
    answer = await say(server, b"HEAD / HTTP/1.0\r\nHost: a.test\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: a.test\r\n\r\n", b"405"),
        (b"CONNECT a.test:443 HTTP/1.1\r\n\r\n", b"501"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * (MAX_HEAD + 10), b"431"),
    ],
)
async def test_what_it_does_not_understand_is_refused(server: WebServer, request_bytes: bytes, status: bytes) -> None:
    answer = await say(server, request_bytes)
    assert answer.split()[1] == status
    assert server.log == []
