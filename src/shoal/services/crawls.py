"""What can be done with a crawl? It is started, run, changed, and asked how it stands; `assembly.py` makes its parts."""

from __future__ import annotations

import asyncio
import logging
import os
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
from msgspec.structs import replace

from shoal import assembly, indexer
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.metrics import ClusterFigures
from shoal.crawl.processes import work_elsewhere
from shoal.crawl.termination import Ending, warning
from shoal.crawl.time_slices import collect_seldom
from shoal.errors import DatabaseGone, InputError, NoSeedReached, first_of
from shoal.frontier.scope import ScopeRule
from shoal.index.index_folder import remove as remove_index
from shoal.indexer import index_kept
from shoal.internal_errors import LOGGER as INTERNAL_ERRORS
from shoal.judge import judges
from shoal.judge.registry import Parameter, Registered
from shoal.model import Entry, Evidence, State
from shoal.model.stored import TopicChange
from shoal.protocols import Forecaster, LinkExplainer, MarkLearner, Portable, Repricer
from shoal.settings import STRATEGY, Cluster, ListenAddress, Settings
from shoal.signals import stopped_by_signals
from shoal.steady_clock import SteadyClock, WallLedger
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status as report
from shoal.store import mark_log, ownership, strategy_memory
from shoal.store.crawl_status import Status
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.exporters import ExportRow, Format, export, rows
from shoal.store.ownership import Made
from shoal.store.postgres_ledger import PostgresLedger
from shoal.store.provenance import UrlExplanation, explain
from shoal.store.revisits import reopen
from shoal.store.sqlite_ledger import SqliteLedger, ledger_path
from shoal.store.strategy_memory import Model, StrategyMemory, pack
from shoal.strategy import strategies
from shoal.topic import word_vectors
from shoal.topic.topic_file import Names, overlay, read_cluster
from shoal.urls import normalise

if TYPE_CHECKING:
    from shoal.cluster.dispatch import Dispatch
    from shoal.fetch.addresses import CachingResolver, HostLocator

Watch = Callable[[Coordinator], Coroutine[None, None, None]]
"""Shows how a crawl stands; cancelled when the crawl is over."""


_STANDBY_SECONDS = 1.0


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A strategy or a judge, in words."""

    name: str
    summary: str
    paper: str
    default: bool
    judge: str = ""
    """Of a strategy: the judge it runs with when the user names none."""
    parameters: tuple[Parameter, ...] = ()


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be named with --strategy and --judge."""

    strategies: tuple[Described, ...]
    judges: tuple[Described, ...]
    vectors: tuple[str, ...]
    """For each language one sentence: whether its word vectors are installed."""


@cache
def names() -> Names:
    """The judges and strategies a user can choose from."""
    settable = {
        name: {number.name: (number.least, number.most) for number in choice.parameters}
        for name, choice in strategies().items()
    }
    return Names(strategies=tuple(strategies()), judges=tuple(judges()), parameters=settable)


def choices() -> Choices:
    """The same with a line about each."""
    return Choices(
        strategies=tuple(_described(choice, choice.judge) for choice in strategies().values()),
        judges=tuple(_described(choice) for choice in judges().values()),
        vectors=word_vectors.describe(),
    )


def _described(choice: Registered[Any], judge: str = "") -> Described:
    return Described(
        name=choice.name,
        summary=choice.summary,
        paper=choice.paper,
        default=choice.name == STRATEGY,
        judge=judge,
        parameters=choice.parameters,
    )


def start_crawl(folder: Path, settings: Settings, model: Model | None = None, cluster: Cluster | None = None) -> Made:
    """Make the folder of a new crawl, which may begin with what another one learned, and may be in a database elsewhere."""
    _check_foresight(settings)
    if model is None:
        return folders.create(folder, settings, cluster=cluster)
    _check_model(settings, model)
    return folders.create(folder, replace(settings, has_model=True), pack(model), cluster)


def join_crawl(folder: Path, options: Mapping[str, object], environ: Mapping[str, str]) -> None:
    """Make the folder of a crawl that another machine began; a crawl that is here may get other servers."""
    if folders.exists(folder):
        folders.write_cluster(folder, read_cluster(options=options))
    else:
        folders.find(folder, read_cluster(options=options, environ=environ))


def stand_by(folder: Path, say: Callable[[str], None], sleep: Callable[[float], None] = time.sleep) -> None:
    """Return when nobody is at work at the crawl; `say` hears, once, if somebody is."""
    if _is_taken(folder):
        say("Another machine is at work at this crawl: this one stands by, and takes over when that ends.")
    while _is_taken(folder):
        sleep(_STANDBY_SECONDS)


def _is_taken(folder: Path) -> bool:
    try:
        return folders.is_running(folder)
    except DatabaseGone:  # then nobody can take over
        return True


def forget_crawl(made: Made) -> None:
    """Take back a crawl that this run began and that has nothing in it."""
    remove_index(made.folder / indexer.PAGES)
    folders.remove(made)


def change_settings(folder: Path, options: Mapping[str, object]) -> None:
    """What the user says now replaces what the crawl was started with; what is allowed now and was not then gets its chance."""
    with folders.lock_existing(folder), folders.reading(folder) as database:
        folders.hide_secrets(folder, database)
        before = folders.read_settings(folder, database)
        settings = overlay(before, options, names=names())
        check_names(settings)
        _check_foresight(settings)
        folders.write_settings(folder, database, settings)
        if options.get("threshold") is not None:
            strategy_memory.set_threshold(database, settings.topic, time.time())
        reopen(database, before, settings, ScopeRule(settings.scope, settings.seeds).allows)


def check_names(settings: Settings) -> None:
    """A strategy or judge that somebody added may be gone since the crawl began."""
    if settings.strategy not in strategies():
        raise InputError(f"There is no strategy {settings.strategy} any more: choose another one with --strategy.")
    if settings.judge and settings.judge not in judges():
        raise InputError(f"There is no judge {settings.judge} any more: choose another one with --judge.")


def _check_foresight(settings: Settings) -> None:
    """Only who expects something of the next pages can say that they are not worth fetching."""
    if settings.budget.until_done is None or isinstance(assembly.new_strategy(settings), Forecaster):
        return
    able = [name for name, choice in strategies().items() if isinstance(choice.make(settings.topic), Forecaster)]
    advice = f"choose {' or '.join(able)} with --strategy, or say --until-done=0" if able else "none here can"
    raise InputError(
        f"--until-done needs a strategy that can tell what the next pages will bring, and {settings.strategy} cannot: "
        f"{advice}."
    )


def _check_model(settings: Settings, model: Model) -> None:
    """It must be the work of the strategy that is to begin with it, and that strategy must be able to read it."""
    if model.strategy not in strategies():
        raise InputError(f"The model was learned by the strategy {model.strategy}, which is not installed here.")
    if model.strategy != settings.strategy:
        raise InputError(
            f"The model was learned by the strategy {model.strategy}, and this crawl uses {settings.strategy}, "
            f"which cannot read it: add --strategy {model.strategy}, or leave --model out."
        )
    if not isinstance(strategy := assembly.new_strategy(settings), Portable):
        raise InputError(f"The strategy {settings.strategy} cannot begin with a model: leave --model out.")
    strategy.begin_with(model.knowledge)


async def run_crawl(
    folder: Path,
    watch: Watch,
    *,
    ledger_file: Path | None = None,
    say: Callable[[str], None] = lambda sentence: None,
    new_pages: bool = True,
    metrics: ListenAddress | None = None,
) -> Ending:
    """Crawl in a folder, from the start or from where it stopped, until it is over; answers why it is.

    The ledger of hosts is that of the installation, unless the hosts exist for this crawl only. `say` hears what a user should
    know once the crawl is over. Without `new_pages` it only looks at pages again (`services/revisit.py`). With
    `metrics` others can watch it there.
    """
    with ExitStack() as stack:
        store = stack.enter_context(open_store(folder))
        stack.enter_context(_bugs_logged(folder))
        folders.check_secrets(store.settings)
        collect_seldom()
        broker = folders.read_cluster(folder).broker
        ledger, inherited = stack.enter_context(_hosts(store, ledger_file, far=bool(broker)))
        clock, locator = SteadyClock(), assembly.make_locator(store.settings)
        coordinator = assembly.make_coordinator(
            store,
            WallLedger(ledger, clock),
            clock,
            new_pages=new_pages,
            inherited=inherited,
            far=bool(broker),
            locator=locator,
        )
        stack.enter_context(stopped_by_signals(coordinator.stop))
        dispatch = _dispatch(coordinator, store, inherited, clock) if broker else None
        try:
            async with (
                locator or nullcontext(),
                _shown(folder, coordinator, metrics, dispatch),
                index_kept(folder, say) if store.settings.index else nullcontext(),
            ):
                ending = await _run(coordinator, store.settings, watch, locator, dispatch, broker)
        except BaseExceptionGroup as group:
            raise first_of(group) from group
        if ending is Ending.NOTHING_LEFT:
            _check_that_something_came(store)
        _keep_outlook(store, coordinator)
    return ending


@contextmanager
def _bugs_logged(folder: Path) -> Iterator[None]:
    """What is our own fault is written down beside the crawl, not in the middle of its progress."""
    handler = logging.FileHandler(folder / ownership.LOG, delay=True, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    INTERNAL_ERRORS.addHandler(handler)
    INTERNAL_ERRORS.propagate, before = False, INTERNAL_ERRORS.propagate
    try:
        yield
    finally:
        INTERNAL_ERRORS.propagate = before
        INTERNAL_ERRORS.removeHandler(handler)
        handler.close()


def _check_that_something_came(store: CrawlStore) -> None:
    if store.totals().pages or not (seeds := store.failed_seeds()):
        return
    raise NoSeedReached(
        "Not one seed could be fetched: " + "; ".join(f"{seed.url} ({seed.why})" for seed in seeds) + "."
    )


def _keep_outlook(store: CrawlStore, coordinator: Coordinator) -> None:
    """What the run ends with, for `shoal status` and for the next run."""
    outlook, pages = coordinator.outlook(), store.totals().pages
    with folders.reading(store.folder) as database:
        report.keep_outlook(database, outlook, pages=pages, warning=warning(outlook) if outlook else "")
        folders.write_meta(database, "finish", coordinator.stopping_rule.row)


@contextmanager
def _hosts(
    store: CrawlStore, file: Path | None, *, far: bool
) -> Iterator[tuple[SqliteLedger | PostgresLedger, Mapping[str, float]]]:
    """The clocks of all hosts, and what an earlier run still asks of them: nothing, unless its workers are `far` away."""
    with closing(_open_ledger(store, file)) as ledger:
        if far:
            yield ledger, ledger.held(time.time())
            return
        _let_go(ledger, store.settings)  # of what an earlier run held when it was killed
        try:
            yield ledger, {}
        finally:
            _let_go(ledger, store.settings)


def _open_ledger(store: CrawlStore, file: Path | None) -> SqliteLedger | PostgresLedger:
    """The clocks of all machines for a crawl that any machine can go on with; else those of this one."""
    if file is None and (url := folders.read_cluster(store.folder).database):
        return PostgresLedger(url, store.crawl_id, time.time)
    return SqliteLedger(file or ledger_path(os.environ), store.crawl_id, time.time)


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
) -> Ending:
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(watch(coordinator))
        running = group.create_task(coordinator.run())
        if dispatch is not None:
            group.create_task(dispatch.run(broker, running))
        elif settings.processes == 1:
            group.create_task(_work_here(coordinator, settings, locator.resolver if locator else None))
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


async def _work_here(coordinator: Coordinator, settings: Settings, resolver: CachingResolver | None) -> None:
    # Only here, because the HTTP client takes a third of a second to import, and most commands fetch nothing.
    from shoal.crawl.worker import open_visitor, work_together

    async with open_visitor(replace(settings, topic=coordinator.topic), resolver) as visitor:
        coordinator.when_topic_changes(visitor.adopt)
        await work_together(coordinator, visitor, settings.fetching.concurrency)


# --- questions about a crawl -----------------------------------------------------------------------------------------


def crawl_status(folder: Path) -> Status:
    """How a crawl stands, whether it is running or not."""
    with mark_log.reading(folder) as database:
        return report.status(database, running=folders.is_running(folder))


def fetched_pages(folder: Path) -> list[ExportRow]:
    """Every page that was fetched, in the order of fetching."""
    with mark_log.reading(folder) as database:
        return list(rows(database, relevant_only=False))


def topic_history(folder: Path) -> list[TopicChange]:
    """Every version of the topic, the one that the crawl was started with first."""
    with folders.reading(folder) as database:
        return strategy_memory.topic_history(database, folders.read_settings(folder, database).topic)


def explain_url(folder: Path, url: str, *, in_depth: bool = True) -> UrlExplanation:
    """Why a URL was fetched, or why not; in depth also what makes the value of one that waits, which may take seconds."""
    with mark_log.reading(folder) as database:
        settings = folders.read_settings(folder, database)
        reasons = partial(_value_now, StrategyMemory(folder, settings, database)) if in_depth else None
        if (found := explain(database, url, reasons)) is not None:
            return found
    address = normalise(url)
    if address is None:
        raise InputError(f"'{url}' is not a URL: it should look like https://example.org/page.")
    why_not = ScopeRule(settings.scope, settings.seeds).why_not(address)
    reason = f"it is out of scope ({why_not})" if why_not else "no fetched page links to it"
    raise InputError(f"{address} is not known to this crawl: {reason}.")


def _value_now(memory: StrategyMemory, entry: Entry) -> tuple[Evidence, ...]:
    """What makes the value of a URL that waits, by all that is stored: also beside a crawl that is at work.

    The strategy learns everything once more, which takes seconds for many pages; only one that gives reasons has to.
    """
    if memory.settings.strategy not in strategies():
        return ()
    strategy = assembly.new_strategy(memory.settings)
    if not isinstance(strategy, LinkExplainer):
        return ()
    assembly.recalled(strategy, memory)
    if isinstance(strategy, MarkLearner) and (said := mark_log.read(memory.folder)):
        for mark in said.values():
            strategy.learn_mark(mark)
        if isinstance(strategy, Repricer):
            asyncio.run(strategy.refresh())  # what the user said counts from here on
    return strategy.reasons(entry)


def export_pages(folder: Path, format: Format, out: Path | BinaryIO, *, relevant_only: bool) -> int:
    """Write the fetched pages to a file or a stream; answers how many."""
    with mark_log.reading(folder) as database:
        return export(database, folder, format, out, relevant_only)
