"""Which entries of the index match a query, and how would this index put it? A query as terms of tantivy, mistakes put right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, log

import msgspec
import tantivy
from rapidfuzz.distance import OSA

from shoal.cache import cached
from shoal.index.analyzer import tokens
from shoal.index.merged_index import MergedIndex
from shoal.index.query import Limit, LimitKind, Query, QueryTerms, pieces_of, written
from shoal.index.schema import TEXTS, where

BOOSTS = {"title": 1.0, "headings": 0.2, "anchors": 0.4, "body": 1.0}
"""On top of each other: headings stand in the text, too, and mostly repeat the title. The middle of where all of three real webs
are better off than with other engines (`benchmarks/search_quality.py`): the one with short pages would have liked more of title
and anchors, the one with long pages less."""
_TOGETHER = 1.0
"""What two words are worth once more when one stands right behind the other."""
_MOST_PAIRS = 8
_ENOUGH, _PLENTY = 0.6, 4
"""Of three words or more, this share must be on a page; so many are enough, however long the query."""
_COUNTED = 5000
"""Pages with the rarest part of a phrase; where there are more, the phrase is taken to be as rare as that part: counting it would
take as long as searching, and it says little either way."""
_FAR = 10**9
_FEW_TOKENS = 20
"""Of a phrase whose rarity is remembered."""

Clause = tuple[tantivy.Occur, tantivy.Query]
Must, Should, MustNot = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot


class Matcher:
    """Makes queries for one state of the index, whose statistics say how rare a word is."""

    def __init__(self, index: MergedIndex) -> None:
        self._index = index
        self._schema = index.schema
        self._searcher = index.searcher
        self._pages = index.searcher.num_docs
        self.pages_with = cached(size=10_000, longest=_FEW_TOKENS)(self._pages_with)

    # --- whole queries -----------------------------------------------------------------------------------------------

    def query(self, query: Query, *, some: bool = False) -> tantivy.Query:
        """Finds the pages with enough of the wanted words; with `some`, those with at least one of them."""
        clauses = [(Must, self.words(words)) for words in query.wanted if words.exact or words.in_title]
        clauses += self._loose([words for words in query.wanted if not (words.exact or words.in_title)], some)
        clauses += [(Should, self.pair(*pair)) for pair in pairs(query.wanted)]
        clauses += [(MustNot, self.anywhere(words)) for words in query.unwanted]
        clauses += self._limits(query)
        if not any(occur == Must for occur, _ in clauses):
            clauses.append((Must, tantivy.Query.const_score_query(tantivy.Query.exists_query("id"), 1.0)))
        return tantivy.Query.boolean_query(clauses)

    def _loose(self, wanted: Sequence[QueryTerms], some: bool) -> list[Clause]:
        """Words that need not all be there; those that say little are not asked for, but count."""
        needed = [words for words in wanted if not words.light] or wanted
        if not needed:
            return []
        least = 1 if some else enough(len(needed))
        found = tantivy.Query.boolean_query([(Should, self.words(words)) for words in needed], least)
        return [(Must, found), *((Should, self.words(words)) for words in wanted if words not in needed)]

    def _limits(self, query: Query) -> list[Clause]:
        clauses = [(MustNot, self._limit(limit)) for limit in query.never]
        for kind in LimitKind:
            found = [(Should, self._limit(limit)) for limit in query.only if limit.kind is kind]
            if kind in (LimitKind.AFTER, LimitKind.BEFORE):
                clauses += [(Must, _unscored(limit)) for _, limit in found]
            elif found:
                clauses.append((Must, _unscored(tantivy.Query.boolean_query(found))))
        return clauses

    def _limit(self, limit: Limit) -> tantivy.Query:
        if limit.kind is LimitKind.SITE:
            return self._term("site", limit.value)
        if limit.kind is LimitKind.LANGUAGE:
            return self._term("language", limit.value)
        if limit.kind is LimitKind.IS:
            return self._relevant()
        if limit.kind is LimitKind.CRAWL:
            return self._term("origin", self._index.origin(limit.value))
        if limit.kind is LimitKind.TOPIC:
            return self._phrase("topic", tokens(limit.value))
        first, last = (limit.day, _FAR) if limit.kind is LimitKind.AFTER else (-_FAR, limit.day - 1)
        return tantivy.Query.range_query(self._schema, "day", tantivy.FieldType.Integer, first, last)

    def _relevant(self) -> tantivy.Query:
        judged = tantivy.Query.term_query(self._schema, "relevant", True)
        either = _any([judged, *self._marked(as_relevant=True)])
        disliked: list[Clause] = [(MustNot, query) for query in self._marked(as_relevant=False)]
        return tantivy.Query.boolean_query([(Must, either), *disliked])

    def _marked(self, *, as_relevant: bool) -> Iterator[tantivy.Query]:
        """Finds the pages of which the user said so, crawl by crawl."""
        for origin, crawl in self._index.crawls.items():
            if ids := [id for id, mark in crawl.marks.items() if mark is as_relevant]:
                yield self._index.pages(origin, "id", ids)

    # --- words -------------------------------------------------------------------------------------------------------

    def words(self, words: QueryTerms) -> tantivy.Query:
        """Finds a word or phrase in every field it may stand in, and scores it."""
        return _any([self.field(name, words.tokens) for name in fields_of(words)])

    def field(self, name: str, tokens: tuple[str, ...]) -> tantivy.Query:
        """Finds a word in one field, and scores it: the same word is as rare in all of them."""
        return self._as_rare(name, tokens, self.rarity(tokens))

    def scored(self, tokens: tuple[str, ...]) -> tantivy.Query:
        """Finds a word in title or text, and scores it."""
        return _any([self.field(name, tokens) for name in ("title", "body")])

    def anywhere(self, words: QueryTerms) -> tantivy.Query:
        """Finds a word or phrase in every field it may stand in, without scores."""
        return _any([self._phrase(name, words.tokens) for name in fields_of(words)])

    def pair(self, one: QueryTerms, other: QueryTerms) -> tantivy.Query:
        """Finds two words that stand together."""
        both = (*one.tokens, *other.tokens)
        rarity = _TOGETHER * (self.rarity(one.tokens) + self.rarity(other.tokens))
        return _any([self._as_rare(name, both, rarity) for name in ("title", "body")])

    def _as_rare(self, name: str, tokens: tuple[str, ...], rarity: float) -> tantivy.Query:
        boost = BOOSTS[name] * rarity / self._tantivys_rarity(name, tokens)
        return tantivy.Query.boost_query(self._phrase(name, tokens), boost)

    def _phrase(self, name: str, tokens: tuple[str, ...]) -> tantivy.Query:
        field, entries = where(name, tokens)
        if len(entries) == 1:
            return self._term(field, entries[0])
        return tantivy.Query.phrase_query(self._schema, field, list(entries))

    def _term(self, name: str, value: str | int) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, name, value)

    # --- how rare is it ----------------------------------------------------------------------------------------------

    def _pages_with(self, tokens: tuple[str, ...]) -> int:
        """The number of pages in whose text this stands; of a phrase of common words, that of the rarest."""
        counts = self._pages_with_each("body", tokens)
        if len(counts) == 1 or min(counts) > _COUNTED:
            return min(counts)
        result = self._searcher.search(self._phrase("body", tokens), 1)
        return int(result.count)  # type: ignore[attr-defined]  # missing in tantivy's own types

    def _pages_with_each(self, name: str, tokens: tuple[str, ...]) -> list[int]:
        """The number of pages with each entry of a phrase."""
        field, entries = where(name, tokens)
        return [self._searcher.doc_freq(field, entry) for entry in entries]

    def rarity(self, tokens: tuple[str, ...]) -> float:
        """How much it says that a word stands on a page (idf)."""
        return self._idf(self.pages_with(tokens))

    def rarest(self, tokens: tuple[str, ...]) -> float:
        """At least this much: the rarity of its rarest entry."""
        return max(map(self._idf, self._pages_with_each("body", tokens)))

    def _tantivys_rarity(self, name: str, tokens: tuple[str, ...]) -> float:
        """What tantivy takes for the rarity of a phrase: the sum over its entries."""
        return sum(map(self._idf, self._pages_with_each(name, tokens)))

    def _idf(self, pages: int) -> float:
        return log(1 + (max(0, self._pages - pages) + 0.5) / (pages + 0.5))


def fields_of(words: QueryTerms) -> tuple[str, ...]:
    """The fields in which a word may stand."""
    return ("title",) if words.in_title else TEXTS


def pairs(wanted: Sequence[QueryTerms]) -> list[tuple[QueryTerms, QueryTerms]]:
    """Neighbours of the query, which had better be neighbours on the page too."""
    return [pair for pair in pairwise(wanted) if not any(words.in_title for words in pair)][:_MOST_PAIRS]


def enough(words: int) -> int:
    """So many of the words of a query must be on a page."""
    return words if words < 3 else min(_PLENTY, ceil(_ENOUGH * words))


def _any(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    return queries[0] if len(queries) == 1 else tantivy.Query.boolean_query([(Should, query) for query in queries])


def _unscored(query: tantivy.Query) -> tantivy.Query:
    return tantivy.Query.const_score_query(query, 0.0)


# --- how would this index put the query ------------------------------------------------------------------------------

_MOST_SPELLED = 8
"""Words of a query that no page has and that are compared with what the pages have, each for some hundredths of a second."""


def put_right(query: Query, searcher: tantivy.Searcher) -> tuple[Query, list[str]]:
    """The query with words that are in the index instead of those that are not, and a sentence for each."""
    wanted: list[QueryTerms] = []
    notes = []
    unknown = _unknown((words for words in query.wanted if _is_word(words)), searcher)
    spelled = _spelled(unknown, searcher, generous=False)
    if len(unknown) > _MOST_SPELLED:
        notes.append(f"Only the first {_MOST_SPELLED} words that no page has were looked at for mistakes.")
    for words in query.wanted:
        right = _put_right(words, spelled) if _is_word(words) else words
        wanted.append(right)
        if right is not words:
            notes.append(f"Searched for '{right.text}' instead of '{words.text}'.")
    return msgspec.structs.replace(query, wanted=tuple(dict.fromkeys(wanted))), notes


def cut_smaller(query: Query) -> Query:
    """The query with the pieces of its words, where they need not stand together."""
    wanted = [piece for words in query.wanted for piece in ([words] if words.exact else pieces_of(words))]
    return msgspec.structs.replace(query, wanted=tuple(dict.fromkeys(wanted)))


def alternatives(query: Query, searcher: tantivy.Searcher) -> Iterator[Query]:
    """Queries that ask for less or for something near, the nearest first."""
    nearest_ones = _spelled(_unknown(query.wanted, searcher), searcher, generous=True)
    spelled = tuple(_put_right(words, nearest_ones) for words in query.wanted)
    loose = tuple(piece for words in spelled for piece in _loosened(words))
    known = tuple(words for words in loose if all(is_known(searcher, token) for token in words.tokens))
    for wanted in dict.fromkeys((spelled, loose, known)):
        if wanted and wanted != query.wanted:
            yield msgspec.structs.replace(query, wanted=wanted)
    for wanted in dict.fromkeys((query.wanted, spelled, loose, known)):
        if wanted and (query.only or query.never or query.unwanted):
            yield Query(wanted=wanted)


def _is_word(words: QueryTerms) -> bool:
    """A phrase stands as it was typed."""
    return len(words.tokens) == 1 and not words.exact


def _unknown(wanted: Iterable[QueryTerms], searcher: tantivy.Searcher) -> list[str]:
    """The words that no page has, each once."""
    asked = dict.fromkeys(token for words in wanted for token in words.tokens)
    return [token for token in asked if not is_known(searcher, token)]


def _spelled(unknown: Sequence[str], searcher: tantivy.Searcher, *, generous: bool) -> dict[str, str]:
    """What the first of them may have been meant to be."""
    return {token: nearest(searcher, token, generous=generous) for token in unknown[:_MOST_SPELLED]}


def _put_right(words: QueryTerms, spelled: Mapping[str, str]) -> QueryTerms:
    """The same words, or others where some are not in the index and others are near."""
    tokens = tuple(spelled.get(token) or token for token in words.tokens)
    if tokens == words.tokens:
        return words
    return msgspec.structs.replace(words, tokens=tokens, text=written(tokens, " " if words.exact else "-"))


def _loosened(words: QueryTerms) -> list[QueryTerms]:
    """Anywhere instead of in the title, and not as a phrase."""
    return pieces_of(msgspec.structs.replace(words, text=written(words.tokens), exact=False, in_title=False))


# --- the nearest word that is in the index ----------------------------------------------------------------------------

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST, _LONG = 4, 8
"""Words of 4 to 7 letters may have one mistake, longer ones two; in shorter ones every mistake is another word."""

_MOST_TRIED = 20_000
"""The most frequent ones; a mistake is hardly ever made in a word that hardly anybody uses."""


def nearest(searcher: tantivy.Searcher, word: str, *, generous: bool = False) -> str:
    """The indexed word with the fewest mistakes, of several the most frequent; empty when none is near.

    A mistake is a letter too many, too few, wrong, or two swapped. With `generous`, short words may have two as well, and one of
    them at their second letter.
    """
    if not (word.isascii() and word.isalpha() and len(word) >= _SHORTEST):
        return ""
    if found := _best(searcher, _one_mistake(word)):
        return found
    if not (generous or len(word) >= _LONG):
        return ""
    # There, mistakes are rare.
    return _best(searcher, _two_mistakes(searcher, word, alike=1 if generous else 2))


def is_known(searcher: tantivy.Searcher, token: str) -> bool:
    """True when some page has the word."""
    return _frequency(searcher, token) > 0


def _best(searcher: tantivy.Searcher, words: Iterator[str]) -> str:
    known = {word: frequency for word in words if (frequency := _frequency(searcher, word))}
    return min(known, key=lambda word: (-known[word], word), default="")


def _frequency(searcher: tantivy.Searcher, token: str) -> int:
    places = (where(field, (token,)) for field in TEXTS)
    return max(searcher.doc_freq(field, entry) for field, (entry,) in places)


def _one_mistake(word: str) -> Iterator[str]:
    """Every string that is one mistake away."""
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in _LETTERS)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in _LETTERS if letter != after[0])
        if len(after) > 1 and after[0] != after[1]:
            yield before + after[1] + after[0] + after[2:]


def _two_mistakes(searcher: tantivy.Searcher, word: str, *, alike: int) -> Iterator[str]:
    """The indexed words two mistakes away, of those whose first letters are alike."""
    for other, _ in searcher.terms_with_prefix("body", word[:alike], limit=_MOST_TRIED):
        if other.isalpha() and OSA.distance(word, other, score_cutoff=2) <= 2:
            yield other
