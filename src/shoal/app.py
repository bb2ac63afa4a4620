"""Which parts make a crawl? The only file that chooses implementations and puts them together."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import msgspec

from shoal.crawl.coordinator import Coordinator, Ending
from shoal.crawl.fetch import HttpFetcher
from shoal.crawl.frontier import Frontier
from shoal.crawl.intake import Intake
from shoal.crawl.judge import judges
from shoal.crawl.parse import HtmlParser
from shoal.crawl.pipe import Channel, PipeBroker, connect, serve
from shoal.crawl.politeness import Clocks
from shoal.crawl.robots import Rulebook
from shoal.crawl.scope import ScopeRule
from shoal.crawl.strategy import SEED_PRIORITY, strategies
from shoal.crawl.traps import TrapDetector
from shoal.crawl.visit import PageVisitor
from shoal.crawl.worker import work_together
from shoal.errors import InputError, NoSeedReached
from shoal.settings import Settings
from shoal.store import folder as folders
from shoal.store import report
from shoal.store.crawl import CrawlStore, open_store
from shoal.store.explain import Explanation, explain
from shoal.store.export import Format, export
from shoal.store.ledger import SqliteLedger, ledger_path
from shoal.store.report import BestPage, Status
from shoal.topic.file import Names, overlay
from shoal.urls import normalise

Watch = Callable[[Coordinator], Coroutine[None, None, None]]
"""Shows how a crawl stands; cancelled when the crawl is over."""
_PIPE_BUFFER = 2**20
_SETTINGS_FLAG = "SHOAL_WORKER_SETTINGS"


def names() -> Names:
    """The judges and strategies a user can choose from."""
    return Names(strategies=tuple(strategies()), judges=tuple(judges()))


def start_crawl(folder: Path, settings: Settings) -> None:
    """Make the folder of a new crawl."""
    folders.create_new(folder, settings)


def change_settings(folder: Path, options: Mapping[str, object]) -> None:
    """What the user says now replaces what the crawl was started with."""
    with folders.lock_existing(folder), _reading(folder) as database:
        settings = overlay(folders.read_settings(folder, database), options, names=names())
        folders.write_settings(database, settings)


async def run_crawl(folder: Path, watch: Watch) -> Ending:
    """Crawl in a folder, from the start or from where it stopped, until it is over; answers why it is."""
    _allow_many_sockets()
    with ExitStack() as stack:
        store = stack.enter_context(open_store(folder))
        ledger = SqliteLedger(ledger_path(os.environ), store.crawl_id, time.time)
        stack.callback(ledger.close)
        ledger.recover(time.time(), store.settings.politeness.delay)
        coordinator = _coordinator(store, ledger)
        stack.enter_context(_stop_on_signals(coordinator))
        try:
            ending = await _run(coordinator, store.settings, watch)
        except BaseExceptionGroup as group:
            raise _first(group) from group
        if not store.totals().pages and (reasons := store.failed_seeds()):
            raise NoSeedReached(
                "Not one seed could be fetched: " + "; ".join(f"{url} ({why})" for url, why in reasons) + "."
            )
    return ending


def _coordinator(store: CrawlStore, ledger: SqliteLedger) -> Coordinator:
    settings = store.settings
    clocks = Clocks(settings.politeness, ledger, longest_request=settings.fetching.total_timeout, random=Random())
    frontier = Frontier(store.shelf, clocks)
    traps = TrapDetector(datetime.now(UTC).year)
    traps.load(store.patterns())
    intake = Intake(frontier, ScopeRule(settings.scope, settings.seeds), traps, settings.budget)
    for seed in settings.seeds:
        intake.seed(seed, SEED_PRIORITY)
    return Coordinator(
        settings,
        store=store,
        frontier=frontier,
        clocks=clocks,
        rulebook=Rulebook(settings.politeness, settings.fetching.user_agent, store.robots),
        traps=traps,
        intake=intake,
        strategy=strategies()[settings.strategy].make(settings.topic),
        totals=store.totals(),
        clock=time.time,
    )


async def _run(coordinator: Coordinator, settings: Settings, watch: Watch) -> Ending:
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(watch(coordinator))
        running = group.create_task(coordinator.run())
        if settings.processes == 1:
            group.create_task(_work_here(coordinator, settings))
        else:
            for _ in range(settings.processes):
                group.create_task(_work_elsewhere(coordinator, settings))
        ending = await running
        watching.cancel()
    return ending


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong, out of the wrapping that task groups put around it."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


# --- workers ---------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _visitor(settings: Settings) -> AsyncIterator[PageVisitor]:
    async with HttpFetcher(settings.fetching) as fetcher:
        yield PageVisitor(fetcher, HtmlParser(), judges()[settings.judge].make(settings.topic))


async def _work_here(coordinator: Coordinator, settings: Settings) -> None:
    async with _visitor(settings) as visitor:
        await work_together(coordinator, visitor, settings.fetching.concurrency)


async def _work_elsewhere(coordinator: Coordinator, settings: Settings) -> None:
    """Keep one worker process going; one that dies is replaced, and what it had in hand is tried again."""
    finished = False
    while not finished:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "shoal", "work-for", str(theirs.fileno())]
            environment = os.environ | {_SETTINGS_FLAG: msgspec.json.encode(settings).decode()}
            process = await asyncio.create_subprocess_exec(
                *command, pass_fds=[theirs.fileno()], env=environment, start_new_session=True
            )
        try:
            channel = Channel(*await asyncio.open_connection(sock=ours, limit=_PIPE_BUFFER))
            finished = await serve(coordinator, channel) and coordinator.ending is not None
            await channel.close()
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


async def work_for(socket_number: int) -> None:
    """Be a worker process: take tasks from the coordinator at the other end of a socket until it has no more."""
    settings = msgspec.json.decode(os.environ[_SETTINGS_FLAG], type=Settings)
    _allow_many_sockets()
    channel = await connect(socket_number)
    broker = PipeBroker(channel)
    share = -(-settings.fetching.concurrency // settings.processes)
    async with _visitor(settings) as visitor, asyncio.TaskGroup() as group:
        listening = group.create_task(broker.listen())
        await work_together(broker, visitor, share)
        await channel.close()
        listening.cancel()


# --- the process -----------------------------------------------------------------------------------------------------


@contextmanager
def _stop_on_signals(coordinator: Coordinator) -> Iterator[None]:
    """The first Ctrl-C lets what is in flight come home; the second ends at once. Nothing that was stored is lost either way."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    asked_before = False

    def stop() -> None:
        nonlocal asked_before
        if asked_before:
            task.cancel()
        asked_before = True
        coordinator.stop()

    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _allow_many_sockets() -> None:
    """As many open connections as the system lets us have: idle ones stay for seconds, over many hosts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# --- questions about a crawl -----------------------------------------------------------------------------------------


def crawl_status(folder: Path) -> Status:
    """How a crawl stands, whether it is running or not."""
    with _reading(folder) as database:
        return report.status(database, running=folders.is_running(folder))


def best_pages(folder: Path, limit: int) -> list[BestPage]:
    """The pages with the highest scores."""
    with _reading(folder) as database:
        return report.best(database, limit)


def explain_url(folder: Path, url: str) -> Explanation:
    """Why a URL was fetched, or why not."""
    with _reading(folder) as database:
        if (found := explain(database, url)) is not None:
            return found
        settings = folders.read_settings(folder, database)
    address = normalise(url)
    if address is None:
        raise InputError(f"'{url}' is not a URL: it should look like https://example.org/page.")
    why_not = ScopeRule(settings.scope, settings.seeds).why_not(address)
    reason = f"it is out of scope ({why_not})" if why_not else "no fetched page links to it"
    raise InputError(f"{address} is not known to this crawl: {reason}.")


def export_pages(folder: Path, format: Format, out: Path | None, *, relevant_only: bool) -> int:
    """Write the fetched pages to a file or to standard output; answers how many."""
    with _reading(folder) as database:
        return export(database, folder, format, out, relevant_only)


@contextmanager
def _reading(folder: Path) -> Iterator[sqlite3.Connection]:
    database = folders.connect(folder)
    try:
        with folders.storage_errors(folder):
            yield database
    finally:
        database.close()
