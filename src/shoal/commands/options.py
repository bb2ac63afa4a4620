"""Which options do several commands have? And how is what was typed for them read?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal.errors import InputError
from shoal.settings import ListenAddress
from shoal.topic import value_readers

_Command = TypeVar("_Command", bound=Callable[..., Any])


def seconds(typed: str | float) -> float:
    """A time that can be waited for: neither negative nor without end."""
    try:
        return value_readers.number(float(typed))
    except ValueError:
        raise click.BadParameter(f"{typed!r} is not a number of seconds.") from None


def listen_address(typed: str) -> ListenAddress:
    """Where a server of ours listens: a port, or a host and a port."""
    host, _, port = typed.rpartition(":")
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 2**16):
        raise click.BadParameter(f"{typed!r} is not a port such as 9310, or a host and a port such as 0.0.0.0:9310.")
    return ListenAddress(port=int(port), host=host.strip("[]") or ListenAddress(port=0).host)


PATH = click.Path(path_type=Path)
path = partial(click.option, type=PATH)
"""An option that names a file or a folder."""
folder = path("--dir", "folder", required=True, metavar="FOLDER", help="The folder of the crawl.")
WITH_MINUS: dict[str, Any] = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""For commands whose words may begin with a minus, as in `shoal search grid -fan`: no option of theirs has one letter."""


def typed(ctx: click.Context, argument: click.Parameter, words: tuple[str, ...]) -> str:
    """A query as it was typed; what looks like an option that is not there is a mistake, not a word."""
    if wrong := next((word for word in words if word.startswith("--")), ""):
        raise click.NoSuchOption(wrong.partition("=")[0], ctx=ctx)
    return " ".join(words)


def check_database(url: str, option: str) -> None:
    """Whether a database is named as it must be, said before anything is done."""
    try:
        value_readers.database(url)
    except ValueError as error:
        raise InputError(f"{option} {error}") from None


relevant = click.option("--relevant", is_flag=True, help="Only the relevant pages, as marked by you or else judged.")
as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON on standard output.")
quiet = click.option("--quiet", is_flag=True, help="Say nothing unless something goes wrong.")

metrics = click.option(
    "--metrics", type=listen_address, metavar="[HOST:]PORT", help="Show figures to Prometheus there, at /metrics."
)


def together(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Several options as one, in this order."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


few_requests = together(
    click.option("--delay", type=seconds, default=1.0, show_default=True, help="Seconds between requests to one host."),
    click.option("--user-agent", metavar="TEXT", help="The name we go by."),
    click.option("--contact", metavar="TEXT", help="Where a site's owner reaches you."),
    click.option("--proxy", metavar="URL", help="An HTTP proxy for all requests."),
    click.option("--allow-private", multiple=True, metavar="RANGE", help="Private addresses allowed: 127.0.0.0/8."),
)
"""How to ask servers, for a command that asks for a few pages."""
progress = together(as_json, quiet)
"""How much a command says while it runs."""
