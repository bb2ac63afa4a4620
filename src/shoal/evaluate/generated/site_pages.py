"""How do articles become a site? Every page in its frame: articles, lists, front pages, copies, files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from shoal.evaluate.generated.articles import TOPIC_NAMES, Article
from shoal.evaluate.generated.copies import Copy
from shoal.evaluate.generated.ground_truth import Note, ShownImage, WebPage
from shoal.evaluate.generated.illustrations import mirrored, thumbnail
from shoal.evaluate.generated.image_hosts import ornaments
from shoal.evaluate.generated.link_structure import PLAIN_PAGES, Map, footer, hub_url, links_of, menu, sidebar
from shoal.evaluate.generated.page_markup import Anchor, ListEntry, Sheet, content_type, press
from shoal.evaluate.generated.prose import GENERAL, Dice, paragraphs, voice
from shoal.evaluate.generated.sites import BY_HOST, SITES, Layout, Site, SiteSection
from shoal.evaluate.generated.vocabulary import FIELDS, Language

ENTRIES_PER_HUB = 25
HIDDEN_FROM_HUBS = 7
"""Every seventh article is in no list: only its neighbours link to it."""
MORE = {"en": "Next page", "zh": "下一页"}
GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00"
    b",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n%%EOF\n"


@dataclass(frozen=True, slots=True)
class WebPlan:
    """All that a page must know of the web around it."""

    seed: int
    known: Map
    copies: Mapping[str, Copy]
    """By the URL of the original."""
    images: Mapping[str, tuple[ShownImage, ...]]
    """By the URL of the article."""


def all_pages(plan: WebPlan, articles: Iterable[Article]) -> Iterator[WebPage]:
    """Every page that answers with 200."""
    for article in articles:
        yield from _article_and_copy(plan, article)
    for site in SITES:
        yield _home(plan, site)
        yield from _plain_pages(plan, site)
        yield from _files(site)
        for section in site.sections:
            yield from _hubs(plan, site, section)
    for name in FIELDS:
        yield _directory(plan, name)


def _frame(plan: WebPlan, site: Site, dice: Dice, title: str) -> Sheet:
    """What stands on every page of a site; its tags name topics that the page need not be about."""
    tags = [FIELDS[name].words(site.language).label for name in dice.some(sorted(TOPIC_NAMES), 3)]
    return Sheet(
        title=title,
        language=site.language,
        menu=menu(site),
        footer=footer(site),
        sidebar=sidebar(site, plan.known, dice),
        tags=tags,
    )


def _pressed(plan: WebPlan, url: str, site: Site, sheet: Sheet, note: Note, layout: Layout | None = None) -> WebPage:
    """The plain case: in the site's layout, every link may be followed that does not say otherwise."""
    followed = dict.fromkeys(anchor.url for anchor in sheet.anchors if not anchor.nofollow)
    return WebPage(
        url=url,
        note=note,
        body=press(sheet, site, layout or site.layout, Dice(plan.seed, url, "press")),
        content_type=content_type(site),
        charset=site.charset,
        language=sheet.language,
        links=tuple(followed),
        delay=site.delay,
        images=_named_files(sheet, site, layout or site.layout),
    )


def _named_files(sheet: Sheet, site: Site, layout: Layout) -> tuple[str, ...]:
    """Every image file that the page names; one without a frame has no ornaments."""
    shown = [*sheet.all_images, *(ornaments(site) if layout != "bare" else ())]
    dot = [f"{site.home}img/picture.gif"] if any(anchor.image for anchor in sheet.anchors) else []
    return tuple(dict.fromkeys([*dot, *(file.url for each in shown for file in each.files)]))


# --- articles --------------------------------------------------------------------------------------------------------


def _article_and_copy(plan: WebPlan, article: Article) -> Iterator[WebPage]:
    dice = Dice(plan.seed, article.url, "links")
    links = links_of(article, plan.known, dice)
    copy = plan.copies.get(article.url)
    if copy and copy.label:
        links.append(Anchor(url=copy.url, text=copy.label))
    frame = _frame(plan, article.site, dice, article.title)
    sheet = replace(
        frame,
        paragraphs=article.paragraphs,
        links=links,
        published=article.published,
        images=plan.images[article.url],
    )
    page = replace(
        _marked(plan, article, sheet, dice),
        language=article.languages,
        topics=article.topics,
        allowed=article.allowed,
    )
    yield page
    if copy:
        yield _copied(plan, copy, page, sheet)


def _marked(plan: WebPlan, article: Article, sheet: Sheet, dice: Dice) -> WebPage:
    """A few articles ask robots, in a meta tag or a header, not to keep them or not to follow their links."""
    luck = dice.between(0, 1)
    words = "noindex" if luck < 0.015 else "nofollow" if luck < 0.025 else ""
    in_header = dice.chance(0.3)
    if words and not in_header:
        sheet = replace(sheet, head=f'<meta name="robots" content="{words}">')
    page = _pressed(plan, article.url, article.site, sheet, "article")
    return replace(
        page,
        noindex=words == "noindex",
        links=() if words == "nofollow" else page.links,
        headers=(("X-Robots-Tag", words),) if words and in_header else (),
    )


def _copied(plan: WebPlan, copy: Copy, original: WebPage, sheet: Sheet) -> WebPage:
    match copy.kind:
        case "exact":
            page = original
        case "print":
            bare = replace(sheet, menu=(), sidebar=(), footer=(), links=())
            page = _pressed(plan, copy.url, copy.site, bare, "near-duplicate", "bare")
        case "second address":
            canonical = replace(sheet, head=f'<link rel="canonical" href="{copy.original.url}">')
            page = _pressed(plan, copy.url, copy.site, canonical, "near-duplicate")
        case "mirror":
            frame = _frame(plan, copy.site, Dice(plan.seed, copy.url, "links"), sheet.title)
            images = mirrored(copy, plan.images[copy.original.url])
            page = _pressed(
                plan,
                copy.url,
                copy.site,
                replace(frame, paragraphs=copy.paragraphs, images=images),
                "near-duplicate",
            )
    return replace(
        page,
        url=copy.url,
        note="near-duplicate",
        language=original.language,
        topics=original.topics,
        allowed=copy.allowed,
        original=original.url,
    )


# --- lists -----------------------------------------------------------------------------------------------------------


def _hubs(plan: WebPlan, site: Site, section: SiteSection) -> Iterator[WebPage]:
    """The list of a section, with an introduction; long ones have several pages."""
    articles = [a for a in plan.known.sections[site.host, section.field] if a.number % HIDDEN_FROM_HUBS]
    starts = range(0, len(articles), ENTRIES_PER_HUB)
    for page, start in enumerate(starts, start=1):
        following = hub_url(site, section, page + 1) if page < len(starts) else ""
        shown = articles[start : start + ENTRIES_PER_HUB]
        yield _hub(plan, site, section.field, hub_url(site, section, page), _entries(plan, shown), following)


def _hub(plan: WebPlan, site: Site, field: str, url: str, entries: list[ListEntry], following: str = "") -> WebPage:
    dice = Dice(plan.seed, url)
    speaking = voice(dice, field, site.language)
    frame = _frame(plan, site, dice, speaking.words.label)
    intro = paragraphs(dice, [speaking], 2, share=0.8)
    links = [Anchor(url=following, text=MORE[site.language])] if following else []
    sheet = replace(frame, paragraphs=intro, links=links, entries=entries)
    return replace(_pressed(plan, url, site, sheet, "hub"), topics=TOPIC_NAMES & {field})


def _entries(plan: WebPlan, articles: Iterable[Article]) -> list[ListEntry]:
    return [
        ListEntry(
            anchor=Anchor(url=article.url, text=article.title),
            blurb=_blurb(article.paragraphs[0]),
            thumbnail=thumbnail(article, plan.images[article.url]),
        )
        for article in articles
    ]


def _blurb(paragraph: str) -> str:
    return paragraph[:60].rpartition(" ")[0] + " ..." if " " in paragraph[:60] else paragraph[:30] + "……"


def _directory(plan: WebPlan, field: str) -> WebPage:
    """The portal's page of a field: sites in both languages that write about it, and a few of their articles."""
    url = f"http://portal.test/directory/{field}.html"
    dice = Dice(plan.seed, url, "entries")
    both: tuple[Language, ...] = ("en", "zh")
    shown = [article for language in both for article in dice.some(plan.known.by_field[field, language], 5)]
    homes = dict.fromkeys(article.site for article in shown)
    sites = [ListEntry(anchor=Anchor(url=site.home, text=site.title), blurb=site.host) for site in homes]
    return _hub(plan, BY_HOST["portal.test"], field, url, sites + _entries(plan, shown))


# --- front pages and the rest ----------------------------------------------------------------------------------------


def _home(plan: WebPlan, site: Site) -> WebPage:
    dice = Dice(plan.seed, site.home)
    frame = _frame(plan, site, dice, site.title)
    shown = dice.some(plan.known.by_host[site.host], 10)
    sheet = replace(
        frame,
        paragraphs=dice.some(GENERAL[site.language], 3),
        entries=[*_entries(plan, shown), *_special_entries(plan, site)],
    )
    return _pressed(plan, site.home, site, sheet, "home")


def _special_entries(plan: WebPlan, site: Site) -> list[ListEntry]:
    """The portal's directory and old links, and the list of the mirror."""
    if site.host == "portal.test":
        fields = [(f"{site.home}directory/{name}.html", field.en.label) for name, field in FIELDS.items()]
        old = [("http://short.test/chain/1", "An old link"), ("http://short.test/loop/a", "Another old link")]
        return [ListEntry(anchor=Anchor(url=url, text=text), blurb="") for url, text in [*fields, *old]]
    if site.host == "mirror.test":
        mirrored = [copy for copy in plan.copies.values() if copy.kind == "mirror"]
        return [ListEntry(anchor=Anchor(url=copy.url, text=copy.original.title), blurb="") for copy in mirrored]
    return []


def _plain_pages(plan: WebPlan, site: Site) -> Iterator[WebPage]:
    for path, label in PLAIN_PAGES[site.language]:
        url = f"http://{site.host}{path}"
        dice = Dice(plan.seed, url)
        sheet = replace(_frame(plan, site, dice, label), paragraphs=dice.some(GENERAL[site.language], 6))
        yield _pressed(plan, url, site, sheet, "navigation")


def _files(site: Site) -> Iterator[WebPage]:
    yield WebPage(url=f"{site.home}img/picture.gif", note="file", body=GIF, content_type="image/gif")
    yield WebPage(url=f"{site.home}files/report.pdf", note="file", body=PDF, content_type="application/pdf")
