"""What is there twice? Print versions, second addresses, exact copies, and a mirror that changed a few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.evaluate.generated.articles import Article
from shoal.evaluate.generated.prose import Dice, reworded
from shoal.evaluate.generated.sites import BY_HOST, Site

Kind = Literal["print", "second address", "exact", "mirror"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Another page that says what an article says."""

    url: str
    site: Site
    """Where the copy lives."""
    original: Article
    kind: Kind
    paragraphs: tuple[str, ...]
    allowed: bool = True
    label: str = ""
    """What the link on the original calls it; empty when the original does not know it."""


def copies(seed: int, articles: Sequence[Article]) -> list[Copy]:
    """Every copy; islands and forbidden articles have none."""
    found = []
    for article in articles:
        if article.allowed and not article.section.bridges:
            found += _of(article, seed)
    return found


def _of(article: Article, seed: int) -> list[Copy]:
    host, number = article.site.host, article.number
    if host in ("evworld.test", "homewise.test", "dianwang.test") and number % 5 == 0:
        label = "Print version" if article.language == "en" else "打印版"
        return [_same(article, f"http://{host}/print/{article.section.field}-{number}.html", "print", label)]
    if host == "energy.test" and number % 6 == 0:
        return [_same(article, f"{article.url}?print=1", "print", "Print version", allowed=False)]
    if host == "rivers.test" and number % 6 == 0:
        return [_same(article, f"{article.url}&ref=home", "second address", "Permanent link")]
    if host == "uni.test" and number % 9 == 0:
        return [_same(article, f"http://{host}/copy/{article.section.field}-{number}.html", "exact", "Copy")]
    if host in ("energy.test", "rails.test", "dianwang.test") and number % 3 == 1:
        return [_mirrored(article, seed)]
    return []


def _same(article: Article, url: str, kind: Kind, label: str, *, allowed: bool = True) -> Copy:
    return Copy(
        url=url,
        site=article.site,
        original=article,
        kind=kind,
        paragraphs=article.paragraphs,
        allowed=allowed,
        label=label,
    )


def _mirrored(article: Article, seed: int) -> Copy:
    """One to three words of a hundred are different."""
    url = f"http://mirror.test/{article.site.host.removesuffix('.test')}/{article.section.field}-{article.number}.html"
    dice = Dice(seed, url)
    share = dice.between(0.01, 0.03)
    text = tuple(reworded(dice, paragraph, article.language, share) for paragraph in article.paragraphs)
    return Copy(url=url, site=BY_HOST["mirror.test"], original=article, kind="mirror", paragraphs=text)
