"""Which pages does a feed tell of?"""

import json
import time

import pytest

from shoal.seeds.feed import read_feed, read_json_feed
from shoal.seeds.listing import decoded

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
    read = read_feed(decoded(body, "application/rss+xml"), base=BASE, source=BASE)
    assert [page.url for page in read.pages] == ["https://a.test/1", "https://a.test/2", "https://a.test/3"]
    first = read.pages[0]
    assert (first.title, first.snippet, first.updated) == ("智能电网 & 变电站", "新的 输电 线路", "2025-03-01")
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


BOMB = "<!DOCTYPE b [<!ENTITY a0 'ha'>{}]><rss><channel><item><title>&a30;</title><link>/1</link></item></channel></rss>".format(
    "".join(f"<!ENTITY a{number} '&a{number - 1};&a{number - 1};'>" for number in range(1, 31))
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "<?xml version='1.0'?>" + "\n" * 2_000_000 + "<rss/>",
        "<rss>" + "<item>" * 800_000,
        "<rss>" + "&" * 300_000,
    ],
    ids=["entities", "blank lines", "open items", "ampersands"],
)
def test_evil_feeds_cost_little(text: str) -> None:
    started = time.perf_counter()
    read = read_feed(text, base=BASE, source=BASE)
    assert time.perf_counter() - started < 20
    assert all(len(page.title) <= 200 for page in read.pages)


def test_a_feed_with_long_articles_is_read_whole() -> None:
    article = "<![CDATA[" + "<p>电网</p>" * 500 + "]]>"
    items = "".join(f"<item><link>/{number}</link><description>{article}</description></item>" for number in range(200))
    assert len(urls(f"<rss><channel>{items}</channel></rss>")) == 200


@pytest.mark.slow
def test_a_feed_without_end_gives_its_first_entries() -> None:
    items = "<item><title>t</title><link>/{}</link></item>"
    text = "<rss><channel>" + "".join(items.format(number) for number in range(3_500))
    found = urls(text)
    assert found[:2] == ["https://a.test/0", "https://a.test/1"]
    assert len(found) < 3_500


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


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"version": "1.0", "items": []}', '{"version": 1}'])
def test_other_json_is_no_feed(text: str) -> None:
    assert read_json_feed(text, base=BASE, source=BASE) is None
