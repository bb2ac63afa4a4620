"""Which links should the frontier think differently of now? Those near the top, a few to explore, and one drawn at random.

Every link that waits is valued anew, but only the prices that decide what comes next are told: the frontier need not know that
a link in place 10,000 rose to 9,000.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from shoal.model import Outlook, Repriced
from shoal.strategy.link_model.features import Floats
from shoal.strategy.link_model.link_rows import LinkTable, Slots
from shoal.strategy.link_model.valuation import TOP, LinkModel

FIRST_PAGES = 10
"""So long the crawl thinks anew after every page."""
STRIDE, PAGES_PER_STRIDE, LONGEST_STRIDE = 10, 40, 50
"""After so many pages the crawl thinks anew; the more it knows, the less one page changes: one page more for every so many."""
ROWS_PER_PAGE = 500
"""With more links the crawl thinks anew less often, so that a page costs the same: after each page for so many of them."""
EXPLORE = 0.4
"""The share of pages that explore when nothing else pays."""
CONTENT = 0.5
"""While pages score this much on average, nothing is explored."""
AUDIT_EVERY = 50
"""One page in so many is drawn at random from all that waits."""
FIRST = 10.0
"""The price of a link that is to be fetched whatever it is worth: no value comes near it."""
_LATELY = 0.04
"""What one page counts in the average of the last pages."""
_NOTABLE = 0.01
_AHEAD = 5
"""Of so many times the pages until the next time, the prices must be right."""
_HOSTS = 300
"""Hosts whose best link must have the right price: others may have to wait for their clocks."""
_BLOCK = 2_000
"""Links valued in one go: some milliseconds, and what is computed on the way stays in the processor's cache."""


class LinkPricing:
    """What the frontier was told of links. Owns the plans to explore and to audit; the links are the strategy's."""

    def __init__(self, links: LinkTable, model: LinkModel, *, explore: float, host_share: float) -> None:
        self._links = links
        self._model = model
        self._explore = explore
        self._host_share = host_share
        self._random = Random(0)  # the same crawl takes the same way
        self._pages = self._thought_at = 0
        self._lately = 0.0
        """What pages scored lately that were fetched for their worth."""
        self._due = 0.0
        """Pages that may explore and did not yet."""
        self._audit_at = AUDIT_EVERY
        self._audits: dict[int, float] = {}
        """Links drawn at random, by key, and what their pages were expected to score."""
        self._audited = 0
        self._audited_relevant = self._audited_expected = 0.0
        self._hits, self._hopes = 1.0, 2.0
        """Relevant pages and the scores expected of all pages, of late: expected scores times their ratio are relevant pages."""

    def pace(self) -> int:
        """After how many pages to reprice."""
        if self._pages < FIRST_PAGES:
            return 1
        return max(1, self._thought_at + self._stride - self._pages)

    @property
    def _stride(self) -> int:
        by_pages = min(self._pages // PAGES_PER_STRIDE, LONGEST_STRIDE)
        return max(STRIDE, by_pages, len(self._links) // ROWS_PER_PAGE)

    # --- pages come ----------------------------------------------------------------------------------------------------

    def came(self, key: int, score: float, *, relevant: bool, expected: float, ordered: bool) -> None:
        """A page came, of which so much had been expected; `ordered`: it was fetched whatever it is worth."""
        self._pages += 1
        due = self._due + self._explore * max(0.0, 1 - self._lately / CONTENT)
        self._due = min(due, self._stride)  # what a restart recalls must not all be explored at once
        if not ordered:  # else exploring would make it look as if there were more to explore
            self._lately += _LATELY * (score - self._lately)
        self._hits = 0.995 * self._hits + relevant
        self._hopes = 0.995 * self._hopes + expected
        if (hoped := self._audits.pop(key, None)) is not None:
            self._audited += 1
            self._audited_relevant += relevant
            self._audited_expected += hoped

    def failed(self, key: int, *, ordered: bool) -> None:
        """A link led to no page: what was to be explored by it still is."""
        was_audit = self._audits.pop(key, None) is not None
        self._due += ordered and not was_audit

    def is_ordered(self, slot: int) -> bool:
        """The link is to be fetched whatever it is worth."""
        return bool(self._links.told[slot] >= FIRST)

    # --- thinking anew -------------------------------------------------------------------------------------------------

    def solve(self) -> None:
        """From here on links are valued with all that was learned."""
        self._thought_at = self._pages
        self._model.solve()

    async def reprice(self) -> Sequence[Repriced]:
        """Value all links with what was learned; answers the prices that must change. Others have their turn in between."""
        self.solve()
        for place, block in enumerate(self._blocks()):
            if place:
                await asyncio.sleep(0)
            self._value(block)
        slots = self._kept()
        if not len(slots):
            return ()
        wanted = self._wanted(slots)
        changed = self._worth_telling(slots, wanted)
        self._links.told[slots[changed]] = wanted[changed]
        keys = self._links.rows["key"][slots[changed]].tolist()
        return [
            Repriced(key=key, priority=price, why=self.why(key, price))
            for key, price in zip(keys, wanted[changed].tolist(), strict=True)
        ]

    def reprice_all(self) -> None:
        """Value all links at once with what was learned: after a restart, when nobody waits for a turn yet."""
        self.solve()
        for block in self._blocks():
            self._value(block)
        self._kept()

    def _blocks(self) -> Iterator[Slots]:
        """All links, some at a time."""
        slots = self._links.slots()
        return (slots[start : start + _BLOCK] for start in range(0, len(slots), _BLOCK))

    def _kept(self) -> Slots:
        """The links that are left when those that promise least are let go."""
        self._links.shed()
        slots = self._links.slots()
        if len(slots):
            self._model.price = _top(self._links.value[slots], TOP)
        return slots

    def _value(self, slots: Slots) -> None:
        slots = slots[self._links.open[slots]]  # some may have gone while others had their turn
        features = self._model.features(slots)
        self._links.value[slots] = self._model.value(features)
        self._links.expected[slots] = self._model.expected(features)

    def _wanted(self, slots: Slots) -> Floats:
        """The price that each link should have."""
        wanted = self._links.value[slots].copy()
        if self._host_share < 1:
            hosts = self._links.rows["places"][slots, 0]
            crowded = self._model.counts.pages[hosts] > self._host_share * max(self._pages, 1 / self._host_share)
            wanted[crowded] -= 1.0
        ordered = self._links.told[slots] >= FIRST
        explored = int(min(self._due, self._stride))
        if explored:
            self._due -= explored
            depth = self._links.rows["depth"][slots].astype(np.float32)
            depth[ordered] = np.inf
            wanted[np.lexsort((-wanted, depth))[:explored]] = FIRST
        if self._explore and self._pages >= self._audit_at:
            self._audit_at = self._pages + AUDIT_EVERY
            drawn = self._random.randrange(len(slots))
            self._audits[int(self._links.rows["key"][slots[drawn]])] = float(self._links.expected[slots[drawn]])
            wanted[drawn] = FIRST
        wanted[ordered] = FIRST  # until they are fetched: their hosts may have to wait for their clocks
        return wanted

    def _worth_telling(self, slots: Slots, wanted: Floats) -> Slots:
        """The places of links whose price changed and matters: near the top by the old or the new price, or first of a host."""
        told = self._links.told[slots]
        either = np.maximum(wanted, told)
        near = either >= _top(either, _AHEAD * self._stride + TOP)
        order = np.argsort(-wanted, kind="stable")
        _, first = np.unique(self._links.rows["places"][slots[order], 0], return_index=True)
        near[order[np.sort(first)[:_HOSTS]]] = True
        return np.flatnonzero(near & (np.abs(wanted - told) > _NOTABLE))

    def why(self, key: int, price: float) -> str:
        """What made this price of a link."""
        if price < FIRST:
            return f"expected to pay {price:.2f}"
        return "drawn at random, as a check" if key in self._audits else "to explore near the seeds"

    # --- what to expect ------------------------------------------------------------------------------------------------

    def outlook(self, pages: int) -> Outlook:
        """What the next pages will bring, and what all that waits would."""
        expected = self._links.expected[self._links.open]
        ahead = min(pages, len(expected))
        best = np.partition(expected, len(expected) - ahead)[len(expected) - ahead :] if ahead else expected[:0]
        ratio = self._hits / self._hopes
        return Outlook(
            pages=ahead,
            relevant=min(ratio * float(best.sum()), float(ahead)),
            missed=min(ratio * float(expected.sum()), float(len(expected))),
            audited=self._audited,
            audited_relevant=self._audited_relevant,
            expected_relevant=ratio * self._audited_expected,
        )


def _top(values: Floats, place: int) -> float:
    """The value in this place, or the least when there are fewer."""
    return float(np.partition(values, max(0, len(values) - place))[max(0, len(values) - place)])
