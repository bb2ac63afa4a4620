"""Does a name mean one thing? No file and no public class in the whole tree has the name of another.

Whoever searches for a name must find the one place. A command's file may be called as what it commands (`commands/compare.py`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.syntax import nodes_of

SOURCE = Path(__file__).parent.parent / "src" / "shoal"


def files() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        if not path.stem.startswith("__") and path.parent != SOURCE / "commands":
            yield path.stem


def classes() -> Iterator[str]:
    for path in SOURCE.rglob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name


def twice(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def test_no_file_has_the_name_of_another() -> None:
    assert twice(files()) == set()


def test_no_class_has_the_name_of_another() -> None:
    assert twice(classes()) == set()
