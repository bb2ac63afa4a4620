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

from shoal.strategy.link_model.regression import Vector
from shoal.strategy.link_model.tally import Floats, Tally
from shoal.strategy.link_model.waiting_links import NEXT_PAGE, PLACES, SAME_FOLDER, SAME_SITE, TWIN, Rows

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
_GOING_ON = np.array([0, NEXT_PAGE, SAME_FOLDER, TWIN], dtype=np.uint8)
_LEADING = [0, 2, 3, 4, 5, 6]
"""Of the ways in which places fared, those that count for what a page leads to: all but the list."""


def first_worth() -> Vector:
    """What each sign is believed to add to what a page is worth."""
    return np.array([sign.worth for sign in SIGNS])


def first_leads() -> Vector:
    """What each sign is believed to add to what a page leads to."""
    return np.array([sign.leads for sign in SIGNS])


class Reader:
    """Turns rows into signs, with what the tally says at this moment. The words of all rows are weighed once, when it is made.

    What pages are worth and what they lead to is read side by side, in the last dimension: rows come by the handful, and then the
    number of steps is what costs.
    """

    def __init__(self, tally: Tally, *, means: bool) -> None:
        """`means`: rows say what their words mean; those numbers are signs, too, behind all others."""
        self._means = means
        self._tally = tally
        self._words = np.stack(
            [
                tally.deviations(tally.worth, tally.mean_worth, FEW_WORDS),
                tally.deviations(tally.leads, tally.mean_leads, FEW_WORDS),
            ],
            axis=1,
        )

    def signs(self, rows: Rows, ways: Floats) -> Signs:
        """One line per row, in the order of `SIGNS`."""
        places, pages = rows["places"], self._tally.pages[rows["places"]]
        fared = self._fared(places, pages)
        anchor, best_anchor = self._said(rows["anchor"])
        address, best_address = self._said(rows["address"])
        blocks = [
            _named(rows),
            fared[:, :, 0],
            anchor[:, :1],
            address[:, :1],
            fared[:, _LEADING, 1],
            anchor[:, 1:],
            address[:, 1:],
            best_anchor,
            best_address,
            _handed_on(rows, rows["leads"]),
            _near(rows),
            1 / (1 + pages[:, (_SECTION, _FOLDER, _HOST, _SHAPE)]),
            _form(rows, ways),
        ]
        if self._means:
            blocks.append(rows["meaning"])
        return np.concatenate(blocks, axis=1, dtype=np.float32)

    def hand_on(self, signs: Signs, rows: Rows, leads: float) -> None:
        """The page of these links, whose signs were read before that was known, leads to so much."""
        rows["leads"] = leads
        signs[:, _LEADS : _LEADS + 4] = _handed_on(rows, rows["leads"])

    def _fared(self, places: NDArray[np.int32], pages: Floats) -> Floats:
        """Siblings, list, frame, site, section, folder, shape: each by how much it differs from what it belongs to."""
        tally = self._tally
        sums = np.stack([tally.worth[places], tally.leads[places]], axis=2)
        mean = np.array([tally.mean_worth, tally.mean_leads], dtype=np.float32)

        def shrunk(place: int, towards: Floats, few: float = FEW) -> Floats:
            value: Floats = (sums[:, place] + few * towards) / (pages[:, place, None] + few)
            return value

        site = shrunk(_HOST, mean, FEW_OF_A_SITE)
        section, shape = shrunk(_SECTION, site), shrunk(_SHAPE, site)
        siblings = shrunk(_PAGE, mean)
        differences = [
            siblings - mean,
            shrunk(_LIST, siblings) - siblings,
            shrunk(_FRAME, mean) - mean,
            site - mean,
            section - site,
            shrunk(_FOLDER, section) - section,
            shape - site,
        ]
        return 2 * np.stack(differences, axis=1)

    def _said(self, pieces: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """The weights of a link's words together, of which many do not say as many times more; and what the best one leads to."""
        weights = self._words[pieces]
        count = np.maximum(np.count_nonzero(pieces, axis=1), 1).astype(np.float32)
        said: Floats = np.clip(weights.sum(axis=1) / np.sqrt(count)[:, None], -_CLIP, _CLIP)
        best: Floats = np.minimum(weights[:, :, 1:].max(axis=1), _CLIP)
        return said, best


def _named(rows: Rows) -> Floats:
    """What every link has, then how much it names the topic, and what the page it stands on is."""
    named, around, spelt = rows["named"], rows["around"], rows["spelt"]
    anywhere = np.maximum(np.maximum(named, spelt), 0.5 * around)
    one = np.ones_like(named)
    return np.stack([one, named, around, spelt, anywhere, rows["beside"], rows["score"], rows["above"]], axis=1)


def _handed_on(rows: Rows, leads: Floats) -> Floats:
    """What a page leads to, for all its links, and once more for those that may go on with it."""
    handed: Floats = leads[:, None] * (rows["flags"][:, None] & _GOING_ON == _GOING_ON)
    return handed


def _near(rows: Rows) -> Floats:
    """What the page scores if it is in the same folder, and how near the seeds are."""
    depth = np.maximum(rows["depth"], 1).astype(np.float32)
    same_folder = rows["score"] * (rows["flags"] & SAME_FOLDER > 0)
    return np.stack([same_folder, 1 / depth, np.minimum(depth, _DEEP) / _DEEP], axis=1)


def _form(rows: Rows, ways: Floats) -> Floats:
    """How many pages link there, and what the link looks like."""
    same_site = (rows["flags"] & SAME_SITE > 0).astype(np.float32)
    crowd = np.log1p(rows["crowd"]) / 6
    return np.stack([np.log1p(ways) / 3, same_site, rows["length"], rows["position"], crowd], axis=1)
