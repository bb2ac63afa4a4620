"""Which of the addresses on an image element is the image: browsers' rules for srcset, and the habits of lazy pages."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.parse.image_sources import Offer, background, best_of, best_source, is_placeholder, offer, side


@pytest.mark.parametrize(
    ("srcset", "best"),
    [
        ("a.jpg", "a.jpg"),
        ("a.jpg 1x, b.jpg 2x", "b.jpg"),
        ("b.jpg 2x, a.jpg", "b.jpg"),
        ("a.jpg 320w, c.jpg 1280w, b.jpg 640w", "c.jpg"),
        ("a.jpg 1.5x,b.jpg 3x,c.jpg 2x", "b.jpg"),
        # commas in addresses, none behind
        ("w_320,h_200/a.jpg 320w, w_640,h_400/a.jpg 640w", "w_640,h_400/a.jpg"),
        ("a.jpg, b.jpg 2x", "b.jpg"),
        (",, a.jpg 100w ,\n\tb.jpg   200w ,", "b.jpg"),
        # a placeholder inside
        ("data:image/gif;base64,R0lGODlhAQABAAAAACw= 5000w, real.jpg 640w", "real.jpg"),
        ("data:image/gif;base64,R0lGODlhAQABAAAAACw=", ""),
        ("a.jpg 100h 200w, b.jpg 150w", "a.jpg"),
        ("a.jpg nonsense, b.jpg -3x, c.jpg 99999999999w", "a.jpg"),
        ("电网.jpg 2x", "电网.jpg"),
        ("", ""),
        (" , ,", ""),
    ],
)
def test_the_largest_of_a_srcset(srcset: str, best: str) -> None:
    assert best_source({"srcset": srcset}) == best


@pytest.mark.parametrize(
    ("attributes", "best"),
    [
        ({"src": "a.jpg"}, "a.jpg"),
        ({"src": " a.jpg\n"}, "a.jpg"),
        ({"src": ""}, ""),
        ({}, ""),
        ({"src": "data:image/png;base64,AAAA"}, ""),
        ({"src": "a.jpg", "srcset": "a.jpg 1x, a2.jpg 2x"}, "a2.jpg"),
        ({"src": "a.jpg", "srcset": "b.jpg 1x"}, "a.jpg"),
        ({"src": "a.jpg", "srcset": "small.jpg 400w"}, "small.jpg"),
        # pages that load later
        ({"data-src": "b.jpg"}, "b.jpg"),
        ({"src": "data:image/gif;base64,AA", "data-original": "b.jpg"}, "b.jpg"),
        ({"src": "blurred-20px.jpg", "data-src": "b.jpg"}, "b.jpg"),
        ({"src": "/static/none.gif", "file": "/attachment/b.jpg"}, "/attachment/b.jpg"),
        ({"src": "a.jpg", "data-src": "m.jpg", "data-original": "l.jpg"}, "l.jpg"),
        ({"src": "a.jpg", "data-srcset": "b.jpg 640w, c.jpg 1280w"}, "c.jpg"),
        # attributes of the same name with another meaning
        ({"src": "a.jpg", "data-lazy": "true", "data-original": "1"}, "a.jpg"),
        ({"src": "a.jpg", "data-src": "{'w': 'a/b'}"}, "a.jpg"),
        ({"src": "a.jpg", "data-src": "/img/blank.gif"}, "a.jpg"),
        ({"src": "a.jpg", "data-url": "/share/page.html"}, "a.jpg"),
        ({"src": "/img/loading.gif", "data-url": "b.jpg"}, "b.jpg"),
        ({"src": "/img/loading.gif"}, "/img/loading.gif"),
        ({"src": ["not", "text"], "data-src": "b.jpg"}, "b.jpg"),
    ],
)
def test_what_an_image_shows(attributes: dict[str, object], best: str) -> None:
    assert best_source(attributes) == best


@pytest.mark.parametrize(
    ("sources", "best"),
    [
        # the same image in a newer format
        ([("a.webp", "")], "a.jpg"),
        ([("l.jpg", "(min-width: 900px)"), ("m.jpg", "(min-width:600px)")], "l.jpg"),
        ([("m.jpg", "(min-width:600px)"), ("l.jpg", "(min-width: 900px)")], "l.jpg"),
        ([("s.jpg", "(max-width: 600px)")], "a.jpg"),
        ([("a 400w, b 1600w", ""), ("c 800w", "")], "b"),
        ([("b 1600w", ""), ("c 1600w", "")], "b"),
    ],
)
def test_the_sources_of_a_image_and_its_image(sources: list[tuple[str, str]], best: str) -> None:
    offered = best_of(offer({"srcset": srcset, "media": media}) for srcset, media in sources)
    assert best_source({"src": "a.jpg"}, offered) == best


def test_sources_that_nobody_can_read_offer_nothing() -> None:
    assert offer({"type": "image/svg+xml", "srcset": "a.svg"}) is None
    assert offer({"media": "print"}) is None
    found = offer({"type": "image/webp", "data-srcset": "a.webp", "media": "(min-width: 1px)"})
    assert found == Offer(known=False, width=1001.0, address="a.webp")


@pytest.mark.parametrize(
    ("style", "address"),
    [
        ("background: url(a.jpg)", "a.jpg"),
        ("color:red; background-image : url( 'a b(1).jpg' ) ; width: 3px", "a b(1).jpg"),
        ('background:#fff URL("/电网.jpg") no-repeat', "/电网.jpg"),
        ("background-image: linear-gradient(red, blue), url(a.jpg)", "a.jpg"),
        ("background-image: url(data:image/png;base64,AA==), url(b.jpg)", ""),
        ("background-image: url(data:,A); background: url(b.jpg)", "b.jpg"),
        ("cursor: url(a.cur); list-style: url(b.gif)", ""),
        ("list-style: url(b.gif); background: url(a.jpg)", "a.jpg"),
        ("background: red", ""),
        ("background: url(", ""),
        ("background: url()", ""),
        ("", ""),
    ],
)
def test_what_a_style_paints(style: str, address: str) -> None:
    assert background(style) == address


@pytest.mark.parametrize(
    ("attributes", "width"),
    [
        ({"width": "120"}, 120),
        ({"width": " 120px "}, 120),
        ({"width": "120.5"}, 120),
        ({"width": "100%"}, 0),
        ({"width": "auto"}, 0),
        ({"width": "9" * 1000}, 0),
        ({"width": "0"}, 1),
        ({"style": "max-width:50px; width: 30px"}, 30),
        ({"style": "width: 50%"}, 0),
        ({"width": "auto", "style": "height:9px;width:1px"}, 1),
        ({}, 0),
    ],
)
def test_sides_in_pixels(attributes: dict[str, object], width: int) -> None:
    assert side(attributes, "width") == width


@pytest.mark.parametrize(
    "address", ["/i/blank.gif", "spacer.gif?x=1", "img-placeholder.png", "/grey_1x1.gif", "lazyload.png", "1x1.gif"]
)
def test_names_of_placeholders(address: str) -> None:
    assert is_placeholder(address)


@pytest.mark.parametrize(
    "address", ["/transformer.jpg", "loading-dock.jpg", "greyhound.jpg", "/blank/a.jpg", "pixel-art.jpg", "电网.jpg"]
)
def test_names_that_only_begin_like_one(address: str) -> None:
    assert not is_placeholder(address)


HOSTILE = ["a " * 700_000, "," * 1_500_000, "a," * 700_000, "a" * 1_500_000, "data:," * 200_000, " " * 1_500_000]


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "text", [*HOSTILE, "url(" * 300_000, "url('" * 300_000, "background:" * 100_000, "width:" * 200_000]
)
def test_a_megabyte_in_an_attribute_takes_no_time(text: str) -> None:
    start = process_time()
    best_source({"src": text, "srcset": text, "data-src": text}, offer({"srcset": text, "media": text}))
    background(text)
    side({"width": text, "style": text}, "width")
    is_placeholder(text)
    assert process_time() - start < 0.2


@given(st.text(alphabet="ab .,;:x2w('\")/\n\tdat", max_size=60))
def test_nothing_in_an_attribute_is_an_error(text: str) -> None:
    found = best_source({"src": text, "srcset": text, "data-src": text}, offer({"srcset": text, "media": text}))
    assert not found.startswith("data:")
    assert background(text) == background(text).strip()
    assert side({"width": text, "style": text}, "height") >= 0
