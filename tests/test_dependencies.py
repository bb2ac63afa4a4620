"""Do we install what we tested? The bounds in pyproject.toml, what requirements/ locks, and what we patch in libraries."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from shoal.text import fingerprint
from tests.test_layers import modules

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS: dict[str, list[Any]] = PYPROJECT["dependency-groups"]
OPTIONAL: dict[str, list[str]] = PYPROJECT["project"]["optional-dependencies"]
LOCKED_EXTRAS = {
    "runtime": (),
    "cluster": ("cluster", "images"),
    "extras": ("cluster", "images", "parquet", "plots", "recorded"),
}
"""Which extras each lock of shoal itself has: what everybody gets, what a machine of a cluster gets, what tests and demo need."""
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PYTHONS = [name.rpartition(" ")[2] for name in PYPROJECT["project"]["classifiers"] if "Python ::" in name]
MACHINES = [(python, machine) for python in PYTHONS for machine in ("x86_64", "aarch64")]


class Locked(NamedTuple):
    """One library in a lock file."""

    name: str
    version: str
    marker: Marker | None
    hashes: tuple[str, ...]


@cache
def locked(lock: str) -> tuple[Locked, ...]:
    """What a lock file says; a line that says anything else is refused: an address, a folder of this machine, an option."""
    found: list[tuple[Locked, list[str]]] = []
    for line in (ROOT / "requirements" / f"{lock}.txt").read_text(encoding="utf-8").splitlines():
        if pinned := re.fullmatch(r"([a-z0-9-]+)==([\w.]+)(?: ; ([\w <>=!.'-]+))? \\", line):
            marker = Marker(pinned[3]) if pinned[3] else None
            found.append((Locked(pinned[1], pinned[2], marker, ()), []))
        elif held := re.fullmatch(r" {4}--hash=sha256:([0-9a-f]{64})(?: \\)?", line):
            found[-1][1].append(held[1])
        else:
            reason = r"(?:[a-z0-9-]+|-c requirements/\w+\.txt|shoal \(pyproject\.toml(?::\w+)?\))"
            said = re.fullmatch(rf" {{4}}# via {reason}(?:, {reason})*", line)
            assert said or (not found and line.startswith("# This file")) or line == "#    make lock", line
    return tuple(entry._replace(hashes=tuple(hashes)) for entry, hashes in found)


def wanted(lock: str) -> list[Requirement]:
    """What pyproject.toml asks for in a lock file."""
    if lock in LOCKED_EXTRAS:
        extras = [line for name in LOCKED_EXTRAS[lock] for line in OPTIONAL[name]]
        return [Requirement(line) for line in (*PYPROJECT["project"]["dependencies"], *extras)]
    lines = [line for line in GROUPS[lock] if isinstance(line, str)]
    included = [wanted(line["include-group"]) for line in GROUPS[lock] if isinstance(line, dict)]
    return [Requirement(line) for line in lines] + [requirement for group in included for requirement in group]


def holds(marker: Marker | None, python: str, machine: str) -> bool:
    """True when something with this marker is installed on such a machine."""
    there = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": machine,
    }
    return marker is None or marker.evaluate(there)


# --- the lock --------------------------------------------------------------------------------------------------------


def test_there_is_a_lock_for_everything_that_is_installed() -> None:
    assert {lock.stem for lock in LOCKS} == {*LOCKED_EXTRAS, *GROUPS}
    assert [Requirement(line) for line in PYPROJECT["build-system"]["requires"]] == wanted("build")


@pytest.mark.parametrize(("python", "machine"), MACHINES)
@pytest.mark.parametrize("lock", [lock.stem for lock in LOCKS])
def test_the_lock_fits_what_pyproject_asks_for(lock: str, python: str, machine: str) -> None:
    """Who adds a dependency or moves a bound runs `make lock`."""
    found = {entry.name: entry.version for entry in locked(lock) if holds(entry.marker, python, machine)}
    asked = [requirement for requirement in wanted(lock) if holds(requirement.marker, python, machine)]
    missing = [
        str(requirement)
        for requirement in asked
        if not requirement.specifier.contains(found.get(canonicalize_name(requirement.name), "0"))
    ]
    assert asked
    assert missing == [], "make lock"


@pytest.mark.parametrize("lock", [lock.stem for lock in LOCKS])
def test_every_file_that_is_installed_is_held_to_its_hash(lock: str) -> None:
    assert [entry.name for entry in locked(lock) if not entry.hashes] == []


def test_all_are_tested_with_the_same_versions() -> None:
    """Containers, tests and builds, on every Python: what is tested in one place is what runs in another."""
    versions: dict[str, set[tuple[str, tuple[str, ...]]]] = {}
    for lock in LOCKS:
        for entry in locked(lock.stem):
            versions.setdefault(entry.name, set()).add((entry.version, entry.hashes))
    assert [name for name, found in versions.items() if len(found) > 1] == []


def test_make_installs_what_is_locked() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\n.venv/ready:")[2].partition("\n\n")[0]
    prerequisites, *_ = recipe.splitlines()
    assert prerequisites.split() == ["pyproject.toml", "requirements/extras.txt", "requirements/dev.txt"]
    libraries, ours = (line.split()[1:] for line in recipe.splitlines() if "$(INSTALL)" in line)
    assert libraries[0] == "--require-hashes"
    assert set(prerequisites.split()[1:]) <= set(libraries)
    assert {"--no-deps", "--no-build-isolation"} <= set(ours), "nothing comes in beside what is locked"


def test_make_and_the_tests_have_every_extra_but_word_vectors() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^EXTRAS = (.+)$", makefile, re.MULTILINE)
    assert tuple(listed.split()) == LOCKED_EXTRAS["extras"]
    assert OPTIONAL.keys() - {"semantic", "all"} == set(listed.split())
    assert Requirement(OPTIONAL["all"][0]).extras == OPTIONAL.keys() - {"all"}


def test_what_comes_with_an_extra_comes_with_nothing_else() -> None:
    """Else it would not be missing when the extra is, and nobody would see that a sentence is wrong."""
    extras = {Requirement(line).name for name in LOCKED_EXTRAS["extras"] for line in OPTIONAL[name]}
    assert extras & {entry.name for entry in locked("runtime")} == set()


# --- the bounds ------------------------------------------------------------------------------------------------------


def bounds() -> dict[str, Requirement]:
    return {requirement.name: requirement for requirement in wanted("extras")}


def has(requirement: Requirement, *operators: str) -> bool:
    return any(part.operator in operators for part in requirement.specifier)


def test_every_dependency_has_a_lower_bound() -> None:
    everything = [requirement for lock in LOCKS for requirement in wanted(lock.stem)]
    assert [str(requirement) for requirement in everything if not has(requirement, ">=", "==")] == []


@pytest.mark.parametrize(
    "name", [name for name, bound in bounds().items() if not bound.marker or bound.marker.evaluate()]
)
def test_what_is_installed_is_within_the_bounds(name: str) -> None:
    assert bounds()[name].specifier.contains(version(name))


@pytest.mark.parametrize("slow", ["0.5.0", "0.6.1", "0.6.2"])
def test_a_library_that_a_site_can_stop_is_not_admitted(slow: str) -> None:
    """protego: a rule of stars takes exponential time up to 0.6.1, a line of many words quadratic time up to 0.6.2."""
    assert not bounds()["protego"].specifier.contains(slow)


def test_a_library_whose_results_are_stored_still_has_the_same() -> None:
    """Near-duplicates are found by numbers that may be years old; another rensa must not make others without a word."""
    text = " ".join(f"word{number}" for number in range(500))
    assert f"{zlib.crc32(fingerprint(text)):08x}" == "16d95972"
    assert has(bounds()["rensa"], "<")


def test_a_library_whose_files_we_read_ourselves_cannot_change_them() -> None:
    """`index/index_folder.py` knows how files of tantivy end; tests/index/ sees that it still does."""
    assert has(bounds()["tantivy"], "<")


# --- what libraries keep to themselves -------------------------------------------------------------------------------


class Private(NamedTuple):
    """A part of a library that we change, although the library does not offer it."""

    library: str
    user: str
    """Our module."""
    name: str
    read_by: str
    """The function of the library that makes the change work: when it does not mention the name any more, nothing does."""


SET = (
    Private("aiohttp", "fetch.client", "_retry_connection", "aiohttp:ClientSession._request"),
    Private(
        "pika",
        "cluster.connection",
        "_MAX_RECV_BYTES",
        "pika.adapters.utils.io_services_utils:_AsyncTransportBase._consume",
    ),
)
"""Attributes that we give another value."""
OVERRIDDEN = (
    Private("aiohttp", "fetch.client", "start", "aiohttp:ClientSession._request"),
    Private(
        "pika",
        "cluster.connection",
        "_proto_connection_made",
        "pika.adapters.base_connection:_StreamingProtocolShim.__init__",
    ),
    Private("pika", "cluster.connection", "_output_marshaled_frames", "pika.connection:Connection._send_message"),
)
"""Methods in whose place we put our own.

Whoever adds a line to one of the two adds an upper bound, too: the next version may do without it, and would say nothing."""


class Override(NamedTuple):
    """A method of ours in the place of a library's."""

    name: str
    ours: Callable[..., Any]
    theirs: Callable[..., Any]


NAMED_TUPLES = {"_replace", "_asdict", "_fields", "_make"}
"""These have an underscore because any other name may be a field."""


@pytest.mark.parametrize("part", SET + OVERRIDDEN, ids=lambda part: f"{part.library} {part.name}")
def test_what_we_change_in_a_library_is_still_there(part: Private) -> None:
    reader = resolve_name(part.read_by)
    assert part.name in reader.__code__.co_names, f"{part.library} {version(part.library)} does without {part.name}"
    assert has(bounds()[part.library], "<"), "another version may do without it"


@pytest.mark.parametrize("part", OVERRIDDEN, ids=lambda part: f"{part.library} {part.name}")
def test_what_we_override_is_called_as_we_expect(part: Private) -> None:
    """The same parameters by the same names, and a coroutine where theirs is one."""
    override = next(override for override in overridden(part.user) if override.name == part.name)
    ours, theirs = override.ours, override.theirs
    said = f"{part.library} {version(part.library)} calls {part.name} in another way than {part.user} expects"
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters), said
    assert inspect.iscoroutinefunction(ours) == inspect.iscoroutinefunction(theirs), said


@pytest.mark.slow
def test_nothing_else_that_is_private_is_used() -> None:
    touched = {(name, attribute) for name in modules() for attribute in foreign_attributes(name)}
    replaced = {(name, override.name) for name in modules() for override in overridden(name)}
    private = {(name, what) for name, what in touched | replaced if _is_private(what) and what not in NAMED_TUPLES}
    listed = {(part.user, part.name) for part in SET + OVERRIDDEN if _is_private(part.name)}
    assert private - listed == set(), "it goes into SET or OVERRIDDEN, and its library gets an upper bound"
    assert listed - private == set(), "it is listed, but no longer used"


def foreign_attributes(name: str) -> Iterator[str]:
    """Names with an underscore that a module asks of objects that are not its own, and what it takes from private modules."""
    tree = ast.parse(modules()[name].read_text(encoding="utf-8"))
    own = set(_defined(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_private(node.attr):
            # What a class has of its own may come from a class of another module of ours, but not from a library's.
            if node.attr not in (ours() if _is_self(node.value) else own):
                yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] != "shoal":
            taken = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            yield from (word for word in taken if _is_private(word))


@cache
def ours() -> frozenset[str]:
    """Every name that a module of ours gives to something."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in modules().values())
    return frozenset(name for tree in trees for name in _defined(tree))


def _defined(tree: ast.AST) -> Iterator[str]:
    """Names that a module itself gives to something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr


def _is_private(word: str) -> bool:
    return word.startswith("_") and not word.endswith("__")


def _is_self(node: ast.expr) -> bool:
    """`self`, `cls` or `super()`."""
    if isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Name) and node.id in {"self", "cls", "super"}


@cache
def overridden(name: str) -> tuple[Override, ...]:
    """The methods of a module that stand in the place of a library's."""
    if name == "__main__":
        return ()
    module = importlib.import_module(f"shoal.{name}" if name != "__init__" else "shoal")
    classes = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]
    return tuple(
        Override(called, method, vars(ancestor)[called])
        for kind in classes
        for called, method in vars(kind).items()
        if inspect.isfunction(method)
        for ancestor in kind.__mro__[1:]
        if _is_foreign(ancestor) and inspect.isfunction(vars(ancestor).get(called))
    )


def _is_foreign(kind: type) -> bool:
    return kind.__module__.partition(".")[0] not in {"shoal", *sys.stdlib_module_names}
