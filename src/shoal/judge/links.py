"""What does a link promise, by what stands in and around it? The rules that the judges share.

The parts of a link are compared with the topic by the same cosine as pages are. "Context" is the anchor with up to 50
characters either side, read as one text. `ANCHOR` is the cosine of the anchor alone (RESTORE 3.2), `CONTEXT` that of the
context (IMAGE 1.1-1.3). `MIXED`, for judges whose papers say nothing of links, is made of both and of the URL:

    0.7 x cosine(anchor) + 0.3 x cosine(context)              when one of the topic's words stands in the anchor
    0.5 x cosine(words of the URL) + 0.3 x cosine(context)    when none does

A link known only by its URL or its surroundings is thus never as good as one whose text names the topic.

`EVERYWHERE`, of `evidence`, is the best of the three places; what stands around the link counts half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from shoal.cache import cached
from shoal.judge.vector import TopicVector
from shoal.model import Link
from shoal.text import flattened

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
