"""`shoal revisit`: is what is stored still true?"""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import live_view, options
from shoal.commands.console import say
from shoal.commands.next_command import in_crawl
from shoal.commands.output import STOPPED, counted, reply, run_async, teller
from shoal.errors import InputError
from shoal.installation.location import installation_of
from shoal.signals import stopped_by_signals

if TYPE_CHECKING:
    from shoal.services.revisit import Revisit

_SHOWN = 20


def _seconds(ctx: click.Context, option: click.Parameter, given: str | None) -> float:
    try:
        return services.revisit.read_age(given) if given is not None else 0.0
    except ValueError as error:
        raise click.BadParameter(f"It {error}.", ctx=ctx, param=option) from None


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@options.folder
@click.option(
    "--older-than", "older", metavar="TIME", callback=_seconds, help="Only those not looked at for: 90m, 12h, 7d."
)
@options.relevant
@options.progress
def revisit(urls: tuple[str, ...], folder: Path, older: float, relevant: bool, as_json: bool, quiet: bool) -> int:
    """Look at stored pages again: these, or all of them.

    A page whose main text changed gets a new version (shoal diff shows what changed); the old one stays. No new page is fetched;
    new links wait for shoal resume. Stopped with Ctrl-C, the same command goes on.
    """
    if urls and (older or relevant):
        raise InputError("Name URLs, or choose with --older-than and --relevant, not both.")
    services.revisit.want(folder, urls, older=older, relevant_only=relevant, now=time.time())
    silent = quiet or as_json
    watch = live_view.progress(folder, silent=silent)
    stopped = f"Stopped at once. Go on with: shoal revisit {in_crawl(folder)}"
    found = run_async(
        services.revisit.revisit(
            folder,
            installation_of(os.environ),
            watch,
            say=teller(silent=silent),
            interrupted=stopped_by_signals,
        ),
        stopped=stopped,
    )
    reply(found, lambda: show_revisit(folder, found), as_json=as_json, quiet=quiet)
    return STOPPED if found.ending is services.run.Ending.STOPPED else 0


def show_revisit(folder: Path, found: Revisit) -> None:
    """Which pages changed, and which are gone."""
    looked = found.found
    for title, urls in (("Changed", looked.changed), ("Gone", looked.gone)):
        for url in urls[:_SHOWN]:
            say(f"{title}: {url}")
        if len(urls) > _SHOWN:
            say(f"{title}: {len(urls) - _SHOWN:,} more (--json lists all)")
    became = f"{len(looked.changed):,} changed, {len(looked.gone):,} gone"
    say(f"{counted(looked.looked, 'page')} looked at: {became}.", "bold")
    if looked.waiting:
        say(f"{looked.waiting:,} more are to be looked at: shoal revisit {in_crawl(folder)}")
    if looked.changed:
        say(f"See what changed with: shoal diff {in_crawl(folder)} {shlex.quote(looked.changed[0])}")
