"""How does this machine work for the crawls of others? (Who works for a crawl: `services/cluster_status.py`.)"""

from __future__ import annotations

import os
import socket

from shoal.cluster.connection import check_url
from shoal.cluster.worker_broker import WorkerBroker
from shoal.cluster.worker_service import Watch, work_for_all
from shoal.crawl.metrics import WorkerFigures as WorkerFigures
from shoal.settings import ListenAddress
from shoal.signals import Interrupted, never_interrupted
from shoal.urls import shown


async def _nobody(hand: WorkerBroker) -> None:
    """Watches nothing."""


def check_broker(broker: str) -> str:
    """Whether a broker is named as it must be; answers its URL as it may be shown, without its password."""
    check_url(broker)
    return shown(broker)


def own_name() -> str:
    """What a worker is called to which nobody gives a name."""
    return f"{socket.gethostname()}-{os.getpid()}"


async def work(
    broker: str,
    *,
    name: str = "",
    concurrency: int = 64,
    watch: Watch = _nobody,
    interrupted: Interrupted = never_interrupted,
    metrics: ListenAddress | None = None,
) -> WorkerFigures:
    """Fetch, parse and judge for all crawls whose coordinators use this broker, until somebody ends it; answers what was done."""
    check_url(broker)
    return await work_for_all(
        broker,
        name=name or own_name(),
        concurrency=concurrency,
        watch=watch,
        interrupted=interrupted,
        metrics=metrics,
    )
