"""What are the words by which a page is known, so that others like it can be found?"""

from __future__ import annotations

from collections import Counter
from math import log

import tantivy

from shoal.index.analyse import tokens
from shoal.index.query_builder import Matcher, Should
from shoal.text import terms

_READ = 20_000
"""Characters of the text that are read: enough to know it by."""
_IN_TITLE = 3
"""A word of the title counts like so many in the text."""
_CLOSER_LOOK, _KEPT = 60, 25
_SHARE = 0.2
"""Of those words, so many must be on another page."""


def likeness(matcher: Matcher, title: str, text: str) -> tantivy.Query | None:
    """Finds pages with the same telling words; None when there are no such words."""
    telling = telling_words(matcher, title, text)
    if not telling:
        return None
    clauses = [(Should, tantivy.Query.boost_query(matcher.scored(words), weight)) for words, weight in telling.items()]
    return tantivy.Query.boolean_query(clauses, max(1, round(_SHARE * len(clauses))))


def telling_words(matcher: Matcher, title: str, text: str) -> dict[tuple[str, ...], float]:
    """The words that stand often here and on few pages, with how much of the page each one is (tf, 0 to 1)."""
    counts = Counter(terms(text[:_READ]))
    for word in terms(title):
        counts[word] += _IN_TITLE
    often = {tokens(word): 1 + log(count) for word, count in counts.items() if len(word) > 1 and not word.isdigit()}
    # The rarest pair of characters is a cheap bound; the pages with the whole word are counted for the best only.
    bound = sorted(often, key=lambda words: -often[words] * matcher.rarest(words))[:_CLOSER_LOOK]
    exact = {words: often[words] * matcher.rarity(words) for words in bound if matcher.pages_with(words) > 1}
    best = sorted(exact, key=lambda words: (-exact[words], words))[:_KEPT]
    return {words: often[words] for words in best}
