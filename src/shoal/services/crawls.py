"""Which parts make a crawl? Here implementations are chosen and put together; those that visit pages in `visiting.py`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
import uuid
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
from msgspec.structs import replace

from shoal import indexer as indexing
from shoal import interpreter
from shoal.cluster import leases
from shoal.crawl.allowance import Ending
from shoal.crawl.coordinator import COMMIT_SECONDS, Coordinator
from shoal.crawl.figures import ClusterFigures
from shoal.crawl.termination import AHEAD, LATELY, Finish, Row, warning
from shoal.crawl.topic_learner import Learner
from shoal.crawl.worker import work_together
from shoal.errors import DatabaseGone, InputError, NoSeedReached, first_of
from shoal.frontier.frontier import Frontier
from shoal.frontier.intake import Intake
from shoal.frontier.politeness import Clocks
from shoal.frontier.robots import Rulebook
from shoal.frontier.scope import ScopeRule
from shoal.frontier.traps import TrapDetector
from shoal.index.index_folder import remove as remove_index
from shoal.internal_errors import LOGGER as INTERNAL_ERRORS
from shoal.judge import judges
from shoal.judge.registry import Choice, Parameter
from shoal.model import Entry, Evidence, State
from shoal.parse.parser import HtmlParser
from shoal.processes import index_kept, work_elsewhere
from shoal.protocols import Ledger, Locator, Strategy
from shoal.remembered import TopicChange, Totals
from shoal.settings import STRATEGY, Address, Cluster, Settings
from shoal.steady_clock import SteadyClock, WallLedger
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status as report
from shoal.store import history, secrets
from shoal.store import mark_log as opinions
from shoal.store import marked_pages as marked
from shoal.store import ownership as ours
from shoal.store.clocks import PostgresLedger
from shoal.store.crawl_status import BestPage, Status
from shoal.store.crawl_store import CrawlStore, open_store
from shoal.store.exporters import ExportRow, Format, export, rows
from shoal.store.memory import Memory
from shoal.store.models import Model, pack
from shoal.store.ownership import Made
from shoal.store.provenance import Explanation, explain
from shoal.store.revisits import reopen
from shoal.store.sqlite_ledger import SqliteLedger, ledger_path
from shoal.strategy import SEED_PRIORITY, strategies
from shoal.topic import word_vectors as vectors
from shoal.topic.topic_file import Names, overlay, read_cluster
from shoal.urls import normalise

if TYPE_CHECKING:
    from shoal.cluster.dispatch import Dispatch
    from shoal.crawl.locator import HostLocator
    from shoal.fetch.addresses import CachingResolver

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
    settable = {name: choice.parameters for name, choice in strategies().items()}
    return Names(strategies=tuple(strategies()), judges=tuple(judges()), parameters=settable)


def choices() -> Choices:
    """The same with a line about each."""
    return Choices(
        strategies=tuple(_described(choice, choice.judge) for choice in strategies().values()),
        judges=tuple(_described(choice) for choice in judges().values()),
        vectors=vectors.describe(),
    )


def _described(choice: Choice[Any], judge: str = "") -> Described:
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
        return folders.create_new(folder, settings, cluster=cluster)
    _check_model(settings, model)
    return folders.create_new(folder, replace(settings, has_model=True), pack(model), cluster)


def join_crawl(folder: Path, options: Mapping[str, object], environ: Mapping[str, str]) -> None:
    """Make the folder of a crawl that another machine began; a crawl that is here may get other servers."""
    if folders.exists(folder):
        folders.write_cluster(folder, read_cluster(options=options))
    else:
        folders.find(folder, read_cluster(options=options, environ=environ))


def stand_by(folder: Path, say: Callable[[str], None], sleep: Callable[[float], None] = time.sleep) -> None:
    """Return when nobody is at work at the crawl; `say` hears, once, if somebody is."""
    said = False
    while _is_taken(folder):
        if not said:
            say("Another machine is at work at this crawl: this one stands by, and takes over when that ends.")
        said = True
        sleep(_STANDBY_SECONDS)


def _is_taken(folder: Path) -> bool:
    try:
        return folders.is_running(folder)
    except DatabaseGone:  # then nobody can take over
        return True


def forget_crawl(made: Made) -> None:
    """Take back a crawl that this run began and that has nothing in it."""
    remove_index(made.folder / indexing.PAGES)
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
            history.set_threshold(database, settings.topic, time.time())
        reopen(database, before, settings, ScopeRule(settings.scope, settings.seeds).allows)


def check_names(settings: Settings) -> None:
    """A strategy or judge that somebody added may be gone since the crawl began."""
    if settings.strategy not in strategies():
        raise InputError(f"There is no strategy {settings.strategy} any more: choose another one with --strategy.")
    if settings.judge and settings.judge not in judges():
        raise InputError(f"There is no judge {settings.judge} any more: choose another one with --judge.")


def _check_foresight(settings: Settings) -> None:
    """Only who expects something of the next pages can say that they are not worth fetching."""
    if settings.budget.until_done is None or _new_strategy(settings).outlook(AHEAD) is not None:
        return
    able = [name for name, choice in strategies().items() if choice.make(settings.topic).outlook(AHEAD) is not None]
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
    _new_strategy(settings).begin_with(model.knowledge)


async def run_crawl(
    folder: Path,
    watch: Watch,
    *,
    ledger_file: Path | None = None,
    say: Callable[[str], None] = lambda sentence: None,
    new_pages: bool = True,
    metrics: Address | None = None,
) -> Ending:
    """Crawl in a folder, from the start or from where it stopped, until it is over; answers why it is.

    The ledger of hosts is that of the installation, unless the hosts exist for this crawl only. `say` hears what a user should
    know once the crawl is over. Without `new_pages` it only looks at pages again (`revisiting.py`). With `metrics` others can
    watch it there.
    """
    with ExitStack() as stack:
        store = stack.enter_context(open_store(folder))
        stack.enter_context(_bugs_logged(folder))
        secrets.check(store.settings)
        interpreter.tune()
        ledger = _open_ledger(store, ledger_file)
        stack.callback(ledger.close)
        broker = folders.read_cluster(folder).broker
        if broker:  # workers may still be asking for what an earlier run handed out
            inherited = ledger.held(time.time())
        else:
            inherited = {}
            _let_go(ledger, store.settings)  # of what an earlier run held when it was killed
            stack.callback(_let_go, ledger, store.settings)
        clock, locator = SteadyClock(), make_locator(store.settings)
        coordinator = make_coordinator(
            store,
            WallLedger(ledger, clock),
            clock,
            new_pages=new_pages,
            inherited=inherited,
            far=bool(broker),
            locator=locator,
        )
        stack.enter_context(_stop_on_signals(coordinator))
        dispatch = _dispatch(coordinator, store, inherited, clock) if broker else None
        try:
            async with (
                locator or nullcontext(),
                _shown(folder, coordinator, metrics, dispatch),
                _indexed(folder, store.settings, say),
            ):
                ending = await _run(coordinator, store.settings, watch, locator, dispatch, broker)
        except BaseExceptionGroup as group:
            raise first_of(group) from group
        nothing_came = ending is Ending.NOTHING_LEFT and not store.totals().pages
        if nothing_came and (reasons := store.failed_seeds()):
            raise NoSeedReached(
                "Not one seed could be fetched: " + "; ".join(f"{seed.url} ({seed.why})" for seed in reasons) + "."
            )
        _keep_outlook(store, coordinator)
    return ending


@contextmanager
def _bugs_logged(folder: Path) -> Iterator[None]:
    """What is our own fault is written down beside the crawl, not in the middle of its progress."""
    handler = logging.FileHandler(folder / ours.LOG, delay=True, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    INTERNAL_ERRORS.addHandler(handler)
    INTERNAL_ERRORS.propagate, before = False, INTERNAL_ERRORS.propagate
    try:
        yield
    finally:
        INTERNAL_ERRORS.propagate = before
        INTERNAL_ERRORS.removeHandler(handler)
        handler.close()


def make_coordinator(
    store: CrawlStore,
    ledger: Ledger,
    clock: Callable[[], float] = time.time,
    *,
    random: Random | None = None,
    commit_seconds: float = COMMIT_SECONDS,
    new_pages: bool = True,
    inherited: Iterable[str] = (),
    far: bool = False,
    locator: Locator | None = None,
) -> Coordinator:
    """The stateful half of a crawl, as its settings want it, standing where the last run left it.

    `inherited` are hosts that requests of an earlier run may be under way to. `far` when tasks go to other machines. Without a
    `locator` hosts are asked although nobody knows where they live: they have no address, or a proxy knows it.
    """
    settings, totals = store.settings, store.totals()
    rulebook = Rulebook(settings.politeness, settings.fetching.user_agent, store.robots)
    clocks = Clocks(
        settings.politeness,
        ledger,
        longest_request=leases.longest(settings) if far else settings.fetching.total_timeout,
        random=random or Random(),
        wish=lambda host: _crawl_delay(rulebook, host, clock()),
        clock=clock,
    )
    clocks.inherit(inherited)
    frontier = Frontier(store.shelf, clocks, locator=locator, latest=clock() + clocks.longest_wait)
    traps = TrapDetector(datetime.fromtimestamp(clock(), UTC).year)
    traps.load(store.patterns())
    strategy = make_strategy(store)
    intake = Intake(frontier, ScopeRule(settings.scope, settings.seeds), traps, settings.budget, strategy.lost)
    for seed in settings.seeds:
        intake.seed(seed, SEED_PRIORITY)
    return Coordinator(
        settings,
        store=store,
        frontier=frontier,
        clocks=clocks,
        rulebook=rulebook,
        traps=traps,
        intake=intake,
        strategy=strategy,
        learner=_make_learner(store, totals),
        totals=totals,
        clock=clock,
        commit_seconds=commit_seconds,
        opinions=store.opinions.news,
        finish=_make_finish(store, totals),
        backlog=store.backlog,
        new_pages=new_pages,
    )


def make_locator(settings: Settings) -> HostLocator | None:
    """Who finds out where hosts live before they are asked; nobody when a proxy does, which asks for us."""
    if settings.fetching.proxy:
        return None
    # Only here, because the HTTP client takes a third of a second to import, and most commands fetch nothing.
    from shoal.crawl.locator import HostLocator
    from shoal.fetch.addresses import CachingResolver
    from shoal.fetch.client import threads_for

    return HostLocator(CachingResolver(threads=threads_for(settings.fetching)), settings.fetching)


def make_strategy(store: CrawlStore) -> Strategy:
    """The strategy of a crawl, knowing what it knew when the last run ended."""
    return _recalled(_new_strategy(store.settings), store.memory)


def _recalled(strategy: Strategy, memory: Memory) -> Strategy:
    if (model := began_with(memory)) is not None:
        strategy.begin_with(model.knowledge)
    strategy.recall(memory.memos())
    strategy.lost(memory.lost())
    return strategy


def _new_strategy(settings: Settings) -> Strategy:
    return strategies()[settings.strategy].make(settings.topic, **dict(settings.parameters))


def began_with(memory: Memory) -> Model | None:
    """What the crawl began with, unless the user has changed to another strategy since."""
    model = memory.model()
    return model if model is not None and model.strategy == memory.settings.strategy else None


def _make_finish(store: CrawlStore, totals: Totals) -> Finish:
    """Whether it is worth going on, as far as earlier runs have found out."""
    if (limit := store.settings.budget.until_done) is None:
        return Finish(None)
    with folders.reading(store.folder) as database:
        row = msgspec.json.decode(folders.read_meta(database, "finish") or b"null", type=Row | None)
        return Finish(limit, pages=totals.pages, lately=report.lately(database, LATELY), row=row)


def _keep_outlook(store: CrawlStore, coordinator: Coordinator) -> None:
    """What the run ends with, for `shoal status` and for the next run."""
    outlook, pages = coordinator.outlook(), store.totals().pages
    with folders.reading(store.folder) as database:
        report.keep_outlook(database, outlook, pages=pages, warning=warning(outlook) if outlook else "")
        folders.write_meta(database, "finish", coordinator.finish.row)


def _make_learner(store: CrawlStore, totals: Totals) -> Learner:
    """What the crawl has learned about its topic when the last run ended."""
    settings, last = store.settings, store.topic()
    learner = Learner(settings.learning, last, seeds=len(settings.seeds), pages=totals.pages)
    if learner.awaits_seeds and totals.pages:
        parser = HtmlParser(settings.fetching.user_agent)
        learner.recall(page for response in store.seed_pages() if (page := parser.parse(response)) is not None)
    return learner


def _open_ledger(store: CrawlStore, file: Path | None) -> SqliteLedger | PostgresLedger:
    """The clocks of all machines for a crawl that any machine can go on with; else those of this one."""
    if file is None and (url := folders.read_cluster(store.folder).database):
        return PostgresLedger(url, store.crawl_id, time.time)
    return SqliteLedger(file or ledger_path(os.environ), store.crawl_id, time.time)


def _let_go(ledger: SqliteLedger | PostgresLedger, settings: Settings) -> None:
    """Hosts that we hold may be asked by other crawls again, after a pause."""
    ledger.recover(time.time(), settings.politeness.delay)


def _crawl_delay(rulebook: Rulebook, host: str, now: float) -> float | None:
    """The longest that the host asks for under any scheme; None when its robots.txt must be read first."""
    homes = [f"{scheme}://{host}/" for scheme in ("http", "https")]
    known = [home for home in homes if rulebook.check(home, now) != "unknown"]
    return max((rulebook.crawl_delay(home) or 0.0 for home in known), default=None)


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


def _indexed(folder: Path, settings: Settings, say: Callable[[str], None]) -> AbstractAsyncContextManager[object]:
    return index_kept(folder, say) if settings.index else nullcontext()


def _shown(
    folder: Path, coordinator: Coordinator, address: Address | None, dispatch: Dispatch | None
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


# --- workers ---------------------------------------------------------------------------------------------------------


async def _work_here(coordinator: Coordinator, settings: Settings, resolver: CachingResolver | None) -> None:
    # Only here, because the HTTP client takes a third of a second to import, and most commands fetch nothing.
    from shoal.crawl.visitor import open_visitor

    async with open_visitor(replace(settings, topic=coordinator.topic), resolver) as visitor:
        coordinator.when_topic_changes(visitor.adopt)
        await work_together(coordinator, visitor, settings.fetching.concurrency)


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


# --- questions about a crawl -----------------------------------------------------------------------------------------


def crawl_status(folder: Path) -> Status:
    """How a crawl stands, whether it is running or not."""
    with marked.reading(folder) as database:
        return report.status(database, running=folders.is_running(folder))


def best_pages(folder: Path, limit: int) -> list[BestPage]:
    """The pages with the highest scores."""
    with marked.reading(folder) as database:
        return report.best(database, limit)


def fetched_pages(folder: Path) -> list[ExportRow]:
    """Every page that was fetched, in the order of fetching."""
    with marked.reading(folder) as database:
        return list(rows(database, relevant_only=False))


def topic_history(folder: Path) -> list[TopicChange]:
    """Every version of the topic, the one that the crawl was started with first."""
    with folders.reading(folder) as database:
        return history.topic_history(database, folders.read_settings(folder, database).topic)


def explain_url(folder: Path, url: str, *, in_depth: bool = True) -> Explanation:
    """Why a URL was fetched, or why not; in depth also what makes the value of one that waits, which may take seconds."""
    with marked.reading(folder) as database:
        settings = folders.read_settings(folder, database)
        reasons = partial(_value_now, Memory(folder, settings, database)) if in_depth else None
        if (found := explain(database, url, reasons)) is not None:
            return found
    address = normalise(url)
    if address is None:
        raise InputError(f"'{url}' is not a URL: it should look like https://example.org/page.")
    why_not = ScopeRule(settings.scope, settings.seeds).why_not(address)
    reason = f"it is out of scope ({why_not})" if why_not else "no fetched page links to it"
    raise InputError(f"{address} is not known to this crawl: {reason}.")


def _value_now(memory: Memory, entry: Entry) -> tuple[Evidence, ...]:
    """What makes the value of a URL that waits, by all that is stored: also beside a crawl that is at work.

    The strategy learns everything once more, which takes seconds for many pages; only one that gives reasons has to.
    """
    if memory.settings.strategy not in strategies():
        return ()
    strategy = _new_strategy(memory.settings)
    if type(strategy).reasons is Strategy.reasons:
        return ()
    _recalled(strategy, memory)
    if said := opinions.read(memory.folder):
        for opinion in said.values():
            strategy.told(opinion)
        asyncio.run(_refreshed(strategy))
    return strategy.reasons(entry)


async def _refreshed(strategy: Strategy) -> None:
    """What the user said counts from here on."""
    await strategy.refresh()


def export_pages(folder: Path, format: Format, out: Path | BinaryIO, *, relevant_only: bool) -> int:
    """Write the fetched pages to a file or a stream; answers how many."""
    with marked.reading(folder) as database:
        return export(database, folder, format, out, relevant_only)
