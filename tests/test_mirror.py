"""Does tests/ mirror src/shoal? A module with code has its test file in the same room, and a test file names the module it asks.

Tests of whole crawls, of all implementations and of the tree itself are free: at the top, and in folders that are no rooms.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.syntax import nodes_of

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "shoal"
USED_BY_ALL = "testing"
"""What all other tests are made of, and tried by."""


def modules() -> Iterator[Path]:
    """Every module that could do something wrong, from src/shoal."""
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE)
        if not path.stem.startswith("__") and module.parts[0] != USED_BY_ALL and has_code(nodes_of(path)):
            yield module


def has_code(nodes: Iterable[ast.AST]) -> bool:
    """False when it only declares: values, protocols, errors."""
    return any(does_something(node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def does_something(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """More than to answer with one expression."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return len(body) > 1 or any(not isinstance(node, ast.Return | ast.Expr) for node in body)


def in_rooms() -> Iterator[Path]:
    """Every test file that stands in a room, from tests/."""
    for path in sorted(TESTS.rglob("test_*.py")):
        file = path.relative_to(TESTS)
        if file.parent.parts and (SOURCE / file.parent).is_dir():
            yield file


def names_in(room: Path) -> set[str]:
    """Whom a test in this room may name: a module, or the room itself for what its `__init__` does."""
    return {path.stem for path in (SOURCE / room).glob("*.py")} | {room.name}


def test_every_module_with_code_has_its_test_file() -> None:
    missing = [str(module) for module in modules() if not (TESTS / module.with_name(f"test_{module.name}")).exists()]
    assert missing == []


def test_every_test_file_in_a_room_names_its_module_and_perhaps_an_aspect() -> None:
    astray = [
        str(file)
        for file in in_rooms()
        if not any(f"{file.stem}_".startswith(f"test_{name}_") for name in names_in(file.parent))
    ]
    assert astray == []


@pytest.mark.parametrize(
    ("source", "does"),
    [
        ("LIMIT = 5\nclass Link:\n    url: str", False),
        ("class Reader(Protocol):\n    def read(self) -> str:\n        '''What it says.'''", False),
        ("class Link:\n    @property\n    def host(self):\n        return self.url[:5]", False),
        ("def double(n):\n    m = n + n\n    return m", True),
        ("class Link:\n    async def ask(self):\n        '''Ask.'''\n        for _ in self: pass", True),
    ],
)
def test_what_only_declares_needs_no_tests(source: str, does: bool) -> None:
    assert has_code(ast.walk(ast.parse(source))) is does
