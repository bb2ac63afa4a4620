"""The generated web has pictures as real pages have them, and knows the truth about each."""

from __future__ import annotations

import hashlib
import re
import struct
from collections import Counter, defaultdict
from io import BytesIO

import pytest
import turbohtml
from PIL import Image
from protego import Protego

from shoal.evaluate.generated.articles import TOPIC_NAMES, write_all
from shoal.evaluate.generated.drawing import BOMB, drawn
from shoal.evaluate.generated.illustrations import illustrate
from shoal.evaluate.generated.image_hosts import PICTURE_HOSTS
from shoal.evaluate.generated.synthetic_web import Web, generate
from shoal.evaluate.generated.webpage import WebPage
from shoal.evaluate.generated.webpicture import Shown, WebPicture
from shoal.testing.webserver import Answer
from shoal.urls import host_of, normalise

pytestmark = pytest.mark.slow

DIGEST = "d0f86cf9fd240d38"
"""Changes when a picture or its truth changes: then what was measured with pictures must be measured again."""
SAMPLE = 29
"""Every so many pictures are decoded: all would take seconds."""
_URL = re.compile(r"url\('([^']+)'\)")


def answer(web: Web, url: str) -> Answer:
    host, _, target = url.removeprefix("http://").partition("/")
    return web.answer(host, f"/{target}", 100)


def decoded(web: Web, picture: WebPicture) -> Image.Image:
    return Image.open(BytesIO(answer(web, picture.url).body))


def looks(image: Image.Image) -> int:
    """Which of two neighbours is brighter, in a picture of 9 by 8."""
    small = image.convert("L").resize((9, 8), Image.Resampling.BOX).tobytes()
    return sum((small[y * 9 + x] < small[y * 9 + x + 1]) << (y * 8 + x) for y in range(8) for x in range(8))


def samples(web: Web) -> list[WebPicture]:
    whole = [picture for picture in web.pictures.values() if picture.sent == "picture"]
    return whole[::SAMPLE]


@pytest.fixture(scope="module")
def shown() -> list[Shown]:
    return [each for pictures in illustrate(7, write_all(7)).values() for each in pictures]


# --- the files -------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_pictures(web: Web) -> None:
    state = hashlib.sha256()
    for url, picture in sorted(web.pictures.items()):
        truth = (
            url,
            picture.motif,
            sorted(picture.topics),
            picture.width,
            picture.height,
            picture.sent,
            picture.allowed,
        )
        state.update(repr(truth).encode())
    for picture in samples(web):
        state.update(answer(web, picture.url).body)
    assert state.hexdigest()[:16] == DIGEST


def test_another_seed_gives_others(web: Web) -> None:
    other = generate(8)
    assert {picture.motif for picture in web.pictures.values() if "/" in picture.motif[:3]}.isdisjoint(
        picture.motif for picture in other.pictures.values()
    )
    assert min(len(other.relevant_pictures(topic)) for topic in other.topics) > 200


def test_every_picture_can_be_decoded_and_has_its_size(web: Web) -> None:
    sizes = []
    for picture in samples(web):
        image = decoded(web, picture)
        image.load()
        assert image.size == (picture.width, picture.height)
        sizes.append(len(answer(web, picture.url).body))
    assert max(sizes) < 4_000


def test_the_same_picture_looks_alike_in_every_size(web: Web) -> None:
    files = defaultdict(list)
    for picture in web.pictures.values():
        if picture.can_be_had:
            files[picture.motif].append(picture)
    several = [pictures for pictures in files.values() if len(pictures) > 1]
    assert len(several) > 500
    for pictures in several[::25]:
        smallest, largest = (pick(pictures, key=lambda picture: picture.width) for pick in (min, max))
        assert (looks(decoded(web, smallest)) ^ looks(decoded(web, largest))).bit_count() <= 4


def test_different_pictures_look_different() -> None:
    hashes = [looks(Image.open(BytesIO(drawn(f"motif {number}", 160, 120)))) for number in range(150)]
    apart = [(one ^ other).bit_count() for place, one in enumerate(hashes) for other in hashes[:place]]
    assert min(apart) > 8


@pytest.mark.parametrize(("width", "height"), [(1, 1), (8, 1), (7, 5), (300, 250)])
def test_every_size_can_be_drawn(width: int, height: int) -> None:
    image = Image.open(BytesIO(drawn("any", width, height)))
    image.load()
    assert image.size == (width, height)


def test_one_is_a_bomb(web: Web) -> None:
    [bomb] = [picture for picture in web.pictures.values() if picture.sent == "bomb"]
    body = answer(web, bomb.url).body
    assert len(body) < 500
    assert struct.unpack(">II", body[16:24]) == (BOMB, BOMB)
    assert not bomb.can_be_had
    assert "power-grid" in bomb.topics


def test_some_are_gone_and_some_are_pages(web: Web) -> None:
    kinds = Counter(picture.sent for picture in web.pictures.values())
    assert 50 < kinds["gone"] < 300
    assert 50 < kinds["html"] < 300
    for picture in web.pictures.values():
        if picture.sent == "gone":
            assert answer(web, picture.url).status == 404
        if picture.sent == "html":
            assert dict(answer(web, picture.url).headers)["Content-Type"] == "text/html"


# --- where they are --------------------------------------------------------------------------------------------------


def test_every_address_is_in_normal_form_and_on_a_known_host(web: Web) -> None:
    assert [url for url in web.pictures if normalise(url) != url] == []
    assert {host_of(url) for url in web.pictures} == {*web.hosts, *PICTURE_HOSTS}


def test_robots_txt_says_what_the_truth_says(web: Web) -> None:
    rules = {host: Protego.parse(web.robots.get(host, "")) for host in (*web.hosts, *PICTURE_HOSTS)}
    wrong = [
        picture.url
        for picture in web.pictures.values()
        if rules[host_of(picture.url)].can_fetch(picture.url, "Shoal") != picture.allowed
    ]
    assert wrong == []
    assert 20 < sum(not picture.allowed for picture in web.pictures.values()) < 200
    assert web.answer("img.energy.test", "/robots.txt", 1).body == web.robots["img.energy.test"].encode()
    assert web.answer("stats.test", "/robots.txt", 1).status == 404


def named_files(page: WebPage) -> set[str]:
    """All files that a browser could show for the pictures of a page, and larger ones behind a click."""
    document = turbohtml.parse(page.body.decode(page.charset))
    found = [element.attrs.get(name) for element in document.select("img") for name in ("src", "data-src")]
    for element in document.select("img[srcset], source[srcset]"):
        found += [candidate.split()[0] for candidate in str(element.attrs["srcset"]).split(",")]
    found += [_URL.findall(str(element.attrs["style"]))[0] for element in document.select("[style]")]
    found += [element.attrs["content"] for element in document.select("meta[property='og:image']")]
    found += [element.attrs["href"] for element in document.select("a[rel=nofollow]") if element.select("img")]
    urls = {normalise(str(url), page.url) for url in found if url and not str(url).startswith("data:")}
    return {url for url in urls if url and not url.endswith((".html", "/"))}


def test_the_pictures_of_a_page_are_those_a_browser_finds(web: Web) -> None:
    """On pages in GBK, with Chinese file names, and broken ones, too."""
    pages = [page for page in web.pages.values() if page.pictures]
    assert len(pages) > 2_500
    wrong = [page.url for page in pages[::7] if named_files(page) & web.pictures.keys() != set(page.pictures)]
    assert wrong == []


def test_every_picture_is_on_some_page_and_known(web: Web) -> None:
    named = {url for page in web.pages.values() for url in page.pictures}
    assert named == web.pictures.keys()


# --- what pages say of them ------------------------------------------------------------------------------------------


def test_pictures_are_shown_in_every_way(shown: list[Shown]) -> None:
    ways = Counter(each.way for each in shown)
    assert set(ways) == {"plain", "figure", "lazy", "srcset", "picture", "background", "thumbnail"}
    assert min(ways.values()) > 50


def test_many_are_described_badly(shown: list[Shown]) -> None:
    photos = [each for each in shown if each.files[-1].motif[0] == "7"]
    silent = [each for each in photos if not each.alt and not each.caption and "/IMG_" in each.files[-1].url]
    assert 0.15 < len(silent) / len(photos) < 0.35
    assert 0.4 < sum(bool(each.alt) for each in photos) / len(photos) < 0.7


def test_most_pictures_of_an_article_show_what_it_is_about(web: Web) -> None:
    articles = [article for article in write_all(7) if article.topics]
    pictures = illustrate(7, articles)
    own = [bool(each.files[0].topics & article.topics) for article in articles for each in pictures[article.url]]
    assert 0.65 < sum(own) / len(own) < 0.85
    elsewhere = illustrate(7, [article for article in write_all(7) if not article.topics])
    strangers = [bool(each.files[0].topics) for shown in elsewhere.values() for each in shown]
    assert 0.02 < sum(strangers) / len(strangers) < 0.12


def test_articles_have_none_to_five() -> None:
    counts = Counter(len(pictures) for url, pictures in illustrate(7, write_all(7)).items() if "gridlab" not in url)
    assert set(counts) == {0, 1, 2, 3, 4, 5}


def test_words_are_in_the_language_of_the_page(web: Web) -> None:
    body = web.pages["http://chuneng.test/batteries/index.html"].body.decode("gbk")
    assert 'alt="储能在线"' in body
    names = [url for url in web.pictures if url.startswith("http://chuneng.test/img/%E")]
    assert names
    page = next(page for page in web.pages.values() if names[0] in page.pictures)
    assert b"/img/%E" not in page.body  # written in GBK, asked for in UTF-8


def test_icons_are_icons(web: Web) -> None:
    icons = [picture for picture in web.pictures.values() if picture.is_icon]
    assert {"logo.png", "rss.png", "spacer.png", "picture.gif"} < {picture.url.rpartition("/")[2] for picture in icons}
    assert all(not picture.topics for picture in icons)
    assert any(host_of(picture.url) == "stats.test" for picture in icons)


# --- what there is to be found ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", sorted(TOPIC_NAMES))
def test_a_topic_has_a_few_hundred_pictures(topic: str, web: Web) -> None:
    assert 250 < len(web.relevant_pictures(topic)) < 450


def test_only_what_a_polite_crawler_gets_counts(web: Web) -> None:
    relevant = web.relevant_pictures("power-grid")
    had = defaultdict(list)
    for picture in web.pictures.values():
        had[picture.motif].append(picture)
    assert all(any(file.can_be_had and "power-grid" in file.topics for file in had[motif]) for motif in relevant)
    left_out = {motif for motif, files in had.items() if "power-grid" in files[0].topics} - relevant
    assert {file.sent for motif in left_out for file in had[motif]} == {"gone", "html", "bomb", "picture"}
    assert any(not file.allowed for motif in left_out for file in had[motif])


def test_the_same_picture_counts_once(web: Web) -> None:
    relevant = web.relevant_pictures("rail")
    files = [picture for picture in web.pictures.values() if picture.motif in relevant]
    assert len(files) > 1.3 * len(relevant)
    hosts = defaultdict(set)
    for picture in files:
        hosts[picture.motif].add(host_of(picture.url))
    assert sum(len(each) > 1 for each in hosts.values()) > 10  # agencies and the mirror
