"""Which features of a link matter, and how much? A Bayesian linear regression that forgets."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]


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
        self._prior_precision: Matrix = np.diag(prior.precision)
        self._prior_moment: Vector = prior.precision * prior.weights
        self._precision: Matrix = self._prior_precision.copy()
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
