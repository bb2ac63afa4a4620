"""How near is a text, or a link, to the topic? As vectors over the topic's words; the words that speak against it included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import mul
from urllib.parse import unquote_to_bytes

from shoal.cache import cached
from shoal.model import Evidence, Link, Page, Topic
from shoal.text import Keywords, flattened

MAX_EVIDENCE = 10
"""More reasons than this nobody reads."""


class TopicVector:
    """The topic as one weighted vector: a wanted word counts `weight`, an unwanted one `-weight`.

    A text is a vector of what its words amount to: how often each stands in it, times the word's factor. Factors are those
    of the topic (`Term.factor`, of unwanted words too), or others that a judge gives. Only their proportions count.
    """

    def __init__(self, topic: Topic, factors: Sequence[float] | None = None) -> None:
        words = (*topic.terms, *topic.negative)
        self.words = tuple(term.text for term in words)
        # Only directions count, so the largest weight becomes 1: no weight is too large or too small to square.
        weights = _scaled([term.weight for term in words])
        wanted = len(topic.terms)
        self._weights = weights[:wanted] + [-weight for weight in weights[wanted:]]
        self._norm = sqrt(sum(map(mul, weights, weights)))
        if factors is None:
            factors = [term.factor for term in words]
        scaled = _scaled(factors)
        # Of a topic that was typed by hand all are 1: then no time is spent on them.
        self._factors = scaled if any(factor != 1.0 for factor in scaled) else None
        self._keywords = Keywords(self.words)

    def count(self, flat_text: str) -> list[int]:
        """How often each word of the topic stands in a flat text (`text.flat`)."""
        return self._keywords.count(flat_text)

    def may_stand_in(self, texts: Sequence[str]) -> set[int]:
        """The places of those texts in which any of the topic's words may stand."""
        return self._keywords.may_stand_in(texts)

    def shares(self, counts: Sequence[int]) -> list[float]:
        """What each word adds to the cosine; their sum is the cosine, negative when the unwanted words prevail."""
        amounts = self._amounts(counts)
        norm = self._norm * sqrt(sum(map(mul, amounts, amounts)))
        if not norm:
            return [0.0] * len(counts)
        return [amount * weight / norm for amount, weight in zip(amounts, self._weights, strict=True)]

    def cosine(self, counts: Sequence[int]) -> float:
        """From 0 (nothing, or more against than for) to 1 (the words in the proportions of the topic)."""
        amounts = self._amounts(counts)
        length = sqrt(sum(map(mul, amounts, amounts)))
        return within_unit(sum(map(mul, amounts, self._weights)) / (length * self._norm)) if length else 0.0

    def _amounts(self, counts: Sequence[int]) -> Sequence[float]:
        return counts if self._factors is None else list(map(mul, counts, self._factors))


def _scaled(numbers: Sequence[float]) -> list[float]:
    """The numbers in their proportions, the largest being 1."""
    largest = max(numbers, default=1.0)
    return [number / largest for number in numbers]


def within_unit(value: float) -> float:
    """The value, cut to 0..1 (a rounding error may lie above 1)."""
    return min(max(value, 0.0), 1.0)


def strongest(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The reasons that matter most, for or against, in the order of their weight."""
    return tuple(sorted(evidence, key=lambda one: -abs(one.amount))[:MAX_EVIDENCE])


def flat_title(page: Page) -> str:
    """The title in its flat form: the first line of the page's, where it is not a line of the text anyway."""
    return page.flat[: max(page.flat.find("\n"), 0)] or flattened(page.title)


# --- what does a link promise, by what stands in and around it -------------------------------------------------------

ANCHOR_SHARE = 0.7
CONTEXT_SHARE = 0.3
URL_SHARE = 0.5
AROUND_SHARE = 0.5
_REMEMBERED = 50_000
"""Texts whose cosine is kept: some ten megabytes."""

Cosine = Callable[[str], float | None]
"""Of a text with the topic, or another measure of what it says; None when not one of the topic's words stands in it."""


@dataclass(frozen=True, kw_only=True)
class LinkRule:
    """How a link is read and scored."""

    text: Callable[[Link], str]
    """All that the rule looks at, as one line: a link in which none of the topic's words stands is worth nothing."""
    score: Callable[[Link, Cosine], float]
    """How much the link promises, 0 to 1."""


class LinkScorer:
    """Compares links with a topic: all links of a page at once, because most say nothing and must cost next to nothing."""

    def __init__(
        self, vector: TopicVector, rule: LinkRule, measure: Callable[[Sequence[int]], float] | None = None
    ) -> None:
        """`measure` is what the counts of the topic's words in a text are worth, instead of their cosine."""
        self._vector = vector
        self._rule = rule
        self._measure = measure or vector.cosine
        # The pages of a site share most of their links.
        self._cosine = cached(size=_REMEMBERED)(self._compare)

    def scores(self, links: Sequence[Link]) -> tuple[float, ...]:
        """How much each link promises, 0 to 1."""
        worth_a_look = self._vector.may_stand_in(list(map(self._rule.text, links)))
        score = self._rule.score
        return tuple(score(link, self._cosine) if place in worth_a_look else 0.0 for place, link in enumerate(links))

    def parts(self, link: Link) -> tuple[float, float, float]:
        """What the anchor, the surroundings with it, and the address say, each for itself."""
        context = self._cosine(_context(link))
        anchor = self._cosine(link.anchor) if context is not None else None
        return anchor or 0.0, context or 0.0, self._cosine(words_of(link.url)) or 0.0

    def _compare(self, text: str) -> float | None:
        counts = self._vector.count(flattened(text))
        return self._measure(counts) if any(counts) else None


# --- what is read ----------------------------------------------------------------------------------------------------


def _anchor(link: Link) -> str:
    return link.anchor


def _context(link: Link) -> str:
    return f"{link.before} {link.anchor} {link.after}"


def _whole(link: Link) -> str:
    return f"{link.before} {link.anchor} {link.after} {words_of(link.url)}"


def words_of(url: str) -> str:
    """Path and query as one line of text: `/energy/smart_grid.html` says `energy/smart grid.html`."""
    path = url.split("/", 3)[3].replace("_", " ")
    return _unescaped(path).replace("\n", " ") if "%" in path else path


def _unescaped(path: str) -> str:
    """Escapes are UTF-8, or else GBK on older Chinese sites."""
    characters = unquote_to_bytes(path)
    try:
        return characters.decode()
    except UnicodeDecodeError:
        return characters.decode("gb18030", errors="ignore")


# --- what it is worth ------------------------------------------------------------------------------------------------


def _mixed_score(link: Link, cosine: Cosine) -> float:
    context = cosine(_context(link))
    # The anchor is part of the context: where that says nothing, neither does the anchor.
    anchor = cosine(link.anchor) if context is not None else None
    if anchor is not None:
        return ANCHOR_SHARE * anchor + CONTEXT_SHARE * (context or 0.0)
    return URL_SHARE * (cosine(words_of(link.url)) or 0.0) + CONTEXT_SHARE * (context or 0.0)


def _best_score(link: Link, cosine: Cosine) -> float:
    context = cosine(_context(link))
    anchor = cosine(link.anchor) if context is not None else None
    return max(anchor or 0.0, cosine(words_of(link.url)) or 0.0, AROUND_SHARE * (context or 0.0))


MIXED = LinkRule(text=_whole, score=_mixed_score)
ANCHOR = LinkRule(text=_anchor, score=lambda link, cosine: cosine(link.anchor) or 0.0)
EVERYWHERE = LinkRule(text=_whole, score=_best_score)
CONTEXT = LinkRule(text=_context, score=lambda link, cosine: cosine(_context(link)) or 0.0)
