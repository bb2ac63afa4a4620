"""How do all crawls of an installation stand? One that cannot be opened does not hide the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.installation.location import Installation
from shoal.services import overview
from shoal.store import crawl_folder as folders
from tests.stocked import Stock
from tests.store.pages import SETTINGS


@pytest.fixture
def home(tmp_path: Path) -> Installation:
    return Installation(home=tmp_path)


def test_an_installation_without_crawls_has_an_empty_list(home: Installation) -> None:
    assert overview.list_crawls(home) == ()


def test_a_crawl_in_a_line(home: Installation) -> None:
    Stock(home.crawls / "电网")
    (found,) = overview.list_crawls(home)
    assert (found.name, found.topic, found.state, found.pages, found.waiting) == ("电网", "grid", "stopped", 6, 0)
    assert found.begun is not None
    assert found.last_activity is not None
    assert found.begun < found.last_activity


def test_who_is_at_work_is_seen(home: Installation) -> None:
    folders.create(home.crawls / "grid", SETTINGS)
    with folders.lock(home.crawls / "grid"):
        assert [crawl.state for crawl in overview.list_crawls(home)] == ["running"]


def test_the_latest_comes_first_and_what_cannot_be_opened_has_its_sentence(home: Installation) -> None:
    folders.create(home.crawls / "a-new-one", SETTINGS)
    Stock(home.crawls / "with-pages")
    (home.crawls / "broken").mkdir()
    (home.crawls / "broken" / folders.DATABASE).write_bytes(b"nothing" * 1000)
    found = overview.list_crawls(home)
    assert [crawl.name for crawl in found] == ["with-pages", "a-new-one", "broken"]
    assert [bool(crawl.problem) for crawl in found] == [False, False, True]


def test_one_that_may_not_be_looked_into_costs_its_own_line(home: Installation) -> None:
    folders.create(home.crawls / "grid", SETTINGS)
    (home.crawls / "strange").mkdir()
    (home.crawls / "strange" / "cluster.json").write_text("not ours")
    found = {crawl.name: crawl.problem for crawl in overview.list_crawls(home)}
    assert found["grid"] == ""
    assert found["strange"].endswith("cluster.json is damaged: JSON is malformed: invalid character (byte 4).")


def test_all_bytes_of_a_folder_count(tmp_path: Path) -> None:
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "a").write_bytes(b"12345")
    (tmp_path / "b").write_bytes(b"123")
    (tmp_path / "c").symlink_to(tmp_path / "nowhere")
    assert overview.size_of(tmp_path) == 8 + (tmp_path / "c").lstat().st_size
