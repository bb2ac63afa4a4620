"""What came of a demo? Two crawls of one web, counted against the truth that only its generator knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from shoal.evaluate.curves import Curve, Point, harvest
from shoal.evaluate.generated.synthetic_web import SyntheticWeb
from shoal.store.exporters import ExportRow
from shoal.store.provenance import UrlExplanation

Truth = Literal["relevant", "copy", "not relevant"]
"""What the generator knows of a page; a copy says what a relevant page says."""
_BEST_SHOWN = 8
_CURVE_STEP = 50
_FAR = range(3, 7)
"""Links from a seed: few enough to be read, many enough to be worth explaining."""
_STRANGERS = 2
"""Pages on the way that are not about the topic."""


class Harvest(msgspec.Struct, frozen=True, kw_only=True):
    """What one strategy brought home."""

    strategy: str
    folder: str
    fetched: int
    relevant: int
    """Different relevant pages among them, by the truth."""
    harvest_rate: float
    recall: float
    half_found_after: int | None
    """Pages fetched until half of all relevant pages were found."""
    judged_relevant: int
    """What the judge takes for relevant: its own opinion, copies included."""
    seconds: float
    curve: tuple[Point, ...]
    """How the crawl stood after every so many pages."""


class JudgedPage(msgspec.Struct, frozen=True, kw_only=True):
    """One of the pages that the judge likes best, and what is true of it."""

    title: str
    url: str
    language: str
    score: float
    truth: Truth


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of a demo."""

    topic: str
    seed: int
    web_pages: int
    web_hosts: int
    relevant_pages: int
    """As many as a perfect, polite crawler would have found."""
    focused: Harvest
    baseline: Harvest
    best: tuple[JudgedPage, ...]
    explained: UrlExplanation | None
    """None when not one relevant page was found."""
    plot: str
    seconds: float


def curve(pages: Sequence[ExportRow], relevant: frozenset[str]) -> Curve:
    """The harvest of a crawl, page by page; pages are named by the URLs that answered."""
    return harvest((page.final_url for page in pages), relevant)


def summary(strategy: str, folder: str, pages: Sequence[ExportRow], found: Curve, seconds: float) -> Harvest:
    """The figures of one crawl."""
    end = found.end
    return Harvest(
        strategy=strategy,
        folder=folder,
        fetched=end.fetched,
        relevant=end.relevant,
        harvest_rate=end.harvest_rate,
        recall=end.recall,
        half_found_after=found.pages_until(0.5),
        judged_relevant=sum(page.relevant for page in pages),
        seconds=seconds,
        curve=tuple(found.points(every=_CURVE_STEP)),
    )


def best_pages(pages: Sequence[ExportRow], web: SyntheticWeb, topic: str) -> tuple[JudgedPage, ...]:
    """The pages that the judge likes best; of pages that say the same, only the first."""
    relevant = web.relevant(topic)
    judged = [page for page in pages if page.score is not None and page.duplicate_of is None]
    judged.sort(key=lambda page: (-(page.score or 0.0), page.fetch_order))
    return tuple(
        JudgedPage(
            title=page.title,
            url=page.final_url,
            language=page.language,
            score=page.score or 0.0,
            truth=_truth(page.final_url, web, topic, relevant),
        )
        for page in judged[:_BEST_SHOWN]
    )


def _truth(url: str, web: SyntheticWeb, topic: str, relevant: frozenset[str]) -> Truth:
    if url in relevant:
        return "relevant"
    known = web.pages.get(url)
    return "copy" if known and known.original and topic in known.topics else "not relevant"


def hidden_find(pages: Sequence[ExportRow], web: SyntheticWeb, topic: str) -> str | None:
    """A relevant page that lies behind some that are not: what following nothing but relevant links would miss.

    If there are several, a Chinese one, then the one with the best score.
    """
    relevant = web.relevant(topic)
    parents = {page.final_url: page.parent for page in pages}
    found = [page for page in pages if page.relevant and page.final_url in relevant]
    if not found:
        return None

    def worth(page: ExportRow) -> tuple[bool, bool, bool, float]:
        strangers = _strangers_before(page.final_url, parents, web, topic)
        return page.depth in _FAR, strangers >= _STRANGERS, page.language == "zh", page.score or 0.0

    return max(found, key=worth).final_url


def _strangers_before(url: str, parents: Mapping[str, str | None], web: SyntheticWeb, topic: str) -> int:
    """How many pages on the way from the seed are not about the topic."""
    strangers, seen = 0, {url}
    while (parent := parents.get(url)) is not None and parent not in seen:
        seen.add(parent)
        known = web.pages.get(parent)
        strangers += known is None or topic not in known.topics
        url = parent
    return strangers
