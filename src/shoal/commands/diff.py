"""`shoal diff`: what changed on a page between two visits?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import say
from shoal.commands.output import reply

if TYPE_CHECKING:
    from shoal.services.versions import VersionDiff

_SIGNS = {"same": ("  ", ""), "added": ("+ ", "green"), "removed": ("- ", "red"), "gap": ("  …", "dim")}


@click.command()
@click.argument("url", metavar="URL")
@options.folder
@click.option("--from", "before", type=int, metavar="N", help="Which version; default: the one before the last.")
@click.option("--to", "after", type=int, metavar="N", help="Compared with which; default: the last.")
@options.as_json
def diff(url: str, folder: Path, before: int | None, after: int | None, as_json: bool) -> int:
    """What changed on a page between two visits (shoal revisit), line by line."""
    found = services.versions.difference(folder, url, before, after)
    return reply(found, lambda: show_difference(found), as_json=as_json)


def show_difference(found: VersionDiff) -> None:
    """What changed, line by line."""
    say(found.url, "bold")
    say(f"- version {found.before}, {found.before_at:%Y-%m-%d %H:%M} UTC", "red")
    say(f"+ version {found.after}, {found.after_at:%Y-%m-%d %H:%M} UTC\n", "green")
    for line in found.lines:
        sign, style = _SIGNS[line.kind]
        say(f"{sign}{line.text}", style)
    if not found.lines:
        say("Both say the same.")
