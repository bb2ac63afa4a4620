"""How well does a judge tell relevant pages from others? Its scores of pages whose truth is known, without any crawl.

AUC    how often a relevant page scores above another page, a tie counting half: 0.5 is luck, 1 is perfect
AP     average precision: of all pages that score at least as much as a relevant one, the share that is relevant, averaged
       over the relevant pages. It counts how rare they are, as a crawl notices it.

Every relevant page is judged, and a fixed sample of the others, which are many and say the same over and over. What the
crawls learn about a topic is left out: the judge knows what the topic file says.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from heapq import nsmallest

from shoal.evaluate.curves import mean
from shoal.evaluate.offline_fetcher import read_answer
from shoal.evaluate.offline_web import OfflineWeb
from shoal.evaluate.result_cache import ResultCache
from shoal.judge import make_judge
from shoal.model import Page
from shoal.parse.parser import HtmlParser
from shoal.settings import Settings

OTHERS = 2_000
"""Pages that are not relevant are judged up to so many: the AUC is then exact to about a hundredth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuality:
    """How good the scores of a judge are; None where there is nothing to tell apart."""

    auc: float | None
    average_precision: float | None


def quality_of(relevant: Sequence[float], others: Sequence[float], weight: float = 1.0) -> JudgeQuality:
    """From the scores of the relevant pages and of the others, each of which stands for `weight` pages."""
    if not relevant or not others:
        return JudgeQuality(auc=None, average_precision=None)
    good, bad = sorted(relevant), sorted(others)
    return JudgeQuality(auc=_auc(good, bad), average_precision=_average_precision(good, bad, weight))


def _auc(good: Sequence[float], bad: Sequence[float]) -> float:
    """Both in rising order: what lies below a score is what stands before it."""
    won_twice = sum(bisect_left(bad, score) + bisect_right(bad, score) for score in good)
    return won_twice / (2 * len(good) * len(bad))


def _average_precision(good: Sequence[float], bad: Sequence[float], weight: float) -> float:
    """Pages with the same score come together: in which order they would is luck, and must not make a figure better."""

    def precision(score: float) -> float:
        hits = len(good) - bisect_left(good, score)
        return hits / (hits + weight * (len(bad) - bisect_left(bad, score)))

    return mean([precision(score) for score in good])


def sample_of(urls: Iterable[str], most: int = OTHERS) -> list[str]:
    """Some of the pages, always the same: topics of one web share most of them, so that these are parsed once."""
    return nsmallest(most, urls, key=_lot)


def _lot(url: str) -> bytes:
    return blake2b(url.encode(), digest_size=8).digest()


def rate(
    web: OfflineWeb,
    settings: Settings,
    judge_name: str,
    relevant: Collection[str],
    others: Collection[str],
    cache: ResultCache,
) -> JudgeQuality:
    """Let the judge score the relevant pages and a sample of the others. What cannot be read scores 0."""
    # No memory for verdicts: a judge is faster than that would gain, and those of the crawls would be forgotten for it.
    judge = make_judge(judge_name, settings.topic)
    reader = OfflineReader(web, settings, cache)

    def scores(pages: Iterable[Page | None]) -> list[float]:
        return [0.0 if page is None else judge.judge(page).score for page in pages]

    sample = sample_of(others)
    weight = len(others) / len(sample) if sample else 1.0
    good = [reader.page(url) for url in sorted(relevant)]
    return quality_of(scores(good), scores(_without_copies(map(reader.page, sample), good)), weight)


def _without_copies(pages: Iterable[Page | None], relevant: Iterable[Page | None]) -> Iterator[Page | None]:
    """The truth names each text once; a judge that says of a copy what it says of the original is not wrong."""
    texts = {page.fingerprint for page in relevant if page is not None and page.fingerprint}
    return (page for page in pages if page is None or page.fingerprint not in texts)


class OfflineReader:
    """Reads pages as a crawl with these settings does: whoever crawls later in this process finds them in the cache."""

    def __init__(self, web: OfflineWeb, settings: Settings, cache: ResultCache) -> None:
        self._web = web
        self._fetching = settings.fetching
        self._parser = HtmlParser(settings.fetching.user_agent)
        self._cache = cache

    def page(self, url: str) -> Page | None:
        """None when there is none, or it is no page."""
        return self._cache.page((self._web.name, self._fetching.user_agent), url, lambda: self._read(url))

    def _read(self, url: str) -> Page | None:
        answer = self._web.answer(url)
        response = None if answer is None else read_answer(url, answer, self._fetching)
        return None if response is None else self._parser.parse(response)
