"""Which crawls are there? A line each, the latest first; what is wrong with one stands below the others."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from shoal.commands.crawls import ago
from shoal.installation.location import Installation
from shoal.services import catalog
from shoal.store import crawl_folder as folders
from tests.shell import Shell
from tests.stocked import Stock
from tests.store.pages import SETTINGS


@pytest.fixture
def home(shoal: Shell) -> Shell:
    """Somebody with a crawl that has pages, one that has none, and one that is damaged."""
    crawls = shoal.home / "state" / "crawls"
    Stock(crawls / "power-grid")
    folders.create(crawls / "电网", SETTINGS)
    (crawls / "broken").mkdir()
    (crawls / "broken" / folders.DATABASE).write_bytes(b"no database at all" * 100)
    return shoal


def test_every_crawl_has_a_line(home: Shell) -> None:
    said = home("crawls")
    heading, *lines = said.out.splitlines()
    assert heading.split() == ["Name", "State", "Pages", "Relevant", "Size", "Last", "page", "Topic"]
    assert [line.split()[0] for line in lines[:3]] == ["power-grid", "broken", "电网"]
    assert lines[0].split()[1:4] == ["stopped", "6", "2"]
    assert "none yet" in lines[2]
    assert " ".join(lines[3:]).startswith("broken: The database in ")


@pytest.mark.parametrize(("columns", "least"), [("60", 3), ("80", 5), ("140", 7)])
def test_in_a_narrow_window_names_and_figures_stay_whole(
    home: Shell, monkeypatch: pytest.MonkeyPatch, columns: str, least: int
) -> None:
    name = "智能电网与特高压输电线路的观察"
    Stock(home.home / "state" / "crawls" / name)
    monkeypatch.setenv("COLUMNS", columns)
    heading, *lines = home("crawls").out.splitlines()
    shown = re.split("  +", heading.strip())
    assert len(shown) >= least
    assert shown[:3] == ["Name", "State", "Pages"]
    assert {name, "power-grid"} <= {line.split()[0] for line in lines}
    assert "…" not in "".join(lines)


def test_as_json_all_of_it_is_there(home: Shell) -> None:
    found = {crawl["name"]: crawl for crawl in json.loads(home("crawls", "--json").out)}
    assert found["power-grid"]["pages"] == 6
    assert found["power-grid"]["bytes"] > 50_000
    assert found["power-grid"]["last_activity"] is not None
    assert found["电网"]["last_activity"] is None
    assert "damaged" in found["broken"]["problem"]


def test_where_none_is_it_says_how_to_begin(shoal: Shell) -> None:
    assert shoal("crawls").out.endswith("yet. Start one with: shoal crawl --topic WORDS --seed URL\n")
    assert json.loads(shoal("crawls", "--json").out) == []


def test_one_whose_folder_is_gone_says_so_and_can_be_forgotten(home: Shell) -> None:
    installation = Installation(home=home.home / "state")
    for name in ("风电", "kept"):
        folders.create(home.home / name, SETTINGS)
        catalog.write_down(installation, home.home / name)
    shutil.rmtree(home.home / "风电")
    assert "风电: there is no folder" in home("search", "grid").out
    said = home("crawls").out
    assert "风电" in said
    assert "风电: The folder " in said
    assert "is gone. Take it off the list with: shoal crawls --forget 风电" in " ".join(said.split())
    assert home("status", "风电").code == 2
    forgotten = home("crawls", "--forget", "风电")
    assert (forgotten.code, "风电 is off the list. Its folder was " in forgotten.out) == (0, True)
    assert "风电" not in home("crawls").out
    assert json.loads(home("crawls", "--forget", "kept", "--json").out) == {"folder": str(home.home / "kept")}
    assert (home.home / "kept" / folders.DATABASE).exists()


def test_one_in_the_home_cannot_be_forgotten_nor_one_that_is_not_on_the_list(home: Shell) -> None:
    assert "power-grid is in the installation's home" in home("crawls", "--forget", "power-grid").sentence()
    assert "There is no crawl called" in home("crawls", "--forget", "nope").sentence()
    folders.create(home.home / "here", SETTINGS)
    assert home("crawls", "--forget", "here").sentence() == "The crawl in here is not on the list."


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-3600, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7300, "2 hours ago"),
        (86_400 * 400, "400 days ago"),
    ],
)
def test_how_long_ago(seconds: float, said: str) -> None:
    assert ago(seconds) == said
