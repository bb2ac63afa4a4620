"""`shoal pause`: let a crawl ask for nothing for a while."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.next_command import alone
from shoal.commands.output import answer, path_text, reply, whole

if TYPE_CHECKING:
    from shoal.services.supervisor import RunState


@click.command()
@options.whole_crawl
@options.progress
def pause(folder: Path, as_json: bool, quiet: bool) -> int:
    """Let a crawl ask for nothing until it is started again.

    Its process stays, and what it knows. What is in flight comes home; the time does not count.
    """
    services.supervisor.pause(folder, by=options.who())
    now = services.supervisor.wait_until(folder, lambda now: now.state != "running", options.OBEYED_WITHIN)
    said = {"folder": path_text(folder), **whole(now)}
    return reply(said, lambda: answer(_outcome(folder, now)), as_json=as_json, quiet=quiet)


def _outcome(folder: Path, now: RunState) -> str:
    if now.state == "running":
        return f"It was told to pause, and has not done so yet. Look with: shoal status {alone(folder)}"
    if not now.at_work:
        return f"It is {now.state}: {now.why}"
    return f"It is {now.state} (process {now.pid}). Go on with: shoal start {alone(folder)}"
