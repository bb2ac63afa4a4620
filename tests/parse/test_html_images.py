"""The images of a page: wherever they are written, each once, with what the page says about them."""

from __future__ import annotations

from time import process_time

import pytest

from shoal.model import Image, Page, Response, Timing
from shoal.parse.html import MAX_IMAGES
from shoal.parse.parser import HtmlParser

URL = "http://site.test/dir/page.html"


def parse(body: str | bytes, content_type: str = "text/html; charset=utf-8") -> Page:
    page = HtmlParser().parse(
        Response(
            url=URL,
            status=200,
            headers=(("content-type", content_type),),
            body=body if isinstance(body, bytes) else body.encode(),
            timing=Timing(started=0.0, answered=0.0, ended=0.0),
        )
    )
    assert page is not None
    return page


def images(body: str) -> tuple[Image, ...]:
    return parse(body).images


def only(body: str) -> Image:
    (image,) = images(body)
    return image


def names(body: str) -> list[str]:
    return [image.url.rpartition("/")[2] for image in images(body)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<img src=a.jpg srcset='b.jpg 2x'>", ["b.jpg"]),
        ("<img src=data:image/gif;base64,AA data-lazy-src=b.jpg>", ["b.jpg"]),
        ("<img src=blank.gif data-src=b.jpg><noscript><img src=b.jpg></noscript>", ["b.jpg"]),
        (
            "<picture><source srcset='s.jpg 400w, l.jpg 1600w'><img src=m.jpg></picture><img src=n.jpg>",
            ["l.jpg", "n.jpg"],
        ),
        ("<picture><source type=image/svg+xml srcset=a.svg><img src=a.png></picture>", ["a.png"]),
        ("<video><source srcset=a.jpg src=a.mp4></video>", []),
        ("<picture><source srcset=a.jpg></picture>", []),
        ("<div style=\"background-image: url('a.jpg')\">x</div>", ["a.jpg"]),
        ("<div style='background:url(&quot;a.jpg&quot;)'>x</div>", ["a.jpg"]),
        ("<body style='background:url(wallpaper.jpg)'>x", []),
        ("<p>background: url(a.jpg)</p>", []),
        ("<input type=image src=a.jpg>", []),
        ("<link rel=image_src href=a.jpg>", ["a.jpg"]),
        ("<meta itemprop=image content=a.jpg>", ["a.jpg"]),
        ("<img src='data:image/png;base64,AAAA'>", []),
        ("<img src=javascript:alert(1)><img src=ftp://x.test/a.jpg>", []),
        ("<img src=a.jpg><img src=a.jpg#top><img src=./a.jpg>", ["a.jpg"]),
    ],
)
def test_where_images_are_written(body: str, found: list[str]) -> None:
    assert names(body) == found


def test_the_images_that_a_page_is_shared_with() -> None:
    shared = images(
        "<title>The smart grid</title>"
        "<meta property=og:image content=http://cdn.test/a.jpg><meta property=og:image:secure_url content=https://cdn.test/a.jpg>"
        "<meta property=og:image:width content=1200><meta property=og:image:height content=630px>"
        "<meta property=og:image content=/b.jpg><meta property=og:image:alt content='A pylon'>"
        "<meta name=twitter:image content=https://cdn.test/a.jpg><meta property=og:image content=' '>"
    )
    assert shared == (
        Image(url="https://cdn.test/a.jpg", title="The smart grid", width=1200),
        Image(url="http://site.test/b.jpg", alt="A pylon"),
    )


def test_a_shared_image_that_is_on_the_page_too_is_one() -> None:
    image = only("<title>智能电网</title><meta property=og:image content=a.jpg><p>前文<img src=a.jpg alt=变电站>后文")
    assert (image.alt, image.title, image.before, image.after) == ("变电站", "智能电网", "前文", "后文")


@pytest.mark.parametrize("href", ["big.jpg", "big.JPG?v=2", "/%E7%94%B5.png", "http://cdn.test/big.webp"])
def test_a_thumbnail_that_leads_to_the_image(href: str) -> None:
    image = only(f"<a href='{href}'><img src=thumb.jpg alt=Pylon width=50 height=40> enlarge</a>")
    assert image.url == image.link != "http://site.test/dir/thumb.jpg"
    assert (image.alt, image.anchor) == ("Pylon", "enlarge")
    # the size is that of the thumbnail
    assert (image.width, image.height) == (0, 0)


@pytest.mark.parametrize(
    "href", ["/wiki/File:Grid.jpg", "/wiki/%E6%96%87%E4%BB%B6%3AGrid.jpg", "/show?i=big.jpg", "jpg"]
)
def test_a_page_about_a_image_is_not_the_image(href: str) -> None:
    image = only(f"<a href='{href}'><img src=thumb.jpg width=50 height=40></a>")
    assert image.url == "http://site.test/dir/thumb.jpg"
    assert (image.width, image.height) == (50, 40)


@pytest.mark.parametrize(
    ("body", "anchor"),
    [
        ("<a href=x><img src=a.jpg alt=Alt>The  <b>smart</b> grid</a> and more", "The smart grid"),
        ("<a href=x><img src=a.jpg alt=Alt></a>", ""),
        ("<a href=x title=Title><img src=a.jpg></a>", "Title"),
        ("<a name=x>电网<img src=a.jpg></a>", "电网"),
        ("before <img src=a.jpg> <a href=x>behind</a>", ""),
    ],
)
def test_the_text_of_the_link_it_stands_in(body: str, anchor: str) -> None:
    assert only(body).anchor == anchor


def test_a_image_behind_a_box_is_described_by_what_is_in_the_box() -> None:
    image = only("<p>first</p><div title=Card style='background:url(a.jpg)'><h3>Smart grid</h3></div><p>last</p>")
    assert (image.before, image.after, image.title) == ("first", "Smart grid last", "Card")


@pytest.mark.parametrize(
    "body",
    [
        "<a href=x style='background:url(a.jpg)'>Smart grid</a>",
        "<a href=x style='background:url(a.jpg)'><b>Smart grid</b></a>",
        "<a href=x><i style='background:url(a.jpg)'></i>Smart grid</a>",
    ],
)
def test_a_image_behind_a_link(body: str) -> None:
    page = parse(f"<a href=y>other</a> {body} <img src=b.jpg alt=B>")
    first, second = page.images
    assert (first.link, first.anchor) == ("http://site.test/dir/x", "Smart grid")
    assert (second.link, second.alt) == ("", "B")
    assert [link.anchor for link in page.links] == ["other", "Smart grid"]


def test_a_painted_page_has_the_same_text_and_links() -> None:
    plain = (
        "<table><tr{}><td{}>one<td>two</table><ul{}><li{}>three <a{} href=x>four</a></ul><p{}>five<span{}>six</span>"
    )
    painted = plain.format(*[f" style='background:url({name}.jpg)'" for name in "abcdefg"])
    before, after = parse(plain.format(*[""] * 7)), parse(painted)
    assert (after.text, after.flat, after.links) == (before.text, before.flat, before.links)
    assert len(after.images) == 7


def test_the_best_of_what_is_said_twice() -> None:
    image = only(
        "<img src=a.jpg alt=电网 width=100><figure><img src=a.jpg title=Title height=80><figcaption>智能电网</figcaption>"
        "</figure><a href=x><img src=a.jpg alt='the national grid'></a>"
    )
    assert (image.alt, image.title, image.caption) == ("the national grid", "Title", "智能电网")
    assert (image.link, image.width, image.height) == ("http://site.test/dir/x", 100, 80)


def test_a_caption_is_for_what_is_painted_too() -> None:
    image = only("<figure><div style='background:url(a.jpg)'></div><figcaption>The grid</figcaption></figure>")
    assert image.caption == "The grid"


def test_a_query_goes_in_the_charset_of_the_page() -> None:
    page = parse("<img src='/a.jpg?q=电'>".encode("gbk"), "text/html; charset=gbk")
    assert [image.url for image in page.images] == ["http://site.test/a.jpg?q=%B5%E7"]


HOSTILE = {
    "srcset of a megabyte": "<img src=x srcset='" + "a 1w, " * 180_000 + "'>",
    "commas": "<img srcset='" + "," * 1_000_000 + "'>",
    "style of a megabyte": "<p style='background:" + "url(" * 250_000 + "'>x",
    "painted": "<b style='background:url(x)'>" * 60_000,
    "painted links": "".join(f"<a href={place} style='background:url({place})'>x</a>" for place in range(30_000)),
    "sources": "<picture>" + "<source srcset='a 1w, b 2w'>" * 50_000 + "<img>" * 50_000,
    "shared": "".join(f"<meta property=og:image content={place}>" for place in range(50_000)),
    "images in one link": "<a href=x>"
    + "text " * 100_000
    + "".join(f"<img src={place} alt=x>" for place in range(50_000)),
    "one image": "<img src=x alt=x title=y>" * 60_000,
    "attributes": "<img " + " ".join(f"data-{place}=x" for place in range(100_000)) + " src=x>",
}


@pytest.mark.slow
@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_page_takes_no_longer(body: str) -> None:
    start = process_time()
    page = parse(body)
    assert process_time() - start < 2.0
    assert len(page.images) <= MAX_IMAGES
