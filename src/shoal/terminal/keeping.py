"""What does a user see of looking at pages again, and of a check?"""

from __future__ import annotations

import shlex
from pathlib import Path

from shoal.checking import Check
from shoal.revisiting import Revisit
from shoal.terminal.speaking import speaker

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
