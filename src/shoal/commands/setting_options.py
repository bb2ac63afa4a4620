"""Which options say what a crawl is? Those of the table of settings, each under its heading in the help.

What is rarely said has no option of its own but `--setting NAME=VALUE`. Nothing here loads what a mistyped option does not need:
which strategies and judges there are is asked when the help is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from shoal import services
from shoal.errors import InputError
from shoal.topic import value_readers
from shoal.topic.setting_entry import MANY, Kind, SettingEntry
from shoal.topic.setting_table import SECTIONS, SETTINGS, setting

_Command = TypeVar("_Command", bound=Callable[..., Any])
_CRAWL, _OUTPUT = "Which crawl", "What to print"
"""Headings of what is not said of a crawl, but to a command."""
_UNTIL_DONE = setting("until_done").option
_TYPES: Mapping[Kind, type] = {"whole": int, "number": float}
"""What click reads; all else is text, which the readers of the settings read."""


class SectionOption(click.Option):
    """An option that stands under a heading in the help."""

    def __init__(self, *names: Any, section: str, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.section = SECTIONS[section].en


class SettingOption(SectionOption):
    """An option that says one setting."""

    def __init__(self, *names: Any, entry: SettingEntry, **attributes: Any) -> None:
        super().__init__(*names, section=entry.section, help=entry.help.en, **attributes)
        self.entry = entry

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """What it does, what can be chosen, and what holds when it is not given."""
        if (line := super().get_help_record(ctx)) is None:
            return None
        choices = services.choices.names().of(self.entry) if self.entry.kind == "choice" else ()
        return line[0], help_of(self.entry, choices)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names that can be chosen, if it is one of some names."""
        if self.entry.kind != "choice":
            return super().shell_complete(ctx, incomplete)
        return finished_by(self.entry.name)(ctx, self, incomplete)


def finished_by(name: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What finishes a word in the shell: the names that can be chosen for a setting."""

    def names(ctx: click.Context, said: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(one) for one in services.choices.names().of(setting(name)) if one.startswith(incomplete)]

    return names


def help_of(entry: SettingEntry, choices: Sequence[str] = ()) -> str:
    """What a setting does, what can be chosen for it, and what holds when nobody says anything."""
    text = f"{entry.help.en} One of {', '.join(choices)}." if choices else entry.help.en
    if entry.kind in MANY:
        text = f"{text.removesuffix('.')}; repeatable."
    usual = entry.default
    # That a switch is off goes without saying.
    return text if usual is None or usual is False else f"{text} Default: {entry.written(usual)}."


class InSections(click.Command):
    """A command with so many options that its help needs headings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed; `--until-done` may stand alone."""
        return super().parse_args(ctx, _with_usual_share(args))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, each under its heading; those without one come last."""
        known = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in sorted(known, key=lambda option: _section_of(option) == _OUTPUT):
            if (line := option.get_help_record(ctx)) is not None:
                sections.setdefault(_section_of(option), []).append(line)
        for title, lines in sections.items():
            with formatter.section(title):
                formatter.write_dl(lines)


def _section_of(option: click.Option) -> str:
    if isinstance(option, SectionOption):
        return option.section
    return _CRAWL if option.name in ("named", "folder") else _OUTPUT


def _with_usual_share(args: Sequence[str]) -> list[str]:
    """`--until-done` with the usual share, where none follows: click would take the topic file behind it for the share."""
    end = args.index("--") if "--" in args else len(args)
    usual = f"{_UNTIL_DONE}={value_readers.USUAL_SHARE}"
    return [
        usual if word == _UNTIL_DONE and place < end and not value_readers.looks_like_share(behind) else word
        for place, (word, behind) in enumerate(zip_longest(args, args[1:], fillvalue=""))
    ]


# --- options ---------------------------------------------------------------------------------------------------------


def setting_option(name: str) -> Callable[[_Command], _Command]:
    """The option that says this setting."""
    entry = setting(name)
    attributes: dict[str, Any] = {"multiple": True} if entry.kind in MANY else {"default": None}
    if entry.kind == "yes":
        attributes["is_flag"] = True
    else:
        attributes |= {"metavar": entry.placeholder, "type": _TYPES.get(entry.kind, str)}
    if entry.kind == "numbers":
        attributes["callback"] = _numbers
    return click.option(entry.option, entry.name, cls=SettingOption, entry=entry, **attributes)


def _numbers(ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, float] | None:
    """`--set width=10 --set depth=4` as a table; None when nothing was set."""
    numbers = {}
    for pair in given:
        name, _, number = pair.partition("=")
        try:
            numbers[name.strip()] = float(number)
        except ValueError:
            raise click.BadParameter(f"'{pair}' is not NAME=NUMBER, such as width=10.", ctx=ctx, param=option) from None
    return numbers or None


def _pairs(ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """`--setting attempts=6` as a table."""
    said: dict[str, str] = {}
    for pair in given:
        name, equals, text = (part.strip() for part in pair.partition("="))
        if not (name and equals and text):
            raise click.BadParameter(f"'{pair}' is not NAME=VALUE, such as attempts=6.", ctx=ctx, param=option)
        if name in said:
            raise click.BadParameter(f"{name} is said twice.", ctx=ctx, param=option)
        said[name] = text
    return said


def with_settings(given: Mapping[str, object]) -> dict[str, object]:
    """What was said by options of their own and by `--setting`, as one."""
    own = {name: value for name, value in given.items() if name != "settings"}
    said = given.get("settings")
    for name, text in said.items() if isinstance(said, Mapping) else ():
        entry = setting(name)
        if not entry.resumable:
            raise InputError(f"{name} is nothing for --setting: say it in the topic file")
        if own.get(name) not in (None, ()):
            raise InputError(f"{name} is said by {entry.spelling} and by --setting: say it once")
        own[name] = services.topics.value_of(entry, str(text))
    return own


start_option = partial(click.option, cls=SectionOption, section="start")
cluster_option = partial(click.option, cls=SectionOption, section="cluster")
_ANY = "Any setting of a topic file, such as attempts=6 or max_body=20MB; repeatable."
_any_setting = click.option(
    "--setting",
    "settings",
    cls=SectionOption,
    section="rare",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_pairs,
    help=_ANY,
)


def crawl_options(command: _Command) -> _Command:
    """Everything a topic file can say too, but what the topic is; what is typed wins."""
    command = _any_setting(command)
    for entry in reversed(SETTINGS):
        if entry.option and entry.resumable:
            command = setting_option(entry.name)(command)
    return command
