"""`shoal worker`: fetch, parse and judge for the crawls of other machines."""

from __future__ import annotations

import asyncio
import os
import socket

import click

from shoal.commands import options
from shoal.commands.answer import STOPPED, print_json, run_async
from shoal.errors import InputError
from shoal.settings import Address
from shoal.terminal import working as screen
from shoal.terminal.speaking import tell
from shoal.urls import shown


@click.command()
@click.option("--broker", envvar="SHOAL_BROKER", metavar="URL", help="The RabbitMQ that hands out the work: amqp://….")
@click.option(
    "--concurrency", type=click.IntRange(1, 10_000), default=64, metavar="N", help="Requests at once. Default: 64."
)
@click.option("--name", metavar="NAME", help="What shoal status calls it. Default: the machine and the process.")
@options.metrics
@options.progress
def worker(
    broker: str | None, concurrency: int, name: str | None, metrics: Address | None, as_json: bool, quiet: bool
) -> int:
    """Work for the crawls of other machines.

    Takes tasks from the broker for every crawl whose coordinator uses it too; comes and goes at any time. The first Ctrl-C
    lets what is under way come home.
    """
    if not broker:
        raise InputError("Give the URL of the broker with --broker amqp://…, or in SHOAL_BROKER.")
    # Only here, because the HTTP client and that of RabbitMQ take half a second to import, and most commands need neither.
    from shoal.cluster.connection import check_url
    from shoal.cluster.worker_service import work_for_all

    check_url(broker)
    called = name or f"{socket.gethostname()}-{os.getpid()}"
    tally = screen.Tally()
    watch = tally.watch_only if quiet or as_json else tally.progress(called, shown(broker))
    code = 0
    try:
        run_async(work_for_all(broker, name=called, concurrency=concurrency, watch=watch, metrics=metrics))
    except asyncio.CancelledError:  # the second Ctrl-C
        tell("Stopped at once; others will do what was under way.")
        code = STOPPED
    if as_json:
        print_json({"worker": called, **tally.figures()})
    return code
