"""Which pages does a sitemap list?"""

import time
import tracemalloc

import pytest

from shoal.seeds.sitemap import read_addresses, read_sitemap, sitemaps_named_in

SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
BASE = "https://a.test/sitemap.xml"


def urls(text: str, base: str | None = BASE) -> list[str]:
    return [page.url for page in read_sitemap(text, base=base, source=BASE).pages]


def test_pages_come_in_their_order_with_the_day_of_their_last_change() -> None:
    read = read_sitemap(
        f"""<?xml version="1.0" encoding="UTF-8"?>
        <urlset {SPACE}>
          <url><loc> https://a.test/b?x=1&amp;y=2 </loc><lastmod>2025-03-01</lastmod><priority>0.5</priority></url>
          <url><loc>https://a.test/电网</loc></url>
          <url><lastmod>2025-03-01</lastmod></url>
          <url><loc>ftp://a.test/c</loc></url>
        </urlset>""",
        base=BASE,
        source=BASE,
    )
    assert [(page.url, page.updated) for page in read.pages] == [
        ("https://a.test/b?x=1&y=2", "2025-03-01"),
        ("https://a.test/%E7%94%B5%E7%BD%91", ""),
    ]
    assert {page.source for page in read.pages} == {BASE}
    assert (read.lists, read.problem) == ((), "")


def test_an_index_names_further_sitemaps() -> None:
    read = read_sitemap(
        f"<sitemapindex {SPACE}><sitemap><loc>/one.xml</loc></sitemap><sitemap><loc>https://b.test/two.xml.gz</loc>"
        "</sitemap><sitemap><loc>/one.xml</loc></sitemap></sitemapindex>",
        base=BASE,
        source=BASE,
    )
    assert (read.pages, read.lists) == ((), ("https://a.test/one.xml", "https://b.test/two.xml.gz"))


def test_images_and_other_languages_are_not_pages_but_news_have_titles() -> None:
    text = f"""<urlset {SPACE} xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"
                xmlns:n="http://www.google.com/schemas/sitemap-news/0.9" xmlns:x="http://www.w3.org/1999/xhtml">
        <url><i:image><i:loc>https://a.test/p.png</i:loc><i:title>An image</i:title></i:image>
             <loc>https://a.test/1</loc>
             <x:link rel="alternate" hreflang="de" href="https://a.test/de"/>
             <n:news><n:title>新变电站</n:title></n:news></url></urlset>"""
    (page,) = read_sitemap(text, base=BASE, source=BASE).pages
    assert (page.url, page.title) == ("https://a.test/1", "新变电站")


@pytest.mark.parametrize(
    "text",
    [
        "<urlset><url><loc>https://a.test/b?x=1&y=2</loc></url></urlset>",
        "<urlset><url><loc><![CDATA[https://a.test/b?x=1&y=2]]></loc></url></urlset>",
        "\n\n  <?xml version='1.0'?><urlset><url><loc>https://a.test/b?x=1&#38;y=2</loc></url></urlset>",
        "\ufeff<?xml version='1.0' encoding='gbk'?><s:urlset xmlns:s='u'><s:url><s:loc>/b?x=1&amp;y=2</s:loc></s:url></s:urlset>",
        "<!DOCTYPE urlset SYSTEM 'http://evil.test/x.dtd'><urlset><url><loc>/b?x=1&amp;y=2</loc></url></urlset>",
    ],
    ids=["bare ampersand", "cdata", "blank lines", "prefix and wrong charset", "doctype"],
)
def test_common_mistakes_and_rare_spellings_are_read(text: str) -> None:
    assert urls(text) == ["https://a.test/b?x=1&y=2"]


def test_what_stands_before_a_mistake_is_read() -> None:
    read = read_sitemap(
        "<urlset>\n<url><loc>https://a.test/1</loc></url>\n<url><loc>https://a.test/2</lok></url></urlset>",
        base=BASE,
        source=BASE,
    )
    assert [page.url for page in read.pages] == ["https://a.test/1"]
    assert read.problem == "line 3 is not XML (mismatched tag)"


BOMB = "<!DOCTYPE b [<!ENTITY a0 'ha'>{}]><urlset><url><loc>https://a.test/&a30;</loc></url></urlset>".format(
    "".join(f"<!ENTITY a{number} '&a{number - 1};&a{number - 1};'>" for number in range(1, 31))
)
OUTSIDE = (
    "<!DOCTYPE b [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>https://a.test/&f;</loc></url></urlset>"
)


@pytest.mark.parametrize("text", [BOMB, OUTSIDE], ids=["bomb", "file"])
def test_entities_do_no_harm(text: str) -> None:
    read = read_sitemap(text, base=BASE, source=BASE)
    assert (read.pages, read.problem) == ((), "it declares entities of its own, which no sitemap needs")


@pytest.mark.slow
def test_no_more_than_the_protocol_allows() -> None:
    text = "<urlset>" + "".join(f"<url><loc>/{number}</loc></url>" for number in range(50_001)) + "</urlset>"
    read = read_sitemap(text, base=BASE, source=BASE)
    assert (len(read.pages), read.problem) == (50_000, "it lists more than 50,000 URLs")


def test_deep_and_long_texts_are_read_in_good_time() -> None:
    started = time.perf_counter()
    assert urls("<urlset>" + "<a>" * 40 + "</a>" * 40 + "<url><loc>/x</loc></url></urlset>") == ["https://a.test/x"]
    assert urls("<urlset><url><loc>" + "&" * 500_000 + "</loc></url></urlset>") == []
    assert time.perf_counter() - started < 10


def test_without_a_base_only_whole_addresses_count() -> None:
    assert urls("<urlset><url><loc>/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>", base=None) == [
        "http://a.test/2"
    ]


def test_a_text_file_has_one_address_a_line() -> None:
    text = "\ufeffhttp://lost.test/\n# mine\n\nhttps://a.test/1\r\n  HTTP://a.test/电网  \nwww.a.test\nhttps://\n"
    read = read_addresses(text, source="list.txt")
    assert [page.url for page in read.pages] == ["https://a.test/1", "http://a.test/%E7%94%B5%E7%BD%91"]


def test_robots_txt_names_sitemaps_anywhere_in_any_spelling() -> None:
    robots = "User-agent: *\nDisallow: /x\nSitemap: https://a.test/1.xml\nSITEMAP : /2.xml # new\nsitemap:\nSitemap: ftp://x/\n"
    assert sitemaps_named_in(robots, "https://a.test/") == (
        "https://a.test/1.xml",
        "https://a.test/2.xml",
    )


def test_what_stands_behind_a_url_is_no_part_of_it() -> None:
    text = "http://a.test/1.html\teye\nhttp://a.test/2 电网\n\n  http://a.test/3\nhttp://a.test/\x00bin\n"
    listing = read_addresses(text, source="s")
    assert [page.url for page in listing.pages] == ["http://a.test/1.html", "http://a.test/2", "http://a.test/3"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "again", "problem"),
    [
        ("<urlset>", "<a>", "it has more tags, or more within each other, than any sitemap needs"),
        ("<urlset><url>", "<a/>", "it has more tags, or more within each other, than any sitemap needs"),
        ("<urlset>", "<url/>", "it lists more than 50,000 URLs"),
        ("<urlset ", 'a="b" ', "line 1 is not XML (no element found)"),
        ("<urlset><url><loc>", "&", "line 1 is not XML (not well-formed (invalid token))"),
    ],
    ids=["deep", "many tags", "many entries", "attributes", "ampersands"],
)
def test_evil_sitemaps_take_little_memory(head: str, again: str, problem: str) -> None:
    """The deep one took 90 bytes a tag, the ampersands nine times their size."""
    text = head + again * (10_000_000 // len(again))
    tracemalloc.start()
    read = read_sitemap(text, base=BASE, source=BASE)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (read.pages, read.problem) == ((), problem)
    assert peak < 45_000_000


@pytest.mark.slow
def test_a_list_of_nothing_takes_no_memory() -> None:
    text = "\n" * 5_000_000 + "http://a.test/1\n"
    tracemalloc.start()
    read = read_addresses(text, source="list.txt")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [page.url for page in read.pages] == ["http://a.test/1"]
    assert peak < 1_000_000
