"""Folders become crawls with names, each once, and what is wrong with one of them is said with its name."""

from __future__ import annotations

from pathlib import Path

from shoal.protocols import no_progress
from shoal.services.open_crawls import named, open_crawls
from tests.crawl.simulated import Simulation


def test_each_crawl_has_a_name_and_is_there_once(tmp_path: Path) -> None:
    places = [tmp_path / place for place in ("b/电网", "a/grid", "c/grid", "b/../b/电网")]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
    (tmp_path / "link").symlink_to(places[0])
    found = named([*places, tmp_path / "link"])
    assert list(found) == sorted(["电网", str(places[1]), str(places[2])])
    assert found["电网"] == places[0], "as it was typed first"


def test_a_crawl_on_a_list_is_called_as_the_list_says(tmp_path: Path) -> None:
    listed = {
        tmp_path / "a/grid": "grid",
        tmp_path / "b/grid": "grid-2",
        tmp_path / "电 网": "电-网",
        tmp_path / "c": "",
    }
    assert named(listed) == {name or "c": folder for folder, name in listed.items()}


def test_a_folder_of_any_name_has_one(tmp_path: Path) -> None:
    (odd := tmp_path / "caf\udce9").mkdir()
    assert list(named([odd])) == ["caf\ufffd"]


def test_a_crawl_without_pages_is_open_and_has_no_index(tmp_path: Path) -> None:
    for name in "ab":
        Simulation(tmp_path / name, {})
    with open_crawls([tmp_path / "b", tmp_path / "a"], no_progress) as crawls:
        assert (list(crawls.databases), crawls.index) == (["a", "b"], None)
        assert crawls.notes == [f"{name}: There is no page to be searched yet." for name in "ab"]
