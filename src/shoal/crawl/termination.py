"""When is a crawl over? When its budget is spent, or when it is not worth going on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from enum import StrEnum

from shoal.crawl.metrics import Meter
from shoal.model import Outlook, Value
from shoal.settings import Budget


class Ending(StrEnum):
    """Why a crawl is over."""

    NOTHING_LEFT = "nothing left to fetch"
    STOPPED = "stopped"
    PAGES = "the page budget is reached"
    BYTES = "the byte budget is reached"
    TIME = "the time budget is reached"
    DONE = "the topic is exhausted"
    RESTING = "servers asked for a long rest before what is left"
    LOOKED = "everything was looked at again"


class RemainingBudget:
    """The budget beside what was spent of it. The meter counts, `stopping_rule` knows whether the topic is exhausted."""

    def __init__(self, budget: Budget, meter: Meter, stopping_rule: StoppingRule, *, new_pages: bool = True) -> None:
        """Without `new_pages` there is nothing to spend on them: pages are looked at again, and images come."""
        self._budget = budget
        self._meter = meter
        self._stopping_rule = stopping_rule
        self._new_pages = new_pages

    def spent(self, now: float, in_flight: int = 0) -> Ending | None:
        """What there is no more of, when so many more pages may come; None while there is some of all."""
        budget, meter = self._budget, self._meter
        if budget.max_pages is not None and meter.pages + in_flight >= budget.max_pages:
            return Ending.PAGES
        if budget.max_bytes is not None and meter.bytes >= budget.max_bytes:
            return Ending.BYTES
        if budget.max_time is not None and meter.elapsed(now) >= budget.max_time:
            return Ending.TIME
        if self._stopping_rule.done:
            return Ending.DONE
        return None if self._new_pages else Ending.LOOKED

    def is_scarce(self, now: float) -> bool:
        """What runs out first is pages or bytes, not time: then a page that is not worth it is one less that is.

        With both limits, time counts as scarce as soon as a larger share of it is over than of the pages.
        """
        budget, meter = self._budget, self._meter
        limits = ((meter.pages, budget.max_pages), (meter.bytes, budget.max_bytes))
        shares = [used / limit for used, limit in limits if limit is not None]
        over = 0.0 if budget.max_time is None else meter.elapsed(now) / budget.max_time
        return bool(shares) and max(shares) >= over

    def deadline(self) -> float | None:
        """The moment at which the time is over."""
        return self._meter.time_of(self._budget.max_time)


# --- is it worth going on --------------------------------------------------------------------------------------------

AHEAD = 200
"""The next pages that a strategy is asked about."""
LATELY = 200
"""The last pages that must have brought too little."""
_LEAST_PAGES = 200
"""No crawl is over before: a model needs something to learn from."""
_PAGES_BETWEEN = 50
"""A strategy is not asked more often; what it expects changes slowly, and counting takes time."""
_PAGES_TO_CONFIRM = 100
"""Between the first low outlook of a row and the one that ends the crawl."""
_LEAST_AUDITED = 10
"""Fewer random checks say nothing about a share."""
_LEAST_AUDITED_TO_WARN = 20


class Row(Value, frozen=True, kw_only=True):
    """Outlooks that were too low, one after the other; kept in the folder, so that a restart does not forget them."""

    limit: float
    """The share that they were compared with."""
    since: int
    """Pages that had come at the first of them."""


class StoppingRule:
    """Decides when a crawl is done. Owned by the coordinator; pages are counted over all runs."""

    def __init__(
        self, limit: float | None, *, pages: int = 0, lately: Iterable[bool] = (), row: Row | None = None
    ) -> None:
        """`limit` is the least share of relevant pages that is worth going on for; None or 0 means that any share is.

        Of earlier runs: how many pages came, which of the last ones were relevant, and the row of low outlooks.
        """
        self._limit = limit or 0.0
        self._lately = deque(lately, maxlen=LATELY)
        self._since = row.since if row is not None and row.limit == limit else None
        # A row that another run left goes on at once; else the strategy is asked when it has seen something.
        self._asked_at = pages if self._since is None else self._since
        self.outlook: Outlook | None = None
        """What the strategy said last."""
        self.done = False
        """The topic is exhausted; what came since the last question does not change that."""

    def saw(self, *, relevant: bool) -> None:
        """A page came."""
        self._lately.append(relevant)

    def due(self, pages: int) -> bool:
        """It is time to ask the strategy again, when so many pages came in all."""
        return self._limit > 0 and not self.done and pages >= self._asked_at + _PAGES_BETWEEN

    def ask(self, outlook: Outlook | None, pages: int) -> bool:
        """What the strategy expects after so many pages; answers whether the crawl is done."""
        self.outlook, self._asked_at = outlook, pages
        if outlook is None or outlook.relevant >= self._limit * outlook.pages:
            self._since = None
            return False
        if self._since is None:
            self._since = pages
        confirmed = pages >= max(_LEAST_PAGES, self._since + _PAGES_TO_CONFIRM)
        came_too_little = sum(self._lately) < self._limit * len(self._lately)
        self.done = confirmed and came_too_little and not _contradicted(outlook, self._limit)
        return self.done

    @property
    def row(self) -> Row | None:
        """What the next run must know."""
        return None if self._since is None else Row(limit=self._limit, since=self._since)


def _contradicted(outlook: Outlook, limit: float) -> bool:
    """Pages drawn at random from all that waits were relevant more often than a model that says "done" can explain."""
    return outlook.audited >= _LEAST_AUDITED and outlook.audited_relevant > 2 * limit * outlook.audited


def warning(outlook: Outlook) -> str:
    """One sentence when random checks find clearly more than the model expected of them; else nothing."""
    found, expected = outlook.audited_relevant, outlook.expected_relevant
    if outlook.audited < _LEAST_AUDITED_TO_WARN or found <= 2 * expected + 2:
        return ""
    return (
        f"Random checks find more than the model expects ({found:.3g} of {outlook.audited:,}, expected {expected:.1f}): "
        "the topic may be wider than its words."
    )
