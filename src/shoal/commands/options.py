"""Which options do several commands have? And how is what was typed for them read?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial, wraps
from math import inf
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.shell_completion import CompletionItem

from shoal import services
from shoal.commands.setting_options import setting_option
from shoal.errors import ShoalError
from shoal.installation.location import installation_of
from shoal.settings import ListenAddress
from shoal.topic.setting_table import setting

_Command = TypeVar("_Command", bound=Callable[..., Any])


def seconds(typed: str | float) -> float:
    """A time that can be waited for: neither negative nor without end."""
    try:
        number = float(typed)
    except ValueError:
        number = -1.0
    if not 0 <= number < inf:  # nor what is no number at all
        raise click.BadParameter(f"{typed!r} is not a number of seconds.")
    return number


def listen_address(typed: str) -> ListenAddress:
    """Where a server of ours listens: a port, or a host and a port."""
    host, _, port = typed.rpartition(":")
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
        raise click.BadParameter(f"{typed!r} is not a port such as 9310, or a host and a port such as 0.0.0.0:9310.")
    return ListenAddress(port=int(port), host=host.strip("[]") or ListenAddress(port=0).host)


class OneOf(click.Choice[str]):
    """One of some names, which are looked up when somebody types one or asks for help."""

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]  # typed for who sets it at once
        """The names, which click would have known from the start."""
        return tuple(self._names())


PATH = click.Path(path_type=Path)
path = partial(click.option, type=PATH)
"""An option that names a file or a folder."""
WITH_MINUS: dict[str, Any] = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""For commands whose words may begin with a minus, as in `shoal search grid -fan`: no option of theirs has one letter."""


def typed(ctx: click.Context, argument: click.Parameter, words: tuple[str, ...]) -> str:
    """A query as it was typed; what looks like an option that is not there is a mistake, not a word."""
    if wrong := next((word for word in words if word.startswith("--")), ""):
        raise click.NoSuchOption(wrong.partition("=")[0], ctx=ctx)
    return " ".join(words)


# --- which crawl -----------------------------------------------------------------------------------------------------


def crawl_names(ctx: click.Context, said: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The crawls whose names begin so; what looks like a path is left to the shell."""
    if os.sep in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="dir")]
    try:
        names = services.catalog.names_at_home(installation_of(os.environ))
    except ShoalError:  # it will be said when the command runs, not while it is typed
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


_NAMED = click.option(
    "--crawl", "named", metavar="NAME", help="The crawl, by its name or its folder.", shell_complete=crawl_names
)
_FOLDER = path("--dir", "folder", metavar="FOLDER", help="The folder of the crawl.")
_ALONE = click.argument("alone", metavar="[CRAWL]", required=False, shell_complete=crawl_names)


def one_crawl(alone: str | None, named: str | None, folder: Path | None) -> Path | None:
    """The folder of the crawl that was typed, in whichever way; None when none was."""
    if len(said := [one for one in (alone, named, folder) if one is not None]) > 1:
        raise click.UsageError(f"Name the crawl once, not as {said[0]} and as {said[1]}.")
    if name := alone or named:
        return services.catalog.find_crawl(installation_of(os.environ), name)
    if folder is not None and (installation := installation_of(os.environ)).database:
        services.crawls.look_up(folder, installation)  # it may be on other machines only: then the database knows of it
    return folder


def _with_crawl(command: _Command, *options: Callable[[_Command], _Command], needed: bool = True) -> _Command:
    @wraps(command)
    def found(
        *words: Any, alone: str | None = None, named: str | None = None, folder: Path | None = None, **given: Any
    ) -> Any:
        if (chosen := one_crawl(alone, named, folder)) is None and needed:
            raise services.catalog.no_crawl_named(installation_of(os.environ))
        return command(*words, folder=chosen, **given)

    return together(*options)(cast("_Command", found))


def folder(command: _Command) -> _Command:
    """The crawl that a command is about: `--crawl power-grid`, or `--dir` with its folder."""
    return _with_crawl(command, _NAMED, _FOLDER)


def folder_if_any(command: _Command) -> _Command:
    """The same for a command that can do without."""
    return _with_crawl(command, _NAMED, _FOLDER, needed=False)


def whole_crawl(command: _Command) -> _Command:
    """The same for a command that is about nothing else: the name may stand alone, as in `shoal status power-grid`."""
    return _with_crawl(command, _ALONE, _NAMED, _FOLDER)


_MANY_NAMED = click.option(
    "--crawl",
    "named",
    multiple=True,
    metavar="NAME",
    help="A crawl, by its name or its folder; may be repeated. [all]",
    shell_complete=crawl_names,
)
_MANY_FOLDERS = path("--dir", "places", multiple=True, metavar="FOLDER", help="The folder of a crawl; may be repeated.")


def several_crawls(named: Sequence[str], places: Sequence[Path]) -> dict[Path, str]:
    """The folders of the crawls that were typed, with their names on the list; all of the installation, when none was."""
    found = {folder: name for name in named if (folder := one_crawl(None, name, None)) is not None}
    found = {folder: "" if os.sep in name or name.startswith(".") else name for folder, name in found.items()}
    found |= {folder: "" for place in places if (folder := one_crawl(None, None, place)) is not None}
    if not named and not places:
        listed = services.catalog.crawl_folders(installation_of(os.environ))
        found = {folder: name for name, folder in listed if one_crawl(None, None, folder) is not None}
    if not found:
        raise services.catalog.no_crawl_named(installation_of(os.environ))
    return found


def folders(command: _Command) -> _Command:
    """The crawls that a command asks together: any number of `--crawl` and `--dir`."""

    @wraps(command)
    def found(*words: Any, named: tuple[str, ...], places: tuple[Path, ...], **given: Any) -> Any:
        return command(*words, folders=several_crawls(named, places), **given)

    return together(_MANY_NAMED, _MANY_FOLDERS)(cast("_Command", found))


NEW = "The name of the new crawl, by which all other commands find it."


def new_crawl(name: str | None, folder: Path | None, default: str) -> Path:
    """Where a crawl is to be kept that is not there yet."""
    if name is not None and folder is not None:
        raise click.UsageError(f"Either --name or --dir: {folder} is called {folder.name}.")
    if folder is not None:
        return folder
    return services.catalog.place_for(installation_of(os.environ), default if name is None else name)


# --- what is answered ------------------------------------------------------------------------------------------------

relevant = click.option("--relevant", is_flag=True, help="Only the relevant pages, as marked by you or else judged.")
as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON on standard output.")
quiet = click.option("--quiet", is_flag=True, help="Say nothing unless something goes wrong.")

metrics = click.option(
    "--metrics", type=listen_address, metavar="[HOST:]PORT", help="Show figures to Prometheus there, at /metrics."
)

background = click.option("--background", is_flag=True, help="Return at once; the crawl goes on by itself.")

OBEYED_WITHIN = 5.0
"""Seconds that a command waits for a crawl to do what it is told: it listens about once in each."""


def who() -> str:
    """Who types this, for whoever asks who told a crawl to stop."""
    return f"{os.environ.get('USER') or os.getuid()} on {os.uname().nodename}"


def together(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Several options as one, in this order."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


few_requests = together(
    click.option(
        "--delay",
        type=seconds,
        default=setting("delay").default,
        show_default=True,
        metavar="SECONDS",
        help="Seconds between requests to one host.",
    ),
    *(setting_option(name) for name in ("user_agent", "contact", "proxy", "allow_private")),
)
"""How to ask servers, for a command that asks for a few pages."""
progress = together(as_json, quiet)
"""How much a command says while it runs."""
