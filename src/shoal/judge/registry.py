"""Which judges and strategies are there? Every file of their packages that declares a `CHOICE` is one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")


@dataclass(frozen=True)
class Parameter:
    """A number of a strategy that the user may set."""

    name: str
    default: float
    least: float
    most: float
    what: str
    """One line for a list of all parameters."""


@dataclass(frozen=True, kw_only=True)
class Registered(Generic[Made]):
    """One judge or strategy that a user can name."""

    name: str
    """What the user types."""
    summary: str
    """One line for a list of all choices."""
    paper: str
    """Where the rule comes from (ALGORITHMS), or empty."""
    make: Callable[..., Made]
    """Called with the topic, and with the parameters that the user set, by name."""
    judge: str = "cosine"
    """Of a strategy: the judge that its paper runs it with."""
    parameters: tuple[Parameter, ...] = ()


def choices_in(package: str, path: Iterable[str]) -> dict[str, Registered[Any]]:
    """The choices of all modules of a package, by name; a new one is a new file and nothing else."""
    modules = (import_module(f"{package}.{module.name}") for module in iter_modules(path))
    found = [module.CHOICE for module in modules if hasattr(module, "CHOICE")]
    by_name = {choice.name: choice for choice in found}
    if len(by_name) != len(found):
        raise ValueError(f"two modules of {package} declare the same name: {sorted(choice.name for choice in found)}")
    return by_name
