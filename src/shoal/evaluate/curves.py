"""How good was a crawl? Counted page by page against the truth, in the order in which pages were fetched.

Pages are named by their final URLs. A page fetched twice costs twice and is found once; a copy of a relevant page is not
relevant again (the truth names each text once).

The figure that one strategy is compared by is `of_oracle`: how much of what the omniscient crawler (`oracle.py`) reaches
does it reach, averaged over the whole crawl, so that early finds count more than late ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """How a crawl stood after so many pages."""

    fetched: int
    relevant: int
    """Different relevant pages among them."""
    harvest_rate: float
    """Relevant pages per page fetched."""
    recall: float
    """The share of all relevant pages that was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """How a crawl went, page by page."""

    found: tuple[int, ...]
    """How many relevant pages were among the first 1, 2, 3 … pages fetched."""
    total: int
    """How many relevant pages there are."""

    def __len__(self) -> int:
        """Pages fetched."""
        return len(self.found)

    def at(self, fetched: int) -> Point:
        """The state after `fetched` pages; after the end it is that of the end."""
        fetched = min(fetched, len(self.found))
        relevant = self.found[fetched - 1] if fetched else 0
        return Point(
            fetched=fetched,
            relevant=relevant,
            harvest_rate=relevant / fetched if fetched else 0.0,
            recall=relevant / self.total if self.total else 0.0,
        )

    @property
    def end(self) -> Point:
        """The state after the last page."""
        return self.at(len(self.found))

    def points(self, every: int = 1) -> list[Point]:
        """The state after each `every` pages, and at the end."""
        steps = list(range(every, len(self.found) + 1, every))
        if self.found and (not steps or steps[-1] != len(self.found)):
            steps.append(len(self.found))
        return [self.at(step) for step in steps]

    def pages_until(self, recall: float) -> int | None:
        """How many pages were fetched until this share of all relevant pages was found; None when it never was."""
        wanted = recall * self.total
        return next((fetched for fetched, found in enumerate(self.found, start=1) if found >= wanted), None)


def harvest(fetched: Iterable[str], relevant: AbstractSet[str]) -> Curve:
    """The curve of a crawl that fetched these pages in this order."""
    missing = set(relevant)
    found = []
    for url in fetched:
        missing.discard(url)
        found.append(len(relevant) - len(missing))
    return Curve(found=tuple(found), total=len(relevant))


def curve_of(hits: Sequence[int], fetched: int, total: int) -> Curve:
    """The curve of a crawl that found its relevant pages with these fetches, counted from 1."""
    found, next_hit = [], 0
    for page in range(1, fetched + 1):
        while next_hit < len(hits) and hits[next_hit] <= page:
            next_hit += 1
        found.append(next_hit)
    return Curve(found=tuple(found), total=total)


def hits_of(curve: Curve) -> tuple[int, ...]:
    """With which fetches, counted from 1, the relevant pages were found: all that a curve says, in few numbers."""
    before = (0, *curve.found)
    return tuple(page for page, found in enumerate(curve.found, start=1) if found > before[page - 1])


def area(curve: Curve, pages: int) -> float:
    """The recall averaged over the first `pages` fetches; a crawl that ends earlier keeps its last recall."""
    if not curve.total or not pages:
        return 0.0
    counted = curve.found[:pages]
    last = counted[-1] if counted else 0
    return (sum(counted) + last * (pages - len(counted))) / (pages * curve.total)


def of_oracle(curve: Curve, oracle: Curve, pages: int) -> float:
    """The area under the recall curve as a share of the omniscient crawler's."""
    best = area(oracle, pages)
    return area(curve, pages) / best if best else 0.0


def mean(values: Sequence[float]) -> float:
    """The average; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
