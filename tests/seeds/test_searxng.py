"""What does a search engine suggest? Against the stand-in, over real HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from shoal.errors import InputError
from shoal.fetch.client import HttpFetcher
from shoal.fetch.polite_client import PoliteClient
from shoal.model import Suggestions, Unanswered
from shoal.seeds.searxng import SearxngSource, instance_address, language_code
from shoal.settings import Fetching
from shoal.testing.fakes import FakeFetcher, failure, html
from shoal.testing.searxng_web import SearxngWeb, result
from shoal.testing.webserver import ServedWeb, SimpleWeb, WebServer

LOOPBACK = Fetching(allow_private=("127.0.0.0/8",))


@asynccontextmanager
async def asking(web: ServedWeb) -> AsyncIterator[SearxngSource]:
    async with WebServer(web) as server, HttpFetcher(LOOPBACK) as fetcher:
        yield SearxngSource(instance_address(server.proxy), PoliteClient(fetcher))


async def find(web: ServedWeb, words: str = "power grid", limit: int = 50) -> Suggestions:
    async with asking(web) as source:
        found = await source.find(words, limit)
    assert isinstance(found, Suggestions), found
    return found


async def refusal(web: ServedWeb) -> str:
    async with asking(web) as source:
        answer = await source.find("power grid", 50)
    assert isinstance(answer, Unanswered)
    return answer.why


def pages(count: int) -> list[dict[str, object]]:
    return [result(f"http://a.test/{number}") for number in range(count)]


async def test_results_have_title_snippet_and_engines() -> None:
    web = SearxngWeb([result("HTTP://A.test/#x", "The <b>grid</b> &amp; 电网", "About\n the grid", ["bing", "baidu"])])
    (found,) = (await find(web)).found
    assert (found.url, found.title, found.snippet) == ("http://a.test/", "The grid & 电网", "About the grid")
    assert found.engines == ("bing", "baidu")
    assert found.source.startswith("http://127.0.0.1:")


async def test_the_words_are_sent_without_weights_and_commas_as_utf8() -> None:
    web = SearxngWeb(pages(1))
    await find(web, "智能电网=0.8，变电站 & C++ 100%")
    assert web.asked[0] == {"q": "智能电网 变电站 & C++ 100%", "format": "json", "pageno": "1", "language": "auto"}


async def test_pages_are_asked_for_until_there_is_enough() -> None:
    web = SearxngWeb(pages(95), per_page=10)
    found = await find(web, limit=25)
    assert [one.url for one in found.found] == [f"http://a.test/{number}" for number in range(25)]
    assert found.more
    assert [asked["pageno"] for asked in web.asked] == ["1", "2", "3"]


async def test_the_last_page_is_the_one_with_nothing_new() -> None:
    web = SearxngWeb(pages(12), per_page=10)
    found = await find(web, limit=100)
    assert (len(found.found), found.more) == (12, False)
    assert [asked["pageno"] for asked in web.asked] == ["1", "2", "3"]


class Stubborn(SearxngWeb):
    """An instance whose engines know no second page."""

    def _page(self, query: str, number: int) -> bytes:
        return super()._page(query, 1)


async def test_the_same_page_again_ends_it() -> None:
    web = Stubborn(pages(30), per_page=10)
    assert len((await find(web)).found) == 10
    assert len(web.asked) == 2


async def test_filters_make_it_look_further_but_not_for_ever() -> None:
    web = SearxngWeb([*pages(40), result("http://b.test/"), *pages(500)[40:]], per_page=10)
    async with WebServer(web) as server, HttpFetcher(LOOPBACK) as fetcher:
        source = SearxngSource(server.proxy, PoliteClient(fetcher), wanted=lambda url: "//b.test" in url)
        found = await source.find("grid", 5)
    assert isinstance(found, Suggestions)
    assert [one.url for one in found.found] == ["http://b.test/"]
    assert len(web.asked) == 10


async def test_duplicates_and_what_is_no_page_are_left_out() -> None:
    web = SearxngWeb(
        [result("http://a.test/"), result("http://a.test/#2"), result("magnet:?xt=1"), result("http://b.test/")]
    )
    assert [one.url for one in (await find(web)).found] == ["http://a.test/", "http://b.test/"]


async def test_engines_that_did_not_answer_are_named_once() -> None:
    web = SearxngWeb(pages(12), silent=[("google", "CAPTCHA"), ("brave", "timeout")])
    assert (await find(web)).notes == ("Search engines that did not answer: brave (timeout), google (CAPTCHA).",)


async def test_no_result_is_an_answer() -> None:
    assert await find(SearxngWeb()) == Suggestions()


async def test_what_stops_a_later_page_is_only_a_note() -> None:
    found = await find(SearxngWeb(pages(40), questions=2))
    assert len(found.found) == 20
    (note,) = found.notes
    assert note.startswith("There may be more results: the SearXNG instance ")


@pytest.mark.parametrize(
    ("web", "complaint"),
    [
        (SearxngWeb(pages(1), formats=("html",)), "with 'search: formats: [html, json]' in its settings.yml"),
        (SearxngWeb(pages(1), questions=0), "wants no more questions for a while: wait, or if it is yours"),
        (SimpleWeb(), "cannot be asked: the server answered 404 Not Found"),
    ],
    ids=["403", "429", "404"],
)
async def test_a_refusal_is_one_sentence_that_says_what_to_do(web: ServedWeb, complaint: str) -> None:
    why = await refusal(web)
    assert complaint in why
    assert "127.0.0.1" in why


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><title>Welcome",
        b"",
        b"[]",
        b"{}",
        b'{"results": 5}',
        b'{"results": [}',
        b"\xff\xfe",
        b"nul\x00",
        b'{"results": ' + b"[" * 100_000,
        b'{"results": [], "a": ' + b"[" * 100_000,
    ],
)
async def test_what_is_not_its_json_is_one_sentence(body: bytes) -> None:
    fetcher = FakeFetcher({"http://x.test/search?q=grid&format=json&pageno=1&language=auto": html("", body)})
    answer = await SearxngSource("http://x.test", PoliteClient(fetcher)).find("grid", 5)
    assert isinstance(answer, Unanswered)
    assert answer.why.endswith("is there an instance of SearXNG at this address?")


async def test_one_odd_result_does_not_spoil_the_others() -> None:
    odd = [
        {"url": 5},
        None,
        "x",
        {"title": "no address"},
        {"url": None},
        {"url": "http://a.test/", "title": None, "engine": "bing"},
    ]
    body = json.dumps({"results": odd, "unresponsive_engines": ["x", ["a", None], ["b", "timeout"]]})
    fetcher = FakeFetcher({"http://x.test/search?q=grid&format=json&pageno=1&language=zh": html("", body)})
    found = await SearxngSource("http://x.test", PoliteClient(fetcher), language="zh").find("grid", 1)
    assert isinstance(found, Suggestions)
    assert [(one.url, one.title, one.engines) for one in found.found] == [("http://a.test/", "", ("bing",))]
    assert found.notes == ("Search engines that did not answer: b (timeout).",)


async def test_a_rate_limit_says_for_how_long() -> None:
    busy = failure("", status=429, retry_after=60.0)
    fetcher = FakeFetcher({"http://x.test/search?q=grid&format=json&pageno=1&language=auto": busy})
    answer = await SearxngSource("http://x.test", PoliteClient(fetcher)).find("grid", 1)
    assert isinstance(answer, Unanswered)
    assert "for 60 seconds" in answer.why


async def test_a_language_that_the_instance_does_not_know_is_one_sentence() -> None:
    web = SearxngWeb(pages(1))
    async with WebServer(web) as server, HttpFetcher(LOOPBACK) as fetcher:
        answer = await SearxngSource(server.proxy, PoliteClient(fetcher), language="klingon").find("grid", 1)
    assert isinstance(answer, Unanswered)
    assert answer.why.endswith("try another --language")


async def test_an_instance_may_move_to_https_but_not_to_another_host() -> None:
    web = SimpleWeb().redirect("http://127.0.0.1/search?q=grid&format=json&pageno=1&language=auto", "http://evil.test/")
    async with asking(web) as source:
        answer = await source.find("grid", 1)
    assert isinstance(answer, Unanswered)
    assert "sends us on to evil.test; give that address instead" in answer.why


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("https://x.test/searx/", "https://x.test/searx"),
        ("https://x.test/search?q=a", "https://x.test"),
    ],
)
def test_the_address_of_an_instance_can_be_typed_in_many_ways(typed: str, address: str) -> None:
    assert instance_address(typed) == address


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [("localhost:8080", "did you mean http://localhost:8080?"), ("ftp://x/", "not 'ftp://x/'"), ("a b", "not 'a b'")],
)
def test_what_is_no_address_is_one_sentence(typed: str, complaint: str) -> None:
    with pytest.raises(InputError, match="must be a URL such as") as refused:
        instance_address(typed)
    assert complaint in str(refused.value)


def test_languages_are_checked() -> None:
    assert [language_code(code) for code in ("zh", "zh-CN", "all", "auto")] == ["zh", "zh-CN", "all", "auto"]
    with pytest.raises(InputError, match="--language must be a code"):
        language_code("Chinese")
