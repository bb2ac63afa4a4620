"""Which parts does a running crawl have? Made by `assembly.py`, and shared by all who hand out, take in and commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shoal.crawl.background import BackgroundWork
from shoal.crawl.metrics import Meter
from shoal.crawl.termination import RemainingBudget
from shoal.frontier.frontier import Frontier
from shoal.frontier.host_schedule import HostSchedule
from shoal.frontier.intake import Intake
from shoal.frontier.pending import PendingChanges
from shoal.frontier.politeness import Clocks
from shoal.frontier.robots import Rulebook
from shoal.frontier.traps import TrapDetector
from shoal.internal_errors import InternalErrors
from shoal.protocols import Store
from shoal.settings import Settings
from shoal.strategy import Capabilities


@dataclass(frozen=True, kw_only=True, slots=True)
class CrawlParts:
    """Each is the sole owner of its own state; whoever gets all of them takes those that it needs."""

    settings: Settings
    clock: Callable[[], float]
    store: Store
    pending: PendingChanges
    host_schedule: HostSchedule
    frontier: Frontier
    clocks: Clocks
    rulebook: Rulebook
    traps: TrapDetector
    intake: Intake
    strategy: Capabilities
    background: BackgroundWork
    meter: Meter
    budget_left: RemainingBudget
    internal_errors: InternalErrors
