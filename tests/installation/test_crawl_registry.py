"""The list of crawls: what is on it, under which name, and what becomes of folders that are moved, copied or removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from shoal.errors import InputError
from shoal.installation import crawl_registry as registry
from shoal.installation.crawl_registry import RegisteredCrawl

NOW = 1_800_000_000.0


def register(connection: Connection, folder: Path, crawl: str = "", name: str = "") -> RegisteredCrawl:
    """A crawl in a folder that is there; its id is as good as any."""
    folder.mkdir(exist_ok=True)
    return registry.register(connection, crawl=crawl or folder.name, folder=folder, now=NOW, name=name, topic="电网")


def test_a_crawl_is_found_by_name_and_by_folder(connection: Connection, tmp_path: Path) -> None:
    entry = register(connection, tmp_path / "电网")
    assert entry == RegisteredCrawl(
        id=entry.id,
        crawl="电网",
        name="电网",
        folder=tmp_path / "电网",
        machine=entry.machine,
        is_here=True,
        owner=None,
        topic="电网",
        made_at=NOW,
    )
    assert registry.by_name(connection, "电网") == registry.by_folder(connection, tmp_path / "电网") == entry
    assert registry.by_name(connection, "電網") is None
    assert registry.by_folder(connection, tmp_path) is None


def test_the_list_is_by_name(connection: Connection, tmp_path: Path) -> None:
    for name in ("wind", "电网", "bees"):
        register(connection, tmp_path / name)
    assert [entry.name for entry in registry.all_crawls(connection)] == ["bees", "wind", "电网"]


def test_a_name_is_made_of_the_folder_and_is_its_own(connection: Connection, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    names = [register(connection, tmp_path / folder).name for folder in ("my grid", "my-grid", "b/my grid", "☃")]
    assert names == ["my-grid", "my-grid-2", "my-grid-3", "crawl"]


def test_a_name_that_was_chosen_is_taken_or_refused(connection: Connection, tmp_path: Path) -> None:
    register(connection, tmp_path / "a", name="grid")
    with pytest.raises(
        InputError, match=rf"There is a crawl named grid already, in {tmp_path}/a: choose another name\."
    ):
        register(connection, tmp_path / "b", name="grid")
    with pytest.raises(InputError, match="A crawl cannot be called 'a b'"):
        register(connection, tmp_path / "b", name="a b")
    assert len(registry.all_crawls(connection)) == 1


def test_registering_again_changes_nothing_but_what_is_said(connection: Connection, tmp_path: Path) -> None:
    entry = register(connection, tmp_path / "a")
    assert register(connection, tmp_path / "a") == entry
    assert register(connection, tmp_path / "a", name="grid") == replace(entry, name="grid")
    assert register(connection, tmp_path / "a", name="grid").name == "grid"
    assert len(registry.all_crawls(connection)) == 1


def test_an_entry_follows_a_folder_that_was_moved(connection: Connection, tmp_path: Path) -> None:
    entry = register(connection, tmp_path / "a", "crawl")
    (tmp_path / "a").rename(tmp_path / "b")
    assert registry.all_crawls(connection) == [entry], "a folder that is gone harms nothing"
    assert register(connection, tmp_path / "b", "crawl") == replace(entry, folder=tmp_path / "b")


def test_a_copy_of_a_crawl_gets_an_entry_of_its_own(connection: Connection, tmp_path: Path) -> None:
    entry = register(connection, tmp_path / "a", "crawl")
    copy = register(connection, tmp_path / "b", "crawl")
    assert registry.all_crawls(connection) == [entry, copy]
    assert (entry.name, copy.name) == ("a", "b")


def test_a_new_crawl_takes_the_name_of_the_one_that_was_in_its_folder(connection: Connection, tmp_path: Path) -> None:
    register(connection, tmp_path / "grid", "old")
    assert register(connection, tmp_path / "grid", "new").name == "grid"
    assert [entry.crawl for entry in registry.all_crawls(connection)] == ["new"]


def test_a_folder_is_the_same_by_every_way_that_leads_there(connection: Connection, tmp_path: Path) -> None:
    entry = register(connection, tmp_path / "a")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert registry.by_folder(connection, tmp_path / "link") == entry
    assert registry.by_folder(connection, tmp_path / "b" / ".." / "a") == entry


def test_who_renames_or_forgets_leaves_the_folder_alone(connection: Connection, tmp_path: Path) -> None:
    one, other = register(connection, tmp_path / "a"), register(connection, tmp_path / "b")
    assert registry.rename(connection, one.id, "变电站").name == "变电站"
    assert registry.rename(connection, one.id, "变电站").name == "变电站"
    with pytest.raises(InputError, match="There is a crawl named b already"):
        registry.rename(connection, one.id, "b")
    assert registry.forget(connection, other.id)
    assert not registry.forget(connection, other.id)
    assert [entry.name for entry in registry.all_crawls(connection)] == ["变电站"]
    assert (tmp_path / "b").is_dir()
    with pytest.raises(InputError, match="no longer on the list"):
        registry.rename(connection, other.id, "c")


def test_a_folder_whose_name_is_no_text_is_one_sentence(connection: Connection, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rename the folder"):
        register(connection, tmp_path / "gbk-\udcb5\udce7")
