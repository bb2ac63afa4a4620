"""A response becomes a page: every field, every charset, and no page that breaks the parser."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model import LinkKind, Page
from shoal.parse.parser import HtmlParser
from shoal.text import flat, terms
from tests.parse.responses import parse, respond

PROSE = "The transmission network carries electricity from the power stations to the towns. " * 4


# --- which responses are pages ---


@pytest.mark.parametrize("content_type", ["image/png", "application/pdf", "text/css", "application/json", "video/mp4"])
def test_other_types_are_not_parsed(content_type: str) -> None:
    assert HtmlParser().parse(respond("<html>", content_type)) is None


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (b"<!DOCTYPE html><title>found</title>", "found"),
        (b"  <html><title>found</title>", "found"),
        (b"found", "found"),
    ],
)
def test_a_response_without_type_is_looked_at(body: bytes, title: str) -> None:
    assert parse(body, "").title == title


def test_a_binary_without_type_is_not_a_page() -> None:
    assert HtmlParser().parse(respond(b"\x89PNG\r\n\x1a\n\x00\x00", "")) is None


def test_plain_text_has_a_title_and_no_links() -> None:
    page = parse("电网报告\n第一行 <a href=x>不是链接</a>", "text/plain; charset=utf-8")
    assert (page.title, page.links) == ("电网报告", ())
    assert "不是链接" in page.text
    assert "电网报告" in page.flat


def test_plain_text_without_lines_is_named_after_its_url() -> None:
    assert parse(b"", "text/plain").title == "page.html"


# --- what the head says ---


def test_title_description_keywords_and_canonical() -> None:
    page = parse(
        "<title> Smart\n Grid </title><meta name=Description content='All about grids'>"
        "<meta name=keywords content='grid, power'><link rel='canonical' href='../real?utm=1#top'>"
    )
    assert page.title == "Smart Grid"
    assert page.description == "All about grids"
    assert page.keywords == "grid, power"
    assert page.canonical == "http://site.test/real?utm=1"
    assert [link.kind for link in page.links] == [LinkKind.CANONICAL]


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("<meta property=og:title content='From graph'><h1>Heading</h1>", "From graph"),
        ("<body><h1>A <b>heading</b></h1>", "A heading"),
        ("<title>Real</title><svg><title>icon</title></svg>", "Real"),
        ("<svg><title>icon</title></svg>", ""),
    ],
)
def test_a_title_where_there_is_none(body: str, title: str) -> None:
    assert parse(body).title == title


@pytest.mark.parametrize(
    ("markup", "published"),
    [
        ("<meta property='article:published_time' content='2024-03-05T10:00:00Z'>", "2024-03-05T10:00:00Z"),
        ("<meta itemprop=datePublished content=2024-03-05>", "2024-03-05"),
        ('<script type="application/ld+json">{"@type":"Article","datePublished":"2024-03-05"}</script>', "2024-03-05"),
        ("<body><time datetime='2024-03-05'>Tuesday</time>", "2024-03-05"),
        ("<body><span itemprop=datePublished>5 March 2024</span>", "2024-03-05"),
        ("<body><b itemprop='datePublished' class=x content='2024-03-05'>today</b>", "2024-03-05"),
        (
            "<body><time datetime=2025-01-01></time><time itemprop=datePublished datetime=2024-03-05></time>",
            "2024-03-05",
        ),
        ("<body><p>发布时间：2024年3月5日", "2024-03-05"),
        ("<body><p>nothing", ""),
    ],
)
def test_the_published_date(markup: str, published: str) -> None:
    assert parse(markup).published == published


@pytest.mark.parametrize(
    ("markup", "header", "noindex", "nofollow"),
    [
        ("", "", False, False),
        ("<meta name=robots content='NOINDEX, nofollow'>", "", True, True),
        ("<meta name=ROBOTS content=none>", "", True, True),
        ("<meta name=shoal content=noindex>", "", True, False),
        ("<meta name=googlebot content=noindex>", "", False, False),
        ("", "noindex", True, False),
        ("", "shoal: noindex, nofollow", True, True),
        ("", "otherbot: noindex", False, False),
        ("", "unavailable_after: 25 Jun 2010, nofollow", False, True),
        ("<meta name=robots content=index>", "nofollow", False, True),
        ("", "otherbot: nofollow, shoal: noindex", True, False),
        ("", "shoal/0.1: noindex", True, False),
        ("", "unavailable_after: Friday, 25 Jun 2010 15:00:00 GMT, noindex", True, False),
    ],
)
def test_robots_rules(markup: str, header: str, noindex: bool, nofollow: bool) -> None:
    page = parse(markup, x_robots_tag=header)
    assert (page.noindex, page.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    ("agent", "markup", "header"),
    [
        ("Crawler9000", "<meta name=crawler9000 content=noindex>", ""),
        ("Crawler9000/1.0", "<meta name=Crawler content=noindex>", ""),
        ("my.bot/1.0", "<meta name=my.bot content=noindex>", ""),
        ("My Bot/1.0", "<meta name=my content=noindex>", ""),
        ("my.bot/1.0", "", "my.bot: noindex"),
        ("my.bot/1.0", "", "my: noindex"),
        ("Crawler9000/1.0", "", "otherbot: none, Crawler9000: noindex"),
    ],
)
def test_rules_for_us_whatever_we_are_called(agent: str, markup: str, header: str) -> None:
    page = HtmlParser(agent).parse(respond(markup + "<p>x", "text/html", x_robots_tag=header))
    assert page is not None
    assert (page.noindex, page.nofollow) == (True, False)


def test_language_is_declared_or_seen() -> None:
    assert parse(f"<html lang=en-GB><p>{PROSE}").language == "en"
    assert parse("<html lang=en><p>" + "智能电网是现代化的电网，需要可靠的通信网络。" * 3).language == "zh"
    assert parse(f"<meta http-equiv=content-language content=fr><p>{PROSE}").language == "fr"


# --- words ---


def test_flat_form_and_fingerprint_are_those_of_title_and_text() -> None:
    page = parse(f"<title>Smart grids</title><body><p>{PROSE}")
    assert page.flat == flat(terms("smart grid")) + "\n" + flat(terms(page.text))
    assert len(page.fingerprint) == 128 * 4


def test_a_gbk_page_reads_like_its_utf_8_twin() -> None:
    body = "<title>智能电网</title><body><p>" + "智能电网是现代化的电网，需要可靠的通信。" * 5
    gbk, utf8 = parse(body.encode("gbk")), parse(body.encode())
    assert (gbk.charset, utf8.charset) == ("gb18030", "utf-8")
    assert (gbk.text, gbk.flat, gbk.fingerprint) == (utf8.text, utf8.flat, utf8.fingerprint)


# --- pages made to break us ---


PARTS = """
    <a|href=x> <a|href='?q=电'> </a> <div|class=nav> </div> <p> <table> <td> <img|src=y|alt=z> <b> </b> <figure> <figcaption>
    </figure> <script> </script> <title> </title> <svg> <template> <base|href=//h> <meta|charset=gbk> <main> </main> <nav>
    </nav> <iframe|src=f> <frameset> <time|datetime=2024-01-01> &#xD800; &#0; text 电网 \x00 <!-- --> <h1> <select> <option>
    <meta|http-equiv=refresh|content=0;url=r> <noscript>"""
MARKUP = st.lists(st.sampled_from([part.replace("|", " ") for part in PARTS.split()]), max_size=40)


@pytest.mark.slow
@given(st.one_of(st.binary(max_size=400), MARKUP.map(lambda parts: "".join(parts).encode("utf-8", "replace"))))
def test_any_bytes_make_a_page_that_can_be_sent(body: bytes) -> None:
    for content_type in ("text/html", "text/html; charset=gbk", "text/plain"):
        page = parse(body, content_type)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(page), type=Page) == page


@given(st.text(max_size=100), st.text(max_size=100))
def test_any_header_is_survived(content_type: str, robots: str) -> None:
    HtmlParser().parse(respond("<p>x", content_type, x_robots_tag=robots))


# --- results of bounded size ---


def test_signs_for_whole_words_do_not_blow_up_the_words_of_a_page() -> None:
    page = parse("㌖ " * 125_000)
    assert len(page.text) > 199_000
    assert len(page.flat) <= 401_000
