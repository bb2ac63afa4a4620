"""By which features is a link known, how have links with the same tokens fared, and what do we think before the first page?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.strategy.link_model.hashing import BUCKETS, NO_TOKEN
from shoal.strategy.link_model.link_rows import NEXT_PAGE, PLACES, SAME_FOLDER, SAME_SITE, TWIN, Rows

Floats: TypeAlias = NDArray[np.float32]
Vector: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int32]
_FIRST_DEAD = 0.25
"""One link in five is dead, before anything is known."""
_FEW_LINKS = np.float32(2.0)
"""A host with fewer links than this is believed less than links in general."""
MEAN_PAGES = 1_000
"""The general means forget: they are those of about the last so many pages."""


class TokenCounts:
    """Counts over all tokens. Sole owner of its arrays; two values are counted at once, a page's worth and what it led to."""

    def __init__(self) -> None:
        self.pages: Floats = np.zeros(BUCKETS, dtype=np.float32)
        """By number: pages that came."""
        self.worth: Floats = np.zeros(BUCKETS, dtype=np.float32)
        """Their scores, added up."""
        self.leads: Floats = np.zeros(BUCKETS, dtype=np.float32)
        """What they led to, added up."""
        self.dead: Floats = np.zeros(BUCKETS, dtype=np.float32)
        """By number, of hosts only: links that led to no page."""
        self._alive = np.array([[_FIRST_DEAD, 1.0], [_FIRST_DEAD, 1.0]])
        """Dead links and pages: of links to another site, and of links to the same."""
        # Before anything is known: two pages, a tenth good.
        self.means = (2.0, 0.2, 0.2)
        """All pages, and what they were worth and led to, added up; as far as they are not forgotten."""

    @property
    def mean_worth(self) -> float:
        """What a page is worth, whatever led to it."""
        return self.means[1] / self.means[0]

    @property
    def mean_leads(self) -> float:
        """What a page leads to, whatever led to it."""
        return self.means[2] / self.means[0]

    def add(self, numbers: Numbers, worth: float, leads: float, pages: float = 1.0) -> None:
        """A page came (or, with negative numbers, is taken back) that had these tokens."""
        # A number that stands there twice counts once: numpy reads all, then writes all.
        self.pages[numbers] += pages
        self.worth[numbers] += worth
        self.leads[numbers] += leads
        self.pages[NO_TOKEN] = self.worth[NO_TOKEN] = self.leads[NO_TOKEN] = 0.0

    def add_to_means(self, worth: float, leads: float) -> None:
        """A page came: the general means move, and forget."""
        kept = 1 - 1 / MEAN_PAGES
        pages, all_worth, all_leads = self.means
        self.means = pages * kept + 1, all_worth * kept + worth, all_leads * kept + leads

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

    def deviations(self, numbers: Numbers | slice = slice(None)) -> Floats:
        """By how much pages with these words differ from the means of worth and leads; 0 for NO_TOKEN and words not seen yet."""
        came = self.pages[numbers]
        both = ((self.worth, self.mean_worth), (self.leads, self.mean_leads))
        differences = [values[numbers] - np.float32(mean) * came for values, mean in both]
        return np.stack([difference / (came + np.float32(FEW_WORDS)) for difference in differences], axis=1)


# --- by which features is a link known, and what do we think of each before the first page came ----------------------

Features: TypeAlias = NDArray[np.float32]
FEW, FEW_OF_A_SITE, FEW_WORDS = 2.0, 5.0, 6.0
"""A group, a site, a word: with fewer pages than this they are believed less than what they belong to."""
_CLIP = 2.0
_DEEP = 10
_HOST, _SECTION, _FOLDER, _SHAPE, _PAGE, _LIST, _FRAME = range(len(PLACES))


Family = Literal[
    "ground", "named", "words", "address", "page", "siblings", "section", "site", "turning", "near", "like", "form"
]
"""What features are about."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature, and how much we think it matters: for what the page is worth, and for what it leads to."""

    name: str
    family: Family
    worth: float = 0.0
    leads: float = 0.0


FEATURES = (
    Feature("always", "ground", 0.1, 0.1),
    Feature("named", "named", 0.45, 0.15),
    Feature("around", "named", 0.15),
    Feature("spelt", "named", 0.15),
    Feature("named anywhere", "named", 0.3),
    Feature("beside", "siblings"),
    Feature("score", "page", 0.2, 0.1),
    Feature("above", "page", 0.1),
    Feature("siblings", "siblings", 0.2),
    Feature("list", "siblings", 0.2),
    Feature("frame", "siblings", 0.1),
    Feature("site", "site", 0.1),
    Feature("section", "section", 0.1),
    Feature("folder", "section", 0.1),
    Feature("shape", "section", 0.1),
    Feature("anchor", "words", 0.3),
    Feature("address", "address", 0.3),
    Feature("siblings lead", "siblings", 0.0, 0.1),
    Feature("frame leads", "siblings", 0.0, 0.1),
    Feature("site leads", "site", 0.0, 0.1),
    Feature("section leads", "section", 0.0, 0.1),
    Feature("folder leads", "section", 0.0, 0.1),
    Feature("shape leads", "section", 0.0, 0.1),
    Feature("anchor leads", "words", 0.0, 0.3),
    Feature("address leads", "address", 0.0, 0.3),
    Feature("best word leads", "words", 0.0, 0.2),
    Feature("best address word leads", "address", 0.0, 0.2),
    Feature("page leads", "page"),
    Feature("next page leads", "turning", 0.0, 0.5),
    Feature("same folder leads", "turning", 0.0, 0.1),
    Feature("twin leads", "turning", 0.0, 0.1),
    Feature("same folder", "section"),
    Feature("near a seed", "near", 0.0, 0.15),
    Feature("depth", "near"),
    Feature("new section", "section"),
    Feature("new folder", "section"),
    Feature("new site", "site"),
    Feature("new shape", "section"),
    Feature("ways", "form"),
    Feature("same site", "form"),
    Feature("length", "form"),
    Feature("position", "form"),
    Feature("crowd", "form"),
)


_LEADS = [feature.name for feature in FEATURES].index("page leads")
_GOING_ON = np.array([0, NEXT_PAGE, SAME_FOLDER, TWIN], dtype=np.uint8)
_LEADING = [0, 2, 3, 4, 5, 6]
"""Of the ways in which places fared, those that count for what a page leads to: all but the list."""
PRIOR_WORTH: Vector = np.array([feature.worth for feature in FEATURES])
"""What we think that each feature adds to what a page is worth."""
PRIOR_LEADS: Vector = np.array([feature.leads for feature in FEATURES])
"""The same of what a page leads to."""


class FeatureReader:
    """Turns rows into features, with the counts of this moment. The words of all rows are weighed once, when it is made.

    What pages are worth and what they lead to is read side by side, in the last dimension: rows come by the handful, and then the
    number of steps is what costs.
    """

    def __init__(self, counts: TokenCounts, *, means: bool) -> None:
        """`means`: rows say what their words mean; those numbers are features, too, behind all others."""
        self._means = means
        self._counts = counts
        self._words = counts.deviations()

    def features(self, rows: Rows, ways: Floats) -> Features:
        """One line per row, in the order of `FEATURES`."""
        places, pages = rows["places"], self._counts.pages[rows["places"]]
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
            _handed_on(rows),
            _near(rows),
            1 / (1 + pages[:, (_SECTION, _FOLDER, _HOST, _SHAPE)]),
            _form(rows, ways),
        ]
        if self._means:
            blocks.append(rows["meaning"])
        return np.concatenate(blocks, axis=1, dtype=np.float32)

    def _fared(self, places: NDArray[np.int32], pages: Floats) -> Floats:
        """Siblings, list, frame, site, section, folder, shape: each by how much it differs from what it belongs to."""
        counts = self._counts
        sums = np.stack([counts.worth[places], counts.leads[places]], axis=2)
        mean = np.array([counts.mean_worth, counts.mean_leads], dtype=np.float32)

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

    def _said(self, tokens: NDArray[np.int32]) -> tuple[Floats, Floats]:
        """The weights of a link's words together, of which many do not say as many times more; and what the best one leads to."""
        weights = self._words[tokens]
        count = np.maximum(np.count_nonzero(tokens, axis=1), 1).astype(np.float32)
        said: Floats = np.clip(weights.sum(axis=1) / np.sqrt(count)[:, None], -_CLIP, _CLIP)
        best: Floats = np.minimum(weights[:, :, 1:].max(axis=1), _CLIP)
        return said, best


def _named(rows: Rows) -> Floats:
    """What every link has, then how much it names the topic, and what the page it stands on is."""
    named, around, spelt = rows["named"], rows["around"], rows["spelt"]
    anywhere = np.maximum(np.maximum(named, spelt), 0.5 * around)
    one = np.ones_like(named)
    return np.stack([one, named, around, spelt, anywhere, rows["beside"], rows["score"], rows["above"]], axis=1)


def hand_on(features: Features, rows: Rows, leads: float) -> None:
    """The page of these links, whose features were read before that was known, leads to so much."""
    rows["leads"] = leads
    features[:, _LEADS : _LEADS + 4] = _handed_on(rows)


def _handed_on(rows: Rows) -> Floats:
    """What a page leads to, for all its links, and once more for those that may go on with it."""
    handed: Floats = rows["leads"][:, None] * (rows["flags"][:, None] & _GOING_ON == _GOING_ON)
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
