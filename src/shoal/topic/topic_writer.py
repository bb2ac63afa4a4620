"""How does a topic become a file that a person can edit? Written with comments; changed without touching what is there.

A file is written beside its place and then moved there, so that nobody ever reads half of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable, AoT, Array, Item, Table

from shoal.errors import InputError
from shoal.files import written
from shoal.model import Origin, Term, Topic
from shoal.topic import value_readers
from shoal.topic.term_weights import TermStatistics
from shoal.topic.topic_file import load

NOTHING: Mapping[str, TermStatistics] = {}
_HEAD = (
    "A topic for shoal: `shoal crawl THIS-FILE`. Change what you like; a heavier word counts more.",
    "factor is what one occurrence on a page counts, 1 being the mean; leave it out where you do not care.",
)
_INDENT = re.compile(r"\n([ \t]*+)[\"']")
_ORIGINS = {Origin.HAND: "typed", Origin.SEEDS: "from the samples", Origin.ADAPTED: "learned while crawling"}


def new_topic_file(
    path: Path,
    topic: Topic,
    seeds: Sequence[str],
    *,
    found: Mapping[str, TermStatistics] = NOTHING,
    overwrite: bool = False,
) -> None:
    """Write a topic with its seeds to a new file; one that is there already is replaced only when asked to."""
    if not overwrite and path.exists():
        raise InputError(f"{path} is there already; give it another name, or say --force to replace it")
    _write(path, topic_text(topic, seeds, found=found))


def topic_text(topic: Topic, seeds: Sequence[str], *, found: Mapping[str, TermStatistics] = NOTHING) -> str:
    """The topic as TOML. Behind each word stands where it came from, and how often it was found."""
    document = tomlkit.document()
    for line in _HEAD if any(term.factor != 1.0 for term in topic.terms) else _HEAD[:1]:
        document.add(tomlkit.comment(line))
    document.add("name", tomlkit.item(topic.name))
    if topic.languages:
        document.add("language", tomlkit.item(list(topic.languages)))
    if topic.threshold is not None:
        document.add("threshold", tomlkit.item(_rounded(topic.threshold)))
    if not seeds:
        document.add(tomlkit.comment("The URLs a crawl begins at; there must be one."))
    document.add("seeds", _lines(seeds))
    if topic.any:
        _add_unwanted(document, topic.negative, 1.0)
        document.add("any", _parts(topic, found))
    else:
        _add_words(document, topic, found)
    return tomlkit.dumps(document)


def add_seeds(path: Path, urls: Iterable[str]) -> tuple[str, ...]:
    """Add URLs to the seeds of a topic file, below those that are there; the answer is what was new.

    Comments, order and everything else stay as they are.
    """
    said, document = load(path), _read(path)  # `load` says what is wrong with a file that cannot be read
    try:
        wanted = value_readers.seeds(list(urls))
        known = value_readers.seeds(said.get("seeds", []))
    except ValueError as error:
        raise InputError(f"{path}: seeds {error}") from None
    new = tuple(url for url in wanted if url not in known)
    if new:
        _write(path, _with_seeds(document, new))
    return new


# --- words -----------------------------------------------------------------------------------------------------------


def _add_words(table: AbstractTable | tomlkit.TOMLDocument, topic: Topic, found: Mapping[str, TermStatistics]) -> None:
    """The words of one topic: unwanted ones first, because in TOML a key must not stand below a table."""
    # Only the proportions of factors count. With a mean of 1, a word that somebody adds without one is like the others.
    mean = sum(term.factor for term in topic.terms) / len(topic.terms)
    _add_unwanted(table, topic.negative, mean)
    typed = [term for term in topic.terms if term.origin is Origin.HAND]
    learned = [term for term in topic.terms if term.origin is not Origin.HAND]
    if typed:
        table.add("keywords", _weights(typed, mean, found))
    if learned:
        table.add("learned", _weights(learned, mean, found))


def _weights(words: Iterable[Term], mean: float, found: Mapping[str, TermStatistics]) -> Table:
    table = tomlkit.table()
    for term in words:
        item = _numbers(term, mean)
        item.comment(_note(term, found.get(term.text)))
        table.add(tomlkit.key(term.text), item)
    return table


def _numbers(term: Term, mean: float) -> Item:
    """The weight, and the factor too if it is not the mean one."""
    factor = _rounded(term.factor / mean)
    if factor == 1.0:
        return tomlkit.item(_rounded(term.weight))
    pair = tomlkit.inline_table()
    pair.update({"weight": _rounded(term.weight), "factor": factor})
    return pair


def _note(term: Term, found: TermStatistics | None) -> str:
    """`from the samples: 12 times in 3`."""
    if found is None:
        return _ORIGINS[term.origin]
    times = "once" if found.count == 1 else f"{found.count:,} times"
    often = f"{times} in {found.samples:,}" if found.count else "in none of the samples"
    return f"{_ORIGINS[term.origin]}: {often}"


def _add_unwanted(table: AbstractTable | tomlkit.TOMLDocument, negative: Sequence[Term], mean: float) -> None:
    if not negative:
        return
    if all(term.weight == _rounded(term.factor / mean) == 1.0 for term in negative):
        table.add("not", tomlkit.item([term.text for term in negative]))
        return
    pairs = tomlkit.inline_table()
    pairs.update({term.text: _numbers(term, mean) for term in negative})
    table.add("not", pairs)


def _parts(topic: Topic, found: Mapping[str, TermStatistics]) -> AoT:
    tables = tomlkit.aot()
    for part in topic.any:
        table = tomlkit.table()
        table.add("name", tomlkit.item(part.name))
        if part.threshold is not None and part.threshold != topic.threshold:
            table.add("threshold", tomlkit.item(_rounded(part.threshold)))
        everyones = {term.text for term in topic.negative}
        own = [term for term in part.negative if term.text not in everyones]
        _add_words(table, Topic(name=part.name, terms=part.terms, negative=tuple(own)), found)
        tables.append(table)
    return tables


def _rounded(number: float) -> float:
    """Three digits that count: nobody wants to edit 0.4230769230769231."""
    return float(f"{number:.3g}")


# --- files -----------------------------------------------------------------------------------------------------------


def _lines(urls: Iterable[str]) -> Array:
    array = tomlkit.array()
    array.extend(urls)
    array.multiline(True)
    return array


def _with_seeds(document: tomlkit.TOMLDocument, urls: Sequence[str]) -> str:
    """The file's text with more seeds."""
    seeds = document.get("seeds")
    if isinstance(seeds, Array):
        lines = _INDENT.search(seeds.as_string())
        for url in urls:
            if lines:
                seeds.add_line(url, indent=lines[1])
            else:
                seeds.append(url)
    elif seeds is not None:
        document["seeds"] = _lines([str(seeds), *urls])
    else:
        # A key must not stand below a table, so it goes to the top, below what the file says about itself.
        own = tomlkit.document()
        own.add("seeds", _lines(urls))
        head, rest = _split(tomlkit.dumps(document))
        return f"{head}{tomlkit.dumps(own)}{rest}"
    return tomlkit.dumps(document)


def _split(text: str) -> tuple[str, str]:
    """The comments at the top of a file, and what follows."""
    head = "".join(takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True)))
    return head, text[len(head) :]


def _read(path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be changed, because it is unusual TOML: {error}") from None


def _write(path: Path, text: str) -> None:
    with written(path) as file:
        file.write(text.encode())
