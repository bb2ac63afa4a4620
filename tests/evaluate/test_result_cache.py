"""A page is parsed once, and judged once per judge and topic; an image is decoded once; what does not fit is forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.evaluate.result_cache import ResultCache
from shoal.judge import make_judge
from shoal.model import DecodedImage, Failure, Page, Reason, Response, Term, Timing, Topic
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
    parser = ResultCache().parser("web", counting)
    first, again = parser.parse(response("http://a.test/")), parser.parse(response("http://a.test/"))
    assert first is again is not None
    assert counting.parsed == ["http://a.test/"]


def test_what_is_no_page_is_remembered_too() -> None:
    counting = CountingParser()
    parser = ResultCache().parser("web", counting)
    image = html("http://a.test/x.png", b"", content_type="image/png")
    assert parser.parse(image) is parser.parse(image) is None
    assert len(counting.parsed) == 1


def test_two_webs_do_not_mix() -> None:
    cache = ResultCache()
    one = cache.parser("one", HtmlParser()).parse(response("http://a.test/", "first"))
    two = cache.parser("two", HtmlParser()).parse(response("http://a.test/", "second"))
    assert one is not None
    assert two is not None
    assert ("first" in one.text, "second" in two.text) == (True, True)


def test_the_oldest_is_forgotten() -> None:
    counting = CountingParser()
    parser = ResultCache(pages=2).parser("web", counting)
    for name in "abcab":
        parser.parse(response(f"http://a.test/{name}"))
    assert [url[-1] for url in counting.parsed] == ["a", "b", "c", "a", "b"]
    parser.parse(response("http://a.test/b"))
    assert len(counting.parsed) == 5


def test_verdicts_and_hints_are_those_of_the_judge_for_each_topic() -> None:
    cache = ResultCache()
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


# --- images -----------------------------------------------------------------------------------------------------------

NOW = Timing(started=0.0, answered=1.0, ended=1.0)


@dataclass
class CountingDecoder:
    """A decoder that takes what starts with P for an image."""

    asked: list[str] = field(default_factory=list)

    def decode(self, response: Response) -> DecodedImage | Failure:
        self.asked.append(response.url)
        if not response.body.startswith(b"P"):
            return Failure(url=response.url, reason=Reason.IMAGE, detail="no image", timing=response.timing)
        return DecodedImage(format="png", width=len(response.body), height=1, fingerprint=bytes(8), thumbnail=b"")


def image(name: str, body: bytes = b"P") -> Response:
    return Response(url=f"http://a.test/{name}", status=200, headers=(), body=body, timing=NOW)


def test_an_image_is_decoded_once() -> None:
    cache, counting = ResultCache(), CountingDecoder()
    first, second = (cache.decoder("web", counting) for _ in range(2))
    assert first.decode(image("a")) == second.decode(image("a"))
    assert len(counting.asked) == 1


def test_another_web_has_other_images() -> None:
    cache, counting = ResultCache(), CountingDecoder()
    cache.decoder("one", counting).decode(image("a"))
    cache.decoder("two", counting).decode(image("a"))
    assert len(counting.asked) == 2


def test_a_failure_has_its_own_time() -> None:
    counting = CountingDecoder()
    decoder = ResultCache().decoder("web", counting)
    assert [isinstance(decoder.decode(image("a", b"x")), Failure) for _ in range(2)] == [True, True]
    assert len(counting.asked) == 2


def test_the_oldest_image_is_forgotten() -> None:
    counting = CountingDecoder()
    decoder = ResultCache(images=2).decoder("web", counting)
    for name in ("a", "b", "c", "b", "a"):
        decoder.decode(image(name))
    assert [url[-1] for url in counting.asked] == ["a", "b", "c", "a"]
