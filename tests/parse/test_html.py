"""What stands where on a page? Links and images with all that is said around them, and never more than there is room for."""

from time import thread_time

import msgspec
import pytest

from shoal.model import Image, Link, LinkKind
from shoal.parse.html import MAX_IMAGES, MAX_LINKS
from tests.parse.responses import URL, parse


def links(body: str, kind: LinkKind = LinkKind.ANCHOR) -> list[Link]:
    return [link for link in parse(body).links if link.kind is kind]


def only_link(body: str) -> Link:
    (link,) = parse(body).links
    return link


def only_image(body: str) -> Image:
    (image,) = parse(body).images
    return image


def test_a_link_with_all_that_stands_around_it() -> None:
    link = only_link(
        "<body><div><p>Read   more\n about the <a href='../grid' rel='Nofollow UGC'>smart <b>grid</b></a>, they say.</p></div>"
    )
    assert link == Link(
        url="http://site.test/grid",
        anchor="smart grid",
        before="Read more about the",
        after=", they say.",
        rel=("nofollow", "ugc"),
        position=0,
        path="div/p/a",
        source=URL,
    )


def test_fifty_characters_on_either_side_even_among_white_space() -> None:
    link = only_link(f"<p>{'word ' * 30}\n{' ' * 40}<a href=x>here</a>{' ' * 40}\n{' text' * 30}")
    assert len(link.before) in (49, 50)
    assert len(link.after) in (49, 50)
    assert set((link.before + link.after).replace(" ", "")) == set("wordtext")


@pytest.mark.parametrize(
    ("body", "kind", "url", "anchor"),
    [
        ("<map><area href=/a alt=Map></map>", LinkKind.AREA, "http://site.test/a", "Map"),
        ("<frameset><frame src=menu.html name=left>", LinkKind.FRAME, "http://site.test/dir/menu.html", "left"),
        ("<iframe src=//x.test/f title=Film><a href=no>", LinkKind.FRAME, "http://x.test/f", "Film"),
        ("<meta http-equiv=refresh content='5; URL=/next'>", LinkKind.REFRESH, "http://site.test/next", ""),
        ("<meta http-equiv=Refresh content=\"0;url='n'\">", LinkKind.REFRESH, "http://site.test/dir/n", ""),
        ("<a href=/i><img src=i.png alt='An image'></a>", LinkKind.ANCHOR, "http://site.test/i", "An image"),
        ("<a href=/i title=Tip></a>", LinkKind.ANCHOR, "http://site.test/i", "Tip"),
    ],
)
def test_every_kind_of_link(body: str, kind: LinkKind, url: str, anchor: str) -> None:
    link = only_link(body)
    assert (link.kind, link.url, link.anchor) == (kind, url, anchor)


def test_links_follow_the_base() -> None:
    found = links("<base href='/other/'><base href='/ignored/'><a href=x>1</a><a href=/y>2</a><a href='?q'>3</a>")
    assert [link.url for link in found] == [
        "http://site.test/other/x",
        "http://site.test/y",
        "http://site.test/other/?q",
    ]


def test_what_is_no_address_is_dropped_and_positions_stay_dense() -> None:
    found = links(
        "<a href='javascript:x()'>a</a><a href='mailto:a@b.c'>b</a><a href='#top'>c</a><a href='data:,x'>d</a><a>e</a>"
        "<a href='tel:1'>f</a><a href=''>g</a><a href='/ok'>h</a><a href='http://'>i</a><a href=/ok>j</a>"
    )
    assert [(link.position, link.anchor) for link in found] == [(0, "h"), (1, "j")]


def test_links_in_scripts_templates_and_drawings_are_not_links() -> None:
    assert links("<script>'<a href=/1>'</script><template><a href=/2></a></template><svg><a href=/3></a></svg>") == []


def test_the_path_of_a_deep_link_keeps_the_nearest_tags() -> None:
    assert only_link("<section>" + "<div>" * 50 + "<a href=x>y</a>").path == "/".join(["div"] * 11 + ["a"])


@pytest.mark.parametrize(
    ("charset", "query"),
    [("gbk", "%B5%E7%CD%F8"), ("big5", "%B9q%BA%F4"), ("utf-8", "%E7%94%B5%E7%BD%91")],
)
def test_queries_are_sent_in_the_charset_of_the_page(charset: str, query: str) -> None:
    word = "電網" if charset == "big5" else "电网"
    page = parse(f"<meta charset={charset}><p>{word * 30}<a href='/s?q={word}&x=1#{word}'>go</a>".encode(charset))
    assert page.links[0].url == f"http://site.test/s?q={query}&x=1"


def test_a_character_that_the_charset_lacks_goes_as_a_reference() -> None:
    page = parse("<meta charset=latin1><p>déjà<a href='/s?q=&#30005;'>go</a>".encode("latin-1"))
    assert page.links[0].url == "http://site.test/s?q=%26%2330005%3B"


def test_paths_are_always_sent_as_utf_8() -> None:
    page = parse(f"<meta charset=gbk><p>{'电网' * 30}<a href='/电网'>go</a>".encode("gbk"))
    assert page.links[0].url == "http://site.test/%E7%94%B5%E7%BD%91"


def test_an_image_with_all_that_is_said_about_it() -> None:
    image = only_image(
        "<p>Before <figure><a href=/big><img src=/i.png alt=Alt title=Title></a><figcaption>The <i>grid</i></figcaption>"
        "</figure><p>after"
    )
    assert image.url == "http://site.test/i.png"
    assert (image.alt, image.title, image.caption) == ("Alt", "Title", "The grid")
    assert image.before == "Before"
    assert image.after.endswith("after")
    assert image.link == "http://site.test/big"


def test_a_caption_in_front_and_no_caption_outside() -> None:
    page = parse("<figure><figcaption>C</figcaption><img src=a></figure><img src=b>")
    assert [image.caption for image in page.images] == ["C", ""]


def test_captions_of_nested_figures_stay_apart() -> None:
    page = parse("<figure><img src=a><figure><img src=b><figcaption>B</figcaption></figure><figcaption>A</figcaption>")
    assert [image.caption for image in page.images] == ["A", "B"]


def test_an_image_in_a_link_to_nowhere_has_no_link() -> None:
    assert only_image("<a name=x><img src=y></a>").link == ""


def test_an_image_that_loads_later() -> None:
    assert only_image("<img src='data:image/gif;base64,x' data-src=real.jpg>").url == "http://site.test/dir/real.jpg"


HOSTILE = {
    "many links": b"".join(b'<a href="/p%d">link</a>' % number for number in range(100_000)),
    "deep": b"<div>" * 100_000 + b"<a href=x>y</a>",
    "divs": b"<div>" * 200_000,
    "alternating": b"<b><i>" * 200_000,
    "misnested": b"<b><i></b></i>" * 50_000,
    "tables": b"<table><a href=x>" * 50_000,
    "unclosed attribute": b'<a href="' + b"x" * 1_000_000,
    "many attributes": b"<a " + b" ".join(b"a%d=1" % number for number in range(50_000)) + b">",
    "formatting": b"".join(b"<b id=%d>" % number for number in range(1000)) + b"<p>x" * 1000,
    "less than": b"<" * 500_000,
    "ampersands": b"&" * 500_000,
    "NULs": b"\x00" * 500_000,
    "comments": b"<!--" * 100_000,
    "metas": b"<meta " * 100_000,
    "spaces in a meta": b"<meta charset" + b" " * 500_000,
    "spaces in data": b'<script type="application/ld+json">"datePublished"' + b" " * 500_000 + b"</script>",
    "item dates": b"itemprop=datePublished " * 40_000,
    "class names": b'<div class="' + b"nav-bar-" * 50_000 + b'!">',
    "figures": b"<figure><img src=x>" * 20_000,
    "quotes": b"<blockquote>x" * 50_000,
    "lists": b"<ul><li>x" * 50_000,
    "wide table": b"<table>" + b"<tr><td>a<td>b" * 30_000 + b"<tr><td>" + b"x" * 100_000,
    "nested links": b"<a href=x><table><tr><td>t" * 20_000,
    "deep links": b"<b>" * 100_000 + b"<p><a href=x>y</a>" * 10_000,
    "deep images": b"<figure><figcaption>c</figcaption>" + b"<div>" * 50_000 + b"<img src=x>" * 3000,
    "captions": b"<figure><figcaption>x" * 30_000 + b"<img src=x>" * 3000,
    "boxes": b"<main><nav><header>" * 30_000,
    "invalid UTF-8": bytes(range(256)) * 2000,
    "long word": b"x" * 1_000_000,
    "long href": b"<a href=/" + b"../" * 100_000 + b">x</a>",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_read_within_limits(name: str) -> None:
    page = parse(HOSTILE[name], "text/html; charset=utf-8")
    assert len(page.links) <= MAX_LINKS
    assert len(page.images) <= MAX_IMAGES
    msgspec.msgpack.encode(page)


@pytest.mark.slow
def test_every_link_up_to_the_limit_is_kept() -> None:
    assert len(parse(HOSTILE["many links"]).links) == MAX_LINKS
    assert len(parse(HOSTILE["deep"]).links) == 1


def size(found: object) -> int:
    return len(msgspec.msgpack.encode(found))


def test_all_links_together_are_of_bounded_size() -> None:
    many = "".join(f"<a href={number}>x</a>" for number in range(5000))
    page = parse(f"<base href='/{'d' * 7000}/'>{many}")
    assert 100 < len(page.links) < 5000
    assert size(page.links) < 6_000_000
    assert [link.position for link in page.links] == list(range(len(page.links)))


def test_all_images_together_are_of_bounded_size() -> None:
    many = "".join(f"<img src={number}.jpg>" for number in range(1500))
    page = parse(f"<base href='/{'d' * 7000}/'><a href=x>{many}")
    assert 100 < len(page.images) < 1500
    assert size(page.images) < 6_000_000


@pytest.mark.parametrize(
    "body",
    [
        "<a href=x rel='" + "word " * 50_000 + "'>y</a>",
        f"<{'x' * 50_000}><a href=x>y</a>",
        f"<{'x' * 50_000}><div><ul><li><a href=x>y</a>",
    ],
)
def test_a_link_is_of_bounded_size(body: str) -> None:
    assert size(only_link(body)) < 2000


def test_only_so_many_refreshes_are_followed() -> None:
    body = "".join(f"<meta http-equiv=refresh content='0;url=/{number}'>" for number in range(1000))
    assert [link.url for link in links(body, LinkKind.REFRESH)] == [
        f"http://site.test/{number}" for number in range(10)
    ]


def test_a_long_fragment_does_not_hide_a_link() -> None:
    assert only_link(f"<a href='{' ' * 9000}/x#{'f' * 9000}'>y</a>").url == "http://site.test/x"


@pytest.mark.no_cover
def test_a_long_query_in_the_charset_of_its_page_is_no_link() -> None:
    body = f"<meta charset=gbk><a href='/?{'电' * 300_000}'>y</a><a href='/?电'>z</a>".encode("gbk")
    began = thread_time()
    assert [link.url for link in parse(body).links] == ["http://site.test/?%B5%E7"]
    assert thread_time() - began < 0.25
