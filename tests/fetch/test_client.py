"""One request, one answer, whatever the server does."""

import asyncio
import gzip
import inspect
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable
from email.utils import formatdate
from typing import Any

import aiohttp
import brotli  # type: ignore[import-untyped]
import pytest
from backports import zstd
from msgspec.structs import replace

from shoal.fetch.addresses import NoSuchName
from shoal.fetch.client import ROBOTS_LIMIT, HttpFetcher, request_headers
from shoal.model import Failure, Reason, Redirect, Response, Task
from shoal.settings import Fetching
from shoal.testing.evils import EVILS, Evil
from shoal.testing.fakes import ManualClock
from shoal.testing.hostile import HostileServer
from tests.crawl.scripted import answer, scripted

LOOPBACK = ("127.0.0.0/8",)
QUICK = Fetching(
    allow_private=LOOPBACK, connect_timeout=2.0, answer_timeout=0.3, total_timeout=0.6, max_body=2**20, contact="c.test"
)
CALM = Fetching(allow_private=LOOPBACK)
HTML = "Content-Type: text/html"


def task(url: str, **more: Any) -> Task:
    return Task(id=1, url=url, **more)


async def fetch(said: bytes, settings: Fetching = CALM, **more: Any) -> Response | Redirect | Failure:
    """What one fetch makes of these bytes."""
    async with scripted({"/p": said}) as server, HttpFetcher(settings) as fetcher:
        return await fetcher.fetch(task(server.url("/p"), **more))


async def fetch_page(said: bytes, settings: Fetching = CALM, **more: Any) -> Response:
    result = await fetch(said, settings, **more)
    assert isinstance(result, Response)
    return result


async def fetch_failure(said: bytes, settings: Fetching = CALM) -> Failure:
    result = await fetch(said, settings)
    assert isinstance(result, Failure)
    return result


def outcome(result: Response | Redirect | Failure) -> str:
    match result:
        case Failure():
            return result.reason
        case Redirect():
            return "redirect"
        case Response():
            return "page"


# --- the hostile server ----------------------------------------------------------------------------------------------


@pytest.fixture
async def hostile() -> AsyncIterator[HostileServer]:
    async with HostileServer() as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize(("name", "evil"), EVILS.items(), ids=EVILS)
async def test_every_evil_gives_its_outcome(hostile: HostileServer, name: str, evil: Evil) -> None:
    async with HttpFetcher(QUICK) as fetcher:
        result = await fetcher.fetch(task(hostile.url(name)))
        assert outcome(result) == evil.outcome
        if isinstance(result, Failure):
            assert result.detail.endswith(".")
            assert len(result.detail) < 400
        if isinstance(result, Response):
            assert len(result.body) <= QUICK.max_body
        assert result.timing.address == "127.0.0.1"
        assert outcome(await fetcher.fetch(task(hostile.url()))) == "page", "the fetcher is as good as before"
    assert [access.path for access in hostile.log] == [f"/{name}", "/"], "one request each"


@pytest.mark.parametrize("name", ["gzip-bomb", "endless", "endless-chunks", "endless-headers", "error-without-end"])
async def test_memory_stays_bounded(hostile: HostileServer, name: str) -> None:
    async with HttpFetcher(QUICK) as fetcher:
        await fetcher.fetch(task(hostile.url(name)))  # what is cached and imported once does not count
        tracemalloc.start()
        await fetcher.fetch(task(hostile.url(name)))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8 * 2**20, "the limit of the body is 1 MiB, the bomb holds 1 GiB"


@pytest.mark.slow
async def test_the_evils_all_at_once(hostile: HostileServer) -> None:
    patient = replace(QUICK, answer_timeout=2.0, total_timeout=5.0)  # so many at once take their time on a busy machine
    async with HttpFetcher(patient) as fetcher:
        results = await asyncio.gather(*(fetcher.fetch(task(hostile.url(name))) for name in EVILS))
    assert {name: outcome(result) for name, result in zip(EVILS, results, strict=True)} == {
        name: evil.outcome for name, evil in EVILS.items()
    }


async def test_a_body_over_the_limit_is_cut_and_says_so(hostile: HostileServer) -> None:
    async with HttpFetcher(QUICK) as fetcher:
        result = await fetcher.fetch(task(hostile.url("gzip-bomb")))
    assert isinstance(result, Response)
    assert (len(result.body), result.truncated) == (2**20, True)


@pytest.mark.parametrize(
    ("name", "words"),
    [("hang", "silent for 0.3 seconds"), ("slow-drip", "complete within 0.6 seconds")],
)
async def test_a_timeout_says_which(hostile: HostileServer, name: str, words: str) -> None:
    async with HttpFetcher(QUICK) as fetcher:
        result = await fetcher.fetch(task(hostile.url(name)))
    assert isinstance(result, Failure)
    assert words in result.detail
    assert result.heals


async def test_a_huge_robots_txt_is_cut_at_500_kib() -> None:
    async with HostileServer(robots="huge") as server, HttpFetcher(CALM) as fetcher:
        result = await fetcher.fetch(task(server.url("robots.txt"), kind="robots"))
    assert isinstance(result, Response)
    assert (len(result.body), result.truncated) == (ROBOTS_LIMIT, True)
    assert b"/forbidden" in result.body


# --- addresses -------------------------------------------------------------------------------------------------------


async def refused(url: str, **names: str) -> Failure:
    """The failure of a fetch with the guard on; the names stand for `NAME.test`."""
    book = {f"{name}.test": tuple(addresses.split()) for name, addresses in names.items()}
    async with HttpFetcher(Fetching(), lookup=book.__getitem__) as fetcher:
        result = await fetcher.fetch(task(url))
    assert isinstance(result, Failure)
    return result


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "169.254.169.254",
        "10.0.0.1",
        "100.64.0.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
    ],
)
async def test_addresses_that_are_not_public_are_not_connected_to(address: str) -> None:
    result = await refused(f"http://{address}/")
    assert (result.reason, result.heals) == (Reason.ADDRESS, False)
    assert address.strip("[]") in result.detail
    assert result.timing.address == ""


@pytest.mark.parametrize("addresses", ["127.0.0.1", "10.0.0.1", "fd00::1", "::1 127.0.0.1", "10.0.0.1 10.0.0.2 ::1"])
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_names_that_resolve_to_private_addresses_are_refused(scheme: str, addresses: str) -> None:
    result = await refused(f"{scheme}://rebind.test/", rebind=addresses)
    assert result.reason is Reason.ADDRESS


async def test_a_name_that_changes_its_address_is_checked_again(hostile: HostileServer) -> None:
    """DNS rebinding: what counts is the address of this connection, not what the name meant before."""
    answers = iter([("127.0.0.1",), ("10.0.0.1",)])
    settings = Fetching(allow_private=LOOPBACK)
    url = f"http://rebind.test:{hostile.port}/close"
    outcomes = []
    for _ in range(2):
        async with HttpFetcher(settings, lookup=lambda name: next(answers)) as fetcher:
            outcomes.append(outcome(await fetcher.fetch(task(url))))
    assert outcomes == [Reason.RESET, Reason.ADDRESS]


async def test_one_allowed_address_among_others_is_enough(hostile: HostileServer) -> None:
    async with HttpFetcher(QUICK, lookup=lambda name: ("10.0.0.1", "127.0.0.1")) as fetcher:
        result = await fetcher.fetch(task(f"http://both.test:{hostile.port}/"))
    assert outcome(result) == "page"
    assert result.timing.address == "127.0.0.1"


# --- connections -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pause", [0.0, 0.02])
async def test_connections_are_used_again_also_after_small_errors_and_redirects(pause: float) -> None:
    script = {
        "/a": answer(b"<p>a", HTML),
        "/gone": answer(b"x" * 1000, HTML, status="410 Gone"),
        "/moved": answer(b"x" * 1000, "Location: /a", status="301 Moved Permanently"),
    }
    async with scripted(script, pause=pause) as server, HttpFetcher(CALM) as fetcher:
        for path in ("/a", "/gone", "/moved", "/nowhere", "/a"):
            await fetcher.fetch(task(server.url(path)))
        assert (len(server.requests), server.connections) == (5, 1)


async def test_a_broken_kept_connection_is_a_failure_and_not_a_second_request() -> None:
    async with HostileServer() as hostile, HttpFetcher(QUICK) as fetcher:
        await fetcher.fetch(task(hostile.url()))
        result = await fetcher.fetch(task(hostile.url("close")))
        assert isinstance(result, Failure)
        assert (result.reason, result.heals) == (Reason.RESET, True)
        assert [access.path for access in hostile.log] == ["/", "/close"]
        assert hostile.connections == 1, "the connection was a kept one, or this test proves nothing"


async def test_cancellation_closes_the_connection() -> None:
    async with scripted({"/hang": b"HTTP/1.1 200 OK\r\n"}) as server, HttpFetcher(CALM) as fetcher:
        fetching = asyncio.ensure_future(fetcher.fetch(task(server.url("/hang"))))
        await server.asked.wait()
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        await asyncio.wait_for(server.hung_up.wait(), 5)


async def test_nobody_listening_is_a_failed_connection() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        async with HttpFetcher(CALM) as fetcher:
            result = await fetcher.fetch(task(f"http://127.0.0.1:{port}/"))
    assert isinstance(result, Failure)
    assert (result.reason, result.heals, result.timing.address) == (Reason.CONNECT, True, "")


@pytest.mark.parametrize(
    ("error", "heals"),
    [
        (NoSuchName(socket.EAI_NONAME, "no such name"), False),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), True),
        (OSError("the resolver is broken"), True),
    ],
)
async def test_names_that_do_not_resolve(error: OSError, heals: bool) -> None:
    def lookup(name: str) -> tuple[str, ...]:
        raise error

    async with HttpFetcher(CALM, lookup=lookup) as fetcher:
        for _ in range(2):  # asked, and remembered
            result = await fetcher.fetch(task("http://gone.test/"))
            assert isinstance(result, Failure)
            assert (result.reason, result.heals) == (Reason.DNS, heals)


async def test_a_name_server_that_does_not_answer_is_a_timeout_of_the_connection() -> None:
    gate = threading.Event()

    def lookup(name: str) -> tuple[str, ...]:
        gate.wait()
        return ()

    async with HttpFetcher(Fetching(connect_timeout=0.1), lookup=lookup) as fetcher:
        result = await fetcher.fetch(task("http://slow.test/"))
        gate.set()
    assert isinstance(result, Failure)
    assert (result.reason, result.detail) == (Reason.TIMEOUT, "There was no connection within 0.1 seconds.")


async def test_https_answered_in_plain_text_is_a_tls_failure() -> None:
    async def shout(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 This is the plain port\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(shout, "127.0.0.1", 0)
    async with server, HttpFetcher(CALM) as fetcher:
        result = await fetcher.fetch(task(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
    assert isinstance(result, Failure)
    assert (result.reason, result.heals) == (Reason.TLS, False)


async def test_a_proxy_gets_every_request_and_needs_no_permission() -> None:
    script = {"http://far.test/page": answer(b"<p>far", HTML)}
    async with scripted(script) as server:
        proxied = Fetching(proxy=f"http://127.0.0.1:{server.port}")
        async with HttpFetcher(proxied) as fetcher:
            page = await fetcher.fetch(task("http://far.test/page"))
            secure = await fetcher.fetch(task("https://far.test/page"))
    assert isinstance(page, Response)
    assert (page.body, page.timing.address) == (b"<p>far", "")
    assert server.requests[0].startswith("GET http://far.test/page HTTP/1.1\r\nHost: far.test\r\n")
    assert server.requests[1].startswith("CONNECT far.test:443 ")
    assert outcome(secure) == Reason.CONNECT, "the script refuses tunnels"


# --- requests --------------------------------------------------------------------------------------------------------


async def test_what_a_request_says() -> None:
    settings = Fetching(allow_private=LOOPBACK, contact="https://me.test/", languages=("zh", "en"))
    async with scripted({}) as server, HttpFetcher(settings) as fetcher:
        await fetcher.fetch(
            task(server.url("/%E7%94%B5?a=%2F&b="), etag='"1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
        )
        await fetcher.fetch(task(server.url("/b")))
    first, second = server.requests
    assert first.startswith("GET /%E7%94%B5?a=%2F&b= HTTP/1.1\r\n")
    for line in (
        "User-Agent: Shoal/0.1 (+https://me.test/)",
        "Accept-Language: zh,en;q=0.8,*;q=0.1",
        "Accept-Encoding: gzip, deflate, br, zstd",
        'If-None-Match: "1"',
        "If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT",
    ):
        assert f"{line}\r\n" in first
    assert "If-" not in second


@pytest.mark.parametrize(
    ("languages", "header"),
    [
        ((), None),
        (("zh",), "zh,*;q=0.1"),
        (tuple("abcdefg"), "a,b;q=0.8,c;q=0.6,d;q=0.4,e;q=0.2,f;q=0.2,g;q=0.2,*;q=0.1"),
    ],
)
def test_languages_are_asked_for_in_order(languages: tuple[str, ...], header: str | None) -> None:
    assert request_headers(Fetching(languages=languages)).get("Accept-Language") == header


async def test_cookies_are_not_kept() -> None:
    script = {"/a": answer(b"a", "Set-Cookie: id=7")}
    async with scripted(script) as server, HttpFetcher(CALM, lookup=lambda name: ("127.0.0.1",)) as fetcher:
        for _ in range(2):  # by name, because clients do not keep the cookies of bare addresses anyway
            await fetcher.fetch(task(f"http://a.test:{server.port}/a"))
    assert len(server.requests) == 2
    assert "cookie" not in "".join(server.requests).lower()


async def test_proxies_in_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert (await fetch_page(answer(b"direct"))).body == b"direct"


# --- answers ---------------------------------------------------------------------------------------------------------


def _deflate_raw(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", _deflate_raw),
        ("br", brotli.compress),
        ("zstd", zstd.compress),
        ("identity", bytes),
    ],
)
async def test_every_encoding_we_ask_for_is_understood(encoding: str, pack: Callable[[bytes], bytes]) -> None:
    text = "<p>电网 power grid</p>".encode() * 5000
    assert (await fetch_page(answer(pack(text), HTML, f"Content-Encoding: {encoding}"))).body == text


@pytest.mark.parametrize(("size", "truncated"), [(999, False), (1000, False), (1001, True), (100_000, True)])
async def test_the_limit_of_a_body(size: int, truncated: bool) -> None:
    page = await fetch_page(answer(b"x" * size, HTML), Fetching(allow_private=LOOPBACK, max_body=1000))
    assert (len(page.body), page.truncated) == (min(size, 1000), truncated)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("text/html; charset=gbk", True),
        ("TEXT/HTML", True),
        ("text/plain", True),
        ("application/xhtml+xml", True),
        ("application/xml", True),
        ("application/rss+xml", True),
        ("application/atom+xml;type=feed", True),
        ("application/json", True),
        ("application/ld+json", True),
        ("", True),
        ("image/png", False),
        ("video/mp4", False),
        ("application/pdf", False),
        ("application/octet-stream", False),
    ],
)
async def test_only_text_is_downloaded(kind: str, wanted: bool) -> None:
    said = answer(b"body", f"Content-Type: {kind}") if kind else answer(b"body")
    page = await fetch_page(said)
    assert page.body == (b"body" if wanted else b"")
    assert page.content_type == kind.partition(";")[0].lower()


@pytest.mark.parametrize(("kind", "body"), [("application/gzip", b"body"), ("text/html", b"")])
async def test_who_asks_may_want_other_types(kind: str, body: bytes) -> None:
    said = answer(b"body", f"Content-Type: {kind}")
    async with scripted({"/p": said}) as server, HttpFetcher(CALM, wanted=lambda kind: "gzip" in kind) as fetcher:
        page = await fetcher.fetch(task(server.url("/p")))
    assert isinstance(page, Response)
    assert page.body == body


async def test_a_robots_txt_is_read_whatever_its_type() -> None:
    page = await fetch_page(answer(b"User-agent: *", "Content-Type: application/octet-stream"), kind="robots")
    assert page.body == b"User-agent: *"


async def test_headers_come_as_sent_with_small_names() -> None:
    page = await fetch_page(answer(b"", "X-One: 1", 'ETag: W/"2"', "X-One: \xe9", status="203 Fine"))
    assert page.headers[:3] == (("x-one", "1"), ("etag", 'W/"2"'), ("x-one", "é"))
    assert page.status == 203


async def test_headers_that_are_only_together_too_large() -> None:
    said = answer(b"", *(f"X-{i}: {'x' * 5000}" for i in range(20)))
    assert (await fetch_failure(said)).reason is Reason.HEADERS_TOO_LARGE


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"/b", "/b"),
        (b"b?c#d", "/b?c"),
        (b"//other.test/x", "http://other.test/x"),
        (b"https://Other.test", "https://other.test/"),
        ("/电网".encode(), "/%E7%94%B5%E7%BD%91"),
        ("/电".encode("gbk"), "/%B5%E7"),
        ("http://例子.测试/".encode(), "http://xn--fsqu00a.xn--0zwm56d/"),
        (b" /spaced ", "/spaced"),
    ],
)
async def test_redirects_are_reported_and_not_followed(location: bytes, target: str) -> None:
    said = answer(b"", "Location: @", status="301 Moved").replace(b"@", location)
    async with scripted({"/p": said}) as server, HttpFetcher(CALM) as fetcher:
        result = await fetcher.fetch(task(server.url("/p")))
    assert isinstance(result, Redirect)
    assert (result.status, result.target) == (301, server.url(target) if target.startswith("/") else target)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_every_redirect_status_counts(status: int) -> None:
    assert isinstance(await fetch(answer(b"", "Location: /b", status=f"{status} Go")), Redirect)


@pytest.mark.parametrize("location", ["mailto:a@b.test", "http://", "http://a b/", "ftp://a.test/", "http://[::1"])
async def test_a_redirect_to_what_cannot_be_fetched(location: str) -> None:
    result = await fetch_failure(answer(b"", f"Location: {location}", status="302 Found"))
    assert (result.reason, result.status, result.heals) == (Reason.BAD_REDIRECT, 302, False)


@pytest.mark.parametrize("status", [300, 305, 400, 401, 403, 404, 410, 418, 451, 501, 505, 600])
async def test_statuses_that_do_not_heal(status: int) -> None:
    result = await fetch_failure(answer(b"no", status=f"{status} No"))
    assert (result.reason, result.status, result.heals) == (Reason.STATUS, status, False)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
async def test_statuses_that_may_heal(status: int) -> None:
    result = await fetch_failure(answer(b"no", status=f"{status} No"))
    assert (result.reason, result.status, result.heals) == (Reason.STATUS, status, True)


async def test_an_unchanged_page() -> None:
    result = await fetch_failure(b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")
    assert (result.reason, result.status, result.heals) == (Reason.UNCHANGED, 304, False)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("99999999999999999999", 86_400.0),
        (formatdate(1_000_060, usegmt=True), 60.0),
        (formatdate(900_000, usegmt=True), 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400.0),
        ("soon", None),
        ("-5", None),
        ("5000", 5000.0),
        ("1e400", None),
        ("1.5", None),
        ("+5", None),
        ("٣٠", None),
        ("9" * 5000, 86_400.0),
        ("Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        ("Sun, 01 Jan 99999 00:00:00 GMT", None),
        ("Thu, 01 Jan 1970 00:00:00 -0000", 0.0),
        (formatdate(1_000_060).replace("-0000", ""), 60.0),
        ("Mon, " * 5000, None),
        ("Mon, 99 Foo 2024", None),
        ("", None),
    ],
)
async def test_retry_after(header: str, seconds: float | None) -> None:
    said = answer(b"", f"Retry-After: {header}", status="503 Later")
    async with scripted({"/p": said}) as server, HttpFetcher(CALM, clock=ManualClock(1_000_000.0)) as fetcher:
        result = await fetcher.fetch(task(server.url("/p")))
    assert isinstance(result, Failure)
    assert result.retry_after == seconds


@pytest.mark.slow
async def test_the_times_of_a_fetch_are_in_order(hostile: HostileServer) -> None:
    async with HttpFetcher(QUICK) as fetcher:
        before = time.time()
        for name in ("empty", "hang-in-body", "close"):
            timing = (await fetcher.fetch(task(hostile.url(name)))).timing
            assert before <= timing.started <= timing.answered <= timing.ended <= time.time()
            if name == "hang-in-body":
                assert timing.ended - timing.answered > timing.answered - timing.started, "answered, then hung"


# --- what we touch of the HTTP library -------------------------------------------------------------------------------


def test_the_parts_of_the_http_library_that_nobody_promised_us_are_there() -> None:
    """What is not documented may be gone with any version; the bounds in pyproject.toml admit those that were tried."""
    assert "self._retry_connection" in inspect.getsource(aiohttp.ClientSession), "or requests are repeated unasked"
    assert list(inspect.signature(aiohttp.ClientResponse.start).parameters) == ["self", "connection"]
    assert "resp.start(conn)" in inspect.getsource(aiohttp.ClientSession), "or nobody notes the address"
    assert isinstance(inspect.getattr_static(aiohttp.connector.Connection, "transport"), property)
    assert {"max_line_size", "max_field_size", "max_headers"} <= set(
        inspect.signature(aiohttp.ClientSession).parameters
    )
    assert "socket_factory" in inspect.signature(aiohttp.TCPConnector).parameters, "or no address is checked"
    for name in ("LineTooLong", "ContentLengthError", "ContentEncodingError", "HttpProcessingError"):
        assert issubclass(getattr(aiohttp.http_exceptions, name), Exception)


# --- images --------------------------------------------------------------------------------------------------------


async def test_a_image_is_asked_for_as_the_page_that_shows_it_would() -> None:
    script = {"/1.png": answer(b"PNG", "Content-Type: image/png")}
    async with scripted(script) as server, HttpFetcher(CALM) as fetcher:
        wanted = task(server.url("/1.png"), kind="image", referrer="http://a.test/")
        result = await fetcher.fetch(wanted)
        (request,) = server.requests
    assert isinstance(result, Response)
    assert result.body == b"PNG"
    headers = dict(line.split(": ", 1) for line in request.splitlines()[1:] if line)
    assert headers["Referer"] == "http://a.test/"
    assert headers["Accept"].startswith("image/")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("image/jpeg", b"xyz"),
        ("application/octet-stream", b"xyz"),
        ("", b"xyz"),
        ("text/html", b""),
        ("text/plain", b""),
    ],
)
async def test_only_what_may_be_a_image_is_downloaded(kind: str, body: bytes) -> None:
    header = (f"Content-Type: {kind}",) if kind else ()
    async with scripted({"/p": answer(b"xyz", *header)}) as server, HttpFetcher(CALM) as fetcher:
        result = await fetcher.fetch(task(server.url("/p"), kind="image"))
    assert isinstance(result, Response)
    assert result.body == body


async def test_a_image_has_a_limit_of_its_own() -> None:
    settings = replace(CALM, max_body=2, max_image=5)
    async with (
        scripted({"/p": answer(b"1234567", "Content-Type: image/png")}) as server,
        HttpFetcher(settings) as fetcher,
    ):
        result = await fetcher.fetch(task(server.url("/p"), kind="image"))
    assert isinstance(result, Response)
    assert (result.body, result.truncated) == (b"12345", True)
