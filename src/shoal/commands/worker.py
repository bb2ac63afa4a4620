"""`shoal worker`: fetch, parse and judge for the crawls of other machines."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine

import click

from shoal.cluster.connection import check_url
from shoal.cluster.worker_broker import WorkerBroker
from shoal.cluster.worker_service import work_for_all
from shoal.commands import options
from shoal.commands.output import STOPPED, print_json, run_async, tell
from shoal.crawl.metrics import WorkerFigures
from shoal.errors import InputError
from shoal.settings import ListenAddress
from shoal.urls import shown

Watch = Callable[[WorkerBroker], Coroutine[None, None, None]]
_LINE_SECONDS = 10.0


@click.command()
@click.option("--broker", envvar="SHOAL_BROKER", metavar="URL", help="The RabbitMQ that hands out the work: amqp://….")
@click.option(
    "--concurrency", type=click.IntRange(1, 10_000), default=64, metavar="N", help="Requests at once. Default: 64."
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
    if not broker:
        raise InputError("Give the URL of the broker with --broker amqp://…, or in SHOAL_BROKER.")
    check_url(broker)
    called = name or f"{socket.gethostname()}-{os.getpid()}"
    view = WorkerView()
    watch = view.watch_only if quiet or as_json else view.progress(called, shown(broker))
    code = 0
    try:
        run_async(work_for_all(broker, name=called, concurrency=concurrency, watch=watch, metrics=metrics))
    except asyncio.CancelledError:  # the second Ctrl-C
        tell("Stopped at once; others will do what was under way.")
        code = STOPPED
    if as_json:
        print_json({"worker": called, **view.figures()})
    return code


class WorkerView:
    """What a worker shows of itself: a line now and then, and its last words. Owns which worker it is that it watches."""

    def __init__(self) -> None:
        self._hand: WorkerBroker | None = None

    def figures(self) -> dict[str, int]:
        """What it did in all."""
        counts = self._hand.figures if self._hand is not None else WorkerFigures()
        return {"visits": counts.visits, "failures": counts.failures, "bytes": counts.bytes}

    async def watch_only(self, hand: WorkerBroker) -> None:
        """Show nothing."""
        self._hand = hand

    def progress(self, name: str, broker: str) -> Watch:
        """A line at the start, and one whenever something was done."""

        async def watch(hand: WorkerBroker) -> None:
            self._hand = hand
            tell(f"Worker {name} at {broker}; Ctrl-C lets what is under way come home.")
            before = 0
            while True:
                await asyncio.sleep(_LINE_SECONDS)
                now = hand.figures.visits
                if now != before:
                    tell(_line(hand, (now - before) / _LINE_SECONDS))
                before = now

        return watch


def _line(hand: WorkerBroker, rate: float) -> str:
    counts = hand.figures
    return f"{counts.visits:,} visits, {counts.failures:,} failed, {rate:.1f} a second, {hand.busy} under way"
