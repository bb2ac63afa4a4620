"""Which libraries are not installed with shoal itself, what needs them, and how does one get them?

`pip install shoal` brings what a crawl, a search and a demo need. Whatever needs more asks here before it begins.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

from shoal.errors import ShoalError


class ExtraMissing(ShoalError):
    """A library that only some need is not installed."""


class Extra(NamedTuple):
    """A library, by the name that pip calls it, and what brings it."""

    library: str
    name: str
    """What stands in the brackets: `pip install 'shoal[plots]'`."""
    used_for: str


EXTRAS = {
    "asyncpg": Extra("asyncpg", "cluster", "Crawls in PostgreSQL"),
    "fastwarc": Extra("fastwarc", "recorded", "Recorded webs"),
    "matplotlib": Extra("matplotlib", "plots", "Plots"),
    "pika": Extra("pika", "cluster", "Crawls over RabbitMQ"),
    "PIL": Extra("pillow", "images", "Crawls for images"),
    "pyarrow": Extra("pyarrow", "parquet", "Parquet files"),
}
"""By the name that is imported."""


def need(module: str) -> None:
    """Go on only when a library is there; else say in one sentence how to get it."""
    if sentence := missing(module):
        raise ExtraMissing(sentence)


def missing(module: str) -> str:
    """The sentence for a library that is not there; empty when it is."""
    if find_spec(module) is not None:
        return ""
    extra = EXTRAS[module]
    return f"{extra.used_for} need {extra.library}: pip install 'shoal[{extra.name}]'."
