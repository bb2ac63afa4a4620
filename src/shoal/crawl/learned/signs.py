"""By which signs is a link known, and what do we think of each before the first page came?

The signs of a link change while it waits: its siblings are fetched, its section pays or does not. So they are made anew from
its row and the tally whenever it is valued. A family is what a person is told: several signs that say the same in other words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.crawl.learned.belief import Vector
from shoal.crawl.learned.links import NEXT_PAGE, PLACES, SAME_FOLDER, SAME_SITE, TWIN, Rows
from shoal.crawl.learned.tally import Floats, Tally

Signs: TypeAlias = NDArray[np.float32]
FEW, FEW_OF_A_SITE, FEW_WORDS = 2.0, 5.0, 6.0
"""A group, a site, a word: with fewer pages than this they are believed less than what they belong to."""
_CLIP = 2.0
_DEEP = 10
_HOST, _SECTION, _FOLDER, _SHAPE, _PAGE, _LIST, _FRAME = range(len(PLACES))


class Family(StrEnum):
    """What signs are about."""

    GROUND = "ground"
    NAMED = "named"
    WORDS = "words"
    ADDRESS = "address"
    PAGE = "page"
    SIBLINGS = "siblings"
    SECTION = "section"
    SITE = "site"
    TURNING = "turning"
    NEAR = "near"
    LIKE = "like"
    FORM = "form"


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign, and how much we think it matters: for what the page is worth, and for what it leads to."""

    name: str
    family: Family
    worth: float = 0.0
    leads: float = 0.0


SIGNS = (
    Sign("always", Family.GROUND, 0.1, 0.1),
    Sign("named", Family.NAMED, 0.45, 0.15),
    Sign("around", Family.NAMED, 0.15),
    Sign("spelt", Family.NAMED, 0.15),
    Sign("named anywhere", Family.NAMED, 0.3),
    Sign("beside", Family.SIBLINGS),
    Sign("score", Family.PAGE, 0.2, 0.1),
    Sign("above", Family.PAGE, 0.1),
    Sign("siblings", Family.SIBLINGS, 0.2),
    Sign("list", Family.SIBLINGS, 0.2),
    Sign("frame", Family.SIBLINGS, 0.1),
    Sign("site", Family.SITE, 0.1),
    Sign("section", Family.SECTION, 0.1),
    Sign("folder", Family.SECTION, 0.1),
    Sign("shape", Family.SECTION, 0.1),
    Sign("anchor", Family.WORDS, 0.3),
    Sign("address", Family.ADDRESS, 0.3),
    Sign("siblings lead", Family.SIBLINGS, 0.0, 0.1),
    Sign("frame leads", Family.SIBLINGS, 0.0, 0.1),
    Sign("site leads", Family.SITE, 0.0, 0.1),
    Sign("section leads", Family.SECTION, 0.0, 0.1),
    Sign("folder leads", Family.SECTION, 0.0, 0.1),
    Sign("shape leads", Family.SECTION, 0.0, 0.1),
    Sign("anchor leads", Family.WORDS, 0.0, 0.3),
    Sign("address leads", Family.ADDRESS, 0.0, 0.3),
    Sign("best word leads", Family.WORDS, 0.0, 0.2),
    Sign("best address word leads", Family.ADDRESS, 0.0, 0.2),
    Sign("page leads", Family.PAGE),
    Sign("next page leads", Family.TURNING, 0.0, 0.5),
    Sign("same folder leads", Family.TURNING, 0.0, 0.1),
    Sign("twin leads", Family.TURNING, 0.0, 0.1),
    Sign("same folder", Family.SECTION),
    Sign("near a seed", Family.NEAR, 0.0, 0.15),
    Sign("depth", Family.NEAR),
    Sign("new section", Family.SECTION),
    Sign("new folder", Family.SECTION),
    Sign("new site", Family.SITE),
    Sign("new shape", Family.SECTION),
    Sign("ways", Family.FORM),
    Sign("same site", Family.FORM),
    Sign("length", Family.FORM),
    Sign("position", Family.FORM),
    Sign("crowd", Family.FORM),
)


_LEADS = [sign.name for sign in SIGNS].index("page leads")


def _handed_on(rows: Rows, leads: Floats) -> list[Floats]:
    """What a page leads to, for all its links, and once more for those that may go on with it."""
    return [leads, *(leads * (rows["flags"] & flag > 0) for flag in (NEXT_PAGE, SAME_FOLDER, TWIN))]


def first_worth() -> Vector:
    """What each sign is believed to add to what a page is worth."""
    return np.array([sign.worth for sign in SIGNS])


def first_leads() -> Vector:
    """What each sign is believed to add to what a page leads to."""
    return np.array([sign.leads for sign in SIGNS])


class Reader:
    """Turns rows into signs, with what the tally says at this moment. The words of all rows are weighed once, when it is made."""

    def __init__(self, tally: Tally, *, means: bool) -> None:
        """`means`: rows say what their words mean; those numbers are signs, too, behind all others."""
        self._means = means
        self._tally = tally
        self._worth = tally.deviations(tally.worth, tally.mean_worth, FEW_WORDS)
        self._leads = tally.deviations(tally.leads, tally.mean_leads, FEW_WORDS)

    def signs(self, rows: Rows, ways: Floats) -> Signs:
        """One line per row, in the order of `SIGNS`."""
        flags, depth = rows["flags"], np.maximum(rows["depth"], 1).astype(np.float32)
        columns = [
            np.ones(len(rows), dtype=np.float32),
            rows["named"],
            rows["around"],
            rows["spelt"],
            np.maximum(np.maximum(rows["named"], rows["spelt"]), 0.5 * rows["around"]),
            rows["beside"],
            rows["score"],
            rows["above"],
            *self._worth_of(rows["places"]),
            self._said(self._worth, rows["anchor"]),
            self._said(self._worth, rows["address"]),
            *self._leads_of(rows["places"]),
            self._said(self._leads, rows["anchor"]),
            self._said(self._leads, rows["address"]),
            self._best(rows["anchor"]),
            self._best(rows["address"]),
            *_handed_on(rows, rows["leads"]),
            rows["score"] * (flags & SAME_FOLDER > 0),
            1 / depth,
            np.minimum(depth, _DEEP) / _DEEP,
            *self._novelty(rows["places"]),
            np.log1p(ways) / 3,
            (flags & SAME_SITE > 0).astype(np.float32),
            rows["length"],
            rows["position"],
            np.log1p(rows["crowd"]) / 6,
        ]
        signs = np.stack(columns, axis=1).astype(np.float32, copy=False)
        return np.concatenate([signs, rows["meaning"]], axis=1, dtype=np.float32) if self._means else signs

    def hand_on(self, signs: Signs, rows: Rows, leads: float) -> None:
        """The page of these links, whose signs were read before that was known, leads to so much."""
        rows["leads"] = leads
        signs[:, _LEADS : _LEADS + 4] = np.stack(_handed_on(rows, np.full(len(rows), leads, dtype=np.float32)), axis=1)

    def _worth_of(self, places: NDArray[np.int32]) -> list[Floats]:
        """Siblings, list, frame, site, section, folder, shape: each by how much it differs from what it belongs to."""
        tally, mean = self._tally, self._tally.mean_worth
        site = tally.shrunk(tally.worth, places[:, _HOST], mean, FEW_OF_A_SITE)
        section = tally.shrunk(tally.worth, places[:, _SECTION], site, FEW)
        folder = tally.shrunk(tally.worth, places[:, _FOLDER], section, FEW)
        shape = tally.shrunk(tally.worth, places[:, _SHAPE], site, FEW)
        siblings = tally.shrunk(tally.worth, places[:, _PAGE], mean, FEW)
        of_list = tally.shrunk(tally.worth, places[:, _LIST], siblings, FEW)
        frame = tally.shrunk(tally.worth, places[:, _FRAME], mean, FEW)
        differences = (siblings - mean, of_list - siblings, frame - mean, site - mean, section - site, folder - section)
        return [2 * difference for difference in (*differences, shape - site)]

    def _leads_of(self, places: NDArray[np.int32]) -> list[Floats]:
        """Siblings, frame, site, section, folder, shape: the same for what they lead to."""
        tally, mean = self._tally, self._tally.mean_leads
        site = tally.shrunk(tally.leads, places[:, _HOST], mean, FEW_OF_A_SITE)
        section = tally.shrunk(tally.leads, places[:, _SECTION], site, FEW)
        folder = tally.shrunk(tally.leads, places[:, _FOLDER], section, FEW)
        shape = tally.shrunk(tally.leads, places[:, _SHAPE], site, FEW)
        siblings = tally.shrunk(tally.leads, places[:, _PAGE], mean, FEW)
        frame = tally.shrunk(tally.leads, places[:, _FRAME], mean, FEW)
        differences = (siblings - mean, frame - mean, site - mean, section - site, folder - section, shape - site)
        return [2 * difference for difference in differences]

    def _said(self, weights: Floats, pieces: NDArray[np.int32]) -> Floats:
        """The weights of a link's words together; many words do not say as many times more."""
        count = np.maximum(np.count_nonzero(pieces, axis=1), 1).astype(np.float32)
        said: Floats = np.clip(weights[pieces].sum(axis=1) / np.sqrt(count), -_CLIP, _CLIP)
        return said

    def _best(self, pieces: NDArray[np.int32]) -> Floats:
        best: Floats = np.minimum(self._leads[pieces].max(axis=1), _CLIP)
        return best

    def _novelty(self, places: NDArray[np.int32]) -> list[Floats]:
        """Section, folder, site, shape: 1 where no page came from yet."""
        novelty = np.float32(1.0) / (1 + self._tally.pages[places])
        return [novelty[:, place] for place in (_SECTION, _FOLDER, _HOST, _SHAPE)]
