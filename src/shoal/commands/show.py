"""`shoal show`: what does a stored page say, and when did that change?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.console import say
from shoal.commands.output import print_bytes, reply
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.services.versions import StoredVersion, VersionStep


@click.command()
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
        print_bytes(services.versions.body(folder, url, version))
        return 0
    if versions:
        steps = services.versions.steps(folder, url)
        return reply(steps, lambda: show_versions(steps), as_json=as_json)
    found = services.versions.stored(folder, url, version)
    return reply(found, lambda: show_page(found), as_json=as_json)


def show_page(found: StoredVersion) -> None:
    """What is known of it, and its text."""
    page = found.page
    say(found.title or "(without a title)", "bold")
    say(page.url, "cyan")
    say(f"Fetched {found.at:%Y-%m-%d %H:%M} UTC, last seen so {found.until:%Y-%m-%d %H:%M} UTC", "dim")
    say("; ".join(_about(found)), "dim")
    if page.gone:
        say(f"Gone since: {page.gone}", "yellow")
    say(f"\n{found.text}")


def _about(found: StoredVersion) -> Iterable[str]:
    page = found.page
    yield f"version {found.version} of {found.versions}"
    if page.published:
        yield f"published {page.published}"
    if page.score is not None:
        yield f"topic {page.score:.2f}, {'relevant' if page.relevant else 'not relevant'}"
    if page.language:
        yield f"language {page.language}"
    if page.charset:
        yield f"charset {page.charset}"
    if page.copy_of:
        yield f"says much the same as {page.copy_of}"


def show_versions(steps: list[VersionStep]) -> None:
    """When a page changed, and how much."""
    for step in steps:
        change = f"+{step.added} -{step.removed} lines" if step.number > 1 else "first seen"
        when = f"{step.number:>3}  {step.at:%Y-%m-%d %H:%M} UTC"
        say(f"{when}  {change:<18}  {step.characters:,} characters  {step.title}")
