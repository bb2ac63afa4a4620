"""Is it about the topic? One file per judge; a new file that declares a `CHOICE` is found by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from shoal.crawl.choice import Choice, choices_in
from shoal.protocols import Judge


@cache
def judges() -> Mapping[str, Choice[Judge]]:
    """Every judge there is, by name; `judges()["cosine"].make(topic)` builds one."""
    return choices_in(__name__, __path__)
