"""Who works for a crawl on other machines, and which of its tasks could nobody do?"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from msgspec.structs import replace

from shoal.cluster import wire
from shoal.cluster.worker_registry import SILENCE
from shoal.crawl.validation import Unreadable
from shoal.errors import BrokerRefused
from shoal.model.stored import WorkerRecord
from shoal.store import crawl_folder as folders
from shoal.store.crawl_status import StoreAnswer
from shoal.urls import shown

_SHOWN = 20
"""What was put aside is looked at one by one; more than so many nobody reads."""


class DeadLetter(StoreAnswer, frozen=True, kw_only=True):
    """What was put aside: a task that workers died of, or a message that fits nothing."""

    url: str
    attempts: int
    crawl: str
    """The crawl's id: a broker has the dead letters of all crawls."""


class Attendance(StoreAnswer, frozen=True, kw_only=True):
    """The cluster of a crawl."""

    broker: str
    """Without its password."""
    problem: str = ""
    """One sentence when the broker cannot be asked; then nothing is known of dead letters."""
    workers: tuple[WorkerRecord, ...]
    """As the coordinator heard of them last."""
    rate: float
    """Visits per second, of all workers together."""
    dead_letters: int = 0
    """Of all crawls of this broker."""
    dead: tuple[DeadLetter, ...] = ()
    """Some of them."""


async def attendance(folder: Path) -> Attendance | None:
    """The cluster of a crawl; None when it has none."""
    if not (url := folders.read_cluster(folder).broker):
        return None
    workers = await asyncio.to_thread(_workers, folder, time.time())  # in a database elsewhere, as a rule
    found = Attendance(broker=shown(url), workers=workers, rate=sum(worker.rate for worker in workers))
    return await _with_dead_letters(found, url)


def _workers(folder: Path, now: float) -> tuple[WorkerRecord, ...]:
    """What the last commit noted; who was not heard since is silent, or the coordinator is."""
    with folders.reading(folder) as database:
        workers = folders.read_meta(database, "workers", tuple[WorkerRecord, ...]) or ()
    return tuple(
        replace(worker, state="silent", rate=0.0)
        if worker.state == "working" and worker.heard_at < now - SILENCE
        else worker
        for worker in workers
    )


async def _with_dead_letters(found: Attendance, url: str) -> Attendance:
    # Only here, because most commands do without the client of RabbitMQ.
    from shoal.cluster.connection import ConnectionLost, dialled

    try:
        async with dialled(url) as line:
            count = await line.declare(wire.DEAD, **wire.DEAD_LIMITS)
            letters = [await line.get(wire.DEAD) for _ in range(min(count, _SHOWN))]
    except ConnectionLost as lost:
        return replace(found, problem=f"The broker at {shown(url)} cannot be reached: {lost}.")
    except BrokerRefused as refused:
        return replace(found, problem=str(refused))
    # What is not acknowledged goes back when the line ends.
    dead = tuple(_dead(letter.body) for letter in letters if letter is not None)
    return replace(found, dead_letters=count, dead=dead)


def _dead(body: bytes) -> DeadLetter:
    try:
        task = wire.read_assigned(body)
    except Unreadable:
        return DeadLetter(url=_of_result(body), attempts=0, crawl="")
    return DeadLetter(url=task.url, attempts=task.attempt, crawl=task.crawl)


def _of_result(body: bytes) -> str:
    """What stands in place of a URL, for a message that is no task."""
    try:
        match wire.read_result(body):
            case wire.Sealed(visit=visit):
                return f"(a result of {wire.read_visit(visit).task.url})"
            case other:
                return f"(a result of {other.task.url})"
    except Unreadable:
        return "(a message that cannot be read)"
