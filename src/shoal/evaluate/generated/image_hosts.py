"""Where do the images of the generated web live, and what are those that belong to no article?

Some sites keep images on a host of their own, which has a robots.txt of its own; adverts and trackers come from strangers.
"""

from __future__ import annotations

from functools import cache

from shoal.evaluate.generated.ground_truth import ShownImage, WebImage
from shoal.evaluate.generated.prose import Dice
from shoal.evaluate.generated.sites import OTHER_BOTS, SITES, Site
from shoal.evaluate.generated.vocabulary import OTHERS, TOPICS, Language

ADVERTS, STATISTICS = "ads.test", "stats.test"
IMAGE_HOSTS = {
    "img.energy.test": "User-agent: *\nDisallow: /archive/\n",
    "img.xinwen.test": "",
    "pic.qiche.test": OTHER_BOTS + "User-agent: *\nAllow: /\n",
    "static.rails.test": "",
    "cdn.test": OTHER_BOTS + "User-agent: *\nDisallow: /raw/\n",
    ADVERTS: "User-agent: *\nDisallow: /click/\n",
    STATISTICS: "",
}
"""Hosts that have nothing but images, and their robots.txt."""
_ALBUMS = {
    "energy.test": "img.energy.test",
    "xinwen.test": "img.xinwen.test",
    "qiche.test": "pic.qiche.test",
    "rails.test": "static.rails.test",
    "homewise.test": "cdn.test",
    "jiaju.test": "cdn.test",
    "blog.test": "cdn.test",
}
_FORBIDDEN = {"img.energy.test": "/archive", "cdn.test": "/raw", "archive.test": "/private"}
"""Folders that robots.txt keeps crawlers out of."""
_PEOPLE: dict[Language, tuple[str, ...]] = {
    "en": ("Anna Holm", "Peter Voss", "Ruth Okafor", "Tom Lindqvist"),
    "zh": ("李文", "王敏", "赵小川", "周雨"),
}
_ADVERT_COUNT = 12
ADVERT: dict[Language, str] = {"en": "Advertisement", "zh": "广告"}


def album_of(site: Site) -> str:
    """The host that has the images of a site."""
    return _ALBUMS.get(site.host, site.host)


def folder_of(site: Site, dice: Dice) -> tuple[str, bool]:
    """Where an image of the site lies, without a slash behind, and whether a crawler may go there."""
    host = album_of(site)
    allowed = not (host in _FORBIDDEN and dice.chance(0.06))
    shelf = "" if allowed else _FORBIDDEN[host]
    part = f"/{site.host.removesuffix('.test')}" if host == "cdn.test" else ""
    return f"http://{host}{shelf}{part}/img", allowed


def portrait(site: Site, dice: Dice) -> tuple[WebImage, str]:
    """One of the people who write for a site, and the name."""
    number = dice.number(0, len(_PEOPLE[site.language]) - 1)
    url = f"http://{site.host}/img/author{number + 1}.png"
    file = WebImage(url=url, motif=url, width=96, height=96, delay=site.delay)
    return file, _PEOPLE[site.language][number]


def advert(seed: int, dice: Dice) -> tuple[WebImage, str]:
    """One of the adverts that are everywhere, and the field of what it sells; some of those are topics."""
    number = dice.number(1, _ADVERT_COUNT)
    sells = Dice(seed, ADVERTS, number).pick(TOPICS + OTHERS).name
    topics = frozenset({sells}.intersection(field.name for field in TOPICS))
    url = f"http://{ADVERTS}/banner/{number}.png"
    return WebImage(url=url, motif=url, width=300, height=250, topics=topics), sells


@cache
def ornaments(site: Site) -> tuple[ShownImage, ...]:
    """What stands on every page of a site and is nothing to look at; some pages say how small it is, some do not."""
    says_size = len(site.host) % 2 == 0
    logo, feed, space = (_ornament(site, f"/img/{name}.png", *size) for name, *size in _ORNAMENTS)
    hit = f"http://{STATISTICS}/hit.gif?site={site.host}"
    tracker = WebImage(url=hit, motif=hit, width=1, height=1)
    return (
        ShownImage(files=(logo,), alt=site.title, says_size=says_size),
        ShownImage(files=(feed,), alt="RSS", says_size=says_size),
        *([ShownImage(files=(space,), alt="", says_size=True)] if site.layout == "tables" else []),
        ShownImage(files=(tracker,), alt="", says_size=True),
    )


_ORNAMENTS = (("logo", 180, 48), ("rss", 16, 16), ("spacer", 8, 1))


def _ornament(site: Site, path: str, width: int, height: int) -> WebImage:
    url = f"http://{site.host}{path}"
    return WebImage(url=url, motif=url, width=width, height=height, delay=site.delay)


def old_files() -> list[WebImage]:
    """The one dot that every site shows instead of a link's text; `site_pages` has its bytes."""
    urls = [f"{site.home}img/picture.gif" for site in SITES]
    return [WebImage(url=url, motif=url, width=1, height=1) for url in urls]
