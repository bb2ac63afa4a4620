"""What can be chosen by name? Strategies and judges, and how much is known about words."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from shoal.judge import judges
from shoal.judge.registry import Parameter, Registered
from shoal.settings import STRATEGY
from shoal.strategy import strategies
from shoal.topic import word_vectors
from shoal.topic.setting_readers import Names


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """A strategy or a judge, in words."""

    name: str
    summary: str
    paper: str
    default: bool
    judge: str = ""
    """Of a strategy: the judge it runs with when the user names none."""
    parameters: tuple[Parameter, ...] = ()


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be named with --strategy and --judge."""

    strategies: tuple[Described, ...]
    judges: tuple[Described, ...]
    vectors: tuple[str, ...]
    """For each language one sentence: whether its word vectors are installed."""


@cache
def names() -> Names:
    """The judges and strategies a user can choose from."""
    settable = {
        name: {number.name: (number.least, number.most) for number in choice.parameters}
        for name, choice in strategies().items()
    }
    return Names(strategies=tuple(strategies()), judges=tuple(judges()), parameters=settable)


def choices() -> Choices:
    """The same with a line about each."""
    return Choices(
        strategies=tuple(_described(choice, choice.judge) for choice in strategies().values()),
        judges=tuple(_described(choice) for choice in judges().values()),
        vectors=word_vectors.describe(),
    )


def _described(choice: Registered[Any], judge: str = "") -> Described:
    return Described(
        name=choice.name,
        summary=choice.summary,
        paper=choice.paper,
        default=choice.name == STRATEGY,
        judge=judge,
        parameters=choice.parameters,
    )
