"""`shoal check`: is what is stored whole, and does the index agree with it?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from shoal import services
from shoal.commands import options
from shoal.commands.console import progress_bar, say
from shoal.commands.next_command import alone
from shoal.commands.output import counted, print_json, run_async
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.services.check import Check
    from shoal.services.repair import Repair


@click.command()
@options.whole_crawl
@click.option("--repair", is_flag=True, help="Make a lost or damaged database anew from the page files.")
@options.path("--topic-file", metavar="TOPIC.toml", help="What the crawl was about, if nothing in the folder says so.")
@options.progress
def check(folder: Path, repair: bool, topic_file: Path | None, as_json: bool, quiet: bool) -> int:
    """Read all that is stored, and compare the index with it. Exits with 1 when something is wrong.

    Changes nothing without --repair. With it, a database that is lost or damaged is made anew from the page files of the folder;
    these stay as they are, and the damaged database is kept under another name.
    """
    if topic_file is not None and not repair:
        raise InputError("--topic-file goes with --repair.")
    repaired = _repaired(folder, topic_file, silent=quiet or as_json) if repair else None
    with progress_bar("Reading", "stored pages", silent=quiet or as_json) as progress:
        found = services.check.check(folder, progress)
    if as_json:
        print_json(asdict(found) | ({"repaired": repaired} if repair else {}))
        return 0 if found.sound else 1
    if repair and not quiet:
        show_repair(folder, repaired)
    if not (quiet and found.sound):
        show_check(folder, found)
    return 0 if found.sound else 1


def _repaired(folder: Path, topic_file: Path | None, *, silent: bool) -> Repair | None:
    """What came back of a database that was lost; None when it is sound."""
    if not (why := services.repair.why_broken(folder)):
        return None
    settings = services.topics.settings_of(topic_file, os.environ) if topic_file is not None else None
    with progress_bar("Rebuilding", "bytes of page files", silent=silent) as progress:
        done = run_async(services.repair.repair(folder, why, settings, progress))
    with progress_bar("Indexing", "pages", silent=silent) as progress:
        services.reindex.rebuild_index(folder, progress)
    return done


def show_repair(folder: Path, repaired: Repair | None) -> None:
    """What came back, what did not, and where the damaged database is."""
    if repaired is None:
        say("The database is sound, so nothing was repaired.")
        return
    say(repaired.why)
    for sentence in repaired.problems:
        say(sentence, "yellow")
    if (more := repaired.unreadable - len(repaired.problems)) > 0:
        say(f"{more:,} more parts of the page files are of no use.", "yellow")
    for name in repaired.aside:
        say(f"What was there is kept as {name}.")
    images = f" and {repaired.images:,} images" if repaired.images else ""
    lost = f"{repaired.unreadable:,} parts could not be read" if repaired.unreadable else "all of it could be read"
    files = counted(repaired.files, "file")
    say(f"A new database was made: {repaired.pages:,} pages{images} from {files}; {lost}.", "bold")
    say(f"URLs that had failed or moved wait again; go on with: shoal resume {alone(folder)}")


def show_check(folder: Path, found: Check) -> None:
    """What was looked at, and what is wrong."""
    for sentence in found.problems:
        say(sentence, "red")
    say(
        f"{folder}: {found.pages:,} pages, {found.versions:,} versions of them, {found.bodies:,} bodies read, "
        f"{found.indexed:,} pages in the index."
    )
    if found.running:
        say("A crawl is at work: the index may be some seconds behind.")
    say("Everything is in order." if found.sound else f"{counted(len(found.problems), 'problem')}.", "bold")
