"""`shoal worker`: fetch, parse and judge for the crawls of other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from shoal import services
from shoal.commands import options
from shoal.commands.output import STOPPED, print_json, run_async, tell
from shoal.errors import InputError
from shoal.settings import ListenAddress
from shoal.signals import stopped_by_signals
from shoal.topic.setting_table import setting

if TYPE_CHECKING:
    from shoal.cluster.worker_broker import WorkerBroker

_LINE_SECONDS = 10.0


@click.command()
@click.option("--broker", envvar="SHOAL_BROKER", metavar="URL", help="The RabbitMQ that hands out the work: amqp://….")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 10_000),
    default=setting("concurrency").default,
    show_default=True,
    metavar="N",
    help="Requests at once.",
)
@click.option("--name", metavar="NAME", help="What shoal status calls it. Default: the machine and the process.")
@options.metrics
@options.progress
def worker(
    broker: str | None, concurrency: int, name: str | None, metrics: ListenAddress | None, as_json: bool, quiet: bool
) -> int:
    """Work for the crawls of other machines.

    Takes tasks from the broker for every crawl whose coordinator uses it too; comes and goes at any time. The first Ctrl-C
    lets what is under way come home.
    """
    import asyncio  # here, because whoever mistypes an option needs no event loop

    if not broker:
        raise InputError("Give the URL of the broker with --broker amqp://…, or in SHOAL_BROKER.")
    place, called = services.workers.check_broker(broker), name or services.workers.own_name()
    greeting = f"Worker {called} at {place}; Ctrl-C lets what is under way come home."
    figures = services.workers.WorkerFigures()

    async def watch(hand: WorkerBroker) -> None:
        nonlocal figures
        figures = hand.figures
        if not (quiet or as_json):
            await _lines(hand, greeting)

    code = 0
    try:
        run_async(
            services.workers.work(
                broker,
                name=called,
                concurrency=concurrency,
                watch=watch,
                interrupted=stopped_by_signals,
                metrics=metrics,
            )
        )
    except asyncio.CancelledError:  # the second Ctrl-C
        tell("Stopped at once; others will do what was under way.")
        code = STOPPED
    if as_json:
        counts = {"visits": figures.visits, "failures": figures.failures, "bytes": figures.bytes}
        print_json({"worker": called, **counts})
    return code


async def _lines(hand: WorkerBroker, greeting: str) -> None:
    """A line at the start, and one whenever something was done."""
    import asyncio  # here for the same reason

    tell(greeting)
    before = 0
    while True:
        await asyncio.sleep(_LINE_SECONDS)
        visits, failures = hand.figures.visits, hand.figures.failures
        if visits != before:
            rate = (visits - before) / _LINE_SECONDS
            tell(f"{visits:,} visits, {failures:,} failed, {rate:.1f} a second, {hand.busy} under way")
        before = visits
