"""The judge of images: what is read of an image, what is no image at all, and which are about the topic."""

from __future__ import annotations

from time import process_time
from typing import Literal

import msgspec
import pytest

from shoal.judge import judges
from shoal.judge.image_judge import DescriptionImageJudge, describe, name_of
from shoal.model import Image, Page, Sighting, Term, Topic
from shoal.protocols import ImageJudge
from shoal.settings import ImageSettings

GRID = Topic(name="grid", terms=(Term(text="smart grid", weight=3.0), Term(text="变电站", weight=4.0)))
HOST = "http://x.test"


def image_judge(
    topic: Topic = GRID, wanted: Literal["relevant", "all"] = "relevant", threshold: float | None = None
) -> ImageJudge:
    return DescriptionImageJudge(topic, ImageSettings(wanted=wanted, threshold=threshold))


def image(name: str = "1.jpg", **said: str | int) -> Image:
    return msgspec.convert({"url": f"{HOST}/{name}", **said}, Image)


def page(*images: Image) -> Page:
    return Page(url=f"{HOST}/", images=images)


def judge_images(image: Image, topic: Topic = GRID, threshold: float | None = None) -> Sighting | None:
    found = image_judge(topic, threshold=threshold).judge_images(page(image))
    return found[0] if found else None


# --- what is read ---


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("smart-grid_2020.jpg", "smart grid"),
        ("SmartGrid2020.JPG", "Smart Grid"),
        ("%E7%94%B5%E7%BD%91.png", "电网"),
        ("%B5%E7%CD%F8.png", "电网"),  # GBK
        ("电网.png", "电网"),
        ("500kV变电站.jpg", "500kV变电站"),
        ("pylon.jpg!w800", "pylon"),
        ("pylon.jpg_640x640.jpg?x=grid.jpg", "pylon"),
        ("transformer-300x200.webp", "transformer"),
        ("a%0Ab.jpg", "a b"),
        # what cameras, programs and servers call them
        ("IMG_20200101_123.jpg", ""),
        ("DSC01234.JPG", ""),
        ("P1010001.JPG", ""),
        ("20231105.jpg", ""),
        ("0a1b2c3d4e5f60718293.jpg", ""),
        ("%E5%BE%AE%E4%BF%A1%E5%9B%BE%E7%89%87_2020.jpg", ""),
        ("image.php?id=3", ""),
        ("", ""),
    ],
)
def test_the_words_of_a_file_name(name: str, words: str) -> None:
    assert name_of(f"{HOST}/pics/{name}") == words


def test_a_description_is_all_that_is_said_once_and_in_one_line() -> None:
    said = image("pylon.jpg", alt="A", title="A", caption="图", anchor="more", before="in front", after="behind")
    assert describe(said) == "A 图 more pylon in front behind"
    assert describe(image()) == ""


# --- what is about the topic ---


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"alt": "The Smart Grids"}, "the alt text"),
        ({"title": "ｓｍａｒｔ ｇｒｉｄ"}, "the title"),
        ({"caption": "a smart grid"}, "the caption"),
        ({"anchor": "a smart grid"}, "the link's text"),
        ({"name": "smart-grid.jpg"}, "the file name"),
        ({"before": "a smart grid:"}, "the text before"),
        ({"after": "smart grid"}, "the text behind"),
    ],
)
def test_every_part_of_a_description_counts_and_is_named(said: dict[str, str], where: str) -> None:
    # counts (1, 0) with weights (3, 4): 3 / 5
    sighting = judge_images(image(**said))
    assert sighting is not None
    assert sighting.score == pytest.approx(0.6)
    (why,) = sighting.why
    assert why.what == f"“smart grid” in {where}"
    assert why.amount == pytest.approx(0.6)
    assert sighting.topic == ""


@pytest.mark.parametrize("word", ["变电站", "變電站"])
def test_chinese_in_both_scripts(word: str) -> None:
    sighting = judge_images(image(caption=f"新建的{word}。", alt=f"{word}一角", before="smart grid"))
    assert sighting is not None
    # counts (1, 2) with weights (3, 4): 11 / (sqrt 5 x 5)
    assert sighting.score == pytest.approx(11 / (5**0.5 * 5))
    assert [why.what for why in sighting.why] == [
        "“变电站” in the alt text and the caption",
        "“smart grid” in the text before",
    ]
    assert sum(why.amount for why in sighting.why) == pytest.approx(sighting.score)


@pytest.mark.parametrize(
    "said",
    [
        {"alt": "a cat"},
        {"alt": ""},
        {"alt": "smart", "title": "grid"},  # no phrase across two parts
        {"before": "smart", "after": "grid"},
        {"alt": "电站"},
    ],
)
def test_other_images_are_left(said: dict[str, str]) -> None:
    assert judge_images(image(**said)) is None


def test_the_threshold_is_the_papers_or_the_users() -> None:
    weak = Topic(name="t", terms=(Term(text="wire", weight=0.15), Term(text="grid", weight=1.0)))
    # 0.15 / sqrt(1 + 0.15^2) = 0.148
    assert judge_images(image(alt="wire"), weak) is None
    assert judge_images(image(alt="wire"), weak, threshold=0.148) is not None
    assert judge_images(image(alt="a smart grid"), threshold=0.61) is None
    assert judge_images(image(alt="a cat"), threshold=0.0) == Sighting(image=image(alt="a cat"), score=0.0)


def test_the_pages_threshold_says_nothing_of_images() -> None:
    assert judge_images(image(alt="smart grid"), Topic(name="t", terms=GRID.terms, threshold=0.9)) is not None


def test_words_that_speak_against_a_image() -> None:
    topic = Topic(name="t", terms=(Term(text="grid", weight=3.0),), negative=(Term(text="css", weight=4.0),))
    both, one = judge_images(image(alt="grid grid grid css"), topic), judge_images(image(alt="grid css"), topic)
    # counts (3, 1) with (3, -4): (9 - 4) / (sqrt 10 x 5)
    assert both is not None
    assert both.score == pytest.approx(1 / 10**0.5)
    assert [why.what for why in both.why] == ["“grid” in the alt text", "“css” in the alt text"]
    assert one is None


def test_of_several_topics_the_one_that_fits_best() -> None:
    cats = Topic(name="猫", terms=(Term(text="cat"), Term(text="猫")))
    several = Topic(name="both", terms=(*GRID.terms, *cats.terms), any=(GRID, cats))
    found = image_judge(several).judge_images(
        page(image("1.jpg", alt="smart grid"), image("2.jpg", alt="黑貓"), image("3.jpg", alt="dog"))
    )
    assert [(one.topic, one.image.alt) for one in found] == [("grid", "smart grid"), ("猫", "黑貓")]
    # on its own, not over the words of all
    assert [one.score for one in found] == pytest.approx([0.6, 0.5**0.5])
    assert [why.what for why in found[1].why] == ["“猫” in the alt text"]


def test_all_images_with_what_each_is_worth() -> None:
    found = image_judge(wanted="all").judge_images(
        page(image("1.jpg", alt="a cat"), image("2.jpg", alt="smart grid"), image("logo.png"))
    )
    assert [(one.score, one.topic) for one in found] == [(0.0, ""), (pytest.approx(0.6), "")]


def test_a_crawl_without_images_sees_none() -> None:
    assert DescriptionImageJudge(GRID, ImageSettings(wanted="none")).judge_images(page(image(alt="smart grid"))) == ()


def test_the_order_of_the_page_and_each_once() -> None:
    images = [image(f"{place}.jpg", alt="smart grid") for place in (3, 1, 2)]
    assert [one.image for one in image_judge().judge_images(page(*images, images[0]))] == images


# --- what is no image ---


@pytest.mark.parametrize(
    "url",
    [
        f"{HOST}/favicon.png",
        f"{HOST}/img/sprite.png",
        f"{HOST}/sprites/a.png",
        f"{HOST}/spacer.gif",
        f"{HOST}/i/blank.gif?x=1",
        f"{HOST}/1x1.png",
        f"{HOST}/t.gif",
        f"{HOST}/pixel.php",
        f"{HOST}/smart-grid.svg",
        f"{HOST}/smart-grid.ico?v=2",
        f"{HOST}/img/site-logo-2.png",
        f"{HOST}/Logo.PNG",
        f"{HOST}/icons/print.png",
        f"{HOST}/btn_go.gif",
        f"{HOST}/user/avatar/3.jpg",
        "https://hm.baidu.com/hm.gif?si=smart-grid",
        "https://www.facebook.com/tr?id=1",
        "data:image/png;base64,AAAA",
        "ftp://x.test/a.jpg",
        "a.jpg",
    ],
)
def test_icons_and_trackers_are_left(url: str) -> None:
    decoration = Image(url=url, alt="smart grid")
    assert (
        image_judge().judge_images(page(decoration)) == image_judge(wanted="all").judge_images(page(decoration)) == ()
    )


@pytest.mark.parametrize(
    "url",
    [
        f"{HOST}/catalogo/a.jpg",
        f"{HOST}/iconic-tower.jpg",
        f"{HOST}/silicon.png",
        "http://www.icon.test/a.jpg",
        "http://logo.test/a.jpg",
        f"{HOST}/t.jpg",
        f"{HOST}/kitchen-counter.jpg",
        f"{HOST}/narrow-street.jpg",
        f"{HOST}/a.jpg?icon=1",
    ],
)
def test_names_that_only_look_like_one(url: str) -> None:
    assert image_judge().judge_images(page(Image(url=url, alt="smart grid")))


@pytest.mark.parametrize(
    ("word", "name"), [("logo design", "logo.png"), ("企业标志", "logo.png"), ("図标", "x.jpg"), ("圖標", "icon-1.png")]
)
def test_who_looks_for_logos_gets_them(word: str, name: str) -> None:
    topic = Topic(name="t", terms=(Term(text=word),))
    assert judge_images(image(name, alt=word), topic) is not None


@pytest.mark.parametrize(
    ("width", "height", "kept"),
    [(0, 0, True), (64, 64, True), (63, 500, False), (500, 63, False), (1, 0, False), (0, 64, True)],
)
def test_what_the_page_shows_small_is_left(width: int, height: int, *, kept: bool) -> None:
    assert bool(judge_images(image(alt="smart grid", width=width, height=height))) is kept


def test_no_side_is_too_small_for_who_says_so() -> None:
    tiny = image(alt="smart grid", width=1, height=1)
    assert DescriptionImageJudge(GRID, ImageSettings(wanted="relevant", least_side=0)).judge_images(page(tiny))


# --- around it ---


def test_it_is_not_taken_for_a_judge_of_pages() -> None:
    assert not any("image" in name for name in judges())


@pytest.mark.slow
@pytest.mark.parametrize("text", ["smart grid " * 90, "smart " * 160, "电" * 1000, "_" * 1000, "a1" * 500])
def test_a_page_full_of_long_descriptions_takes_no_time(text: str) -> None:
    images = [
        Image(
            url=f"{HOST}/{text[:500].replace(' ', '-')}/{text[:500].replace(' ', '-')}{place}.jpg",
            alt=text,
            caption=text,
        )
        for place in range(500)
    ]
    start = process_time()
    image_judge().judge_images(page(*images))
    assert process_time() - start < 1.0


def test_a_image_that_nobody_describes_is_known_by_the_title_of_its_page() -> None:
    silent, named = image("IMG_1234.jpg"), image("2.jpg", alt="a cat")
    found = image_judge().judge_images(Page(url=f"{HOST}/", title="The smart grid", images=(silent, named)))
    assert [sighting.image.url for sighting in found] == [silent.url]
    assert found[0].why[0].what == "“smart grid” in the title"
