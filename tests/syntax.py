"""What does our code say? Every file read, parsed and walked once, for the tests that look at the tree itself."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path), str(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All there is in the file, from the top."""
    return tuple(ast.walk(tree_of(path)))
