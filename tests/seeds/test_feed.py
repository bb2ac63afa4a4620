"""Which pages does a feed tell of?"""

import json
import time

import pytest

from shoal.parse.charset import decode
from shoal.seeds.feed import read_feed, read_json_feed

BASE = "https://a.test/news/feed.xml"

RSS = """<?xml version="1.0" encoding="{charset}"?>
<rss version="2.0"><channel><title>电力新闻</title><link>https://a.test/</link>
<item><title>智能电网 &amp; 变电站</title><link>https://a.test/1</link><description>&lt;p&gt;新的&lt;b&gt;输电&lt;/b&gt;线路&lt;/p&gt;</description>
<pubDate>Sat, 01 Mar 2025 08:00:00 +0800</pubDate></item>
<item><title>relative</title><link>../2</link></item>
<item><title>by its guid</title><guid>https://a.test/3</guid></item>
<item><title>no link</title><guid isPermaLink="false">4711</guid></item>
</channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.test/x/"><title>t</title>
<entry><title type="html">Power &amp;lt;grid&amp;gt;</title><link rel="self" href="self.xml"/><link href="1"/>
<updated>2025-03-01T00:00:00Z</updated><summary>About</summary></entry></feed>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel rdf:about="https://a.test/"><title>t</title></channel>
<item rdf:about="https://a.test/1"><title>电网</title><link>https://a.test/1</link></item></rdf:RDF>"""


def urls(text: str) -> list[str]:
    return [page.url for page in read_feed(text, base=BASE, source=BASE).pages]


@pytest.mark.parametrize("charset", ["utf-8", "gbk", "gb2312"])
def test_rss_in_utf8_and_gbk(charset: str) -> None:
    body = RSS.format(charset=charset).encode("gbk" if charset.startswith("gb") else charset)
    read = read_feed(decode(body, "application/rss+xml")[0], base=BASE, source=BASE)
    assert [page.url for page in read.pages] == ["https://a.test/1", "https://a.test/2", "https://a.test/3"]
    first = read.pages[0]
    assert (first.title, first.snippet, first.updated) == ("智能电网 & 变电站", "新的输电线路", "2025-03-01")
    assert first.source == BASE
    assert read.problem == ""


def test_atom_knows_its_own_base_and_which_link_is_the_page() -> None:
    (page,) = read_feed(ATOM, base=BASE, source=BASE).pages
    assert (page.url, page.snippet, page.updated) == ("https://b.test/x/1", "About", "2025-03-01")


def test_rdf() -> None:
    assert urls(RDF) == ["https://a.test/1"]


def test_a_broken_feed_gives_what_it_has() -> None:
    cut = RSS.format(charset="utf-8")[:-150].replace("&amp;", "&")
    assert urls(cut)[:2] == ["https://a.test/1", "https://a.test/2"]


def test_a_feed_of_which_nothing_can_be_read_says_so() -> None:
    read = read_feed("<rss><channel", base=BASE, source=BASE)
    assert read.pages == ()
    assert read.problem.startswith("it is damaged (")


def test_a_feed_that_is_almost_xml() -> None:
    text = """<rss><channel><item><title>AT&T & co &nbsp; &#%s;</title><link>/?a=1&b=2</link>
    <description>un<br>closed <p>text</description></item><item><title>t<link>/2</link></item></rss>"""
    first, second = read_feed(text % ("9" * 5000), base=BASE, source=BASE).pages
    assert (first.url, first.title, first.snippet) == ("https://a.test/?a=1&b=2", "AT&T & co \ufffd", "un closed text")
    assert second.url == "https://a.test/2"


def test_only_the_words_of_feeds_are_read_whatever_their_prefix() -> None:
    atom = """<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns:dc="http://x.test/"><a:entry><a:source><a:title>s</a:title>
    <a:link href="/s"/></a:source><dc:title>no</dc:title><media:title>no</media:title><a:title>yes</a:title>
    <a:link rel="enclosure" href="/no"/><a:link href="/1"/></a:entry></a:feed>"""
    (page,) = read_feed(atom, base=BASE, source=BASE).pages
    assert (page.url, page.title) == ("https://a.test/1", "yes")


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("Sat, 01 Mar 2025 20:00:00 -0500", "2025-03-01"),  # the day where it was written, as of pages
        ("2025-03-01T03:00:00+08:00", "2025-03-01"),
        ("2025年3月1日", "2025-03-01"),
        ("2025-03-01", "2025-03-01"),
        ("2025-03", "2025-03"),
        ("Wed, 02 Oct 2002 08:00:00 EST", "2002-10-02"),
        ("0001-01-01T00:00:00+14:00", ""),
        ("Sat, 99 Mar 99999 99:99:99 +9999", ""),
        ("yesterday", ""),
        ("1" * 5000, ""),
    ],
)
def test_when_an_entry_was_written(date: str, day: str) -> None:
    text = f"<rss><item><link>/1</link><pubDate>{date}</pubDate></item></rss>"
    assert [page.updated for page in read_feed(text, base=BASE, source=BASE).pages] == [day]


HEAD = "<rss><channel><item><link>/1</link>"
EVIL: dict[str, tuple[str, str]] = {
    "entities": ("<!DOCTYPE rss [", "<!ENTITY a 'ha'>"),
    "blank lines": ("<?xml version='1.0'?>", "\n"),
    "declarations": ("<?xml version='1.0'?>", "<!DOCTYPE x\n"),
    "open items": ("<rss>", "<item>"),
    "open tags": (HEAD, "<a>"),
    "tags without an end": (HEAD, '<a b="c" '),
    "bases": ("<rss>", '<a xml:base="b/">'),
    "attributes": ("<rss ", 'a="b" '),
    "namespaces": ("<rss ", 'xmlns:a="b" '),
    "quotes": (HEAD + "<title a=", '"'),
    "ampersands": (HEAD + "<title>", "&"),
    "characters": (HEAD + "<title>", "&#38;"),
    "words of an author": (HEAD + "<author>", "a."),
    "a long date": (HEAD + "<pubDate>", "1-"),
    "angles": (HEAD + "<title>", "<"),
    "comments": (HEAD, "<!--"),
    "instructions": (HEAD, "<?"),
    "sections": (HEAD, "<![CDATA["),
    "a name of an author": (HEAD + "<author>", "a"),
    "closed sections": (HEAD + "<title>", "<![CDATA[x]]>"),
    "a long name": (HEAD + "<", "a:"),
}
"""How each begins, and what stands there again and again."""


def _cost(name: str, size: int) -> float:
    head, again = EVIL[name]
    text = head + again * (size // len(again)) + "</title></author></pubDate></item></channel></rss>"
    started = time.thread_time()
    read = read_feed(text, base=BASE, source=BASE)
    assert all(len(page.title) <= 200 for page in read.pages)
    return time.thread_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("name", EVIL)
def test_evil_feeds_cost_little(name: str) -> None:
    """A feed four times as large takes about four times as long; feedparser took sixteen times, and 15 s for such sizes."""
    small, large = _cost(name, 200_000), _cost(name, 800_000)
    assert large < 8 * small + 0.1
    assert large < 5


def test_entities_of_its_own_have_no_effect() -> None:
    bomb = "".join(f"<!ENTITY a{number} '&a{number - 1};&a{number - 1};'>" for number in range(1, 31))
    text = f"<!DOCTYPE b [<!ENTITY a0 'ha'>{bomb}]><rss><item><title>&a30;</title><link>/1</link></item></rss>"
    assert [page.title for page in read_feed(text, base=BASE, source=BASE).pages] == ["&a30;"]


def test_a_feed_with_long_articles_is_read_whole() -> None:
    article = "<![CDATA[" + "<p>电网</p>" * 500 + "]]>"
    items = "".join(f"<item><link>/{number}</link><description>{article}</description></item>" for number in range(200))
    assert len(urls(f"<rss><channel>{items}</channel></rss>")) == 200


@pytest.mark.slow
def test_a_feed_without_end_gives_its_first_entries() -> None:
    text = "<rss><channel>" + "".join(f"<item><link>/{number}</link></item>" for number in range(50_010))
    read = read_feed(text, base=BASE, source=BASE)
    assert [page.url for page in read.pages[:2]] == ["https://a.test/0", "https://a.test/1"]
    assert (len(read.pages), read.problem) == (50_000, "it has more than 50,000 entries")


def test_a_feed_is_never_taken_for_the_name_of_a_file_or_an_address() -> None:
    assert urls("/etc/hostname") == urls("http://127.0.0.1:9/") == []


def test_json_feed() -> None:
    text = json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": "电网",
            "items": [
                {
                    "id": "1",
                    "url": "/1",
                    "title": "智能电网",
                    "content_html": "<p>线路</p>",
                    "date_published": "2025-03-01T00:00:00Z",
                },
                {"id": "2", "external_url": "https://b.test/2", "summary": "s", "title": None},
                {"id": "3", "content_text": "no address"},
                {"id": "4", "url": 5},
                "nonsense",
            ],
        }
    )
    read = read_json_feed(text, base=BASE, source=BASE)
    assert read is not None
    assert [(page.url, page.title, page.snippet, page.updated) for page in read.pages] == [
        ("https://a.test/1", "智能电网", "线路", "2025-03-01"),
        ("https://b.test/2", "", "s", ""),
    ]


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", '{"version": "1.0", "items": []}', '{"version": 1}', f'{{"items": {DEEP}', f'{{"a": {DEEP}'],
    ids=["cut", "a list", "nothing", "another version", "a number", "deep", "deep elsewhere"],
)
def test_other_json_is_no_feed(text: str) -> None:
    assert read_json_feed(text, base=BASE, source=BASE) is None


def test_an_entry_of_json_that_nests_deeply_is_left_out() -> None:
    deep = "[" * 900 + "]" * 900  # not too deep for the whole, but for what reads an entry within it
    text = f'{{"version": "https://jsonfeed.org/version/1", "items": [{{"url": "/1"}}, {{"url": "/2", "x": {deep}}}]}}'
    read = read_json_feed(text, base=BASE, source=BASE)
    assert read is not None
    assert read.pages[0].url == "https://a.test/1"
