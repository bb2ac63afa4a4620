"""Is it worth going on? Compares what a strategy expects of the next pages with what the user wants, and with what came.

    expects too little, twice in a row   ┐
    came too little, lately              ├─► the topic is exhausted
    random checks do not say otherwise   ┘

No single voice can end a crawl: a model may be wrong, a bad stretch may end, a few checks may be bad luck.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from shoal.model import Outlook, Value

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


class Finish:
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
        if outlook is None or not _expects_too_little(outlook, self._limit):
            self._since = None
            return False
        if self._since is None:
            self._since = pages
        confirmed = pages >= max(_LEAST_PAGES, self._since + _PAGES_TO_CONFIRM)
        self.done = confirmed and self._came_too_little() and not _contradicted(outlook, self._limit)
        return self.done

    @property
    def row(self) -> Row | None:
        """What the next run must know."""
        return None if self._since is None else Row(limit=self._limit, since=self._since)

    def _came_too_little(self) -> bool:
        return sum(self._lately) < self._limit * len(self._lately)


def _expects_too_little(outlook: Outlook, limit: float) -> bool:
    return outlook.relevant < limit * outlook.pages


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
