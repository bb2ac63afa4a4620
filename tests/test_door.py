"""Is `import shoal` a door? It names what is public, loads it when it is asked for, and costs nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

ROOT = Path(__file__).parent.parent
MOST = 20


def test_there_are_few_names_in_order_and_all_are_there() -> None:
    assert shoal.__all__ == sorted(shoal._HOMES)
    assert len(shoal.__all__) <= MOST
    assert all(getattr(shoal, name).__name__ == name for name in shoal.__all__)
    assert dir(shoal) == sorted([*shoal.__all__, "__version__"])
    assert all(callable(getattr(shoal, name)) and getattr(shoal, name).__doc__ for name in shoal.__all__)


def test_what_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'shoal' has no attribute 'fish'"):
        shoal.fish  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    text = (ROOT / "src" / "shoal" / "__init__.py").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^    from (shoal\.\S+) import (\w+) as \2$", text, re.MULTILINE)) == sorted(
        (home, name) for name, home in shoal._HOMES.items()
    )


def test_the_tour_has_them_all_and_no_other() -> None:
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w.]+)[`(]", text.partition("## All names")[2].partition("\n## ")[0], re.MULTILINE)
    assert sorted(listed) == shoal.__all__


_LIGHT = """
import sys
import shoal
assert {name for name in sys.modules if name.startswith("shoal")} == {"shoal"}, sys.modules
before = shoal.crawl
import shoal.crawl.coordinator
from shoal.crawl import termination
from shoal import crawl
assert shoal.crawl is before is crawl and callable(crawl)
assert sys.modules["shoal.crawl"].termination is termination
assert not {"pandas", "polars", "IPython", "rich", "matplotlib"} & sys.modules.keys()
"""


def test_it_is_light_and_the_room_crawl_does_not_hide_the_function() -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", _LIGHT], check=True)


_TYPED = """
import asyncio
from typing import assert_type
import shoal

crawl = shoal.crawl("电网", seeds="http://a.test/", max_pages=3, until_done=True)
assert_type(crawl, shoal.Crawl)
assert_type(crawl.pages()[0].title, str)
assert_type(crawl.search("变电站").total, int)
assert_type([hit.score for hit in crawl.search("变电站")], list[float])
asyncio.run(shoal.crawl_async("电网", seeds=[], folder="x"))
shoal.crawl("电网", max_page=3)
"""


@pytest.mark.slow
def test_it_is_typed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_TYPED, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), str(program)]
    said = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False).stdout
    assert said.count("error:") == 1, said
    assert f'program.py:{len(_TYPED.splitlines())}: error: Unexpected keyword argument "max_page" for "crawl"' in said
