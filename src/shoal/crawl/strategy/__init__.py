"""Where would a fish swim now? One file per strategy; a new file that declares a `CHOICE` is found by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from shoal.crawl.choice import Choice, choices_in
from shoal.protocols import Strategy

SEED_PRIORITY = 1.0
"""Seeds go first: no strategy gives a link more than this."""


@cache
def strategies() -> Mapping[str, Choice[Strategy]]:
    """Every strategy there is, by name; `strategies()["breadth"].make(topic)` builds one."""
    return choices_in(__name__, __path__)
