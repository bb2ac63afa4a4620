"""What a command prints as the next one can be copied: it means the same crawl, in whichever folder of which name."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from shoal import services
from shoal.commands.next_command import alone, called, in_crawl
from shoal.installation.location import Installation
from shoal.store import crawl_folder as folders
from tests.commands.conftest import HOME
from tests.shell import Shell
from tests.store.pages import SETTINGS


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """Whoever types stands in an empty folder."""
    monkeypatch.setenv("SHOAL_HOME", str(tmp_path / "home"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return Installation(home=tmp_path / "home")


@pytest.mark.parametrize("name", ["power-grid", "电网", "v1.2"])
def test_one_in_the_home_has_its_name(home: Installation, name: str) -> None:
    folder = home.crawls / name
    folders.create(folder, SETTINGS)
    assert (alone(folder), in_crawl(folder), called(folder)) == (name, f"--crawl {name}", name)
    assert services.catalog.find_crawl(home, name) == folder


def test_who_stands_in_its_folder_is_told_its_name(home: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    folders.create(home.crawls / "电网", SETTINGS)
    monkeypatch.chdir(home.crawls / "电网")
    assert alone(Path()) == "电网"


@pytest.mark.parametrize("name", ["power-grid", "电 网", "it's", "$HOME", 'a"b`c\\d'])
def test_one_elsewhere_has_its_folder_as_a_shell_takes_it(home: Installation, name: str) -> None:
    assert shlex.split(alone(Path(name))) == shlex.split(in_crawl(Path(name))) == ["--dir", name]
    assert called(Path(name)) == name


def test_chinese_needs_no_quotes(home: Installation) -> None:
    assert alone(Path("电网/一")) == "--dir 电网/一"


@pytest.mark.parametrize("name", ["two words", "-x", ".hidden"])
def test_so_has_one_whose_name_nobody_could_type(home: Installation, name: str) -> None:
    folders.create(home.crawls / name, SETTINGS)
    assert shlex.split(alone(home.crawls / name)) == ["--dir", str(home.crawls / name)]


def test_and_one_whose_name_means_another_crawl_here(home: Installation) -> None:
    folders.create(home.crawls / "grid", SETTINGS)
    folders.create(Path("grid"), SETTINGS)
    assert alone(home.crawls / "grid") == f"--dir {home.crawls / 'grid'}"
    assert alone(Path("grid")) == "--dir grid"


def test_a_command_says_it_so(shoal: Shell, tmp_path: Path) -> None:
    folders.create(tmp_path / "state" / "crawls" / "电网", SETTINGS)
    said = shoal("mark", "--list", "--crawl", "电网")
    assert (said.code, said.out) == (0, "No page of 电网 is marked.\n")
    made = shoal("crawl", "--topic", "grid", "--seed", HOME, "--name", "电网")
    assert made.sentence().startswith("There is a crawl called 电网 already: go on with 'shoal resume 电网'")
