"""Is what comments, docstrings and documents point to still there? Files, modules, and what is in them.

A pointer stands in backticks: `src/shoal/urls.py`, `urls.key_of`, `Term.factor`, `python -m shoal.cli`; the path of a module also
without. A path is the end of that of some file; a name without folder, in a module, is that of a file in a folder above it. A
dotted name counts when it begins with a module or a class of ours; one that stands in the code as well (`crawl.sqlite`,
`pages.id`) names a file, a column or a variable. Only the changelog may tell of what is no more: decision records point to what
is there now.
"""

from __future__ import annotations

import ast
import fnmatch
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.syntax import nodes_of, text_of, tree_of

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "shoal"
FOLDERS = ("src", "tests", "docs", "benchmarks", "deploy", "requirements")
FILES = [path for name in FOLDERS for path in sorted((ROOT / name).rglob("*")) if path.name != "__pycache__"]
PYTHON = [path for path in FILES if path.suffix == ".py"]
DOCUMENTS = [path for path in (*ROOT.glob("*.md"), *FILES) if path.suffix == ".md" and path.name != "CHANGELOG.md"]

_QUOTED = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(rf"(?:[\w.-]+/)*[\w*-]+\.(?:py|md|sql|css)|(?:[\w-]+/){{2,}}|(?:{'|'.join(FOLDERS)})/[\w./*-]*")
_DOTTED = re.compile(r"(?:shoal\.)?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\(.*\))?|shoal\.([\w.]+:\w+)")
_BARE = re.compile(r"(?<![\w/.*-])(?:\w+/)+\w+\.py\b")
_CHAIN = re.compile(r"\w+(?:\.\w+)+")
_RUN = re.compile(r"python -m ((?:shoal|benchmarks|tests)[\w.]*)")
_RECORD = re.compile(r"[Dd]ecisions?[ /](\d{4})\b")
OF_OTHERS = {"search.formats", "search.ndcg", "patience.py", "x/a/"}
"""A setting of SearXNG, a floor of the gate, the file of an example, a part of a URL."""


# --- what is there ---------------------------------------------------------------------------------------------------


@cache
def _written() -> frozenset[tuple[str, str]]:
    """All names that stand on both sides of a dot, outside of backticks."""
    code = (_QUOTED.sub("", text_of(path)) for path in FILES if path.suffix in (".py", ".sql"))
    chains = (chain.split(".") for text in code for chain in _CHAIN.findall(text))
    return frozenset(pair for chain in chains for pair in pairwise(chain))


@cache
def _paths() -> list[str]:
    return [f"/{path.relative_to(ROOT)}" for path in (*FILES, *ROOT.iterdir())]


@cache
def _modules() -> dict[str, list[Path]]:
    """Every module and package of ours by each end of its dotted name: `link_model.features`, `links`."""
    found = defaultdict(list)
    for path in PYTHON:
        parts = path.relative_to(SOURCE if path.is_relative_to(SOURCE) else ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] in ("__init__", "__main__") else parts
        for start in range(len(parts)):
            found[".".join(parts[start:])].append(path)
    return found


@cache
def _names_in(path: Path) -> frozenset[str]:
    """What can be had of a module: what it defines or imports, and the modules below a package."""
    below = (other.stem for other in path.parent.iterdir()) if path.name == "__init__.py" else ()
    return frozenset([*_defined(tree_of(path)), *below])


@cache
def _places_of_classes() -> dict[str, list[Path]]:
    found = defaultdict(list)
    for path in PYTHON:
        for name in re.findall(r"^ *class (\w+)", text_of(path), re.MULTILINE):
            found[name].append(path)
    return found


@cache
def _members(name: str) -> frozenset[str]:
    """What a class has, with what it inherits from others of ours."""
    found: set[str] = set()
    for path in _places_of_classes().get(name, []):
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and node.name == name:
                bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
                found.update(_defined(node), *(_members(base) for base in bases - {name}))
    return frozenset(found)


def _defined(scope: ast.AST) -> Iterator[str]:
    """The names that a module or a class gives, without those inside its functions; of `self`, also what they set."""
    for node in ast.iter_child_nodes(scope):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name
                yield from (one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute) and _is_set(one.ctx))
            case ast.ClassDef():
                yield node.name
            case ast.Name() if _is_set(node.ctx):
                yield node.id
            case ast.alias():
                yield (node.asname or node.name).partition(".")[0]
            case _:
                yield from _defined(node)


def _is_set(context: ast.expr_context) -> bool:
    return isinstance(context, ast.Store)


# --- what is pointed to ----------------------------------------------------------------------------------------------


def _stale(path: Path) -> Iterator[str]:
    text = text_of(path)
    yield from (said for said in _QUOTED.findall(text) if not _leads_somewhere(said, path))
    yield from (said for said in _BARE.findall(_QUOTED.sub("", text)) if not _leads_somewhere(said, path))
    yield from (name for name in _RUN.findall(text) if not _is_module(name))
    yield from (number for number in _RECORD.findall(text) if not any(ROOT.glob(f"docs/decisions/{number}-*.md")))


def _leads_somewhere(said: str, path: Path) -> bool:
    if said in OF_OTHERS:
        return True
    if _PATH.fullmatch(said):
        return _is_file(said.rstrip("/"), path)
    if dotted := _DOTTED.fullmatch(said):
        return _is_name((dotted[1] or dotted[2]).replace(":", ".").split(".")) or _is_written(said)
    return True


def _is_file(said: str, path: Path) -> bool:
    if "/" in said or path.suffix == ".md":
        return bool(fnmatch.filter(_paths(), f"*/{said}"))
    return any(True for place in (SOURCE, *path.parents) if place.is_relative_to(ROOT) for _ in place.glob(said))


def _is_module(name: str) -> bool:
    return name == "shoal" or name.removeprefix("shoal.").rstrip(".") in _modules()


def _is_name(parts: list[str]) -> bool:
    """True also for what does not begin with a module or a class of ours."""
    for count in range(len(parts), 0, -1):
        if paths := _modules().get(".".join(parts[:count])):
            rest = parts[count:]
            return not rest or (any(rest[0] in _names_in(path) for path in paths) and _is_name(rest))
    return len(parts) == 1 or parts[0] not in _places_of_classes() or parts[1] in _members(parts[0])


def _is_written(said: str) -> bool:
    one, other = said.split(".")[:2]
    return (one, other) in _written()


# --- the rule --------------------------------------------------------------------------------------------------------


NOTHING = "no_such"


def test_every_pointer_leads_somewhere() -> None:
    stale = [f"{path.relative_to(ROOT)}: `{said}`" for path in (*PYTHON, *DOCUMENTS) for said in _stale(path)]
    assert stale == []


@pytest.mark.parametrize(
    ("said", "there"),
    [
        ("src/shoal/urls.py", True),
        (f"src/shoal/{NOTHING}.py", False),
        (f"store/{NOTHING}.py", False),
        (f"{NOTHING}.py", False),
        ("urls.py", True),
        (f"crawl/{NOTHING}/", False),
        (f"docs/decisions/{NOTHING}.md", False),
        ("urls.key_of", True),
        (f"urls.{NOTHING}", False),
        ("shoal.urls:key_of", True),
        ("Term.factor", True),
        (f"Term.{NOTHING}", False),
        ("crawl.sqlite", True),
        ("functools.lru_cache", True),
    ],
)
def test_the_rule_knows_what_is_there(said: str, there: bool) -> None:
    assert _leads_somewhere(said, SOURCE / "model.py") is there
