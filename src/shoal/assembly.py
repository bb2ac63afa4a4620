"""Which parts make a running crawl? Here they are made and put together; what visits pages is in `crawl/worker.py`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING

from shoal.cluster import leases
from shoal.crawl.background import BackgroundWork
from shoal.crawl.committer import COMMIT_SECONDS, Committer
from shoal.crawl.coordinator import Coordinator
from shoal.crawl.handout import Arrivals, Handout
from shoal.crawl.lane import Lanes
from shoal.crawl.metrics import Meter
from shoal.crawl.own_code import ending, guarded
from shoal.crawl.page_lane import PageLane
from shoal.crawl.parts import CrawlParts
from shoal.crawl.robots_lane import RobotsLane
from shoal.crawl.side_lane import SideLane
from shoal.crawl.termination import LATELY, RemainingBudget, Row, StoppingRule
from shoal.crawl.topic_learner import TopicLearner
from shoal.frontier.frontier import Frontier
from shoal.frontier.host_schedule import HostSchedule
from shoal.frontier.intake import Intake
from shoal.frontier.pending import PendingChanges
from shoal.frontier.politeness import Clocks
from shoal.frontier.robots import Rulebook
from shoal.frontier.scope import ScopeRule
from shoal.frontier.traps import TrapDetector
from shoal.internal_errors import InternalErrors
from shoal.model.stored import Totals
from shoal.parse.parser import HtmlParser
from shoal.protocols import Ledger, Locator, Persistent, Portable, Repricer, Strategy
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status
from shoal.store.crawl_store import CrawlStore
from shoal.store.strategy_memory import Model, StrategyMemory
from shoal.strategy import SEED_PRIORITY, capabilities_of, strategies

if TYPE_CHECKING:
    from shoal.fetch.addresses import HostLocator


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
    run: str = "",
    own: Strategy | None = None,
) -> Coordinator:
    """The stateful half of a crawl, as its settings want it, standing where the last run left it.

    `inherited` are hosts that requests of an earlier run may be under way to. `far` when tasks go to other machines. Without a
    `locator` hosts are asked although nobody knows where they live: they have no address, or a proxy knows it. `run` is what
    others know this run by. `own` is a strategy that a program passed, instead of the one that the settings name.
    """
    settings = store.settings
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
    parts = _make_parts(store, rulebook, clocks, locator, clock, new_pages=new_pages, own=own)
    side_tasks, robots = SideLane(parts, store.backlog), RobotsLane(parts)
    lanes = Lanes(pages=PageLane(parts, side_tasks), robots=robots, side_tasks=side_tasks)
    arrivals, committer = Arrivals(parts, lanes), Committer(parts, lanes, commit_seconds)
    handout = Handout(parts, lanes, arrivals, committer)
    return Coordinator(
        parts,
        lanes=lanes,
        handout=handout,
        arrivals=arrivals,
        committer=committer,
        wishes=store.wishes.news,
        run=run,
    )


def _make_parts(
    store: CrawlStore,
    rulebook: Rulebook,
    clocks: Clocks,
    locator: Locator | None,
    clock: Callable[[], float],
    *,
    new_pages: bool,
    own: Strategy | None,
) -> CrawlParts:
    """With the seeds in the frontier."""
    settings, totals = store.settings, store.totals()
    pending, host_schedule = PendingChanges(store.url_index), HostSchedule(clocks, locator)
    frontier = Frontier(store.url_index, pending, host_schedule, latest=clock() + clocks.longest_wait)
    traps = TrapDetector(datetime.fromtimestamp(clock(), UTC).year)
    traps.load(store.patterns())
    strategy = guarded(ending(own, recalled)(own, store.memory)) if own else capabilities_of(make_strategy(store))
    scope = ScopeRule(settings.scope, settings.seeds)
    intake = Intake(frontier, pending, scope, traps, settings.budget, strategy.lost)
    for seed in settings.seeds:
        intake.seed(seed, SEED_PRIORITY)
    meter, internal_errors = Meter(totals, clock()), InternalErrors(totals.internal_errors)
    stopping_rule = _make_finish(store, totals)
    background = BackgroundWork(
        strategy=strategy,
        learner=_make_learner(store, totals),
        stopping_rule=stopping_rule,
        frontier=frontier,
        meter=meter,
        marks=store.marks.news,
        clock=clock,
        internal_errors=internal_errors,
    )
    return CrawlParts(
        settings=settings,
        clock=clock,
        store=store,
        pending=pending,
        host_schedule=host_schedule,
        frontier=frontier,
        clocks=clocks,
        rulebook=rulebook,
        traps=traps,
        intake=intake,
        strategy=strategy,
        background=background,
        meter=meter,
        budget_left=RemainingBudget(settings.budget, meter, stopping_rule, new_pages=new_pages),
        internal_errors=internal_errors,
    )


def make_locator(settings: Settings) -> HostLocator | None:
    """Who finds out where hosts live before they are asked; nobody when a proxy does, which asks for us."""
    if settings.fetching.proxy:
        return None
    # Only here, because the HTTP client takes a third of a second to import, and most commands fetch nothing.
    from shoal.fetch.addresses import CachingResolver, HostLocator
    from shoal.fetch.client import threads_for

    return HostLocator(CachingResolver(threads=threads_for(settings.fetching)), settings.fetching)


def make_strategy(store: CrawlStore) -> Strategy:
    """The strategy of a crawl, knowing what it knew when the last run ended."""
    return recalled(new_strategy(store.settings), store.memory)


def recalled(strategy: Strategy, memory: StrategyMemory) -> Strategy:
    """The strategy with what it knew when the last run ended."""
    if (model := began_with(memory)) is not None and isinstance(strategy, Portable):
        strategy.begin_with(model.knowledge)
    if isinstance(strategy, Persistent):
        strategy.recall(memory.memos())
    if isinstance(strategy, Repricer):
        strategy.lost(memory.lost())
    return strategy


def new_strategy(settings: Settings) -> Strategy:
    """The strategy that the settings name, which knows nothing yet."""
    return strategies()[settings.strategy].make(settings.topic, **dict(settings.parameters))


def began_with(memory: StrategyMemory) -> Model | None:
    """What the crawl began with, unless the user has changed to another strategy since."""
    model = memory.model()
    return model if model is not None and model.strategy == memory.settings.strategy else None


def _make_finish(store: CrawlStore, totals: Totals) -> StoppingRule:
    """Whether it is worth going on, as far as earlier runs have found out."""
    if (limit := store.settings.budget.until_done) is None:
        return StoppingRule(None)
    with folders.reading(store.folder) as database:
        row = folders.read_meta(database, "finish", Row)
        return StoppingRule(limit, pages=totals.pages, lately=crawl_status.lately(database, LATELY), row=row)


def _make_learner(store: CrawlStore, totals: Totals) -> TopicLearner:
    """What the crawl has learned about its topic when the last run ended."""
    settings, last = store.settings, store.topic()
    learner = TopicLearner(settings.learning, last, seeds=len(settings.seeds), pages=totals.pages)
    if learner.awaits_seeds and totals.pages:
        parser = HtmlParser(settings.fetching.user_agent)
        learner.recall(page for response in store.seed_pages() if (page := parser.parse(response)) is not None)
    return learner


def _crawl_delay(rulebook: Rulebook, host: str, now: float) -> float | None:
    """The longest that the host asks for under any scheme; None when its robots.txt must be read first."""
    homes = [f"{scheme}://{host}/" for scheme in ("http", "https")]
    known = [home for home in homes if rulebook.check(home, now) != "unknown"]
    return max((rulebook.crawl_delay(home) or 0.0 for home in known), default=None)
