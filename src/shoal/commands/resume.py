"""`shoal resume`: go on with a crawl."""

from __future__ import annotations

import os
from pathlib import Path

import click

from shoal import services
from shoal.commands import options
from shoal.commands.crawl import run_to_the_end
from shoal.commands.next_command import alone
from shoal.commands.options import PATH
from shoal.commands.output import run_async, teller
from shoal.commands.setting_options import InSections, cluster_option, crawl_options, with_settings
from shoal.errors import FolderBusy, InputError
from shoal.settings import ListenAddress


@click.command(cls=InSections)
@options.whole_crawl
@click.option("--model", "model_file", type=PATH, hidden=True, help="Refused: only a new crawl can have one.")
@crawl_options
@cluster_option(
    "--standby", is_flag=True, help="While another machine is at it: wait, and take over when that ends or dies."
)
@options.metrics
@options.progress
def resume(
    folder: Path,
    model_file: Path | None,
    standby: bool,
    metrics: ListenAddress | None,
    as_json: bool,
    quiet: bool,
    **given: object,
) -> int:
    """Go on with a crawl that was stopped or died.

    Options given here replace those it was started with, from now on.
    """
    if model_file is not None:
        raise InputError("--model is for the start of a crawl: this one has learned from its own pages since.")
    given = with_settings(given)
    services.crawls.join_crawl(folder, given, os.environ)
    while True:
        if standby:
            run_async(services.run.stand_by(folder, teller(silent=quiet)))
        try:
            services.crawls.change_settings(folder, given)
            return run_to_the_end(folder, metrics, as_json=as_json, quiet=quiet)
        except FolderBusy as error:  # another one that stood by was quicker
            if not standby:
                raise _paused(folder, error) from None


def _paused(folder: Path, error: FolderBusy) -> FolderBusy:
    """One that is paused has its process, and only needs to be told."""
    if services.supervisor.state_of(folder).state != "paused":
        return error
    return FolderBusy(f"{error} It is paused: 'shoal start {alone(folder)}' lets it go on.")
