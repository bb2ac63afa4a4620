"""Who links to whom? Mostly like to like, sometimes anywhere; islands only from their bridges."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from shoal.evaluate.generated.articles import Article
from shoal.evaluate.generated.page_markup import Anchor
from shoal.evaluate.generated.prose import Dice
from shoal.evaluate.generated.redirects import Move
from shoal.evaluate.generated.sites import BY_HOST, Site, SiteSection
from shoal.evaluate.generated.vocabulary import FIELDS, Language

VAGUE = {
    "en": ("read more", "here", "this page", "more", "continue", "link"),
    "zh": ("更多", "点击这里", "详情", "阅读全文", "查看", "链接"),
}
HOME = {"en": "Home", "zh": "首页"}
PLAIN_PAGES = {
    "en": (("/about.html", "About us"), ("/contact.html", "Contact"), ("/privacy.html", "Privacy")),
    "zh": (("/about.html", "关于我们"), ("/contact.html", "联系"), ("/privacy.html", "隐私政策")),
}
"""Pages without content that every footer links to."""


def hub_url(site: Site, section: SiteSection, page: int = 1) -> str:
    """Where the list of a section's articles begins, or goes on."""
    first = f"http://{site.host}/{section.field}/index.html"
    return first if page == 1 else f"{first}?page={page}"


class Map:
    """All articles, by what links look for. Filled once, only read afterwards."""

    def __init__(self, articles: Iterable[Article], found: Iterable[Move]) -> None:
        self.sections: dict[tuple[str, str], list[Article]] = defaultdict(list)
        self.bridges: dict[tuple[str, str], list[Article]] = defaultdict(list)
        self.by_field: dict[tuple[str, Language], list[Article]] = defaultdict(list)
        self.by_host: dict[str, list[Article]] = defaultdict(list)
        self.by_language: dict[Language, list[Article]] = defaultdict(list)
        self.aliases: dict[str, list[str]] = defaultdict(list)
        for article in articles:
            self._add(article)
        for move in found:
            self.aliases[move.target].append(move.source)

    def _add(self, article: Article) -> None:
        place = article.site.host, article.section.field
        if article.bridge:
            self.bridges[place].append(article)
            return
        self.sections[place].append(article)
        if article.section.bridges:
            return  # an island: nobody outside knows it
        self.by_host[article.site.host].append(article)
        self.by_language[article.language].append(article)
        for field in article.fields:
            self.by_field[field, article.language].append(article)

    def siblings(self, article: Article) -> list[Article]:
        """The other articles of the section, in order, itself included."""
        return self.sections[article.site.host, article.section.field]


def links_of(article: Article, known: Map, dice: Dice) -> list[Anchor]:
    """The links inside an article's text."""
    if article.bridge:
        return [
            *_onward(article, known),
            *(_anchor(target, known, dice) for target in _elsewhere(article, known, dice)),
        ]
    targets = [*_nearby(article, known, dice), *_elsewhere(article, known, dice)]
    different = dict.fromkeys(target for target in targets if target is not article)
    anchors = [_anchor(target, known, dice) for target in different]
    return anchors + _oddities(article, dice) + _to_islands(article, known)


def _nearby(article: Article, known: Map, dice: Dice) -> list[Article]:
    """The next article of the section, so that each is linked once at least, and some others."""
    siblings = known.siblings(article)
    following = siblings[(siblings.index(article) + 1) % len(siblings)]
    return [following, *dice.some(siblings, dice.number(1, 3))]


def _elsewhere(article: Article, known: Map, dice: Dice) -> list[Article]:
    """Other hosts on the same subject, other subjects on the same host, anything at all."""
    other: Language = "zh" if article.language == "en" else "en"
    found = []
    if dice.chance(0.35) and not article.bridge:
        found.append(dice.pick(known.by_field[article.fields[0], article.language]))
    if dice.chance(0.06) and not article.bridge:
        found.append(dice.pick(known.by_field[article.fields[0], other]))
    if dice.chance(0.35):
        found.append(dice.pick(known.by_host[article.site.host]))
    if dice.chance(0.25):
        found.append(dice.pick(known.by_language[article.language]))
    return found


def _anchor(target: Article, known: Map, dice: Dice) -> Anchor:
    """Half of the articles that moved are linked by an old address; a third of all links do not say where they lead."""
    url = target.url
    if target.url in known.aliases and dice.chance(0.5):
        url = dice.pick(known.aliases[target.url])
    luck = dice.between(0, 1)
    if luck < 0.08:
        return Anchor(url=url, text=target.title, image=True)
    if luck < 0.14:
        return Anchor(url=url, text="", image=True)
    if luck < 0.38:
        return Anchor(url=url, text=dice.pick(VAGUE[target.language]))
    return Anchor(url=url, text=target.title, nofollow=dice.chance(0.02))


def _oddities(article: Article, dice: Dice) -> list[Anchor]:
    """Links to what is not a page: gone, a document, an image."""
    home, more = article.site.home, VAGUE[article.language]
    found = []
    if dice.chance(0.05):
        found.append(Anchor(url=f"{home}gone/{article.number}.html", text=dice.pick(more)))
    if dice.chance(0.04):
        found.append(Anchor(url=f"{home}files/report.pdf", text=article.title))
    if dice.chance(0.03):
        found.append(Anchor(url=f"{home}img/picture.gif", text=dice.pick(more)))
    return found


def _to_islands(article: Article, known: Map) -> list[Anchor]:
    """The third article of a site's first section knows the first bridge to each of its islands."""
    if article.section is not article.site.sections[0] or article.number != 3:
        return []
    islands = [section for section in article.site.sections if section.bridges]
    firsts = [known.bridges[article.site.host, section.field][0] for section in islands]
    return [Anchor(url=first.url, text=first.title) for first in firsts]


def _onward(bridge: Article, known: Map) -> list[Anchor]:
    """From a bridge to the next one, from the last one to the island."""
    bridges = known.bridges[bridge.site.host, bridge.section.field]
    if bridge.number < len(bridges):
        following = bridges[bridge.number]
        return [Anchor(url=following.url, text=following.title)]
    label = FIELDS[bridge.section.field].words(bridge.language).label
    return [Anchor(url=hub_url(bridge.site, bridge.section), text=label)]


# --- what stands on every page of a site -----------------------------------------------------------------------------


def menu(site: Site) -> list[Anchor]:
    """Home, the sections that are no islands, the partners."""
    sections = [
        Anchor(url=hub_url(site, section), text=FIELDS[section.field].words(site.language).label)
        for section in site.sections
        if not section.bridges
    ]
    extras = [Anchor(url=f"http://{site.host}{path}", text=label) for path, label in site.extras]
    return [Anchor(url=site.home, text=HOME[site.language]), *sections, *extras, *_partners(site, site.partners[:1])]


def footer(site: Site) -> list[Anchor]:
    """The plain pages and the partners."""
    plain = [Anchor(url=f"http://{site.host}{path}", text=label) for path, label in PLAIN_PAGES[site.language]]
    return [*plain, *_partners(site, site.partners)]


def sidebar(site: Site, known: Map, dice: Dice) -> list[Anchor]:
    """What others read on this site, whatever the page is about."""
    popular = dice.some(known.by_host[site.host], 5)
    return [Anchor(url=article.url, text=article.title) for article in popular]


def _partners(site: Site, hosts: Sequence[str]) -> list[Anchor]:
    """Partners are named by their title, or by what they write about first."""
    found = []
    for host in hosts:
        partner = BY_HOST[host]
        label = FIELDS[partner.sections[0].field].words(site.language).label if partner.sections else partner.title
        found.append(Anchor(url=partner.home, text=partner.title if partner.language == site.language else label))
    return found
