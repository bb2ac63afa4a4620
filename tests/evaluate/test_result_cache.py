"""A page is parsed once per web, and judged once per judge and topic; what does not fit is forgotten."""

from __future__ import annotations

from shoal.evaluate.result_cache import PageCache
from shoal.judge import make_judge
from shoal.model import Page, Response, Term, Topic
from shoal.parse.parser import HtmlParser
from shoal.testing.fakes import html

GRID = Topic(name="grid", terms=(Term(text="grid"), Term(text="电网")))
RAIL = Topic(name="rail", terms=(Term(text="rail"), Term(text="铁路")))


class CountingParser:
    """The real parser, and what it was given."""

    def __init__(self) -> None:
        self.parsed: list[str] = []

    def parse(self, response: Response) -> Page | None:
        self.parsed.append(response.url)
        return HtmlParser().parse(response)


def response(url: str, text: str = "the power grid") -> Response:
    return html(url, f"<p>{text}</p><a href='/next'>rail</a>")


def test_a_page_is_parsed_once() -> None:
    counting = CountingParser()
    parser = PageCache().parser("web", counting)
    first, again = parser.parse(response("http://a.test/")), parser.parse(response("http://a.test/"))
    assert first is again is not None
    assert counting.parsed == ["http://a.test/"]


def test_what_is_no_page_is_remembered_too() -> None:
    counting = CountingParser()
    parser = PageCache().parser("web", counting)
    picture = html("http://a.test/x.png", b"", content_type="image/png")
    assert parser.parse(picture) is parser.parse(picture) is None
    assert len(counting.parsed) == 1


def test_two_webs_do_not_mix() -> None:
    cache = PageCache()
    one = cache.parser("one", HtmlParser()).parse(response("http://a.test/", "first"))
    two = cache.parser("two", HtmlParser()).parse(response("http://a.test/", "second"))
    assert one is not None
    assert two is not None
    assert ("first" in one.text, "second" in two.text) == (True, True)


def test_the_oldest_is_forgotten() -> None:
    counting = CountingParser()
    parser = PageCache(pages=2).parser("web", counting)
    for name in "abcab":
        parser.parse(response(f"http://a.test/{name}"))
    assert [url[-1] for url in counting.parsed] == ["a", "b", "c", "a", "b"]
    parser.parse(response("http://a.test/b"))
    assert len(counting.parsed) == 5


def test_verdicts_and_hints_are_those_of_the_judge_for_each_topic() -> None:
    cache = PageCache()
    page = HtmlParser().parse(response("http://a.test/"))
    assert page is not None
    grid, rail = cache.judge("web", "cosine", GRID), cache.judge("web", "cosine", RAIL)
    for _ in range(2):  # the second time from memory
        for judge, topic in ((grid, GRID), (rail, RAIL)):
            real = make_judge("cosine", topic)
            assert judge.judge(page) == real.judge(page)
            assert judge.judge_links(page.links) == real.judge_links(page.links)
            assert judge.judge_links(()) == ()
    assert grid.judge(page) != rail.judge(page)
    # Another run over the same web has the same memory: what it is told is the very object.
    assert cache.judge("web", "cosine", GRID).judge(page) is grid.judge(page)
    assert cache.judge("other web", "cosine", GRID).judge(page) is not grid.judge(page)
