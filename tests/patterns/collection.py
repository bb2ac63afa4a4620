"""Which regular expressions are there, and how are they used? Found in the modules and their source: none is forgotten."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import shoal

_ANCHORED = {"match", "fullmatch"}
"""They begin at one place; all others try every place of a text, one after the other."""
_CALLS = {"compile", "match", "search", "sub", "subn", "findall", "finditer", "split", "fullmatch"}
_DEEP = 4
"""So many collections inside each other are looked through."""


class Found(NamedTuple):
    """A pattern that exists when its module is imported."""

    place: str
    """`shoal.frontier.traps:_YEAR`."""
    pattern: re.Pattern[Any]
    methods: frozenset[str]
    """How it is used: `scan` for whatever looks through a text."""


class Call(NamedTuple):
    """A call of `re` inside a function: its pattern is made, or at least looked up, when the function runs."""

    place: str
    """`shoal.text:_folding`."""
    line: int


@cache
def modules() -> tuple[ModuleType, ...]:
    """Every module of Shoal."""
    names = [module.name for module in pkgutil.walk_packages(shoal.__path__, "shoal.", onerror=_stop)]
    return (shoal, *(importlib.import_module(name) for name in sorted(names)))


def _stop(name: str) -> None:
    raise AssertionError(f"{name} cannot be imported")


def patterns() -> list[Found]:
    """Each pattern of each module once, with every method it is used with anywhere."""
    found: dict[int, Found] = {}
    for module in modules():
        for name, value in vars(module).items():
            for pattern, method in _reachable(value):
                methods = {method} if method else _methods(module, name, value)
                place = found[id(pattern)].place if id(pattern) in found else f"{module.__name__}:{name}"
                earlier = found[id(pattern)].methods if id(pattern) in found else frozenset()
                found[id(pattern)] = Found(place, pattern, earlier | methods)
    return list(found.values())


def _reachable(value: object, depth: int = 0) -> Iterator[tuple[re.Pattern[Any], str]]:
    """The patterns in a value; with the method, where only that is kept (`re.compile(…).fullmatch`)."""
    owner = getattr(value, "__self__", None)
    if isinstance(value, re.Pattern):
        yield value, ""
    elif isinstance(owner, re.Pattern):
        yield owner, _kind(str(getattr(value, "__name__", "")))
    elif depth < _DEEP:
        for part in _parts(value):
            yield from _reachable(part, depth + 1)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if isinstance(value, type) and value.__module__.startswith("shoal"):
        return list(vars(value).values())
    return ()


def _methods(module: ModuleType, name: str, value: object) -> set[str]:
    """The methods by which a module uses a name; all, when the pattern goes elsewhere before it is used."""
    if not isinstance(value, re.Pattern):
        return {"scan", "match", "fullmatch"}
    tree = _tree(module)
    used = {
        _kind(node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    mentions = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))
    attributes = sum(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
        for node in ast.walk(tree)
    )
    is_imported = any(isinstance(node, ast.ImportFrom) and _names(node, name) for node in ast.walk(tree))
    plain = mentions - attributes - (not is_imported)  # one mention is where it is made
    return (used - {""}) if used and plain <= 0 else {"scan", "match", "fullmatch"}


def _names(node: ast.ImportFrom, name: str) -> bool:
    return any((alias.asname or alias.name) == name for alias in node.names)


def _kind(method: str) -> str:
    """Attributes such as `pattern` are no use of it."""
    return method if method in _ANCHORED else "scan" if method in _CALLS else ""


def calls() -> list[Call]:
    """Where `re` is called inside a function."""
    found = []
    for module in modules():
        found += [Call(f"{module.__name__}:{name}", line) for name, line in _calls(_tree(module), ())]
    return found


def _calls(node: ast.AST, inside: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        inside = (*inside, getattr(node, "name", "lambda"))
    if inside and isinstance(node, ast.Call) and _is_of_re(node.func):
        yield ".".join(inside), node.lineno
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, inside)


def _is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in _CALLS
    )


def disguises() -> list[str]:
    """Imports by which a pattern could be made without being found here: `from re import compile`, `import re as r`."""
    return [
        f"{module.__name__}:{node.lineno}"
        for module in modules()
        for node in ast.walk(_tree(module))
        if (isinstance(node, ast.ImportFrom) and node.module in ("re", "regex"))
        or (
            isinstance(node, ast.Import)
            and any(alias.name == "regex" or (alias.name == "re" and alias.asname) for alias in node.names)
        )
    ]


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
