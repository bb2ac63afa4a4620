"""How do several topics become one? One topic holds them all, and each is judged on its own (IMAGE 1.1).

In a topic file each of them is a table below a line `[[any]]`; `_KEYS` is what can be said there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from shoal.model import Origin, Term, Topic
from shoal.topic import value_readers, word_readers
from shoal.topic.word_readers import each_once, form_of

_KEYS: dict[str, tuple[Callable[[object], object], str]] = {
    "name": (value_readers.line, "name"),
    "keywords": (word_readers.keywords, "terms"),
    "learned": (word_readers.learned, "learned"),
    "not": (word_readers.keywords, "negative"),
    "threshold": (value_readers.number, "threshold"),
}
"""How each key is read, and where it goes."""


def together(topic: Topic, parts: Sequence[Topic]) -> Topic:
    """The topic with these in its `any`: its own words are theirs, and what it says of all of them goes to each.

    Unwanted words of the whole speak against a page in every part; a part without a threshold has that of the whole.
    """
    parts = tuple(
        replace(
            part,
            negative=each_once((*part.negative, *topic.negative)),
            languages=topic.languages,
            threshold=topic.threshold if part.threshold is None else part.threshold,
        )
        for part in parts
    )
    return replace(topic, any=parts, terms=each_once(term for part in parts for term in part.terms))


def said_of_topic(topic: Topic, said: dict[str, Any]) -> dict[str, Any]:
    """What was said of a topic, as its fields: typed and learned words become one list, and one threshold is for all parts."""
    fields = {name: value for name, value in said.items() if name != "learned"}
    if "terms" in said or "learned" in said:
        typed = said.get("terms") or [term for term in topic.terms if term.origin is Origin.HAND]
        learned = said.get("learned") or [term for term in topic.terms if term.origin is not Origin.HAND]
        # A learned word that was typed too is typed.
        forms = {form_of(term.text) for term in typed}
        fields["terms"] = (*typed, *(term for term in learned if form_of(term.text) not in forms))
    if "threshold" in said and "any" not in said:
        fields["any"] = tuple(replace(part, threshold=said["threshold"]) for part in topic.any)
    return fields


def name_of(terms: Sequence[Term]) -> str:
    """What a topic is called that got no name."""
    return ", ".join(term.text for term in terms[:3])


def read_parts(value: object) -> tuple[Topic, ...]:
    """The topics of the `[[any]]` tables; a reader like those in `topic/value_readers.py`."""
    if not isinstance(value, list) or not value or not all(isinstance(table, dict) for table in value):
        raise ValueError(f"must be tables, each below a line [[any]], not {value_readers.short(value)}")
    parts = tuple(_part(table, number) for number, table in enumerate(value, 1))
    seen: set[str] = set()
    for part in parts:
        if part.name in seen:
            raise ValueError(f"must have different names, but two are called {value_readers.short(part.name)}")
        seen.add(part.name)
    return parts


def _part(table: Mapping[str, object], number: int) -> Topic:
    said: dict[str, Any] = {}
    for name, raw in table.items():
        if name not in _KEYS:
            hint = value_readers.did_you_mean(name, _KEYS) or "; what is for all of them stands above the first [[any]]"
            raise ValueError(f"number {number} has no key {value_readers.quoted(name)}{hint}")
        read, place = _KEYS[name]
        try:
            said[place] = read(raw)
        except ValueError as error:
            raise ValueError(f"number {number}: {name} {error}") from None
    fields = said_of_topic(Topic(name="", terms=()), said)
    if not fields.get("terms"):
        raise ValueError(f"number {number}: keywords must name at least one word to look for")
    return replace(Topic(name=name_of(fields["terms"]), terms=()), **fields)
