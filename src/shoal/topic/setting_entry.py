"""What is known of one setting? Its name, what it may be, where it goes, who may say it, and in which words it is explained.

Only what a mistyped option needs: how a value is read is in `topic/setting_readers.py`, which loads far more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args, get_type_hints

import msgspec

from shoal.model import Topic
from shoal.settings import Cluster, Scope, Settings

Setter = Literal["operator", "person"]
"""Who sits at the machine, with its files, flags and environment; who uses the web application that runs there."""
Kind = Literal[
    "line",
    "header",
    "user_agent",
    "proxy",
    "database",
    "broker",
    "choice",
    "yes",
    "whole",
    "number",
    "bytes",
    "time",
    "share",
    "languages",
    "patterns",
    "networks",
    "urls",
    "words",
    "learned",
    "topics",
    "numbers",
]
"""What a value may be; `setting_readers.reader_of` has a reader for each."""
Plain = bool | int | float | str | None
"""What a default may be; lists and tables have none that could be shown."""
_METAVARS: Mapping[Kind, str] = {
    "choice": "NAME",
    "whole": "N",
    "number": "NUMBER",
    "bytes": "BYTES",
    "time": "TIME",
    "share": "SHARE",
    "patterns": "PATTERN",
    "networks": "RANGE",
    "urls": "URL",
    "proxy": "URL",
    "database": "URL",
    "broker": "URL",
    "words": "WORDS",
    "numbers": "NAME=NUMBER",
}
MANY: frozenset[Kind] = frozenset({"patterns", "networks", "urls", "languages", "numbers"})
"""Kinds of which an option may be given more than once."""
_OF_WORDS: frozenset[Kind] = frozenset({"words", "learned", "topics"})
"""What a topic is made of: there is no default."""
_STEPS_OF_TIME = (("d", 86_400), ("h", 3_600), ("m", 60))
_STEPS_OF_SIZE = (
    ("GiB", 2**30),
    ("MiB", 2**20),
    ("KiB", 2**10),
    ("GB", 10**9),
    ("MB", 10**6),
    ("kB", 10**3),
)


class Wording(msgspec.Struct, frozen=True):
    """The same in English and in Chinese."""

    en: str
    zh: str


class SettingEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: one row of the table from which keys, options, documents and forms are made."""

    name: str
    """The key in a topic file."""
    kind: Kind
    places: tuple[str, ...]
    """Where it goes: `budget.max_pages`, or `strategy` in `Settings` itself; `cluster.…` is no part of them."""
    section: str
    label: Wording
    help: Wording
    """One line that says what it does; never the default, which the structs know."""
    least: float | None = None
    most: float | None = None
    """The range, ends included; None: whatever the kind allows."""
    person_least: float | None = None
    """The least that a person may ask for, where that is more."""
    unit: str = ""
    by: Setter = "person"
    """Who may say it at least: what reaches beyond one crawl is for the operator alone."""
    option: str = ""
    """Its own option, as click wants it; empty: `--setting NAME=VALUE`."""
    metavar: str = ""
    variable: str = ""
    """In the environment."""
    words_of_yes: tuple[str, str] | None = None
    """What yes and no are in the settings, where they are words."""
    unset: Wording | None = None
    """What holds without a default, where that goes without a number: `no limit`."""
    resumable: bool = True
    """It may be said again when a crawl goes on."""

    @property
    def default(self) -> Plain:
        """What holds when nobody says anything; None: nothing, or no limit."""
        value = None if self.kind in _OF_WORDS else _default_at(self.places[0])
        if self.words_of_yes is not None:
            return value == self.words_of_yes[0]
        return value if isinstance(value, bool | int | float | str) and value != "" else None

    @property
    def spelling(self) -> str:
        """How it is typed in a command, without its value."""
        return self.option.partition("/")[0] or f"--setting {self.name}"

    @property
    def sample(self) -> str:
        """The same with what stands for the value."""
        if self.kind == "yes":
            return self.option.replace("/", ", ") or f"--setting {self.name}=true"
        return f"{self.spelling}{' ' if self.option else '='}{self.placeholder.strip('[]')}"

    @property
    def placeholder(self) -> str:
        """What stands for the value where an option is explained."""
        return self.metavar or _METAVARS.get(self.kind, "TEXT")

    def allows(self, by: Setter) -> bool:
        """May they say it? The operator may say everything."""
        return by == "operator" or self.by == "person"

    def least_for(self, by: Setter) -> float | None:
        """The least that they may ask for."""
        return self.least if by == "operator" or self.person_least is None else self.person_least

    def written(self, value: Plain) -> str:
        """A value as a person would write it, such as `10m` or `20MiB`; nothing when there is none."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            return value
        if self.kind == "time":
            return _in_steps(value, _STEPS_OF_TIME, "s")
        return _in_steps(value, _STEPS_OF_SIZE, "") if self.kind == "bytes" else _plain(value)

    @property
    def range(self) -> str:
        """From where to where, in words; empty when there are no ends."""
        if self.least is None and self.most is None:
            return ""
        if self.most is None:
            return f"at least {self.written(self.least)}"
        return f"{self.written(self.least)} to {self.written(self.most)}"


def _default_at(place: str) -> object:
    part, _, field = place.rpartition(".")
    whole = Cluster() if part == "cluster" else _NOTHING_SAID
    return getattr(getattr(whole, part) if part in whole.__struct_fields__ else whole, field)


_NOTHING_SAID = Settings(topic=Topic(name="", terms=()), seeds=())
SCOPES: tuple[str, ...] = get_args(get_type_hints(Scope)["kind"])
"""The words for `scope`."""


def _in_steps(value: float, steps: tuple[tuple[str, int], ...], rest: str) -> str:
    """In the largest unit of which it is a whole number."""
    for unit, size in steps:
        if value >= size and value % size == 0:
            return f"{_plain(value / size)}{unit}"
    return f"{_plain(value)}{rest}"


def _plain(value: float) -> str:
    """All digits, and no more of them than needed."""
    return str(int(value)) if float(value).is_integer() else str(value)
