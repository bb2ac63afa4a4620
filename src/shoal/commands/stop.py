"""`shoal stop`: stop a crawl that runs elsewhere than in this terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.next_command import alone
from shoal.commands.output import answer, path_text, reply, teller, whole

if TYPE_CHECKING:
    from shoal.services.supervisor import RunState

_PATIENCE = 90.0
"""Seconds; the longest request there is takes one minute."""


@click.command()
@options.whole_crawl
@click.option("--now", "at_once", is_flag=True, help="Do not wait for what is in flight.")
@options.progress
def stop(folder: Path, at_once: bool, as_json: bool, quiet: bool) -> int:
    """Stop a crawl that runs elsewhere than in this terminal.

    As Ctrl-C does: what is in flight comes home first. --now is the second Ctrl-C. Nothing stored is lost either way.
    """
    if at_once:
        now = services.supervisor.stop_at_once(folder)
    else:
        services.supervisor.stop(folder, by=options.who())
        teller(silent=quiet or as_json)("Waiting for what is in flight …")
        now = services.supervisor.wait_for_end(folder, _PATIENCE)
    said = {"folder": path_text(folder), **whole(now)}
    return reply(said, lambda: answer(_outcome(folder, now)), as_json=as_json, quiet=quiet)


def _outcome(folder: Path, now: RunState) -> str:
    if now.at_work:
        return f"It is still {now.state} (process {now.pid}). Do not wait for it with: shoal stop --now {alone(folder)}"
    if now.state == "finished":
        return f"The crawl is over: {now.why}."
    if now.state in ("failed", "dead"):
        return f"It is {now.state}: {now.why}"
    return f"Stopped. Go on with: shoal start {alone(folder)}"
