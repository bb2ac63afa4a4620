"""Answers that break every rule: each is a value, and what it says can be stored, sent and printed."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
from msgspec.structs import replace

from shoal import assembly, services
from shoal.crawl.page_reader import PageReader
from shoal.crawl.readers import InTurns
from shoal.crawl.worker import PageVisitor, work_together
from shoal.fetch.client import HttpFetcher
from shoal.judge import make_judge
from shoal.model import Failure, Reason, Response, State, Task, Term, Topic
from shoal.parse.parser import HtmlParser
from shoal.settings import Fetching, Politeness, Settings
from shoal.store.crawl_store import open_store
from shoal.store.packed_page import pack
from shoal.strategy import judge_of
from shoal.testing.memory_ledger import MemoryLedger
from tests.fetch.harmless import Result, assert_harmless
from tests.running import ask, assert_consistent, fates

QUICK = Fetching(
    allow_private=("127.0.0.0/8",), connect_timeout=5.0, answer_timeout=1.0, total_timeout=2.0, max_body=2**20
)


@asynccontextmanager
async def saying(*said: bytes) -> AsyncIterator[str]:
    """A server that answers every request with these bytes, one after the other, and hangs up."""
    left = list(said)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(left.pop(0) if len(left) > 1 else left[0])
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            return  # the client has heard enough
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def fetched(*said: bytes, settings: Fetching = QUICK) -> Result:
    async with saying(*said) as home, HttpFetcher(settings) as fetcher:
        return await fetcher.fetch(Task(id=1, url=f"{home}/p"))


def page(*headers: bytes, body: bytes = b"<p>hello", status: bytes = b"200 OK") -> bytes:
    return b"\r\n".join([b"HTTP/1.1 " + status, b"Content-Type: text/html", *headers, b"", body])


# --- the reason phrase -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        (b"P\xe1gina no encontrada", "Página no encontrada"),
        ("Página".encode(), "Página"),
        ("未找到".encode(), "未找到"),
        ("未找到".encode("gbk"), "未找到"),
        (b"\x80\x81", ""),
        (b"\xed\xa0\x80", "í\xa0\x80".replace("\xa0", " ").replace("\x80", " ").strip()),
        (b"a\x1b[2Jb\x07", "a [2Jb"),
        ("a\u202eb".encode(), "a b"),
    ],
)
async def test_a_reason_phrase_in_any_encoding_is_a_sentence(phrase: bytes, words: str) -> None:
    result = await fetched(page(status=b"404 " + phrase))
    assert isinstance(result, Failure)
    assert_harmless(result)
    assert result.reason in (Reason.STATUS, Reason.PROTOCOL)
    if result.reason is Reason.STATUS:
        assert result.detail == f"The server answered 404 {words}".rstrip() + "."


async def test_a_long_reason_phrase_is_cut() -> None:
    result = await fetched(page(status=b"404 " + b"no " * 5000))
    assert isinstance(result, Failure)
    assert len(result.detail) < 400


async def crawl_once(
    folder: Path, settings: Settings, spoil: Callable[[Result], Result] = lambda result: result
) -> None:
    with open_store(folder) as store:
        coordinator = assembly.make_coordinator(store, MemoryLedger())
        async with HttpFetcher(settings.fetching) as fetcher, asyncio.TaskGroup() as group:
            fetch = fetcher.fetch

            async def spoilt(task: Task) -> Result:
                return spoil(await fetch(task))

            fetcher.fetch = spoilt  # type: ignore[method-assign]
            visitor = PageVisitor(
                fetcher, InTurns(PageReader(HtmlParser(), make_judge(judge_of(settings), settings.topic), pack))
            )
            group.create_task(work_together(coordinator, visitor, 4))
            await coordinator.run()


def as_it_was(result: Result) -> Result:
    """A failure as the fetcher once told it."""
    if isinstance(result, Failure) and result.status == 404:
        return replace(result, detail="The server answered 404 P\udce1gina.")
    return result


@pytest.mark.parametrize("spoil", [as_it_was, lambda result: result], ids=["after a batch that failed", "after an end"])
async def test_a_crawl_of_a_server_with_latin_1_phrases_ends_and_can_be_resumed(
    tmp_path: Path, spoil: Callable[[Result], Result]
) -> None:
    topic = Topic(name="grid", terms=(Term(text="grid"),))
    async with saying(page(b"X-Name: \xe1", status=b"404 P\xe1gina")) as home:
        seeds = tuple(f"{home}/{number}" for number in range(3))
        quick = Politeness(delay=0.0, backoff_first=0.01, backoff_cap=0.02)
        settings = Settings(topic=topic, seeds=seeds, fetching=QUICK, politeness=quick)
        services.crawls.start_crawl(tmp_path, settings)
        with suppress(ExceptionGroup):  # if such a batch is refused as a whole, it must not be in the way later
            await crawl_once(tmp_path, settings, spoil)
        await crawl_once(tmp_path, settings)
    assert fates(tmp_path) == dict.fromkeys(seeds, (State.FAILED, Reason.STATUS))
    if spoil is not as_it_was:
        assert ask(tmp_path, "SELECT DISTINCT detail FROM urls") == [("The server answered 404 Página.",)]
    assert_consistent(tmp_path)


# --- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"plain", "plain"),
        (b"caf\xe9", "café"),
        ("变电".encode(), "变电"),
        ("变电".encode("gbk"), "变电"),
        (b"a\tb", "a b"),
        ("a\u2028b".encode(), "a b"),
    ],
)
async def test_header_values_are_text(value: bytes, text: str) -> None:
    result = await fetched(page(b"X-Said: " + value))
    assert isinstance(result, Response)
    assert_harmless(result)
    assert result.header("x-said") == text


@pytest.mark.parametrize(
    "said",
    [
        page(b"X-Said: a\x00b"),
        page(b"X-Said: a\x1b[31mb"),
        page(b"X-S\xe1id: a"),
        page(b"X-Said : a"),
        page(b": a"),
        page(b"X-Said: a", b" folded"),
        page(b" folded first"),
        page(b"X-Said: a\rb"),
        page(b"Content-Type: text/html; charset=\xe1\x80"),
        page(*[b"Set-Cookie: a=b"] * 200),
        page(*[b"Set-Cookie: a=b"] * 5000),
        page(*[b"X-%d: a" % number for number in range(300)]),
        page(b"Location: /" + b"x" * 100_000, status=b"301 Moved"),
        page(b"Location: /" + b"\xe1" * 7000, status=b"301 Moved"),
        page(b"Location: \x00\x1b", status=b"301 Moved"),
        page(b"Location: http://\xff\xfe/", status=b"301 Moved"),
        page(b"Location: ", status=b"301 Moved"),
        page(status=b"99 Low"),
        page(status=b"000 Nothing"),
        page(status=b"600 High"),
        page(status=b"999 Higher"),
        page(status=b"1000 Too high"),
        page(status=b"-1 Below"),
        page(status=b"abc"),
        page(status=b"200"),
        page(status=b""),
        page(status="٢٠٠ OK".encode()),
        b"HTTP/1.1 100 Continue\r\n\r\n" * 2000 + page(),
        b"HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n" * 2000,
        page(status=b"101 Switching Protocols"),
        b"HTTP/1.1 200 OK\n\nbare",
        b"HTTP/0.9 200 OK\r\n\r\nold",
        b"HTTP/2.0 200 OK\r\n\r\nnew",
        b"HTTP/1.1\r\n\r\n",
        b"<html>no head at all</html>",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80",
        b"\x15\x03\x01\x00\x02\x02\x46",
        b"ICY 200 OK\r\n\r\nradio",
        b"",
        b"\r\n\r\n",
        b"\x00" * 5000,
        page(b"Content-Length: -1"),
        page(b"Content-Length: 99999999999999999999999"),
        page(b"Content-Length: 1e3"),
        page(b"Content-Length: +8"),
        page(b"Content-Length: 8", b"Content-Length: 9"),
        page(b"Content-Length: 8, 8"),
        page(b"Content-Length: " + b"9" * 5000),
        page(b"Content-Length: 3", b"Transfer-Encoding: chunked", body=b"3\r\nabc\r\n0\r\n\r\n"),
        page(b"Transfer-Encoding: chunked", body=b"3;x=y;" + b"z" * 3000 + b"\r\nabc\r\n0\r\n\r\n"),
        page(b"Transfer-Encoding: chunked", body=b"3;" + b"z" * 300_000 + b"\r\nabc\r\n0\r\n\r\n"),
        page(b"Transfer-Encoding: chunked", body=b"3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"),
        page(b"Transfer-Encoding: chunked", body=b"0\r\n" + b"X: y\r\n" * 50_000 + b"\r\n"),
        page(b"Transfer-Encoding: chunked", body=b"-3\r\nabc\r\n0\r\n\r\n"),
        page(b"Transfer-Encoding: chunked", body=b"ffffffffffffffffffff\r\nabc"),
        page(b"Transfer-Encoding: chunked", body=b"f" * 5000),
        page(b"Transfer-Encoding: chunked, chunked", body=b"0\r\n\r\n"),
        page(b"Transfer-Encoding: \xe1", body=b"x"),
        page(b"Content-Encoding: gzip", body=b"no gzip"),
        page(b"Content-Encoding: gzip", body=gzip.compress(b"x" * 1000)[:-20]),
        page(b"Content-Encoding: gzip, gzip", body=gzip.compress(gzip.compress(b"x" * 1000))),
        page(b"Content-Encoding: " + b"gzip, " * 300, body=gzip.compress(b"x")),
        page(b"Content-Encoding: \xe1\x00", body=b"x"),
        page(b"Content-Encoding: br", body=b"\xff" * 100),
        page(b"Content-Encoding: zstd", body=b"\x28\xb5\x2f\xfd\xff\xff\xff\xff"),
        page(b"Content-Encoding: zstd", body=b""),
        page(b"Content-Encoding: deflate", body=b"\x78"),
        page(b"Connection: upgrade", b"Upgrade: websocket", status=b"101 Switching"),
    ],
    ids=lambda said: repr(said[:70]),
)
async def test_whatever_is_said_there_is_an_answer(said: bytes) -> None:
    assert_harmless(await fetched(said))


async def test_an_answer_that_ends_at_any_byte() -> None:
    whole = page(b"Content-Length: 8", b"ETag: \xe1", status=b"200 P\xe1gina")
    async with saying(*(whole[:end] for end in range(len(whole) + 1)), whole) as home, HttpFetcher(QUICK) as fetcher:
        results = [await fetcher.fetch(Task(id=1, url=f"{home}/p")) for _ in range(len(whole) + 1)]
    for result in results:
        assert_harmless(result)
    assert all(isinstance(result, Failure) for result in results[:-1])
    assert isinstance(results[-1], Response)


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", [b"HTTP/1.1 200 OK\r\nContent-", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"])
async def test_a_server_that_closes_in_the_middle_of_its_headers(said: bytes) -> None:
    result = await fetched(said)
    assert isinstance(result, Failure)
    assert (result.reason, result.heals) == (Reason.RESET, True)


async def test_what_the_http_library_trips_over_is_the_failure_of_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    async def trip(*_: object) -> None:
        raise LookupError("no such thing \udce1")

    monkeypatch.setattr(aiohttp.ClientResponse, "start", trip)
    result = await fetched(page())
    assert isinstance(result, Failure)
    assert_harmless(result)
    assert (result.reason, result.heals) == (Reason.INTERNAL, False)
    assert "LookupError" in result.trace
