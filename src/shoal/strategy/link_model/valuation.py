"""What is a link worth? Learned from every page that came by one: what the page is worth itself, and what it leads to.

    value = worth + hubs x leads

Both are linear in the signs of a link (`signs.py`), and both are learned in the order in which pages come: first a link's signs
are read as they were while it waited, then its page is counted. So no sign ever knows the page that it is to predict.

What a page leads to is known when it comes: the links that are new on it, each by how much it is worth more than the links
that would be taken anyway (the price of the queue's top). Nobody has to wait until they are fetched.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import NamedTuple

import numpy as np

from shoal.strategy.link_model.features import SIGNS, Reader, Signs, first_leads, first_worth
from shoal.strategy.link_model.regression import Belief, Vector
from shoal.strategy.link_model.tally import Floats, Numbers, Tally
from shoal.strategy.link_model.waiting_links import SAME_SITE, Links, Rows, Slots

HUBS = 0.8
"""How much a page that leads to others counts beside one that is worth something itself."""
KEPT = 0.998
"""How much of the past is kept with each page: a page counts half after 350 more."""
FIRM_WORTH, FIRM_LEADS = 1.0, 3.0
"""How many pages the first beliefs count for; twice as many where we believe something."""
LIKENESS, FIRM_MEANING = 0.3, 2.0
"""What a link is worth whose words mean just what the topic means, and for how many pages that counts."""
ENOUGH_LINKS = 2.0
"""So many good new links are a good lead; twenty are not ten times as good."""
TOP = 30
"""The price of the queue's top is that of the link in this place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What can be switched off, to see what it is good for."""

    hubs: float = HUBS
    kept: float = KEPT
    prior: bool = True
    """Begin with what we believe of signs; else with nothing."""


class Lesson(NamedTuple):
    """What a page taught, so that it can be taken back."""

    worth: float
    leads: float
    times: float
    """Pages that it counts for."""
    number: int
    """The how-many-th lesson it was."""


class LinkModel:
    """Values links and learns from pages. Sole owner of its tally and its beliefs; `links` is the strategy's."""

    def __init__(self, links: Links, options: Options, aim: Vector) -> None:
        """`aim` is what the topic means, in as many numbers as the rows of links have for that; perhaps none."""
        self.links = links
        self.options = options
        self.tally = Tally()
        self.pages = 0
        """That taught something."""
        worth = np.concatenate([first_worth(), LIKENESS * aim])
        firm_worth = np.concatenate([_firmness(first_worth(), FIRM_WORTH), np.full(len(aim), FIRM_MEANING)])
        shown = float(options.prior)
        self.worth = Belief(shown * worth, firm_worth, options.kept)
        self.leads = Belief(shown * first_leads(), _firmness(first_leads(), FIRM_LEADS), options.kept)
        self._reader = self._read()
        self.price = 0.0
        """What the link in place `TOP` is worth."""

    # --- what links are worth ------------------------------------------------------------------------------------------

    def signs(self, slots: Slots) -> Signs:
        """The signs of links as they are now."""
        return self.signs_of(self.links.rows[slots], self.links.ways[slots])

    def signs_of(self, rows: Rows, ways: Floats) -> Signs:
        """The signs of links that need not wait yet; `ways` is how many pages link to each."""
        return self._reader.signs(rows, ways)

    def value(self, signs: Signs) -> Floats:
        """What links with these signs are worth."""
        leads = np.maximum(signs[:, : len(SIGNS)] @ self.leads.weights, 0.0)
        value: Floats = (signs @ self.worth.weights + self.options.hubs * leads).astype(np.float32)
        return value

    def expected(self, signs: Signs) -> Floats:
        """What the pages themselves are expected to score, 0 to 1."""
        expected: Floats = np.clip(signs @ self.worth.weights, 0.0, 1.0).astype(np.float32)
        return expected

    def contributions(self, signs: Signs) -> Vector:
        """What each sign adds to the value of a link (one line of signs)."""
        one: Vector = signs[0].astype(np.float64)
        # What a page leads to counts only where it is more than nothing.
        leads = one[: len(SIGNS)] * self.leads.weights
        amounts: Vector = one * self.worth.weights
        amounts[: len(SIGNS)] += self.options.hubs * leads if leads.sum() > 0 else 0.0
        return amounts

    # --- what pages teach ----------------------------------------------------------------------------------------------

    def gain(self, rows: Rows, signs: Signs) -> float:
        """What a page leads to that has these new links."""
        above = np.clip(signs @ self.worth.weights - max(self.price, 0.0), 0.0, 1.0)
        alive = self.tally.alive(rows["places"][:, 0], rows["flags"] & SAME_SITE > 0)
        return log1p(float(above @ alive) / ENOUGH_LINKS)

    def led(self, row: Rows, *, alive: bool) -> None:
        """The link led to a page, or to none."""
        self.tally.led(int(row["places"][0, 0]), same_site=bool(row["flags"][0] & SAME_SITE), alive=alive)

    def hand_on(self, signs: Signs, rows: Rows, leads: float) -> None:
        """What the page of these links leads to is known now."""
        self._reader.hand_on(signs, rows, leads)

    def learn(self, row: Rows, signs: Signs, worth: float, leads: float, times: float = 1.0) -> Lesson:
        """The page of a link came that had these signs while it waited."""
        self.tally.general(worth, leads)
        self.pages += 1
        return self._learn(row, signs, worth, leads, times)

    def correct(self, row: Rows, signs: Signs, was: Lesson, worth: float, times: float) -> Lesson:
        """The page of a link that was learned from is worth something else, and that counts for so many pages."""
        one: Vector = signs[0].astype(np.float64)
        self.worth.unlearn(one, was.worth, was.times, was.number)
        self.leads.unlearn(one[: len(SIGNS)], was.leads, was.times, was.number)
        self.tally.add(pieces_of(row), -was.times * was.worth, -was.times * was.leads, pages=-was.times)
        return self._learn(row, signs, worth, was.leads, times)

    def _learn(self, row: Rows, signs: Signs, worth: float, leads: float, times: float) -> Lesson:
        one: Vector = signs[0].astype(np.float64)
        self.worth.learn(one, worth, times)
        self.leads.learn(one[: len(SIGNS)], leads, times)
        self.tally.add(pieces_of(row), times * worth, times * leads, pages=times)
        return Lesson(worth, leads, times, self.worth.lessons)

    def settle(self) -> None:
        """From here on links are valued with all that was learned."""
        self.worth.settle()
        self.leads.settle()
        self._reader = self._read()

    def _read(self) -> Reader:
        return Reader(self.tally, means=self.links.width > 0)


def pieces_of(row: Rows) -> Numbers:
    """All that is counted of a link."""
    return np.concatenate([row["places"].ravel(), row["anchor"].ravel(), row["address"].ravel()])


def _firmness(first: Vector, pages: float) -> Vector:
    return pages * np.where(first != 0, 2.0, 1.0)
