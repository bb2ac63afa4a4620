"""How have links with this piece fared? For each number of `pieces`, how many pages came and what they were worth."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.strategy.link_model.hashing import NOTHING, SLOTS

Floats: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int32]
_FIRST_DEAD = 0.25
"""One link in five is dead, before anything is known."""
_FEW_LINKS = np.float32(2.0)
"""A host with fewer links than this is believed less than links in general."""
MEAN_PAGES = 1_000
"""The general means forget: they are those of about the last so many pages."""


class Tally:
    """Counts over all pieces. Sole owner of its arrays; two values are counted at once, a page's worth and what it led to."""

    def __init__(self) -> None:
        self.pages: Floats = np.zeros(SLOTS, dtype=np.float32)
        """By number: pages that came."""
        self.worth: Floats = np.zeros(SLOTS, dtype=np.float32)
        """Their scores, added up."""
        self.leads: Floats = np.zeros(SLOTS, dtype=np.float32)
        """What they led to, added up."""
        self.dead: Floats = np.zeros(SLOTS, dtype=np.float32)
        """By number, of hosts only: links that led to no page."""
        self._alive = np.array([[_FIRST_DEAD, 1.0], [_FIRST_DEAD, 1.0]])
        """Dead links and pages: of links to another site, and of links to the same."""
        # Before anything is known: two pages, a tenth good.
        self._weight, self._worth, self._leads = 2.0, 0.2, 0.2

    @property
    def mean_worth(self) -> float:
        """What a page is worth, whatever led to it."""
        return self._worth / self._weight

    @property
    def mean_leads(self) -> float:
        """What a page leads to, whatever led to it."""
        return self._leads / self._weight

    def add(self, numbers: Numbers, worth: float, leads: float, pages: float = 1.0) -> None:
        """A page came (or, with negative numbers, is taken back) that had these pieces."""
        # A number that stands there twice counts once: numpy reads all, then writes all.
        self.pages[numbers] += pages
        self.worth[numbers] += worth
        self.leads[numbers] += leads
        self.pages[NOTHING] = self.worth[NOTHING] = self.leads[NOTHING] = 0.0

    def general(self, worth: float, leads: float) -> None:
        """The same for the general means, which forget."""
        kept = 1 - 1 / MEAN_PAGES
        self._weight = self._weight * kept + 1
        self._worth = self._worth * kept + worth
        self._leads = self._leads * kept + leads

    def led(self, host: int, *, same_site: bool, alive: bool) -> None:
        """A link to this host led to a page, or to none."""
        self._alive[int(same_site), int(alive)] += 1
        self.dead[host] += not alive

    def alive(self, hosts: Numbers, same_site: NDArray[np.bool_]) -> Floats:
        """How likely links to these hosts lead to a page at all."""
        usual = (self._alive[:, 1] / self._alive.sum(axis=1)).astype(np.float32)[same_site.astype(np.int64)]
        came = self.pages[hosts]
        likely: Floats = (came + _FEW_LINKS * usual) / (came + self.dead[hosts] + _FEW_LINKS)
        return likely

    def deviations(self, values: Floats, mean: float, pages: float, numbers: Numbers | slice = slice(None)) -> Floats:
        """By how much pages with these pieces differ from the mean; 0 for NOTHING and for pieces not seen yet."""
        came = self.pages[numbers]
        deviation: Floats = (values[numbers] - np.float32(mean) * came) / (came + np.float32(pages))
        return deviation

    def state(self) -> tuple[float, float, float]:
        """The general means, to be carried elsewhere."""
        return self._weight, self._worth, self._leads

    def restore(self, state: tuple[float, float, float]) -> None:
        """Begin with the general means of another crawl."""
        self._weight, self._worth, self._leads = state
