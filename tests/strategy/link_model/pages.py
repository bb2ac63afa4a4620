"""Links, rows and models for the tests of what a crawl learns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.model import Link
from shoal.strategy.link_model.features import SIGNS, Signs
from shoal.strategy.link_model.link_rows import Found, Source, hints_beside, rows_of
from shoal.strategy.link_model.valuation import LinkModel, Options
from shoal.strategy.link_model.waiting_links import Links, Rows
from shoal.topic.text_vectors import Meanings
from shoal.urls import key_of

HOME = "http://x.example/"
NO_AIM = np.zeros(0)
"""Of a topic when no word vectors are installed."""


def source(url: str = HOME, **known: float) -> Source:
    """A page that links stand on; what is not said of it is nothing."""
    given = {"depth": 0, "score": 0.0, "above": 0.0, "links": 10} | known
    return Source(key=key_of(url), url=url, **given)  # type: ignore[arg-type]


def found(url: str, anchor: str = "", named: float = 0.0, path: str = "", position: int = 0) -> Found:
    """A link that may be followed, and how much its anchor names the topic; a name is a path on one host."""
    url = url if url.startswith("http") else HOME + url
    link = Link(url=url, anchor=anchor, path=path, position=position)
    return Found(link, key_of(url), named)


def rows(links: Sequence[Found], page: Source | None = None) -> Rows:
    named = {one.link.url: (one.hint, one.hint, 0.0) for one in links}
    return rows_of(links, page or source(), hints_beside(links), lambda link: named[link.url], Meanings(()))


def model(links: Links | None = None, *, hubs: float = 0.8, kept: float = 1.0, prior: bool = True) -> LinkModel:
    """A model without word vectors that forgets nothing."""
    return LinkModel(Links() if links is None else links, Options(hubs=hubs, kept=kept, prior=prior), NO_AIM)


def sign(signs: Signs, name: str, line: int = 0) -> float:
    """One sign of one link, by its name."""
    return float(signs[line, [one.name for one in SIGNS].index(name)])
