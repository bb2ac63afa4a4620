"""`shoal show` and `diff`: what does a stored page say, and what did it say before?"""

from __future__ import annotations

from pathlib import Path

import click

from shoal.commands import options
from shoal.commands.answer import print_json
from shoal.errors import InputError
from shoal.services import versions as rereading
from shoal.terminal import rereading as screen
from shoal.terminal.speaking import show_bytes


@click.command(short_help="Print a stored page: its text, or as it came.")
@click.argument("url", metavar="URL")
@options.folder
@click.option("--html", "as_html", is_flag=True, help="The page as the server sent it, byte for byte.")
@click.option("--versions", is_flag=True, help="List when it changed.")
@click.option("--version", type=int, metavar="N", help="An earlier version; 1 is the first.")
@options.as_json
def show(url: str, folder: Path, as_html: bool, versions: bool, version: int | None, as_json: bool) -> int:
    """Print a stored page: its main text, or with --html the page as it came."""
    if (as_html and (versions or as_json)) or (versions and version is not None):
        raise InputError(
            "Choose: --html, --versions or the text; --json goes with the last two, --version with the first and the last."
        )
    if as_html:
        show_bytes(rereading.body(folder, url, version))
    elif versions and as_json:
        print_json(rereading.steps(folder, url))
    elif versions:
        screen.show_versions(rereading.steps(folder, url))
    elif as_json:
        print_json(rereading.stored(folder, url, version))
    else:
        screen.show_page(rereading.stored(folder, url, version))
    return 0


@click.command(short_help="What changed on a page between two visits.")
@click.argument("url", metavar="URL")
@options.folder
@click.option("--from", "before", type=int, metavar="N", help="Which version; default: the one before the last.")
@click.option("--to", "after", type=int, metavar="N", help="Compared with which; default: the last.")
@options.as_json
def diff(url: str, folder: Path, before: int | None, after: int | None, as_json: bool) -> int:
    """What changed on a page between two visits (shoal revisit), line by line."""
    found = rereading.difference(folder, url, before, after)
    if as_json:
        print_json(found)
    else:
        screen.show_difference(found)
    return 0
