"""What do the sites say? Every article of the generated web, written but not yet linked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.evaluate.generated.prose import Dice, paragraphs, voice
from shoal.evaluate.generated.sites import SITES, Site, SiteSection
from shoal.evaluate.generated.vocabulary import OTHERS, TOPICS, Language

TOPIC_NAMES = frozenset(field.name for field in TOPICS)
KIN = {
    "power-grid": ("batteries", "smart-home", "rail", "hydrology"),
    "batteries": ("electric-vehicles", "power-grid", "smart-home"),
    "electric-vehicles": ("batteries", "smart-home", "power-grid"),
    "rail": ("power-grid", "electric-vehicles"),
    "hydrology": ("power-grid", "rail"),
    "smart-home": ("power-grid", "batteries", "electric-vehicles"),
}
"""Topics that one article sometimes treats together."""
RARE_NAMES = ("堃城", "喆山", "镕江", "𠮷野", "㙍坪")
"""Places whose names GB2312 cannot write; the last two need four bytes in GB18030."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Article:
    """A text with an address. Two are the same only if they are the same object."""

    url: str
    site: Site
    section: SiteSection
    number: int
    fields: tuple[str, ...]
    """What it is about: one field, rarely two."""
    language: Language
    """Of its first paragraph and its title."""
    languages: str
    """`en`, `zh` or `en+zh`."""
    title: str
    paragraphs: tuple[str, ...]
    published: str
    allowed: bool = True
    bridge: bool = False
    """It leads to an island and is linked only from the page before it."""

    @property
    def topics(self) -> frozenset[str]:
        return TOPIC_NAMES.intersection(self.fields)


def write_all(seed: int) -> list[Article]:
    """Every article of every site, bridges included."""
    return [article for site in SITES for section in site.sections for article in _section(seed, site, section)]


def _section(seed: int, site: Site, section: SiteSection) -> Iterator[Article]:
    for number in range(1, section.articles + 1):
        allowed = number > section.forbidden
        path = site.path.format(field=section.field, n=number)
        yield _write(seed, site, section, number, path if allowed else "/private" + path, allowed=allowed)
    for number in range(1, section.bridges + 1):
        # A bridge belongs to the island's section but speaks of what the site is about.
        path = f"/notes/{section.field.replace('-', '')[:3]}{number}.html"
        yield _write(seed, site, section, number, path, bridge=True)


def _write(
    seed: int, site: Site, section: SiteSection, number: int, path: str, *, allowed: bool = True, bridge: bool = False
) -> Article:
    url = f"http://{site.host}{path}"
    dice = Dice(seed, url)
    fields = _fields(dice, site.sections[0].field if bridge else section.field)
    other: Language = "zh" if site.language == "en" else "en"
    mixed = not bridge and dice.chance(site.mixed)
    spoken: list[Language] = [site.language, other] if mixed else [site.language]
    voices = [voice(dice, field, language) for field in fields for language in spoken]
    strays = [voice(dice, _stray(dice, fields), site.language)]
    text = paragraphs(dice, voices, dice.number(5, 11), share=dice.between(0.55, 0.9), strays=strays)
    return Article(
        url=url,
        site=site,
        section=section,
        number=number,
        fields=fields,
        language=site.language,
        languages="en+zh" if mixed else site.language,
        title=voices[0].title(dice),
        paragraphs=(*text, *_signature(dice, site)),
        published=f"20{dice.number(19, 26)}-{dice.number(1, 12):02}-{dice.number(1, 28):02}",
        allowed=allowed,
        bridge=bridge,
    )


def _fields(dice: Dice, field: str) -> tuple[str, ...]:
    return (field, dice.pick(KIN[field])) if field in KIN and dice.chance(0.07) else (field,)


def _stray(dice: Dice, fields: tuple[str, ...]) -> str:
    """What a page mentions in passing: any other field, so that off-topic pages name topics too."""
    return dice.pick([field.name for field in TOPICS + OTHERS if field.name not in fields])


def _signature(dice: Dice, site: Site) -> tuple[str, ...]:
    """A line with letters that the charset's narrower cousins cannot write."""
    match site.charset:
        case "gb18030":
            return (f"本文由{dice.pick(RARE_NAMES)}通讯员供稿，{dice.pick(RARE_NAMES)}编辑部校对。",)
        case "windows-1252":
            return (f"Box n° {dice.number(1, 900)} – “as found”, catalogued by M. Lefèvre.",)
        case _:
            return ()
