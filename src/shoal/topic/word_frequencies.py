"""How common is a word, whatever the topic? By the language at large, and by the pages known so far that are about other things.

A word that a tenth of all pages use says little about a topic. The frequencies of the language come from `wordfreq`, Chinese
and English alike; they count like a few dozen pages, so the more pages a crawl has seen, the less they matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import expm1, log1p
from typing import Self

from shoal.text import flattened

LANGUAGES = ("en", "zh")
UNKNOWN = 5e-7
"""The share in all words of a word that no list has: rarer than the rarest listed ones, which have 1e-6."""
JOINED = 0.1
"""A phrase is that much as frequent as the rarer of its halves; about right for Chinese compounds."""
FUNCTION_WORD = 3e-4
"""From this share on a word is grammar or small talk (however, today; 因为, 虽然), unless a text uses it far more often."""
LANGUAGE_PAGES = 50
"""The language counts as much as this many pages."""


@dataclass(frozen=True, kw_only=True)
class Background:
    """What is known of words in general. Words are looked up in the form in which `topic.word_readers.form_of` writes them."""

    frequencies: Mapping[str, float] = field(default_factory=dict)
    """The share of each word in all words of its language."""
    documents: Mapping[str, int] = field(default_factory=dict)
    """On how many of the known pages each word stands."""
    pages: int = 0

    def documents_with(self, word: str, of: int, length: int) -> float:
        """How many of so many pages, each so many words long, are expected to hold the word.

        of x (50 x (1 - (1 - p)^length) + documents) / (50 + pages)
        """
        language = -expm1(length * log1p(-self.frequency(word)))
        return of * (LANGUAGE_PAGES * language + self.documents.get(word, 0)) / (LANGUAGE_PAGES + self.pages)

    def frequency(self, word: str) -> float:
        """The share of a word in all words of the language; of one that is not listed, an estimate from its halves."""
        known = self.frequencies.get(word)
        return known if known is not None else max(UNKNOWN, self._estimate(word))

    def _estimate(self, word: str) -> float:
        """越来越多 is about as frequent as its best halves, 越来越 and 多, let one expect."""
        cuts = [place for place in range(1, len(word)) if not word.isascii() or word[place] == " "]
        halves = ((word[:place].strip(), word[place:].strip()) for place in cuts)
        listed = self.frequencies.get
        return max((JOINED * min(listed(one, 0.0), listed(other, 0.0)) for one, other in halves), default=0.0)

    def is_function_word(self, word: str) -> bool:
        """True for the words that every text needs."""
        return self.frequency(word) >= FUNCTION_WORD

    def with_pages(self, pages: Iterable[Mapping[str, int]]) -> Self:
        """What is known when these pages, each as its words with their counts, are known too."""
        added = [words.keys() for words in pages]
        documents = Counter(self.documents)
        for words in added:
            documents.update(words)
        return replace(self, documents=documents, pages=self.pages + len(added))


@cache
def general() -> Background:
    """The languages at large; the first call takes half a second."""
    # Here, because it reads word lists of many languages, and only who learns needs it.
    import wordfreq

    frequencies: dict[str, float] = {}
    for language in LANGUAGES:
        for word, share in _by_form(wordfreq.get_frequency_dict(language, "small")).items():
            frequencies[word] = max(share, frequencies.get(word, 0.0))
    return Background(frequencies=frequencies)


def _by_form(listed: Mapping[str, float]) -> dict[str, float]:
    """The list in our spelling: `grid` and `grids` are one word, and its share is that of both."""
    shares: dict[str, float] = {}
    for word, share in listed.items():
        if form := flattened(word).strip():
            shares[form] = shares.get(form, 0.0) + share
    return shares
