"""`shoal start`: go on with a crawl in the background."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.next_command import alone, called
from shoal.commands.output import answer, path_text, reply, whole
from shoal.installation.location import installation_of
from shoal.settings import ListenAddress

if TYPE_CHECKING:
    from shoal.services.supervisor import Started


@click.command()
@options.whole_crawl
@options.metrics
@options.progress
def start(folder: Path, metrics: ListenAddress | None, as_json: bool, quiet: bool) -> int:
    """Go on with a crawl in the background, or with one that is paused.

    It needs no terminal, and goes on when you log out. Its settings stay as they are: shoal resume changes them.
    """
    now = services.supervisor.state_of(folder)
    if now.state != "paused":
        return start_in_background(folder, metrics, as_json=as_json, quiet=quiet)
    services.supervisor.go_on(folder, by=options.who())
    now = services.supervisor.wait_until(folder, lambda now: now.state != "paused", options.OBEYED_WITHIN)
    said = {"folder": path_text(folder), **whole(now)}
    return reply(said, lambda: answer(f"It is {now.state} (process {now.pid})."), as_json=as_json, quiet=quiet)


def start_in_background(folder: Path, metrics: ListenAddress | None, *, as_json: bool, quiet: bool) -> int:
    """Start a crawl as a process of its own, and say where to look."""
    started = services.supervisor.start(folder, installation_of(os.environ), os.environ, metrics=metrics)
    log = services.supervisor.log_of(folder)
    said = {"folder": path_text(folder), "log": path_text(log), **whole(started)}
    return reply(said, lambda: answer(outcome(folder, log, started)), as_json=as_json, quiet=quiet)


def outcome(folder: Path, log: Path, started: Started) -> str:
    """What came of the start, and what can be done now."""
    where = alone(folder)
    over = f": {started.why}" if started.why else ""
    lines = (
        f"{called(folder)} is {started.state}{over} (process {started.pid}, which writes to {log}).",
        f"Look with: shoal status {where}",
        f"Stop with: shoal stop {where}",
    )
    return "\n".join(lines if started.state in services.supervisor.AT_WORK else lines[:2])
