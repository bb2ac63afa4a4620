"""The generated web is what it promises: the same every time, large, mixed, tiresome, and its truth is true."""

from __future__ import annotations

import hashlib
from collections import Counter
from difflib import SequenceMatcher

import pytest
import turbohtml
from protego import Protego

from shoal.evaluate.generated.articles import TOPIC_NAMES, write_all
from shoal.evaluate.generated.copies import copies
from shoal.evaluate.generated.sites import SITES
from shoal.evaluate.generated.synthetic_web import Web, generate
from shoal.evaluate.generated.webpage import WebPage
from shoal.urls import host_of, normalise

DIGEST = "07c6130a317ef058"
"""Changes when the web changes: then every figure measured on it must be measured again."""


def digest(web: Web) -> str:
    state = hashlib.sha256()
    for url, page in sorted(web.pages.items()):
        state.update(repr((url, page.status, page.content_type, page.headers, sorted(page.topics))).encode())
        state.update(page.body)
    return state.hexdigest()[:16]


def html_pages(web: Web) -> list[WebPage]:
    return [page for page in web.pages.values() if page.status == 200 and page.note not in ("file", "redirect")]


def hrefs(page: WebPage) -> set[str]:
    """What a browser finds: every link that is not nofollow, in normal form."""
    document = turbohtml.parse(page.body.decode(page.charset))
    found = set()
    for anchor in document.select("a[href]"):
        if "nofollow" not in str(anchor.attrs.get("rel", "")):
            found.add(normalise(str(anchor.attrs["href"]), page.url))
    return {url for url in found if url}


def home(page: WebPage) -> str:
    return f"http://{host_of(page.url)}/"


# --- size and sameness -----------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes(web: Web) -> None:
    assert digest(web) == DIGEST


@pytest.mark.slow
def test_another_seed_gives_another_web(web: Web) -> None:
    other = generate(8)
    assert digest(other) != digest(web)
    assert min(len(other.relevant(topic)) for topic in other.topics) > 150


def test_it_is_large_enough(web: Web) -> None:
    assert len(web.pages) >= 2_000
    assert len(web.hosts) >= 25
    sizes = sorted(len(page.body) for page in web.pages.values() if page.note == "article")
    assert sizes[len(sizes) // 20] > 2_500
    assert sizes[-1] < 10_000


def test_every_address_is_in_normal_form(web: Web) -> None:
    assert [url for url in web.pages if normalise(url) != url] == []
    assert [link for page in web.pages.values() for link in page.links if normalise(link) != link] == []


def test_every_address_is_on_a_known_host(web: Web) -> None:
    assert {host_of(url) for page in web.pages.values() for url in (page.url, *page.links)} == set(web.hosts)


# --- the truth -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", sorted(TOPIC_NAMES))
def test_a_topic_is_a_tenth_of_the_web_on_several_hosts(topic: str, web: Web) -> None:
    relevant = web.relevant(topic)
    assert 0.075 <= len(relevant) / len(web.pages) <= 0.12
    hosts = Counter(host_of(url) for url in relevant)
    assert 5 <= sum(count >= 10 for count in hosts.values()) <= 8
    assert {web.pages[url].language[:2] for url in relevant} == {"en", "zh"}


@pytest.mark.parametrize("topic", sorted(TOPIC_NAMES))
def test_only_reachable_allowed_unique_pages_are_relevant(topic: str, web: Web) -> None:
    pages = [web.pages[url] for url in web.relevant(topic)]
    assert all(page.status == 200 and page.allowed and not page.noindex and not page.original for page in pages)


def test_some_pages_about_a_topic_do_not_count(web: Web) -> None:
    left_out = {url for url, page in web.pages.items() if page.topics} - {
        url for topic in web.topics for url in web.relevant(topic)
    }
    pages = [web.pages[url] for url in left_out]
    assert all(page.noindex or not page.allowed or page.original for page in pages)
    assert any(page.noindex for page in pages)
    assert any(not page.allowed for page in pages)
    assert any(page.original for page in pages)


def test_a_topic_can_be_typed_by_a_person(web: Web) -> None:
    for name in web.topics:
        topic = web.topic(name)
        assert topic.name == name
        assert any(term.text.isascii() for term in topic.terms)
        assert any(not term.text.isascii() for term in topic.terms)
        assert all(seed in web.pages for seed in web.seeds(name))


def test_seeds_find_almost_everything(web: Web) -> None:
    """What they do not find is forbidden or a file that nobody links to."""
    unreached = web.pages.keys() - web.reachable(web.seeds("power-grid"))
    kinds = Counter(web.pages[url].note for url in unreached if web.pages[url].allowed)
    assert kinds["article"] == kinds["hub"] == 0


def test_robots_txt_says_what_the_truth_says(web: Web) -> None:
    rules = {host: Protego.parse(web.robots.get(host, "")) for host in web.hosts}
    wrong = [
        page.url for page in web.pages.values() if rules[host_of(page.url)].can_fetch(page.url, "Shoal") != page.allowed
    ]
    assert wrong == []
    assert sum(not page.allowed for page in web.pages.values()) > 20
    assert rules["archive.test"].crawl_delay("Shoal") == 1


def test_the_links_of_a_page_are_those_a_browser_finds(web: Web) -> None:
    """But for the logo, which leads home and is not counted."""
    followed = [page for page in html_pages(web) if page.links]
    assert [page.url for page in followed if hrefs(page) - {home(page)} != set(page.links) - {home(page)}] == []


# --- what is tiresome ------------------------------------------------------------------------------------------------


def test_islands_lie_behind_off_topic_pages(web: Web) -> None:
    sources: dict[str, set[str]] = {url: set() for url in web.pages}
    for page in web.pages.values():
        for link in page.links:
            sources.setdefault(link, set()).add(page.url)
    islands = [(site, section) for site in SITES for section in site.sections if section.bridges]
    assert len(islands) >= len(TOPIC_NAMES)
    for site, section in islands:
        shore = {f"http://{site.host}/{section.field}/index.html"}
        shore |= {
            f"http://{site.host}{site.path.format(field=section.field, n=n)}" for n in range(1, section.articles + 1)
        }
        assert shore <= web.relevant(section.field) | {url for url in shore if web.pages[url].noindex}
        for _ in range(section.bridges):
            bridge = {source for url in shore for source in sources[url]} - shore
            assert len(bridge) == 1
            assert all(section.field not in web.pages[url].topics for url in bridge)
            shore = bridge


def test_most_links_of_a_topic_stay_on_topic(web: Web) -> None:
    """Topical locality is there, but far from perfect."""
    on_topic = sum(
        bool(page.topics & web.pages[link].topics)
        for page in web.pages.values()
        if page.note == "article" and page.topics
        for link in page.links
        if link in web.pages
    )
    total = sum(len(page.links) for page in web.pages.values() if page.note == "article" and page.topics)
    assert 0.3 < on_topic / total < 0.6


def test_menus_name_topics_that_the_page_is_not_about(web: Web) -> None:
    page = web.pages["http://energy.test/law/1.html"]
    assert page.topics == frozenset()
    assert b"Power grid" in page.body


CHARSETS = {
    "chuneng.test": ("gbk", "text/html", b"charset=gbk"),
    "tielu.test": ("gb18030", "text/html", b"charset=gb2312"),
    "shuili.test": ("gbk", "text/html", b""),
    "taigang.test": ("big5", "text/html", b"charset=big5"),
    "dianwang.test": ("utf-8", "text/html; charset=utf-8", b""),
    "archive.test": ("windows-1252", "text/html", b"charset=windows-1252"),
}


@pytest.mark.parametrize(("host", "expected"), CHARSETS.items())
def test_charsets_are_declared_well_badly_or_not(host: str, expected: tuple[str, str, bytes], web: Web) -> None:
    charset, header, meta = expected
    for page in html_pages(web):
        if host_of(page.url) == host:
            assert (page.charset, page.content_type) == (charset, header)
            assert meta in page.body
            assert meta or b"charset" not in page.body


def test_every_body_is_in_its_charset(web: Web) -> None:
    for page in html_pages(web):
        assert page.body.decode(page.charset).strip()


def test_a_page_labelled_gb2312_needs_gb18030(web: Web) -> None:
    with pytest.raises(UnicodeDecodeError):
        web.pages["http://tielu.test/rail/1.html"].body.decode("gb2312")


def test_traditional_pages_are_traditional(web: Web) -> None:
    text = web.pages["http://taigang.test/power-grid/index.html"].body.decode("big5")
    assert "電網" in text
    assert "电网" not in text


def test_some_pages_are_in_two_languages(web: Web) -> None:
    assert sum(page.language == "en+zh" for page in web.pages.values()) >= 20


def test_mirrors_change_a_few_words() -> None:
    mirrored = [copy for copy in copies(7, write_all(7)) if copy.kind == "mirror"]
    assert len(mirrored) >= 60
    assert {copy.original.language for copy in mirrored} == {"en", "zh"}
    for copy in mirrored[::8]:
        texts = (" ".join(copy.paragraphs), " ".join(copy.original.paragraphs))
        ours, theirs = (text.split(" ") if copy.original.language == "en" else list(text) for text in texts)
        assert 0.94 < SequenceMatcher(None, ours, theirs, autojunk=False).ratio() < 1.0


def test_there_are_exact_copies(web: Web) -> None:
    copies = [page for page in web.pages.values() if page.original and page.body == web.pages[page.original].body]
    assert len(copies) >= 8


def test_redirects_of_every_kind(web: Web) -> None:
    redirects = [page for page in web.pages.values() if page.note == "redirect"]
    assert {page.status for page in redirects} == {200, 301, 302}
    assert all(page.location == page.links[0] for page in redirects if page.status != 200)
    assert all(b'http-equiv="refresh"' in page.body for page in redirects if page.status == 200)
    assert web.pages[web.pages["http://short.test/loop/a"].location].location == "http://short.test/loop/a"
    url, hops = "http://short.test/chain/1", 0
    while web.pages[url].location:
        url, hops = web.pages[url].location, hops + 1
    assert hops == 4


def test_broken_pages_are_broken_in_many_ways(web: Web) -> None:
    bodies = [page.body for page in html_pages(web) if host_of(page.url) in ("blog.test", "luntan.test")]
    for sign in (b"\x00", b"</a></a>", b"=oops", b"<b><i>", b"<ul><table>"):
        assert any(sign in body for body in bodies)
    assert any(b"</p>" not in body for body in bodies)
    assert any(b"<html>" not in body for body in bodies)


def test_links_to_nothing_and_to_files(web: Web) -> None:
    links = {link for page in web.pages.values() for link in page.links}
    gone = [link for link in links if "/gone/" in link]
    assert gone
    assert all(link not in web.pages for link in gone)
    assert any(link.endswith(".pdf") for link in links)
    assert any(link.endswith(".gif") for link in links)


def test_some_pages_forbid_to_be_kept_or_followed(web: Web) -> None:
    headers = {value for page in web.pages.values() for name, value in page.headers if name == "X-Robots-Tag"}
    assert headers == {"noindex", "nofollow"}
    metas = [page for page in html_pages(web) if b'<meta name="robots"' in page.body]
    assert any(page.noindex for page in metas)
    assert any(page.links == () for page in metas)


# --- what the hosts do -----------------------------------------------------------------------------------------------


def test_one_host_refuses_at_first(web: Web) -> None:
    refused = web.answer("busy.test", "/", 1)
    assert (refused.status, dict(refused.headers)["Retry-After"]) == (429, "1")
    assert web.answer("busy.test", "/robots.txt", 1).status == 404
    assert web.answer("busy.test", "/", 6).status == 200


def test_one_host_is_slow(web: Web) -> None:
    assert 0.3 <= web.answer("slow.test", "/", 1).delay <= 0.5
    assert web.answer("energy.test", "/", 1).delay == 0


def test_answers_are_what_the_pages_say(web: Web) -> None:
    moved = web.answer("short.test", "/chain/1", 1)
    assert (moved.status, dict(moved.headers)["Location"]) == (302, "http://short.test/chain/2")
    assert web.answer("archive.test", "/robots.txt", 1).body == web.robots["archive.test"].encode()
    assert web.answer("energy.test", "/nothing", 1).status == 404
    assert web.answer("unknown.test", "/", 1).status == 404
