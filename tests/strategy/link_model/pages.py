"""Links, rows and models for the tests of what a crawl learns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.model import Link
from shoal.strategy.link_model.features import FEATURES, Features, Vector
from shoal.strategy.link_model.link_rows import FoundLink, LinkTable, Rows, SourcePage, hints_beside, rows_of
from shoal.strategy.link_model.valuation import KEPT, BayesianRegression, LinkModel, leads_prior, worth_prior
from shoal.topic.word_vectors import Meanings
from shoal.urls import key_of

HOME = "http://x.example/"
NO_AIM = np.zeros(0)
"""Of a topic when no word vectors are installed."""


def source(url: str = HOME, **known: float) -> SourcePage:
    """A page that links stand on; what is not said of it is nothing."""
    given = {"depth": 0, "score": 0.0, "above": 0.0, "links": 10} | known
    return SourcePage(key=key_of(url), url=url, **given)  # type: ignore[arg-type]


def found(url: str, anchor: str = "", named: float = 0.0, path: str = "", position: int = 0) -> FoundLink:
    """A link that may be followed, and how much its anchor names the topic; a name is a path on one host."""
    url = url if url.startswith("http") else HOME + url
    link = Link(url=url, anchor=anchor, path=path, position=position)
    return FoundLink(link, key_of(url), named)


def rows(links: Sequence[FoundLink], page: SourcePage | None = None) -> Rows:
    named = {one.link.url: (one.hint, one.hint, 0.0) for one in links}
    return rows_of(links, page or source(), hints_beside(links), lambda link: named[link.url], Meanings(()))


def model(links: LinkTable | None = None, *, hubs: float = 0.8, kept: float = 1.0, prior: bool = True) -> LinkModel:
    """A model without word vectors that forgets nothing."""
    worth, leads = worth_prior(NO_AIM), leads_prior()
    if not prior:
        worth, leads = (one._replace(weights=np.zeros_like(one.weights)) for one in (worth, leads))
    return LinkModel(
        LinkTable() if links is None else links,
        BayesianRegression(worth, kept),
        BayesianRegression(leads, kept),
        hubs=hubs,
    )


def model_with_vectors(aim: Vector) -> LinkModel:
    """The same for a topic that means this."""
    return LinkModel(
        LinkTable(width=len(aim)), BayesianRegression(worth_prior(aim), KEPT), BayesianRegression(leads_prior(), KEPT)
    )


def feature(features: Features, name: str, line: int = 0) -> float:
    """One feature of one link, by its name."""
    return float(features[line, [one.name for one in FEATURES].index(name)])
