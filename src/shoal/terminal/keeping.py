"""What does a user see of looking at pages again, and of a check?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.services.check import Check
from shoal.services.revisit import Revisit
from shoal.terminal.speaking import speaker

if TYPE_CHECKING:
    from shoal.services.repair import Repair

_SHOWN = 20


def show_revisit(folder: Path, found: Revisit) -> None:
    """Which pages changed, and which are gone."""
    say = speaker()
    looked = found.found
    for title, urls in (("Changed", looked.changed), ("Gone", looked.gone)):
        for url in urls[:_SHOWN]:
            say(f"{title}: {url}")
        if len(urls) > _SHOWN:
            say(f"{title}: {len(urls) - _SHOWN:,} more (--json lists all)")
    say(f"{looked.looked:,} pages looked at: {len(looked.changed):,} changed, {len(looked.gone):,} gone.", "bold")
    where = f"--dir {shlex.quote(str(folder))}"
    if looked.waiting:
        say(f"{looked.waiting:,} more are to be looked at: shoal revisit {where}")
    if looked.changed:
        say(f"See what changed with: shoal diff {where} {shlex.quote(looked.changed[0])}")


def show_repair(folder: Path, repaired: Repair | None) -> None:
    """What came back, what did not, and where the damaged database is."""
    say = speaker()
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
    pictures = f" and {repaired.pictures:,} pictures" if repaired.pictures else ""
    files = "1 file" if repaired.files == 1 else f"{repaired.files:,} files"
    lost = f"{repaired.unreadable:,} parts could not be read" if repaired.unreadable else "all of it could be read"
    say(f"A new database was made: {repaired.pages:,} pages{pictures} from {files}; {lost}.", "bold")
    say("URLs that had failed or moved wait again; go on with: " + f"shoal resume --dir {shlex.quote(str(folder))}")


def show_check(folder: Path, found: Check) -> None:
    """What was looked at, and what is wrong."""
    say = speaker()
    for sentence in found.problems:
        say(sentence, "red")
    say(
        f"{folder}: {found.pages:,} pages, {found.versions:,} versions of them, {found.bodies:,} bodies read, "
        f"{found.indexed:,} pages in the index."
    )
    if found.running:
        say("A crawl is at work: the index may be some seconds behind.")
    wrong = "1 problem." if len(found.problems) == 1 else f"{len(found.problems):,} problems."
    say("Everything is in order." if found.sound else wrong, "bold")
