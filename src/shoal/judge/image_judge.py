"""Which images of a page are about the topic, by what the page says of them? (IMAGE 1.1-1.3)"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from msgspec.structs import replace

from shoal.cache import cached
from shoal.judge.cosine import THRESHOLD
from shoal.judge.vector import TopicVector, strongest, within_unit, words_of
from shoal.model import Evidence, Image, Page, Sighting, Topic
from shoal.parse.image_sources import is_placeholder
from shoal.settings import ImageSettings
from shoal.text import Keywords, flattened, fold

_REMEMBERED = 20_000
"""Addresses whose names are remembered: the pages of a site share most of their icons."""
_SHARED_TEXTS = 100
"""Texts that are remembered while one page is looked at: many images may have one caption, or stand in one link."""

# --- what is said of an image ---------------------------------------------------------------------------------------

_EXTENSION = re.compile(
    r"\.(?:jpe?g|jfif|png|gif|webp|bmp|tiff?|avif|php|aspx?|ashx|jsp)(?![a-z]).*+", re.I | re.DOTALL
)
_HUMP = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])|(?<=[^\W\d])(?=\d{3})|(?<=\d)(?=[A-Za-z]{3})")
"""Where a new word begins in `SmartGrid2020` without a blank."""
_BETWEEN = re.compile(r"[\W_]+")
_SAYS_NOTHING = re.compile(
    r"[\d_]+|\d+(?:x|×|\*)\d+|\d+(?:px|w|h|x)|[a-f\d]{8,}|(?=\w*\d)[a-z\d]{12,}|"
    r"img|imgs|image|images|pic|pics|picture|photo|photos|file|files|upload|uploads|thumb|thumbs|thumbnail|default|untitled|"
    r"small|medium|large|big|orig|original|scaled|copy|final|new|min|max|dsc|dscn|dscf|pict|mvc|cimg|pxl|vid|mmexport|wechatimg|"
    r"screenshot|screen|shot|jpe?g|png|gif|webp|微信图片|qq图片|图片|照片|未标题|未命名|截图|屏幕截图|下载|u|v|w|h|o|p|n|s",
    re.I,
)
"""Words of a file name that cameras, programs and servers write."""


def describe(image: Image) -> str:
    """All that a page says of an image, as one line; what it says twice once."""
    return " ".join(dict.fromkeys(text for _, text in _zones(image)))


def _zones(image: Image) -> Iterator[tuple[str, str]]:
    """What is said, and where, the nearest to the image first."""
    said = (
        ("the alt text", image.alt),
        ("the title", image.title),
        ("the caption", image.caption),
        ("the link's text", image.anchor),
        ("the file name", name_of(image.url)),
        ("the text before", image.before),
        ("the text behind", image.after),
    )
    return ((where, text) for where, text in said if text)


@cached(size=_REMEMBERED)
def name_of(url: str) -> str:
    """The words of the file name that a person has chosen: `/i/smart-grid_2020.jpg` says `smart grid`."""
    name = url.partition("?")[0].rpartition("/")[2]
    name = _EXTENSION.sub("", words_of(f"///{name}")[:200])
    words = _BETWEEN.split(_HUMP.sub(" ", name))
    return " ".join(word for word in words if word and not _SAYS_NOTHING.fullmatch(word))


# --- what is no image to begin with --------------------------------------------------------------------------------

_UNREADABLE = (".svg", ".svgz", ".ico", ".cur")
_TRACKER = re.compile(
    r"//(?:[^/]*\.)?(?:google-analytics\.com|googletagmanager\.com|doubleclick\.net|scorecardresearch\.com|hm\.baidu\.com|cnzz\.com|"
    r"quantserve\.com|facebook\.com/tr|51\.la|statcounter\.com)(?:[/?]|$)|"
    r"/(?:pixel|beacon|tracking|tracker|counter|[a-z])(?:[_.-]\w{1,4})?\.(?:gif|php|aspx?)$|"
    r"/apple-touch-icon[^/]*$|[/_.-](?:favicon|sprites?)[_./-]"
)
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("logo logotype emblem trademark brand 标志 标识 商标 徽标", re.compile(r"[/_.-]logos?(?=[/_.@\d-])")),
    ("icon pictogram 图标", re.compile(r"[/_.-]ico(?:n|ns)?(?=[/_.@\d-])")),
    ("avatar 头像", re.compile(r"[/_.-](?:avatars?|gravatar)(?=[/_.@\d-])")),
    ("emoji emoticon smiley 表情", re.compile(r"[/_.-](?:emojis?|emoticons?|smil(?:ey|eys|ies))(?=[/_.@\d-])")),
    ("button arrow bullet 按钮 箭头", re.compile(r"/(?:btns?|buttons?|arrows?|bullets?)(?=[/_.@\d-])")),
)
"""Kinds of drawings that decorate a page, each with the words of a topic that would want them, and how they are called."""


def _unwanted_kinds(topic: Topic) -> list[re.Pattern[str]]:
    """How drawings are called that only decorate a page, for somebody who looks for this topic."""
    wanted = [fold(term.text) for one in topic.each for term in one.terms]
    return [
        pattern for words, pattern in _KINDS if not any(fold(word) in term for word in words.split() for term in wanted)
    ]


def _is_decoration(kinds: Sequence[re.Pattern[str]], url: str) -> bool:
    """Whether the address says that this is an icon, a spacer, a tracker or a drawing that nobody can decode."""
    address = url[:1000].lower().partition("#")[0]
    path = address.partition("?")[0]
    if not path.startswith(("http://", "https://")) or path.endswith(_UNREADABLE):
        return True
    if is_placeholder(path) or _TRACKER.search(path):
        return True
    names = path[path.find("/", 8) :]
    return any(pattern.search(names) for pattern in kinds)


# --- the judge of images -----------------------------------------------------------------------------------------------------


class DescriptionImageJudge:
    """Images whose description uses the topic's words are about the topic.

        score = cosine(description, topic),    description = alt, title, caption, link text, file name, 50 characters either side

    by the cosine that pages are judged by (`judge/cosine.py`), with its threshold: the paper leaves that number to the user. The
    parts are read as one text, but no phrase is found across two of them. Of several topics each is asked, and the one that fits
    best says why. Words that speak against a page speak against an image. Where the paper has nothing to go by but what stands
    around, because nobody describes the image, the title of the page counts too.
    """

    def __init__(self, topic: Topic, settings: ImageSettings) -> None:
        self._wanted = settings.wanted
        self._least_side = settings.least_side
        self._threshold = THRESHOLD if settings.threshold is None else settings.threshold
        self._vectors = tuple((one.name if topic.any else "", TopicVector(one)) for one in topic.each)
        self._words = Keywords([term.text for one in topic.each for term in one.terms])
        # The pages of a site share most of their images.
        self._is_decoration = cached(size=_REMEMBERED)(partial(_is_decoration, _unwanted_kinds(topic)))

    def judge_images(self, page: Page) -> tuple[Sighting, ...]:
        """The images of a page that are about the topic, each URL once, in the order of the page."""
        if self._wanted == "none":
            return ()
        wanted = {image.url: _with_title(image, page.title) for image in page.images if self._may_be_wanted(image)}
        images = list(wanted.values())
        # Most images say nothing, and must cost next to nothing.
        close = self._words.may_stand_in(list(map(describe, images)))
        counted = lru_cache(maxsize=_SHARED_TEXTS)(self._counted)
        judged = (
            self._judge(image, counted) if place in close else Sighting(image=image, score=0.0)
            for place, image in enumerate(images)
        )
        return tuple(sighting for sighting in judged if self._wanted == "all" or sighting.score >= self._threshold)

    def _may_be_wanted(self, image: Image) -> bool:
        return not (
            0 < image.width < self._least_side or 0 < image.height < self._least_side or self._is_decoration(image.url)
        )

    def _counted(self, text: str) -> list[list[int]]:
        """How often each word of each topic stands in a text."""
        flat = flattened(text)
        return [vector.count(flat) for _, vector in self._vectors]

    def _judge(self, image: Image, counted: Callable[[str], list[list[int]]]) -> Sighting:
        """What the topic that fits best says of it; the first of those that fit equally well."""
        zones = [(where, counted(text)) for where, text in _zones(image)]
        sightings = [
            _sighting(image, name, vector, [(where, counts[place]) for where, counts in zones])
            for place, (name, vector) in enumerate(self._vectors)
        ]
        return max(sightings, key=lambda sighting: sighting.score)


def _with_title(image: Image, title: str) -> Image:
    """An image that nobody describes shows what its page is about: the title of the page is the best that is said of it."""
    described = image.alt or image.title or image.caption or image.anchor or name_of(image.url)
    return image if described else replace(image, title=title)


def _sighting(image: Image, topic: str, vector: TopicVector, zones: Sequence[tuple[str, Sequence[int]]]) -> Sighting:
    counts = [sum(found) for found in zip(*(counts for _, counts in zones), strict=True)]
    shares = vector.shares(counts)
    score = within_unit(sum(shares))
    if not any(counts):
        return Sighting(image=image, score=0.0)
    why = [
        Evidence(what=f"“{word}” in {_listed([where for where, found in zones if found[place]])}", amount=share)
        for place, (word, share) in enumerate(zip(vector.words, shares, strict=True))
        if counts[place]
    ]
    return Sighting(image=image, score=score, why=strongest(why), topic=topic if score else "")


def _listed(places: Sequence[str]) -> str:
    """`the caption`, or `the caption and the file name`."""
    *first, last = places
    return f"{', '.join(first)} and {last}" if first else last
