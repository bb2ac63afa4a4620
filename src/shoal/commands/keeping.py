"""`shoal revisit`, `reindex` and `check`: is what is stored still true, whole, and searchable?"""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from shoal import indexer as indexing
from shoal.commands import options
from shoal.commands.answer import STOPPED, print_json, run_async
from shoal.crawl.allowance import Ending
from shoal.errors import InputError
from shoal.services import revisit as revisiting
from shoal.services.check import check as check_all
from shoal.services.crawls import names
from shoal.terminal import crawl as crawl_screen
from shoal.terminal import keeping as screen
from shoal.terminal import waiting
from shoal.terminal.speaking import answer, tell
from shoal.topic import value_readers as values
from shoal.topic.topic_file import read_topic

if TYPE_CHECKING:
    from shoal.services.repair import Repair


def _seconds(ctx: click.Context, option: click.Parameter, given: str | None) -> float:
    try:
        return values.duration(given) if given is not None else 0.0
    except ValueError as error:
        raise click.BadParameter(f"It {error}.", ctx=ctx, param=option) from None


@click.command(short_help="Look at stored pages again, and keep what changed.")
@click.argument("urls", nargs=-1, metavar="[URL]...")
@options.folder
@click.option(
    "--older-than", "older", metavar="TIME", callback=_seconds, help="Only those not looked at for: 90m, 12h, 7d."
)
@click.option("--relevant", is_flag=True, help="Only the relevant pages, as marked by you or else judged.")
@options.progress
def revisit(urls: tuple[str, ...], folder: Path, older: float, relevant: bool, as_json: bool, quiet: bool) -> int:
    """Look at stored pages again: these, or all of them.

    A page whose main text changed gets a new version (shoal diff shows what changed); the old one stays. No new page is fetched;
    new links wait for shoal resume. Stopped with Ctrl-C, the same command goes on.
    """
    if urls and (older or relevant):
        raise InputError("Name URLs, or choose with --older-than and --relevant, not both.")
    revisiting.want(folder, urls, older=older, relevant_only=relevant, now=time.time())
    watch = crawl_screen.silent if quiet or as_json else crawl_screen.progress(folder)
    say = crawl_screen.unsaid if quiet or as_json else tell
    try:
        found = run_async(revisiting.revisit(folder, watch, say=say))
    except asyncio.CancelledError:  # the second Ctrl-C
        tell(f"Stopped at once. Go on with: shoal revisit --dir {shlex.quote(str(folder))}")
        return STOPPED
    if as_json:
        print_json(found)
    elif not quiet:
        screen.show_revisit(folder, found)
    return STOPPED if found.ending is Ending.STOPPED else 0


@click.command(short_help="Make the search index anew from what is stored.")
@options.folder
@options.progress
def reindex(folder: Path, as_json: bool, quiet: bool) -> int:
    """Make the search index anew from what is stored. It may be searched meanwhile; a crawl must not run."""
    with waiting.indexing(silent=quiet or as_json, at_once=True) as progress:
        pages = indexing.rebuild(folder, progress)
    if as_json:
        print_json({"pages": pages})
    elif not quiet:
        answer(f"{pages:,} pages are indexed.")
    return 0


@click.command(short_help="Is everything stored readable, and does the index agree with it?")
@options.folder
@click.option("--repair", is_flag=True, help="Make a lost or damaged database anew from the page files.")
@click.option(
    "--topic-file",
    type=click.Path(path_type=Path),
    metavar="TOPIC.toml",
    help="What the crawl was about, if nothing in the folder says so.",
)
@options.progress
def check(folder: Path, repair: bool, topic_file: Path | None, as_json: bool, quiet: bool) -> int:
    """Read all that is stored, and compare the index with it. Exits with 1 when something is wrong.

    Changes nothing without --repair. With it, a database that is lost or damaged is made anew from the page files of the folder;
    these stay as they are, and the damaged database is kept under another name.
    """
    if topic_file is not None and not repair:
        raise InputError("--topic-file goes with --repair.")
    repaired = _repaired(folder, topic_file, silent=quiet or as_json) if repair else None
    with waiting.checking(silent=quiet or as_json) as progress:
        found = check_all(folder, progress)
    if as_json:
        print_json(asdict(found) | ({"repaired": repaired} if repair else {}))
        return 0 if found.sound else 1
    if repair and not quiet:
        screen.show_repair(folder, repaired)
    if not (quiet and found.sound):
        screen.show_check(folder, found)
    return 0 if found.sound else 1


def _repaired(folder: Path, topic_file: Path | None, *, silent: bool) -> Repair | None:
    """What came back of a database that was lost; None when it is sound."""
    # Here, because all that understands pages takes a moment to load, which few commands need.
    from shoal.services import repair

    if not (why := repair.why_broken(folder)):
        return None
    settings = read_topic(topic_file, names=names(), environ=os.environ) if topic_file is not None else None
    with waiting.repairing(silent=silent) as progress:
        done = run_async(repair.repair(folder, why, settings, progress))
    with waiting.indexing(silent=silent) as progress:
        indexing.rebuild(folder, progress)
    return done
