"""A new judge or strategy is a new file, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.judge import judges
from shoal.judge.registry import choices_in
from shoal.strategy import strategies

MODULE = """
from shoal.judge.registry import Registered
CHOICE = Registered(name="{name}", summary="for a test", paper="", make=lambda topic: "{name} of " + topic.name)
"""


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """An empty package that can be imported while the test runs."""
    folder = tmp_path / "shoal_choices_for_a_test"
    folder.mkdir()
    (folder / "__init__.py").touch()
    sys.path.insert(0, str(tmp_path))
    yield folder
    sys.path.remove(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


def test_the_choices_of_this_product() -> None:
    assert set(judges()) >= {"cosine", "zones"}
    assert set(strategies()) >= {"breadth", "best-first"}
    assert all(name == choice.name for name, choice in judges().items())
    assert all(name == choice.name for name, choice in strategies().items())


def test_a_file_that_declares_a_choice_is_found(package: Path) -> None:
    (package / "herring.py").write_text(MODULE.format(name="herring"))
    (package / "shared.py").write_text("SOMETHING = 1\n")
    assert set(choices_in(package.name, [str(package)])) == {"herring"}


def test_one_name_for_two_is_heard(package: Path) -> None:
    for file in ("herring.py", "sprat.py"):
        (package / file).write_text(MODULE.format(name="herring"))
    with pytest.raises(ValueError, match="declare the same name"):
        choices_in(package.name, [str(package)])
