"""Where would a fish swim now? One file per strategy; a new file that declares a `CHOICE` is found by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from shoal.judge.registry import Choice, choices_in
from shoal.protocols import Strategy
from shoal.settings import Settings

SEED_PRIORITY = 1e12
"""Seeds go first: no strategy gives a link more than this."""


@cache
def strategies() -> Mapping[str, Choice[Strategy]]:
    """Every strategy there is, by name; `strategies()["breadth"].make(topic)` builds one."""
    return choices_in(__name__, __path__)


def judge_of(settings: Settings) -> str:
    """The judge that the user named, or else the one that the strategy's paper runs it with."""
    return settings.judge or strategies()[settings.strategy].judge
