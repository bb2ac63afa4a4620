"""Which signs of a link matter, and how much? A Bayesian linear regression that forgets."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = NDArray[np.float64]


class Belief:
    """The weights of signs: at first what we think before anything is seen, then more and more what pages taught.

        A <- f A + (1 - f) P + x x',    b <- f b + (1 - f) P m + y x,    weights = A^-1 b

    m: the weights believed at first, P: how firmly (in pages), x: the signs of a link, y: what came of it, f: how much of the
    past is kept. With f below 1 the crawl follows the web when it changes, and falls back to what it believed at first.
    """

    def __init__(self, first: Vector, firmness: Vector, kept: float) -> None:
        self.weights: Vector = first.copy()
        self._kept = kept
        self._firm: Matrix = np.diag(firmness)
        self._firm_first: Vector = firmness * first
        self._known: Matrix = self._firm.copy()
        self._seen: Vector = self._firm_first.copy()
        self.lessons = 0
        """How often it learned."""

    def learn(self, signs: Vector, value: float, times: float = 1.0) -> None:
        """A link with these signs turned out to be worth `value`; counts at the next `settle`."""
        if self._kept < 1:
            self._known *= self._kept
            self._known += (1 - self._kept) * self._firm
            self._seen *= self._kept
            self._seen += (1 - self._kept) * self._firm_first
        self._add(signs, value, times)
        self.lessons += 1

    def unlearn(self, signs: Vector, value: float, times: float, lesson: int) -> None:
        """Take back what the how-many-th lesson taught, as far as it is not forgotten."""
        self._add(signs, value, -times * self._kept ** (self.lessons - lesson))

    def settle(self) -> None:
        """Bring the weights up to date."""
        weights: Vector = np.linalg.solve(self._known, self._seen).astype(np.float64, copy=False)
        self.weights = weights

    def state(self) -> bytes:
        """All that was learned, to be carried elsewhere."""
        return np.concatenate([self._known.ravel(), self._seen]).astype("<f8").tobytes()

    def restore(self, state: bytes) -> None:
        """Begin with what another crawl learned; ValueError when that had other signs, or is damaged."""
        numbers = np.frombuffer(state, dtype="<f8")
        size = len(self.weights)
        if len(numbers) != size * (size + 1) or not np.isfinite(numbers).all():
            raise ValueError("not the weights of these signs")
        known = numbers[: size * size].reshape(size, size)
        if not np.allclose(known, known.T) or np.linalg.eigvalsh(known)[0] <= 0:
            raise ValueError("not the weights of these signs")
        self._known, self._seen = known.copy(), numbers[size * size :].copy()
        self.settle()

    def _add(self, signs: Vector, value: float, times: float) -> None:
        self._known += times * np.outer(signs, signs)
        self._seen += (times * value) * signs
