"""How would this index put the query? Mistakes put right, words cut smaller, and what else the user may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import tantivy

from shoal.index.query import Query, Words, pieces_of, written
from shoal.index.spelling import is_known, nearest

_MOST_SPELLED = 8
"""Words of a query that no page has and that are compared with what the pages have, each for some hundredths of a second."""


def put_right(query: Query, searcher: tantivy.Searcher) -> tuple[Query, list[str]]:
    """The query with words that are in the index instead of those that are not, and a sentence for each."""
    wanted: list[Words] = []
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


def _is_word(words: Words) -> bool:
    """A phrase stands as it was typed."""
    return len(words.tokens) == 1 and not words.exact


def _unknown(wanted: Iterable[Words], searcher: tantivy.Searcher) -> list[str]:
    """The words that no page has, each once."""
    asked = dict.fromkeys(token for words in wanted for token in words.tokens)
    return [token for token in asked if not is_known(searcher, token)]


def _spelled(unknown: Sequence[str], searcher: tantivy.Searcher, *, generous: bool) -> dict[str, str]:
    """What the first of them may have been meant to be."""
    return {token: nearest(searcher, token, generous=generous) for token in unknown[:_MOST_SPELLED]}


def _put_right(words: Words, spelled: Mapping[str, str]) -> Words:
    """The same words, or others where some are not in the index and others are near."""
    tokens = tuple(spelled.get(token) or token for token in words.tokens)
    if tokens == words.tokens:
        return words
    return msgspec.structs.replace(words, tokens=tokens, text=written(tokens, " " if words.exact else "-"))


def _loosened(words: Words) -> list[Words]:
    """Anywhere instead of in the title, and not as a phrase."""
    return pieces_of(msgspec.structs.replace(words, text=written(words.tokens), exact=False, in_title=False))
