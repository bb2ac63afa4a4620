"""What is a link worth, and which of its features matter? Learned from every page that came by one.

There is what the page is worth itself, and what it leads to:

    value = worth + hubs x leads

Both are linear in the features of a link, and both are learned in the order in which pages come: first a link's features
are read as they were while it waited, then its page is counted. So no feature ever knows the page that it is to predict.

What a page leads to is known when it comes: the links that are new on it, each by how much it is worth more than the links
that would be taken anyway (the price of the queue's top). Nobody has to wait until they are fetched.
"""

from __future__ import annotations

from math import log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.strategy.link_model.features import (
    FEATURES,
    PRIOR_LEADS,
    PRIOR_WORTH,
    FeatureReader,
    Features,
    Floats,
    Numbers,
    TokenCounts,
    Vector,
)
from shoal.strategy.link_model.link_rows import SAME_SITE, LinkTable, Rows, Slots

HUBS = 0.8
"""How much a page that leads to others counts beside one that is worth something itself."""
KEPT = 0.998
"""How much of the past is kept with each page: a page counts half after 350 more."""
WORTH_PRECISION, LEADS_PRECISION = 1.0, 3.0
"""How many pages the prior weights count for; twice as many where they are not 0."""
LIKENESS, MEANING_PRECISION = 0.3, 2.0
"""What a link is worth whose words mean just what the topic means, and for how many pages that counts."""
ENOUGH_LINKS = 2.0
"""So many good new links are a good lead; twenty are not ten times as good."""
TOP = 30
"""The price of the queue's top is that of the link in this place."""


class Prior(NamedTuple):
    """What we think before the first page came."""

    weights: Vector
    precision: Vector
    """For how many pages each of them counts."""


class BayesianRegression:
    """The weights of features: at first what we think before anything is seen, then more and more what pages taught.

        A <- f A + (1 - f) P + x x',    b <- f b + (1 - f) P m + y x,    weights = A^-1 b

    m: the prior weights, P: their precision (in pages), x: the features of a link, y: what came of it, f: how much of the past is
    kept. With f below 1 the crawl follows the web when it changes, and falls back to its prior.
    """

    def __init__(self, prior: Prior, kept: float) -> None:
        self.weights: Vector = prior.weights.copy()
        self._kept = kept
        self._prior_precision: NDArray[np.float64] = np.diag(prior.precision)
        self._prior_moment: Vector = prior.precision * prior.weights
        self._precision: NDArray[np.float64] = self._prior_precision.copy()
        self._moment: Vector = self._prior_moment.copy()
        self.observations = 0
        """How often it learned."""

    def learn(self, features: Vector, value: float, times: float = 1.0) -> None:
        """A link with these features turned out to be worth `value`; counts at the next `solve`."""
        if self._kept < 1:
            self._precision *= self._kept
            self._precision += (1 - self._kept) * self._prior_precision
            self._moment *= self._kept
            self._moment += (1 - self._kept) * self._prior_moment
        self._add(features, value, times)
        self.observations += 1

    def unlearn(self, features: Vector, value: float, times: float, observation: int) -> None:
        """Take back what the how-many-th observation taught, as far as it is not forgotten."""
        self._add(features, value, -times * self._kept ** (self.observations - observation))

    def solve(self) -> None:
        """Bring the weights up to date."""
        weights: Vector = np.linalg.solve(self._precision, self._moment).astype(np.float64, copy=False)
        self.weights = weights

    def state(self) -> bytes:
        """All that was learned, to be carried elsewhere."""
        return np.concatenate([self._precision.ravel(), self._moment]).astype("<f8").tobytes()

    def restore(self, state: bytes) -> None:
        """Begin with what another crawl learned; ValueError when that had other features, or is damaged."""
        numbers = np.frombuffer(state, dtype="<f8")
        size = len(self.weights)
        if len(numbers) != size * (size + 1) or not np.isfinite(numbers).all():
            raise ValueError("not the weights of these features")
        known = numbers[: size * size].reshape(size, size)
        if not np.allclose(known, known.T) or np.linalg.eigvalsh(known)[0] <= 0:
            raise ValueError("not the weights of these features")
        self._precision, self._moment = known.copy(), numbers[size * size :].copy()
        self.solve()

    def _add(self, features: Vector, value: float, times: float) -> None:
        self._precision += times * np.outer(features, features)
        self._moment += (times * value) * features


# --- what links are worth by them -------------------------------------------------------------------------------------


class Observation(NamedTuple):
    """What a page taught, so that it can be taken back."""

    worth: float
    leads: float
    times: float
    """Pages that it counts for."""
    number: int
    """The how-many-th observation it was."""


class LinkModel:
    """Values links and learns from pages. Sole owner of its counts and its regressions; `links` is the strategy's."""

    def __init__(
        self, links: LinkTable, worth: BayesianRegression, leads: BayesianRegression, *, hubs: float = HUBS
    ) -> None:
        """Two regressions: of what pages are worth themselves, and of what they lead to."""
        self.links = links
        self.hubs = hubs
        self.counts = TokenCounts()
        self.pages = 0
        """That taught something."""
        self.worth = worth
        self.leads = leads
        self._reader = self._read()
        self.price = 0.0
        """What the link in place `TOP` is worth."""

    # --- what links are worth ------------------------------------------------------------------------------------------

    def features(self, slots: Slots) -> Features:
        """The features of links as they are now."""
        return self.features_of(self.links.rows[slots], self.links.ways[slots])

    def features_of(self, rows: Rows, ways: Floats) -> Features:
        """The features of links that need not wait yet; `ways` is how many pages link to each."""
        return self._reader.features(rows, ways)

    def value(self, features: Features) -> Floats:
        """What links with these features are worth."""
        leads = np.maximum(features[:, : len(FEATURES)] @ self.leads.weights, 0.0)
        value: Floats = (features @ self.worth.weights + self.hubs * leads).astype(np.float32)
        return value

    def expected(self, features: Features) -> Floats:
        """What the pages themselves are expected to score, 0 to 1."""
        expected: Floats = np.clip(features @ self.worth.weights, 0.0, 1.0).astype(np.float32)
        return expected

    def contributions(self, features: Features) -> Vector:
        """What each feature adds to the value of a link (one line of features)."""
        one: Vector = features[0].astype(np.float64)
        # What a page leads to counts only where it is more than nothing.
        leads = one[: len(FEATURES)] * self.leads.weights
        amounts: Vector = one * self.worth.weights
        amounts[: len(FEATURES)] += self.hubs * leads if leads.sum() > 0 else 0.0
        return amounts

    # --- what pages teach ----------------------------------------------------------------------------------------------

    def gain(self, rows: Rows, features: Features) -> float:
        """What a page leads to that has these new links."""
        above = np.clip(features @ self.worth.weights - max(self.price, 0.0), 0.0, 1.0)
        alive = self.counts.alive(rows["places"][:, 0], rows["flags"] & SAME_SITE > 0)
        return log1p(float(above @ alive) / ENOUGH_LINKS)

    def led(self, row: Rows, *, alive: bool) -> None:
        """The link led to a page, or to none."""
        self.counts.led(int(row["places"][0, 0]), same_site=bool(row["flags"][0] & SAME_SITE), alive=alive)

    def learn(self, row: Rows, features: Features, worth: float, leads: float, times: float = 1.0) -> Observation:
        """The page of a link came that had these features while it waited."""
        self.counts.add_to_means(worth, leads)
        self.pages += 1
        return self._learn(row, features, worth, leads, times)

    def correct(self, row: Rows, features: Features, was: Observation, worth: float, times: float) -> Observation:
        """The page of a link that was learned from is worth something else, and that counts for so many pages."""
        one: Vector = features[0].astype(np.float64)
        self.worth.unlearn(one, was.worth, was.times, was.number)
        self.leads.unlearn(one[: len(FEATURES)], was.leads, was.times, was.number)
        self.counts.add(tokens_of(row), -was.times * was.worth, -was.times * was.leads, pages=-was.times)
        return self._learn(row, features, worth, was.leads, times)

    def _learn(self, row: Rows, features: Features, worth: float, leads: float, times: float) -> Observation:
        one: Vector = features[0].astype(np.float64)
        self.worth.learn(one, worth, times)
        self.leads.learn(one[: len(FEATURES)], leads, times)
        self.counts.add(tokens_of(row), times * worth, times * leads, pages=times)
        return Observation(worth, leads, times, self.worth.observations)

    def solve(self) -> None:
        """From here on links are valued with all that was learned."""
        self.worth.solve()
        self.leads.solve()
        self._reader = self._read()

    def _read(self) -> FeatureReader:
        return FeatureReader(self.counts, means=self.links.width > 0)


def tokens_of(row: Rows) -> Numbers:
    """All that is counted of a link."""
    return np.concatenate([row["places"].ravel(), row["anchor"].ravel(), row["address"].ravel()])


def worth_prior(aim: Vector) -> Prior:
    """What we think of a page's own worth at first; `aim` is what the topic means, in as many numbers as rows have for that."""
    meaning = np.full(len(aim), MEANING_PRECISION)
    return Prior(
        np.concatenate([PRIOR_WORTH, LIKENESS * aim]),
        np.concatenate([_precision(PRIOR_WORTH, WORTH_PRECISION), meaning]),
    )


def leads_prior() -> Prior:
    """The same of what a page leads to."""
    return Prior(PRIOR_LEADS, _precision(PRIOR_LEADS, LEADS_PRECISION))


def _precision(weights: Vector, pages: float) -> Vector:
    return pages * np.where(weights != 0, 2.0, 1.0)
