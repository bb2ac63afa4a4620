"""What has the crawl taught us about its topic?

The vector and the threshold, estimated anew from the pages that were judged (AVSM 2.2.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from msgspec.structs import replace

from shoal.model import Origin, Term, Topic, Value, Verdict
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
from shoal.topic.word_frequencies import Background
from shoal.topic.word_readers import form_of

RAISE = 1.05
"""alpha, from 1 to 1.1."""
RAISE_STRONGLY = 1.2
"""beta, from 1.1 to 1.5."""
FEW_RELEVANT = 0.3
"""mu, from 0.1 to 0.5."""
LOWER = 0.95
"""gamma, from 0.9 to 1."""
LEAST, MOST = 0.25, 4.0
"""The threshold stays between these multiples of the one the crawl began with."""


class Threshold(Value, frozen=True, kw_only=True):
    """The threshold at one moment; it does not change, but has a successor."""

    start: float
    """The one the crawl began with."""
    wanted: int
    """S: pages wanted per interval."""
    value: float
    intervals: int = 0
    """T: intervals that are over."""
    got: int = 0
    """F: pages got in all of them."""
    why: str = ""
    """One sentence: what moved it after the last interval; empty when it stayed."""

    def after(self, verdicts: Iterable[Verdict]) -> Threshold:
        """The threshold after an interval that brought these pages."""
        # By the threshold each was judged with, because each of several topics may have its own.
        back = self.start / self.value if self.value else 1.0
        got = [verdict for verdict in verdicts if verdict.relevant]
        return self.next(got=len(got), relevant=sum(one.score >= one.threshold * back for one in got))

    def next(self, *, got: int, relevant: int) -> Threshold:
        """The threshold after an interval in which so many pages came, so many of them relevant."""
        intervals, total = self.intervals + 1, self.got + got
        factor, cause = self._rule(got, relevant, total, intervals)
        value = min(max(self.value * factor, LEAST * self.start), MOST * self.start)
        why = ""
        if value != self.value:
            why = f"The threshold {'rose' if value > self.value else 'fell'} from {self.value:.3g} to {value:.3g}: {cause}."
        return replace(self, value=value, intervals=intervals, got=total, why=why)

    def _rule(self, got: int, relevant: int, total: int, intervals: int) -> tuple[float, str]:
        """The rule that holds: its factor, and what happened in words."""
        happened = f"{got:,} pages came, {self.wanted:,} were wanted"
        if got > self.wanted and total > self.wanted * intervals:
            if relevant < FEW_RELEVANT * got:
                return RAISE_STRONGLY, f"{happened}, and only {relevant:,} of them are as good as those at the start"
            return RAISE, happened
        if got < self.wanted and total < self.wanted * intervals:
            return LOWER, happened
        return 1.0, happened

    def on(self, topic: Topic) -> Topic:
        """The topic with this threshold; those of its parts move by the same factor."""
        before = self.start if topic.threshold is None else topic.threshold
        factor = self.value / before if before else 1.0
        parts = tuple(
            replace(part, threshold=factor * (before if part.threshold is None else part.threshold))
            for part in topic.any
        )
        return replace(topic, threshold=self.value, any=parts)


def begin(start: float, wanted: int) -> Threshold:
    """The threshold of a new crawl: the user's, or else the judge's own."""
    return Threshold(start=start, wanted=wanted, value=start)


# --- what has the crawl taught us about its topic --------------------------------------------------------------------

FIRST, RELEVANT, IRRELEVANT = 1.0, 0.75, 0.15
"""a, b and c."""
MOST_TERMS = 60
_NAMED = 5
"""More words than this are counted, not named, in a reason."""


def estimate(
    start: Topic, now: Topic, relevant: Sequence[Words], irrelevant: Sequence[Words], background: Background
) -> tuple[Topic, str]:
    """The topic anew, from the one the crawl began with, the one it has, and the pages judged so far; and why, in one sentence,
    which is empty when the topic stays as it is, because no weight moved by a tenth.

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
    why = difference(now, topic).sentence()
    return (topic, why) if why else (now, "")


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
        Term(text=word, weight=vector[word], factor=factors[word], origin=Origin.ADAPTED)
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
class TopicDifference:
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


def difference(old: Topic, new: Topic) -> TopicDifference:
    """What changed between two versions; the strongest words first."""
    before = {form_of(term.text): term for term in old.terms}
    after = {form_of(term.text): term for term in new.terms}
    both = [(before[form], after[form]) for form in before if form in after]
    return TopicDifference(
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
