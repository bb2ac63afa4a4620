"""Which images does an article have, and what does its page say about them? As true, as vague and as wrong as on real pages.

Most images show what the article is about, some a person, an advert or something else. Half of them are described in words
of their own; of others only the file name, the caption or the text around speaks. All luck here is drawn from dice of its own,
so that pages, texts and links are what they would be without images.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from shoal.evaluate.generated.articles import TOPIC_NAMES, Article
from shoal.evaluate.generated.copies import Copy
from shoal.evaluate.generated.ground_truth import Sent, ShownImage, Way, WebImage
from shoal.evaluate.generated.image_hosts import ADVERT, advert, folder_of, portrait
from shoal.evaluate.generated.prose import PLACES, Dice
from shoal.evaluate.generated.sites import Site
from shoal.evaluate.generated.vocabulary import FIELDS, OTHERS, TOPICS, Language

_HOW_MANY = (0, 0, 1, 1, 2, 2, 3, 3, 4, 5)
_SIZES = ((224, 168), (256, 192), (240, 160), (160, 224), (192, 192))
"""Of the largest file of an image. Small, because a measurement decodes thousands."""
_SMALLER, _THUMBNAIL = 0.5, 0.42
_AGENCY_POOL = 12
"""Images of each field that an agency sells to many sites."""
_AGENCY_SIZES = ((224, 168), (256, 192), (208, 156))
_PHRASES: dict[Language, tuple[str, ...]] = {
    "en": ("{q} {a}", "{a} in {place}", "{a} and {b}", "The {a}, {place}"),
    "zh": ("{q}的{a}", "{place}的{a}", "{a}和{b}", "{place}{a}"),
}
_WITH_SEVERAL_FILES: tuple[Way, ...] = ("srcset", "picture", "thumbnail")
_BOMBED = "http://gridlab.test/article?id=3&section=power-grid"


@dataclass(frozen=True, slots=True)
class _ImageWords:
    """What a page says about an image, and where it says it."""

    alt: str | None = None
    caption: str = ""
    name: str = ""
    """In the name of the file; empty for a name as cameras give them."""


def illustrate(seed: int, articles: Iterable[Article]) -> dict[str, tuple[ShownImage, ...]]:
    """The images of each article, by its URL."""
    return {article.url: tuple(_images(seed, article)) for article in articles}


def _images(seed: int, article: Article) -> Iterator[ShownImage]:
    dice = Dice(seed, article.url, "pictures")
    for place in range(dice.pick(_HOW_MANY)):
        luck = dice.between(0, 1)
        if luck < 0.07:
            yield _advert(seed, article, dice)
        elif luck < 0.14:
            yield _portrait(article, dice)
        else:
            yield _photo(seed, article, dice, place, is_own=luck < 0.9)
    if article.url == _BOMBED:
        yield _bomb(article)


def _advert(seed: int, article: Article, dice: Dice) -> ShownImage:
    file, field = advert(seed, dice)
    alt = _phrase(dice, field, article.language) if dice.chance(0.5) else ADVERT[article.language]
    return ShownImage(files=(file,), alt=alt, before=_spot(article, dice), says_size=True)


def _portrait(article: Article, dice: Dice) -> ShownImage:
    file, name = portrait(article.site, dice)
    return ShownImage(files=(file,), alt=name, title=name if dice.chance(0.3) else "")


def _photo(seed: int, article: Article, dice: Dice, place: int, *, is_own: bool) -> ShownImage:
    """What the article speaks of, or something that just looks nice there."""
    field = dice.pick(article.fields) if is_own else dice.pick(TOPICS + OTHERS).name
    words = _said(article, dice, field, is_own=is_own)
    way = _way(article, dice, words)
    files = _files(seed, article, dice, field, words, f"{place}", several=way in _WITH_SEVERAL_FILES)
    return ShownImage(
        files=files,
        way=way,
        before=_spot(article, dice),
        alt=words.alt,
        title=words.alt if words.alt and dice.chance(0.15) else "",
        caption=words.caption,
        says_size=dice.chance(0.3),
        is_shared=place == 0 and article.site.layout in ("modern", "divs"),
    )


def _spot(article: Article, dice: Dice) -> int:
    return dice.number(0, len(article.paragraphs) - 1)


# --- what the page says ----------------------------------------------------------------------------------------------


def _said(article: Article, dice: Dice, field: str, *, is_own: bool) -> _ImageWords:
    luck = dice.between(0, 1)
    name = _file_words(dice, field, article.site) if dice.chance(0.4) else ""
    if luck < 0.5:
        return _ImageWords(alt=_phrase(dice, field, article.language), name=name)
    if luck < 0.55:
        return _ImageWords(caption=_phrase(dice, field, article.language), alt="")
    if luck < 0.7:
        return _ImageWords(name=_file_words(dice, field, article.site))
    if luck < 0.8 and is_own:
        return _ImageWords(alt=article.title, name=name)
    return _ImageWords()


def _phrase(dice: Dice, field: str, language: Language) -> str:
    words = FIELDS[field].words(language)
    first, second = _thing(dice, words.things), _thing(dice, words.things)
    template = dice.pick(_PHRASES[language])
    return template.format(a=first, b=second, q=dice.pick(words.qualities), place=dice.pick(PLACES[language]))


def _thing(dice: Dice, things: tuple[str, ...]) -> str:
    """What a field is known for is photographed most; it stands first in the vocabulary."""
    return things[int(len(things) * dice.between(0, 1) ** 2)]


def _file_words(dice: Dice, field: str, site: Site) -> str:
    """Chinese sites name their files in Chinese, but for those that are older than such names."""
    language: Language = "en" if site.traditional else site.language
    return _thing(dice, FIELDS[field].words(language).things).replace(" ", "-")


def _way(article: Article, dice: Dice, words: _ImageWords) -> Way:
    if words.caption:
        return "figure"
    if article.site.layout == "tables":
        return "thumbnail" if dice.chance(0.15) else "plain"
    ways: tuple[Way, ...] = ("plain", "plain", "lazy", "lazy", "srcset", "srcset", "picture", "thumbnail")
    return "background" if words.alt is None and dice.chance(0.2) else dice.pick(ways)


# --- its files -------------------------------------------------------------------------------------------------------


def _files(
    seed: int, article: Article, dice: Dice, field: str, words: _ImageWords, place: str, *, several: bool
) -> tuple[WebImage, ...]:
    folder, allowed = folder_of(article.site, dice)
    code = f"{article.site.sections.index(article.section)}{'b' * article.bridge}{article.number:03}{place}"
    name = f"{quote(words.name)}-{code}.png" if words.name else f"IMG_{code}.jpg"
    width, height = dice.pick(_SIZES)
    motif = f"{seed}/{article.site.host}/{code}"
    if dice.chance(0.1):
        motif = f"{seed}/agency/{field}/{dice.number(1, _AGENCY_POOL)}"
        width, height = dice.pick(_AGENCY_SIZES)
    large = WebImage(
        url=f"{folder}/{name}",
        motif=motif,
        width=width,
        height=height,
        topics=TOPIC_NAMES & {field},
        sent=_sent(dice),
        allowed=allowed,
        delay=article.site.delay,
    )
    return (_scaled(large, f"{folder}/small/{name}", _SMALLER), large) if several else (large,)


def _sent(dice: Dice) -> Sent:
    luck = dice.between(0, 1)
    return "gone" if luck < 0.02 else "html" if luck < 0.035 else "image"


def _scaled(image: WebImage, url: str, share: float) -> WebImage:
    return replace(image, url=url, width=int(image.width * share), height=int(image.height * share))


def _bomb(article: Article) -> ShownImage:
    """In the middle of what is wanted, and well described."""
    url = f"{article.site.home}img/panorama.png"
    file = WebImage(url=url, motif=url, width=400, height=300, topics=article.topics, sent="bomb")
    return ShownImage(files=(file,), alt="power grid, substation and transmission line")


# --- the same images elsewhere -------------------------------------------------------------------------------------


def thumbnail(article: Article, images: tuple[ShownImage, ...]) -> ShownImage | None:
    """What some lists show beside the link to an article: its first image, very small."""
    if article.site.layout not in ("modern", "divs") or article.number % 3 or not article.allowed:
        return None
    first = next((shown.files[-1] for shown in images if shown.is_shared), None)
    if first is None:
        return None
    folder, _, name = first.url.rpartition("/")
    return ShownImage(files=(_scaled(first, f"{folder}/tiny/{name}", _THUMBNAIL),), alt="")


def mirrored(copy: Copy, images: tuple[ShownImage, ...]) -> tuple[ShownImage, ...]:
    """A mirror copies the images, too, in half their size; of those that the original's robots.txt hides it has none."""
    return tuple(
        ShownImage(files=(_at_mirror(copy, shown.files[-1]),), alt=shown.alt, before=shown.before)
        for shown in images
        if shown.files[-1].allowed and shown.files[-1].sent == "image"
    )


def _at_mirror(copy: Copy, image: WebImage) -> WebImage:
    host, _, path = image.url.removeprefix("http://").partition("/")
    url = f"http://{copy.site.host}/pictures/{host.removesuffix('.test')}/{path}"
    return replace(_scaled(image, url, 0.75), delay=copy.site.delay)
