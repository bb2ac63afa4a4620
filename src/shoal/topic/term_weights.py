"""Which words make a topic? Weights from sample pages, guided by the words that were typed (AVSM 2.1).

Weight of word k in sample i:

    W_ik = t_ik x log(N/n_k + 0.1) x C_k / sqrt( sum_k (t_ik x log(N/n_k + 0.1) x C_k)^2 )
    C_k  = 1 + log( (df_topic_k + 1) / (df_background_k + 1) ),  at least 0.1

t_ik: how often k stands in i; N: samples; n_k: samples that hold k; df: how many of 1,000 pages hold k, by the samples and
by the background. The weight of a word in the topic is the mean of its W_ik over all samples, scaled so that the strongest
word weighs as much as the heaviest typed one. Everything here is a pure function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from msgspec.structs import replace

from shoal.model import Origin, Page, Term, Topic
from shoal.text import Keywords, terms
from shoal.topic.combined import together
from shoal.topic.word_frequencies import Background
from shoal.topic.word_readers import form_of

Words = Mapping[str, int]
"""A page as its words with their counts: analysed terms, and the topic's own words and phrases in their form (`form_of`)."""

MOST_LEARNED = 40
"""More words than this nobody looks through."""
LEAST_SHARE = 0.03
"""A learned word with less than this share of the heaviest weight changes no score, and is left out."""
LEAST_CLASS_WEIGHT = 0.1
PER_PAGES = 1000
"""Document frequencies are compared per 1,000 pages, because there are few samples and many other pages."""
DAMPING = 0.5
"""What is left of the weight of a word that never stands on one page with a typed word."""
EMPHASIS = 20.0
"""A function word is learned only from samples that use it so many times as often as the language does (`car` in a magazine)."""


@dataclass(frozen=True, kw_only=True)
class TermStatistics:
    """What the samples say of one word."""

    count: int
    """How often it stands in all of them."""
    samples: int
    """In how many of them it stands."""


@dataclass(frozen=True, kw_only=True)
class LearnedTopic:
    """A topic that was learned, and what it was learned from."""

    topic: Topic
    samples: int
    found: Mapping[str, TermStatistics]
    """By the text of each of the topic's words."""


def words_of(page: Page, topic: Topic) -> Words:
    """A page as a sample. The parts of a typed phrase count only where they stand outside of it."""
    # The title of a text file is its first line.
    words = Counter(terms(page.text if page.text.startswith(page.title) else f"{page.title}\n{page.text}"))
    typed = {form_of(term.text): term.text for term in (*topic.terms, *topic.negative)}
    counts = dict(zip(typed, Keywords(list(typed.values())).count(page.flat), strict=True))
    for form, text in typed.items():
        words.subtract({part: counts[form] for part in terms(text) if part not in typed})
    return {word: count for word, count in {**words, **counts}.items() if count > 0}


def learn(topic: Topic, samples: Sequence[Words], background: Background, *, most: int = MOST_LEARNED) -> LearnedTopic:
    """The topic with what the samples teach; words that were learned before are learned anew.

    Of several topics, each learns from the samples that hold one of its own words. Without samples nothing changes.
    """
    if topic.any:
        lessons = [learn(part, about(part.terms, samples), background, most=most) for part in topic.any]
        found = {text: one for lesson in lessons for text, one in lesson.found.items()}
        whole = together(topic, [lesson.topic for lesson in lessons])
        return LearnedTopic(topic=whole, samples=len(samples), found=found)
    if not samples:
        return LearnedTopic(topic=topic, samples=0, found={})
    hand = tuple(term for term in topic.terms if term.origin is Origin.HAND)
    factors = term_factors(samples, samples, background, typed=hand)
    means = damped(mean(weights(words, factors) for words in samples), samples, hand)
    typed = {form_of(term.text) for term in (*hand, *topic.negative)}
    new = [word for word in candidates(samples, background) if word not in typed]
    strongest = max((means[word] for word in (*new, *typed) if word in means), default=1.0)
    scale = max((term.weight for term in hand), default=1.0) / strongest
    kept = (*_raised(hand, means, scale, factors), *_learned(new, means, scale, factors, most))
    learned = replace(topic, terms=kept, negative=in_proportion(topic.negative, topic.terms, kept))
    return LearnedTopic(topic=learned, samples=len(samples), found=_found(kept, samples))


def about(typed: Iterable[Term], samples: Iterable[Words]) -> list[Words]:
    """The samples that hold at least one of these words."""
    forms = {form_of(term.text) for term in typed}
    return [words for words in samples if not forms.isdisjoint(words)]


# --- the formula -----------------------------------------------------------------------------------------------------


def term_factors(
    samples: Sequence[Words], topical: Sequence[Words], background: Background, typed: Iterable[Term] = ()
) -> dict[str, float]:
    """`log(N/n + 0.1) x C` of every word of the samples, of which the topical ones are about the topic.

    A typed word that no sample holds counts as if one of the topical did.
    """
    holding = Counter(word for words in samples for word in words)
    topical_holding = Counter(word for words in topical for word in words)
    missing = {form_of(term.text): 1 for term in typed if form_of(term.text) not in holding}
    holding.update(missing)
    topical_holding.update(missing)
    length = sum(sum(words.values()) for words in samples) // max(1, len(samples))
    factors: dict[str, float] = {}
    for word, held in holding.items():
        of_topic = PER_PAGES * topical_holding[word] / max(1, len(topical))
        of_others = background.documents_with(word, PER_PAGES, length)
        factors[word] = rarity(len(samples), held) * class_weight(of_topic, of_others)
    return factors


def rarity(samples: int, holding: int) -> float:
    """`log(N/n + 0.1)`."""
    return log(samples / holding + 0.1)


def class_weight(of_topic: float, of_background: float) -> float:
    """`C`: how much more often pages about the topic hold the word than others do."""
    return max(LEAST_CLASS_WEIGHT, 1 + log((of_topic + 1) / (of_background + 1)))


def weights(words: Words, factors: Mapping[str, float]) -> dict[str, float]:
    """`W_i`: one sample as a vector of length 1."""
    products = {word: count * factors[word] for word, count in words.items()}
    norm = sqrt(sum(product * product for product in products.values())) or 1.0
    return {word: product / norm for word, product in products.items()}


def mean(vectors: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of vectors that hold only what is not 0."""
    total: dict[str, float] = {}
    count = 0
    for vector in vectors:
        count += 1
        for word, weight in vector.items():
            total[word] = total.get(word, 0.0) + weight
    return {word: weight / count for word, weight in total.items()}


# --- typed words guide -----------------------------------------------------------------------------------------------


def damped(means: Mapping[str, float], samples: Iterable[Words], hand: Sequence[Term]) -> dict[str, float]:
    """The weights, halved for words that never stand on one page with a typed word."""
    company = {word for words in about(hand, samples) for word in words}
    return {word: weight if word in company or not hand else weight * DAMPING for word, weight in means.items()}


def _raised(
    hand: Iterable[Term], means: Mapping[str, float], scale: float, factors: Mapping[str, float]
) -> Iterator[Term]:
    """The typed words with what one occurrence of each counts; none weighs less than was typed."""
    for term in hand:
        form = form_of(term.text)
        yield replace(term, weight=max(term.weight, scale * means.get(form, 0.0)), factor=factors[form])


def _learned(
    new: Iterable[str], means: Mapping[str, float], scale: float, factors: Mapping[str, float], most: int
) -> Iterator[Term]:
    """The best of the new words."""
    best = sorted(new, key=lambda word: (-means[word], word))[:most]
    for word in best:
        if means[word] >= LEAST_SHARE * means[best[0]]:
            yield Term(text=word, weight=scale * means[word], factor=factors[word], origin=Origin.SEEDS)


def in_proportion(negative: Iterable[Term], before: Sequence[Term], after: Sequence[Term]) -> tuple[Term, ...]:
    """Unwanted words, which samples hardly hold: as strong against the others as they were, whatever those count now.

    With the factors of a topic typed by hand, all 1, that is the mean factor of the others.
    """
    growth = _mean_factor(after) / _mean_factor(before)
    return tuple(replace(term, factor=term.factor * growth) for term in negative)


def _mean_factor(words: Sequence[Term]) -> float:
    return sum(term.factor for term in words) / len(words) if words else 1.0


# --- which words are worth it ----------------------------------------------------------------------------------------


def candidates(samples: Sequence[Words], background: Background) -> list[str]:
    """The words that can be learned: in two samples, if there are two, and neither numbers nor grammar."""
    holding = Counter(word for words in samples for word in words)
    total = Counter[str]()
    for words in samples:
        total.update(words)
    length = max(1, total.total())
    return [
        word
        for word, held in holding.items()
        if held >= min(2, len(samples)) and can_be_learned(word, total[word] / length, background)
    ]


def can_be_learned(word: str, rate: float, background: Background) -> bool:
    """No numbers, no single letters or characters; a function word only where the samples are full of it."""
    if len(word) < 2 or not any(character.isalpha() for character in word):
        return False
    return not background.is_function_word(word) or rate >= EMPHASIS * background.frequency(word)


def _found(kept: Iterable[Term], samples: Sequence[Words]) -> dict[str, TermStatistics]:
    found = {}
    for term in kept:
        counts = [words[form] for form in [form_of(term.text)] for words in samples if form in words]
        found[term.text] = TermStatistics(count=sum(counts), samples=len(counts))
    return found
