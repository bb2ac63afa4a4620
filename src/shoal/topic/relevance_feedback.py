"""What has the crawl taught us about its topic? The vector, estimated anew from the pages that were judged (AVSM 2.2.1).

Rocchio's form, over vectors of length 1 (`learn.weights`):

    f' = a x f + b x mean(relevant) - c x mean(irrelevant),        a = 1, b = 0.75, c = 0.15

f is the topic the crawl began with, so what was learned in one interval and proved wrong is forgotten in the next. The three
numbers are the classical ones: what the user said counts most, and a page that was judged irrelevant says little, because
there are so many ways to be about something else. Everything here is a pure function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from msgspec.structs import replace

from shoal.model import Origin, Term, Topic
from shoal.topic.combined import together
from shoal.topic.term_weights import (
    LEAST_SHARE,
    Words,
    about,
    candidates,
    damped,
    in_proportion,
    mean,
    term_factors,
    weights,
)
from shoal.topic.value_readers import form_of
from shoal.topic.word_frequencies import Background

FIRST, RELEVANT, IRRELEVANT = 1.0, 0.75, 0.15
"""a, b and c."""
MOST_TERMS = 60
_NAMED = 5
"""More words than this are counted, not named, in a reason."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The topic as it is estimated now; whoever keeps the versions gives it its number."""

    topic: Topic
    why: str
    """One sentence for the history; empty when the topic stays as it is, because no weight moved by a tenth."""


def estimate(
    start: Topic, now: Topic, relevant: Sequence[Words], irrelevant: Sequence[Words], background: Background
) -> Estimate:
    """The topic anew, from the one the crawl began with, the one it has, and the pages judged so far.

    The background is that of the language; the irrelevant pages are added to it here. Without relevant pages nothing
    changes. Of several topics, each learns from the relevant pages that hold one of its own words.
    """
    known = background.with_pages(irrelevant)
    parts = [
        _rocchio(first, about(first.terms, relevant) if start.any else relevant, irrelevant, known)
        for first in start.each
    ]
    if not start.any:
        topic = replace(now, terms=parts[0].terms, negative=parts[0].negative)
    else:
        thresholds = [part.threshold for part in now.any]
        kept = [replace(part, threshold=own) for part, own in zip(parts, thresholds, strict=True)]
        topic = together(now, kept)
    if why := difference(now, topic).sentence():
        return Estimate(topic=topic, why=why)
    return Estimate(topic=now, why="")


def _rocchio(first: Topic, relevant: Sequence[Words], irrelevant: Sequence[Words], background: Background) -> Topic:
    if not relevant:
        return first
    hand = [term for term in first.terms if term.origin is Origin.HAND]
    pages = [*relevant, *irrelevant]
    factors = term_factors(pages, relevant, background, typed=first.terms)
    vector = rocchio(
        {form_of(term.text): term.weight for term in first.terms},
        damped(mean(weights(words, factors) for words in relevant), relevant, hand),
        mean(weights(words, factors) for words in irrelevant),
    )
    kept = [_kept(term, vector, factors) for term in first.terms]
    typed = {form_of(term.text) for term in (*first.terms, *first.negative)}
    kept += [
        Term(text=word, weight=vector[word], factor=factors[word], origin=Origin.FEEDBACK)
        for word in candidates(relevant, background)
        if word not in typed and word in vector
    ]
    terms = _strongest(kept)
    return replace(first, terms=terms, negative=in_proportion(first.negative, first.terms, terms))


def rocchio(
    first: Mapping[str, float], relevant: Mapping[str, float], irrelevant: Mapping[str, float]
) -> dict[str, float]:
    """`f'`, in the scale of f; f itself is brought to length 1 meanwhile, because the pages' vectors have that length."""
    length = sqrt(sum(weight * weight for weight in first.values())) or 1.0
    return {
        word: FIRST * first.get(word, 0.0)
        + length * (RELEVANT * relevant.get(word, 0.0) - IRRELEVANT * irrelevant.get(word, 0.0))
        for word in {**first, **relevant}
    }


def _kept(term: Term, vector: Mapping[str, float], factors: Mapping[str, float]) -> Term:
    """A word the crawl began with; a typed one never weighs less than was typed."""
    form = form_of(term.text)
    least = term.weight if term.origin is Origin.HAND else 0.0
    return replace(term, weight=max(least, vector[form]), factor=factors[form])


def _strongest(kept: Sequence[Term]) -> tuple[Term, ...]:
    """The typed words and the best of the others, those that hardly weigh anything left out."""
    heaviest = max(term.weight for term in kept)
    hand = [term for term in kept if term.origin is Origin.HAND]
    others = [term for term in kept if term.origin is not Origin.HAND and term.weight >= LEAST_SHARE * heaviest]
    others.sort(key=lambda term: (-term.weight, term.text))
    return (*hand, *others[: max(0, MOST_TERMS - len(hand))])


# --- what changed ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What one version of a topic has that another has not."""

    learned: tuple[Term, ...]
    dropped: tuple[Term, ...]
    moved: tuple[tuple[Term, Term], ...]
    """Words whose weight changed by a tenth or more, as they were and as they are."""

    def sentence(self) -> str:
        """`Learned 变压器, 输电; dropped fan.`, or nothing."""
        parts = [
            f"{verb} {_listed(term.text for term in words)}"
            for verb, words in (("learned", self.learned), ("dropped", self.dropped))
            if words
        ]
        if not parts and self.moved:
            parts = [f"weighed {_listed(new.text for _, new in self.moved)} anew"]
        sentence = "; ".join(parts)
        return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""


def difference(old: Topic, new: Topic) -> Difference:
    """What changed between two versions; the strongest words first."""
    before = {form_of(term.text): term for term in old.terms}
    after = {form_of(term.text): term for term in new.terms}
    both = [(before[form], after[form]) for form in before if form in after]
    return Difference(
        learned=_by_weight(term for form, term in after.items() if form not in before),
        dropped=_by_weight(term for form, term in before.items() if form not in after),
        moved=tuple((one, other) for one, other in both if abs(other.weight - one.weight) >= 0.1 * one.weight),
    )


def _by_weight(words: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(sorted(words, key=lambda term: (-term.weight, term.text)))


def _listed(words: Iterable[str]) -> str:
    words = list(words)
    more = len(words) - _NAMED
    return ", ".join(words[:_NAMED]) + (f" and {more} more" if more > 0 else "")
