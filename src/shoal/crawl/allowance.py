"""What may the crawl still spend? Pages, bytes and time, against the budget that the user gave it."""

from __future__ import annotations

from enum import StrEnum

from shoal.crawl.statistics import Meter
from shoal.crawl.termination import Finish
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


class Allowance:
    """The budget beside what was spent of it. The meter counts, `finish` knows whether the topic is exhausted."""

    def __init__(self, budget: Budget, meter: Meter, finish: Finish) -> None:
        self._budget = budget
        self._meter = meter
        self._finish = finish

    def spent(self, now: float, in_flight: int = 0) -> Ending | None:
        """What there is no more of, when so many more pages may come; None while there is some of all."""
        budget, meter = self._budget, self._meter
        if budget.max_pages is not None and meter.pages + in_flight >= budget.max_pages:
            return Ending.PAGES
        if budget.max_bytes is not None and meter.bytes >= budget.max_bytes:
            return Ending.BYTES
        if budget.max_time is not None and meter.elapsed(now) >= budget.max_time:
            return Ending.TIME
        return Ending.DONE if self._finish.done else None

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
