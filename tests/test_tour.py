"""Does the notebook still run, and does it show what it shows? A kernel executes it; the stored pictures are of the same code.

To renew what is stored: `jupyter execute docs/tour.ipynb --inplace`.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "docs" / "tour.ipynb"
LARGEST = 200_000
"""Bytes: one small plot, and no more."""


def stored() -> Any:
    """The notebook as it is."""
    read: Any = nbformat.read  # its types are half there
    return read(NOTEBOOK, as_version=4)


def cells(book: Any) -> list[Any]:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def shown(book: Any, kind: str) -> list[str]:
    """All that its cells show of one kind, in order; `stdout` is what they print."""
    outputs = [output for cell in cells(book) for output in cell.outputs]
    if kind == "stdout":
        return [output.text for output in outputs if output.output_type == "stream" and output.name == "stdout"]
    return [str(output.data[kind]) for output in outputs if kind in output.get("data", {})]


def check(book: Any) -> None:
    """What whoever reads it must see."""
    plain, html, printed = (shown(book, kind) for kind in ("text/plain", "text/html", "stdout"))
    assert [
        output.output_type for cell in cells(book) for output in cell.outputs if output.output_type == "error"
    ] == []
    assert [output.text for cell in cells(book) for output in cell.outputs if output.get("name") == "stderr"] == []
    assert len(shown(book, "image/png")) == 1
    [first, breadth, more] = [line for line in plain if "█" in line]
    relevant = [int(line.partition(" relevant")[0].split()[-1]) for line in (first, breadth)]
    assert first.startswith("power-grid  ████████████████████  400 / 400 pages")
    assert "420 / 420 pages" in more
    assert relevant[0] > 1.5 * relevant[1], "best first finds clearly more than level by level"
    assert any("变电站" in table and "http://dianwang.test/" in table for table in html)
    assert any("big5" in table and "gb18030" in table for table in html)
    assert any("It was fetched as page" in text and "seed" in text for text in printed)


@pytest.fixture
def kernel_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that leaves nothing in the user's own folders, and is this Python."""
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "MPLCONFIGDIR", "SHOAL_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # those of the libraries that run notebooks
def test_it_runs(kernel_environment: None, tmp_path: Path) -> None:
    book = stored()
    for cell in cells(book):
        cell.outputs = []
    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    check(book)
    assert not (tmp_path / "shoal_home" / "crawls").exists(), "it has a home of its own"


def test_what_is_stored_is_what_it_shows() -> None:
    book = stored()
    nbformat.validate(book)
    check(book)
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < LARGEST
    assert not re.search(r"/(?:tmp|root|home|Users)/", text), "no path of the machine that ran it"


def test_it_is_a_tour_of_the_door() -> None:
    names = {
        node.attr
        for cell in cells(stored())
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Attribute)
    }
    assert names >= {"crawl", "DemoWeb", "pages", "search", "explain", "mark", "resume", "text"}
