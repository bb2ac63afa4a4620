"""Why is this link worth so much? In words that a user understands: what it says, where it stands, how its like have fared."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.model import Entry, Evidence
from shoal.strategy.link_model.features import FEATURES, Family, Features
from shoal.strategy.link_model.hashing import MOST_TOKENS, address_words, hash_token, words_in
from shoal.strategy.link_model.link_rows import PLACES, Rows
from shoal.strategy.link_model.valuation import LinkModel

_TOLD = 3
"""Reasons in a sentence."""
_NOTABLE = 0.005
_FAMILIES = tuple(feature.family for feature in FEATURES)
_OF_MEANINGS: Family = "like"


def reasons_for(model: LinkModel, row: Rows, features: Features, entry: Entry) -> tuple[Evidence, ...]:
    """What makes the value of a link with these features, the strongest first; what every link has comes last."""
    sums: dict[Family, float] = {}
    families = _FAMILIES + (_OF_MEANINGS,) * model.links.width
    for family, amount in zip(families, model.contributions(features).tolist(), strict=True):
        sums[family] = sums.get(family, 0.0) + amount
    notable = [family for family, amount in sums.items() if abs(amount) >= _NOTABLE]
    notable.sort(key=lambda family: (family == "ground", -abs(sums[family])))
    return tuple(
        Evidence(what=_said(model, family, sums[family], row, entry), amount=sums[family]) for family in notable
    )


def sentence(evidence: Iterable[Evidence], value: float) -> str:
    """The strongest reasons in one line."""
    for_it = [one.what for one in evidence if one.amount > 0][:_TOLD]
    return f"expected to pay {value:.2f}: {', '.join(for_it)}" if for_it else f"expected to pay {value:.2f}"


def _said(model: LinkModel, family: Family, amount: float, row: Rows, entry: Entry) -> str:
    good = amount > 0
    match family:
        case "named":
            return f"{'the link' if row['named'][0] or row['spelt'][0] else 'text around it'} names the topic"
        case "words":
            return _word("the link says", "a", words_in(entry.anchor), model, good)
        case "address":
            return _word("its address says", "u", address_words(entry.url), model, good)
        case "page":
            return f"the page it stands on scores {float(row['score'][0]):.2f}"
        case "siblings":
            return _siblings(model, row, good)
        case "section":
            return _share("this section of the site", model, row, "folder")
        case "site":
            return _share("the site", model, row, "host")
        case "turning":
            return f"it goes on with a list that led {'to good pages' if good else 'nowhere'}"
        case "near":
            depth = int(row["depth"][0])
            return "a seed links to it" if depth <= 1 else f"it is {depth} links away from a seed"
        case "like":
            return "its words mean what good links mean" if good else "its words mean something else"
        case "form":
            return "links of this form pay" if good else "links of this form pay less"
        case "ground":
            return "what any link of this crawl pays"


def _word(begin: str, kind: str, words: list[str], model: LinkModel, good: bool) -> str:
    """The word that says most, for or against."""
    # A number says how many digits it has; nobody wants to read that.
    if not (words := [word for word in words[:MOST_TOKENS] if not word.isdigit()]):
        return f"{begin} nothing"
    numbers = np.array([hash_token(f"{kind}:{word}") for word in words], dtype=np.int32)
    worth, leads = model.counts.deviations(numbers).T
    total = worth + model.hubs * leads
    word = words[int(total.argmax() if good else total.argmin())]
    return f"{begin} “{word}”" if good else f"{begin} “{word}”, which paid less"


def _siblings(model: LinkModel, row: Rows, good: bool) -> str:
    if not model.counts.pages[row["places"][0, PLACES.index("page")]]:
        return f"links beside it {'name the topic' if good else 'hardly name the topic'}"
    return f"pages beside it {'were relevant' if good else 'were not relevant'}"


def _share(begin: str, model: LinkModel, row: Rows, place: str) -> str:
    number = row["places"][0, PLACES.index(place)]
    if not (pages := float(model.counts.pages[number])):
        return f"{begin} is new"
    return f"{begin} pays {max(float(model.counts.worth[number]) / pages, 0.0):.0%}"
