"""How is the value of a setting read? By the reader of its kind, within its range; and how is what was typed told from a text?"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shoal.topic import value_readers, word_readers
from shoal.topic.combined import read_parts
from shoal.topic.setting_entry import SCOPES, Kind, Setter, SettingEntry

Reader = Callable[[object], object]


@dataclass(frozen=True, kw_only=True)
class Names:
    """The implementations there are; `services.choices` knows them, the topic does not."""

    strategies: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    parameters: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict, hash=False)
    """Which numbers can be set of each strategy, from which to which; one that is not here has nothing to set."""

    def of(self, entry: SettingEntry) -> tuple[str, ...]:
        """What can be chosen for a setting."""
        return {"strategy": self.strategies, "judge": self.judges, "scope": SCOPES}.get(entry.name, ())


_PLAIN: Mapping[Kind, Reader] = {
    "line": value_readers.line,
    "header": value_readers.header,
    "user_agent": value_readers.user_agent,
    "proxy": value_readers.proxy,
    "database": value_readers.database,
    "broker": value_readers.broker,
    "share": value_readers.least_share,
    "languages": value_readers.language,
    "patterns": value_readers.texts,
    "networks": value_readers.networks,
    "urls": value_readers.seeds,
    "words": word_readers.keywords,
    "learned": word_readers.learned,
    "topics": read_parts,
    "numbers": value_readers.named_numbers,
}
"""Kinds whose readers are the same for all settings of the kind."""
_NEVER_TEXT: frozenset[Kind] = frozenset({"yes", "whole", "number", "learned", "topics"})


def reader_of(entry: SettingEntry, names: Names, by: Setter = "operator") -> Reader:
    """What makes a value of what they said, or complains as `value_readers` does."""
    least, most = entry.least_for(by), entry.most
    match entry.kind:
        case "choice":
            return value_readers.one_of(names.of(entry))
        case "yes":
            return value_readers.yes_means(*entry.words_of_yes) if entry.words_of_yes else value_readers.yes_or_no
        case "whole":
            return value_readers.whole(int(least or 0), None if most is None else int(most))
        case "bytes":
            return value_readers.byte_count(int(least or 0), *(() if most is None else (int(most),)))
        case "number":
            return value_readers.number if most is None else value_readers.number_within(least or 0.0, most)
        case "time":
            return value_readers.duration if most is None else value_readers.duration_within(least or 0.0, most)
        case _:
            return _PLAIN[entry.kind]


def value_in(entry: SettingEntry, text: str) -> object:
    """What was typed for it, as a topic file would say it: `true`, `3`, `["zh", "en"]`; a text needs no quotes."""
    if entry.kind not in _NEVER_TEXT and not text.lstrip().startswith(("[", "{", '"', "'")):
        return text
    try:
        return tomllib.loads(f"typed = {text}\n")["typed"] if "\n" not in text else text
    except (ValueError, RecursionError):  # its reader says better what it should be
        return text
