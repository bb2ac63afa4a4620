"""How strongly does the page speak of the topic? Rare words count more than common ones, and titles more than texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log

from shoal.cache import cached
from shoal.judge.registry import Registered
from shoal.judge.vector import EVERYWHERE, LinkScorer, TopicVector, flat_title, strongest, within_unit
from shoal.model import Evidence, Page, Topic, Verdict
from shoal.text import flattened
from shoal.topic.word_frequencies import Background, general

THRESHOLD = 0.35
"""About one keyword that the title names, or two that the text uses now and then."""
ENOUGH = 3.0
"""A page that says as much as three of the heaviest words fully said is all about the topic: more does not count."""
ENOUGH_NAMED = 1.5
"""The same for a link, of words that are just named."""
TITLE = 3.0
"""A word in the title counts like so many more in the text."""
NEIGHBOURS = 0.3
"""What a page gets whose links name all words of the topic: not enough to be relevant by that alone."""
SATURATION, LENGTH_SHARE, USUAL_LENGTH = 1.2, 0.75, 300.0
"""k1 and b of BM25, and the words of a page of usual length."""
_BYTES_PER_WORD = 6.0
"""Of the flat form: about right for an English word with its blank, and for two Chinese characters."""
_SHORT = 30
"""Characters that every text counts more, so that one line with one link is not all link."""
_MUCH = 400_000_000
"""Characters of a page's text times its links, up to which each anchor is looked for."""
_REMEMBERED = 20_000
"""Link texts whose words are remembered: the pages of a site share most of them."""
_COMMON = 1e-2
"""The share in all words at which a word says nothing any more."""


class Words:
    """The words of a topic, each with its weight times its rarity; below 0 for words that speak against a page."""

    def __init__(self, topic: Topic) -> None:
        self.vector = TopicVector(topic)
        self.weights = _weights(topic, general())
        self.full = max(map(abs, self.weights), default=0.0) or 1.0
        """The heaviest."""
        self._all = sum(weight for weight in self.weights if weight > 0) or 1.0
        self._counts = cached(size=_REMEMBERED)(self._count)
        self.links = LinkScorer(self.vector, EVERYWHERE, self._named)

    def _named(self, counts: Sequence[int]) -> float:
        """How much a few words say: one and a half of the heaviest keywords are enough for 1."""
        named = sum(weight for weight, count in zip(self.weights, counts, strict=True) if count)
        return within_unit(named / (ENOUGH_NAMED * self.full))

    def _count(self, text: str) -> list[int]:
        return self.vector.count(flattened(text))

    def named_by(self, texts: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Each word that one of the short texts names, with its share in all that speak for a page."""
        few = [self._counts(texts[place]) for place in self.vector.may_stand_in(texts)]
        for word, weight, *counts in zip(self.vector.words, self.weights, *few, strict=True):
            if any(counts):
                yield word, weight / self._all


class EvidenceJudge:
    """What the topic's words say together, on a scale that is the same for all topics and never moves.

        score = min(1, own x sum_d w_d i_d e_d / (3 x max_d w_d i_d) + 0.3 x named)
        own: the share of the text that is not link text         named: the share of the topic's weight that link texts name
        e_d = 2.2 n_d / (n_d + 1.2 x (0.25 + 0.75 x words / 300))         n_d = count in title and text + 3 x count in title
        i_d = log(0.01 / f_d + 1) / log(10,000)                           f_d: the share of the word in its language

    This is BM25 with the language's word frequencies for idf: those of the crawl itself would move the scale while it runs. A
    list of pages about the topic says little itself, so what stands in links does not count as its text. But who links to
    much of the topic mostly belongs to it, so that is a little in its favour. Words that speak against a page are subtracted.

    The cosine judges ask in which proportions a page uses the words, so one mention is as good as twenty; here it matters how
    much of the page is about them.
    """

    def __init__(self, topic: Topic) -> None:
        self._threshold = THRESHOLD if topic.threshold is None else topic.threshold
        self._words = Words(topic)
        self.judge_links = self._words.links.scores

    def judge(self, page: Page) -> Verdict:
        """The score, with what each word added to it."""
        amounts = [*self._in_text(page), *self._in_links(page)]
        total = sum(amount for _, amount in amounts)
        # What goes beyond 1 does not count, so the reasons share it.
        why = [Evidence(what=said, amount=amount / max(total, 1.0)) for said, amount in amounts]
        return Verdict(score=within_unit(total), threshold=self._threshold, why=strongest(why))

    def _in_text(self, page: Page) -> Iterator[tuple[str, float]]:
        """What the page itself says of each word, and what that adds."""
        vector, weights = self._words.vector, self._words.weights
        counts = vector.count(page.flat)
        if not any(counts):
            return
        in_title = vector.count(flat_title(page))
        words = len(page.flat.encode("utf-8", "replace")) / _BYTES_PER_WORD + 1
        half = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * words / USUAL_LENGTH)
        scale = own_share(page) / (ENOUGH * self._words.full)
        for word, weight, count, titled in zip(vector.words, weights, counts, in_title, strict=True):
            if count:
                yield _said(word, count, titled), scale * weight * _saturated(count + TITLE * titled, half)

    def _in_links(self, page: Page) -> Iterator[tuple[str, float]]:
        """The words that its links name."""
        for word, weight in self._words.named_by(list({link.anchor for link in page.links})):
            yield f"“{word}” in links", NEIGHBOURS * weight


def _weights(topic: Topic, background: Background) -> list[float]:
    """Of every word, wanted ones first: its weight in the topic times its rarity; below 0 for words against a page."""
    wanted = [term.weight * _rarity(term.text, background) for term in topic.terms]
    return wanted + [-term.weight * _rarity(term.text, background) for term in topic.negative]


def own_share(page: Page) -> float:
    """How much of the main text does not stand in links."""
    anchors: Iterable[str] = {link.anchor for link in page.links}
    step = len(page.text) * len(page.links) // _MUCH + 1
    if step > 1:
        # Looking for an anchor takes time in proportion to the text: on a giant page with thousands, some stand for all.
        anchors = sorted(anchors)[::step]
    linked = step * sum(len(anchor) for anchor in anchors if anchor and anchor in page.text)
    return 1 - min(1.0, linked / (len(page.text) + _SHORT))


def _rarity(word: str, background: Background) -> float:
    return log(_COMMON / background.frequency(flattened(word).strip()) + 1) / log(10_000)


def _saturated(count: float, half: float) -> float:
    """The tenth mention says less than the first."""
    return count * (SATURATION + 1) / (count + half)


def _said(word: str, count: int, titled: int) -> str:
    times = "once" if count == 1 else f"{count} times"
    return f"“{word}” {times}, in the title" if titled else f"“{word}” {times}"


CHOICE = Registered(
    name="evidence",
    summary="how strongly the page speaks of the topic: rare words and titles count more, length is taken into account",
    paper="",
    make=EvidenceJudge,
)
