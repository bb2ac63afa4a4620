"""What can somebody set, and how is it asked in a form? The fields, in their language, and the settings that come of them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from shoal.services.choices import names
from shoal.settings import Settings
from shoal.topic import topic_file
from shoal.topic.setting_entry import MANY, Kind, Plain, Setter, Wording
from shoal.topic.setting_table import SECTIONS, SETTINGS

_NEEDED = frozenset({"keywords", "seeds"})


class FormField(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that can be set, as a form shows it; it becomes JSON as it is."""

    name: str
    """What its value is called when the form comes back."""
    section: str
    heading: Wording
    """Of the section."""
    label: Wording
    help: Wording
    kind: Kind
    many: bool
    """More than one value may be given."""
    needed: bool
    """There is no crawl without it."""
    default: Plain
    """What holds when nothing is said."""
    unset: Wording | None
    """The same in words, where there is no default: `no limit`."""
    least: float | None
    most: float | None
    unit: str
    choices: tuple[str, ...]


def settings_form(by: Setter) -> tuple[FormField, ...]:
    """All that they may set, in the order in which it is asked."""
    return tuple(
        FormField(
            name=entry.name,
            section=entry.section,
            heading=SECTIONS[entry.section],
            label=entry.label,
            help=entry.help,
            kind=entry.kind,
            many=entry.kind in MANY,
            needed=entry.name in _NEEDED,
            default=entry.default,
            unset=entry.unset,
            least=entry.least_for(by),
            most=entry.most,
            unit=entry.unit,
            choices=names().of(entry),
        )
        for entry in SETTINGS
        if entry.allows(by)
    )


def read_form(values: Mapping[str, object], by: Setter, environ: Mapping[str, str]) -> Settings:
    """What they filled in, as the settings of a crawl; what is wrong, or not theirs to say, is one sentence.

    The environment is the operator's, and says what a person may not.
    """
    return topic_file.settings_from_form(values, by=by, names=names(), environ=environ)
