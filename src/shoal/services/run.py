"""How does a crawl run, from where it stands until something ends it? `assembly.py` makes its parts."""

from __future__ import annotations

import asyncio
import os
import socket
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    ExitStack,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from shoal import assembly
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.metrics import ClusterFigures
from shoal.crawl.own_code import OwnCodeFell
from shoal.crawl.processes import work_elsewhere
from shoal.crawl.termination import Ending as Ending
from shoal.crawl.termination import warning
from shoal.crawl.time_slices import collecting_seldom
from shoal.errors import DatabaseGone, NoSeedReached, OwnCodeFailed, ShoalError, first_of
from shoal.indexer import index_kept
from shoal.installation.location import Installation
from shoal.installation.postgres_ledger import PostgresLedger
from shoal.installation.sqlite_ledger import SqliteLedger
from shoal.internal_errors import written_to
from shoal.model import State
from shoal.model.live import RunRecord, RunWord
from shoal.os_process import born
from shoal.protocols import Judge
from shoal.services.catalog import write_down
from shoal.services.own_parts import NOTHING_OWN, OwnParts, check_own
from shoal.settings import ListenAddress, Settings
from shoal.signals import Interrupted, never_interrupted, stopped_by_signals
from shoal.steady_clock import SteadyClock, WallLedger
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status as report
from shoal.store import ownership, run_control
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.proxy_password import check_secrets, with_password

if TYPE_CHECKING:
    from shoal.cluster.dispatch import Dispatch
    from shoal.fetch.addresses import CachingResolver, HostLocator

Watch = Callable[[Coordinator], Coroutine[None, None, None]]
"""Shows how a crawl stands; cancelled when the crawl is over."""
Sleep = Callable[[float], Awaitable[None]]
_STANDBY_SECONDS = 1.0
_NAMED_SEEDS = 5
"""Seeds that a sentence lists: some people begin at thousands."""


async def _nobody(coordinator: Coordinator) -> None:
    """Watches nothing."""


async def stand_by(folder: Path, say: Callable[[str], None], sleep: Sleep = asyncio.sleep) -> None:
    """Return when nobody is at work at the crawl; `say` hears, once, if somebody is."""
    if await asyncio.to_thread(_is_taken, folder):
        say("Another machine is at work at this crawl: this one stands by, and takes over when that ends.")
    while await asyncio.to_thread(_is_taken, folder):
        await sleep(_STANDBY_SECONDS)


def _is_taken(folder: Path) -> bool:
    try:
        return folders.is_running(folder)
    except DatabaseGone:  # then nobody can take over
        return True


async def run_crawl(
    folder: Path,
    installation: Installation,
    watch: Watch = _nobody,
    *,
    say: Callable[[str], None] = lambda sentence: None,
    interrupted: Interrupted = never_interrupted,
    new_pages: bool = True,
    metrics: ListenAddress | None = None,
    own: OwnParts = NOTHING_OWN,
) -> Ending:
    """Crawl in a folder, from the start or from where it stopped, until it is over; answers why it is.

    The installation says when which host was asked last, by whichever crawl. `say` hears what a user should know once the crawl
    is over; `interrupted` may end it early. Without `new_pages` it only looks at pages again (`services/revisit.py`). With
    `metrics` others can watch it there. `own` are the strategy and the judge that a program passed, if it did.
    """
    with ExitStack() as stack:
        store, run = stack.enter_context(
            _begun(folder, installation.proxy, heeds_signals=interrupted is stopped_by_signals)
        )
        broker = folders.read_cluster(folder).broker
        check_own(folder, store.settings, own, broker)
        # Not before: it takes a moment, in which one that cannot begin would look as if it ran.
        _put_on_the_list(installation, folder, say)
        ledger, inherited = stack.enter_context(_hosts(store, installation, far=bool(broker)))
        clock, locator = SteadyClock(), assembly.make_locator(store.settings)
        coordinator = assembly.make_coordinator(
            store,
            WallLedger(ledger, clock),
            clock,
            new_pages=new_pages,
            inherited=inherited,
            far=bool(broker),
            locator=locator,
            run=run.id,
            own=own.strategy,
        )
        stack.enter_context(interrupted(coordinator.stop))
        dispatch = _dispatch(coordinator, store, inherited, clock) if broker else None
        with _one_error():
            async with (
                locator or nullcontext(),
                _shown(folder, coordinator, metrics, dispatch),
                index_kept(folder, say) if store.settings.index else nullcontext(),
            ):
                ending = await _run(coordinator, store.settings, watch, locator, dispatch, broker, own.judge)
        if ending is Ending.NOTHING_LEFT:
            _check_that_something_came(store)
        _keep_outlook(store, coordinator)
    return ending


@contextmanager
def _begun(folder: Path, proxy: str, *, heeds_signals: bool) -> Iterator[tuple[CrawlStore, RunRecord]]:
    """The crawl is ours, and others see who runs it; `proxy` is the installation's, with its password."""
    with (
        open_store(folder) as store,
        _noted(folder, heeds_signals=heeds_signals) as run,
        _own_mistakes(),
        written_to(folder / ownership.LOG),
        collecting_seldom(),
    ):
        store.settings = with_password(store.settings, proxy)
        check_secrets(store.settings)
        yield store, run


@contextmanager
def _one_error() -> Iterator[None]:
    """Of all that went wrong in tasks that ran beside each other, what a person is told."""
    try:
        yield
    except BaseExceptionGroup as group:
        if isinstance(fell := first_of(group), OwnCodeFell):
            raise fell from fell.__cause__
        raise first_of(group) from group


def _put_on_the_list(installation: Installation, folder: Path, say: Callable[[str], None]) -> None:
    """So that its name finds it; a list that cannot be written is no reason not to crawl."""
    try:
        write_down(installation, folder)
    except ShoalError as error:
        say(f"This crawl is not on the list of crawls: {error}")


@contextmanager
def _noted(folder: Path, *, heeds_signals: bool) -> Iterator[RunRecord]:
    """Others can see who runs the crawl, and afterwards also an end that no commit could tell of."""
    run = RunRecord(
        id=uuid.uuid4().hex,
        pid=os.getpid(),
        host=socket.gethostname(),
        born=born(os.getpid()),
        began=time.time(),
        heeds_signals=heeds_signals,
    )
    run_control.begin_run(folder, run)
    try:
        yield run
    except asyncio.CancelledError:
        _note_end(folder, run, "ended", Ending.STOPPED)
        raise
    except ShoalError as error:
        _note_end(folder, run, "failed", str(error))
        raise
    except Exception as error:
        _note_end(folder, run, "failed", f"{type(error).__name__}, which is our fault.")
        raise


@contextmanager
def _own_mistakes() -> Iterator[None]:
    """What a program's own strategy or judge raised, before the crawl or in it, is told with its cause."""
    try:
        yield
    except OwnCodeFell as fell:
        raise OwnCodeFailed(str(fell)) from fell.__cause__


def _note_end(folder: Path, run: RunRecord, state: RunWord, why: str) -> None:
    with suppress(ShoalError):  # the disk is full, the database is gone: then others see that it died
        run_control.end_run(folder, run, state, why)


def _check_that_something_came(store: CrawlStore) -> None:
    if store.totals().pages or not (seeds := store.failed_seeds()):
        return
    named = "; ".join(f"{seed.url} ({seed.why})" for seed in seeds[:_NAMED_SEEDS])
    more = f"; and {len(seeds) - _NAMED_SEEDS:,} more" if len(seeds) > _NAMED_SEEDS else ""
    raise NoSeedReached(f"Not one seed could be fetched: {named}{more}.")


def _keep_outlook(store: CrawlStore, coordinator: Coordinator) -> None:
    """What the run ends with, for `shoal status` and for the next run."""
    outlook, pages = coordinator.outlook(), store.totals().pages
    with folders.reading(store.folder) as database:
        report.keep_outlook(database, outlook, pages=pages, warning=warning(outlook) if outlook else "")
        folders.write_meta(database, "finish", coordinator.stopping_rule.row)


@contextmanager
def _hosts(
    store: CrawlStore, installation: Installation, *, far: bool
) -> Iterator[tuple[SqliteLedger | PostgresLedger, Mapping[str, float]]]:
    """The clocks of all hosts, and what an earlier run still asks of them: nothing, unless its workers are `far` away."""
    with closing(_open_ledger(store, installation)) as ledger:
        if far:
            yield ledger, ledger.held(time.time())
            return
        _let_go(ledger, store.settings)  # of what an earlier run held when it was killed
        try:
            yield ledger, {}
        finally:
            _let_go(ledger, store.settings)


def _open_ledger(store: CrawlStore, installation: Installation) -> SqliteLedger | PostgresLedger:
    """The clocks of all machines for a crawl that any machine can go on with; else those of this one."""
    if url := folders.read_cluster(store.folder).database:
        return PostgresLedger(url, store.crawl_id, time.time)
    return SqliteLedger(installation.hosts, store.crawl_id, time.time)


def _let_go(ledger: SqliteLedger | PostgresLedger, settings: Settings) -> None:
    """Hosts that we hold may be asked by other crawls again, after a pause."""
    ledger.recover(time.time(), settings.politeness.delay)


def _dispatch(
    coordinator: Coordinator, store: CrawlStore, inherited: Mapping[str, float], clock: Callable[[], float]
) -> Dispatch:
    """The cluster, as this run of the crawl sees it."""
    # Only here, because most crawls do without a broker.
    from shoal.cluster.dispatch import Dispatch

    run = uuid.uuid4().hex
    return Dispatch(coordinator, store.settings, crawl=store.crawl_id, run=run, inherited=inherited, clock=clock)


async def _run(
    coordinator: Coordinator,
    settings: Settings,
    watch: Watch,
    locator: HostLocator | None,
    dispatch: Dispatch | None,
    broker: str,
    judge: Judge | None,
) -> Ending:
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(watch(coordinator))
        running = group.create_task(coordinator.run())
        if dispatch is not None:
            group.create_task(dispatch.run(broker, running))
        elif settings.processes == 1:
            group.create_task(_work_here(coordinator, settings, locator.resolver if locator else None, judge))
        else:
            for _ in range(settings.processes):
                group.create_task(work_elsewhere(coordinator, settings))
        ending = await running
        watching.cancel()
    return ending


def _shown(
    folder: Path, coordinator: Coordinator, address: ListenAddress | None, dispatch: Dispatch | None
) -> AbstractAsyncContextManager[object]:
    """The figures of a crawl are there for others to watch, if somebody said where."""
    if address is None:
        return nullcontext()
    # Only here, because the library takes a tenth of a second to import, and most crawls are watched by nobody.
    from shoal.crawl.prometheus import CrawlCollector, serving

    states, cluster = partial(_states, folder), dispatch.figures if dispatch else ClusterFigures
    return serving(address, CrawlCollector(folder.resolve().name, coordinator.figures, states=states, cluster=cluster))


def _states(folder: Path) -> dict[State, int]:
    with folders.reading(folder) as database:
        return report.per_state(database)


async def _work_here(
    coordinator: Coordinator, settings: Settings, resolver: CachingResolver | None, judge: Judge | None
) -> None:
    # Only here, because the HTTP client takes a third of a second to import, and most commands fetch nothing.
    from shoal.crawl.worker import open_visitor, work_together

    async with open_visitor(replace(settings, topic=coordinator.topic), resolver, judge) as visitor:
        coordinator.when_topic_changes(visitor.adopt)
        await work_together(coordinator, visitor, settings.fetching.concurrency)
