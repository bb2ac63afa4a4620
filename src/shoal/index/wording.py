"""How would this index put the query? Mistakes put right, words cut smaller, and what else the user may have meant."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import tantivy

from shoal.index.query import Query, Words, pieces_of, written
from shoal.index.spelling import is_known, nearest


def put_right(query: Query, searcher: tantivy.Searcher) -> tuple[Query, list[str]]:
    """The query with words that are in the index instead of those that are not, and a sentence for each."""
    wanted: list[Words] = []
    notes = []
    for words in query.wanted:
        right = words if words.exact else _put_right(words, searcher)
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
    spelled = tuple(_put_right(words, searcher, generous=True) for words in query.wanted)
    loose = tuple(piece for words in spelled for piece in _loosened(words))
    known = tuple(words for words in loose if all(is_known(searcher, token) for token in words.tokens))
    for wanted in dict.fromkeys((spelled, loose, known)):
        if wanted and wanted != query.wanted:
            yield msgspec.structs.replace(query, wanted=wanted)
    for wanted in dict.fromkeys((query.wanted, spelled, loose, known)):
        if wanted and (query.only or query.never or query.unwanted):
            yield Query(wanted=wanted)


def _put_right(words: Words, searcher: tantivy.Searcher, *, generous: bool = False) -> Words:
    """The same words, or others where some are not in the index and others are near."""
    if len(words.tokens) > 1 and not generous:
        return words
    tokens = tuple(_token(token, searcher, generous) for token in words.tokens)
    if tokens == words.tokens:
        return words
    return msgspec.structs.replace(words, tokens=tokens, text=written(tokens, " " if words.exact else "-"))


def _token(token: str, searcher: tantivy.Searcher, generous: bool) -> str:
    return token if is_known(searcher, token) else nearest(searcher, token, generous=generous) or token


def _loosened(words: Words) -> list[Words]:
    """Anywhere instead of in the title, and not as a phrase."""
    return pieces_of(msgspec.structs.replace(words, text=written(words.tokens), exact=False, in_title=False))
