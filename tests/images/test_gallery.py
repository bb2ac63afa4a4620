"""The gallery: one file, complete, and nothing that a stranger wrote can act in it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html.parser import HTMLParser
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.images.gallery import Exhibit, gallery

IMAGE = Exhibit(
    url="https://cdn.test/big.jpg",
    page="http://www.power.test/grid?a=1&b=2",
    page_title="State of the grid",
    text="500千伏变电站",
    score=0.6,
    why=("“变电站” in the caption", "“grid” in the file name"),
    width=1200,
    height=800,
    format="jpeg",
    bytes=245_300,
    thumbnail=b"RIFF....WEBP",
)


def html(*images: Exhibit, title: str = "电网 images") -> str:
    return "".join(gallery(title, images))


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and all its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_all_that_is_known_of_a_image() -> None:
    page = Tags(html(IMAGE))
    for said in (
        "500千伏变电站",
        "State of the grid",
        "power.test",
        "“变电站” in the caption",
        "“grid” in the file name",
    ):
        assert said in page.text
    assert "1,200 × 800 · JPEG · 245 KB · score 0.60" in page.text
    assert "1 image, found by Shoal." in page.text
    assert [link["href"] for link in page.all("a")] == [
        "https://cdn.test/big.jpg",
        "http://www.power.test/grid?a=1&b=2",
    ]
    assert {link["rel"] for link in page.all("a")} == {"noreferrer noopener"}
    (image,) = page.all("img")
    assert image["src"] == f"data:image/webp;base64,{b64encode(IMAGE.thumbnail).decode()}"
    assert image["alt"] == "500千伏变电站"


def test_the_file_needs_nothing_and_may_load_nothing() -> None:
    page = html(IMAGE)
    tags = Tags(page)
    assert not {"script", "link", "iframe", "object", "form"} & {tag for tag, _ in tags.found}
    policy = next(meta["content"] for meta in tags.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:;")
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert "url(" not in style
    assert "@import" not in style
    # a style attribute would be refused by the policy
    assert not any("style" in attributes for _, attributes in tags.found)


EVIL = "</title></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'&lt;"


@pytest.mark.parametrize("field", ["url", "page", "page_title", "text", "format"])
def test_what_strangers_wrote_is_text(field: str) -> None:
    evil = {"url": "http://x.test/", "page": "http://x.test/", field: EVIL}
    page = Tags(html(Exhibit(**evil), title=EVIL))  # type: ignore[arg-type]
    assert "script" not in {tag for tag, _ in page.found}
    assert not page.all("img")
    assert EVIL in page.text


def test_words_of_strangers_are_text_too() -> None:
    assert "<script>" not in html(Exhibit(url="", page="", why=(EVIL,)))


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//x.test/a",
        "",
        "a.jpg",
        "http://",
        "http://[x",
        " jAvascript:1",
    ],
)
def test_only_web_addresses_are_links(url: str) -> None:
    assert not Tags(html(Exhibit(url=url, page=url, thumbnail=b"x"))).all("a")


def test_quotes_do_not_end_an_attribute() -> None:
    (link, _) = Tags(html(Exhibit(url='http://x.test/"onclick="alert(1)', page="http://x.test/"))).all("a")
    assert link == {
        "class": "frame",
        "href": 'http://x.test/"onclick="alert(1)',
        "target": "_blank",
        "rel": "noreferrer noopener",
    }


@pytest.mark.parametrize(("text", "language"), [("变电站", "zh"), ("変電所のしくみ", "ja"), ("substation", None)])
def test_browsers_are_told_which_characters_these_are(text: str, language: str | None) -> None:
    page = Tags(html(Exhibit(url="http://x.test/", page="http://x.test/", text=text), title="t"))
    (caption,) = [attributes for attributes in page.all("p") if attributes.get("class") == "text"]
    assert caption.get("lang") == language


def test_long_texts_are_cut() -> None:
    page = html(
        Exhibit(
            url="http://x.test/",
            page="http://x.test/",
            text="电" * 100_000,
            page_title="x" * 100_000,
            why=("y" * 9999,) * 99,
        )
    )
    assert len(page) < 12_000
    assert "电…" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "No images, found"), (1, "1 image, found"), (3, "3 images, found"), (1200, "1,200 images, found")],
)
def test_how_many_there_are(count: int, said: str) -> None:
    assert said in html(*[IMAGE] * count)


def test_any_number_of_images_streams() -> None:
    asked = 0

    def endless() -> Iterator[Exhibit]:
        nonlocal asked
        while True:
            asked += 1
            yield IMAGE

    parts = list(islice(gallery("t", endless()), 500))
    cards = "".join(parts).count('<li class="card">')
    assert 5 < asked <= cards + 1


@pytest.mark.parametrize(("size", "said"), [(0, ""), (999, "999 bytes"), (1000, "1 KB"), (2_500_000, "2.5 MB")])
def test_sizes_for_people(size: int, said: str) -> None:
    page = html(Exhibit(url="http://x.test/", page="http://x.test/", bytes=size))
    assert said in page
    assert ("bytes" in page) == (size == 999)


@pytest.mark.slow
@given(st.text(alphabet=st.characters(), max_size=50))
def test_any_text_can_be_written_to_a_file(text: str) -> None:
    page = html(
        Exhibit(url=text, page=f"http://x.test/{text}", page_title=text, text=text, why=(text,), format=text),
        title=text,
    )
    assert page.encode()
    assert "<script" not in page
