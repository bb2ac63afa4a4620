"""Which crawls are there, and what do they say together? By their names or folders, or all of the home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.errors import FolderError, UnknownCrawl
from tests.python.conftest import SEED


@pytest.fixture
def second(about: dict[str, Any], crawled: shoal.Crawl, tmp_path: Path) -> shoal.Crawl:
    """Another crawl, which is kept elsewhere and has the first two pages of the first one."""
    return shoal.crawl(**about | {"max_pages": 2}, folder=tmp_path / "elsewhere" / "风电")


def test_a_crawl_that_is_not_there(crawled: shoal.Crawl, tmp_path: Path) -> None:
    with pytest.raises(UnknownCrawl, match='There is no crawl called "power": there is 电网'):
        shoal.open("power")
    with pytest.raises(FolderError, match=r"There is no crawl in .*: start one with shoal\.crawl"):
        shoal.open(tmp_path / "nowhere")
    with pytest.raises(UnknownCrawl, match="There is no crawl called"):
        shoal.open("x" * 300)
    with pytest.raises(FolderError, match="cannot be used: File name too long"):
        shoal.open(tmp_path / ("x" * 300))


def test_all_crawls_are_asked_as_one(second: shoal.Crawl, home: Path) -> None:
    found = shoal.search("grid OR 变电站")
    assert {hit.crawl for hit in found} <= {"电网", "风电"}
    assert sorted(hit.url for hit in found) == sorted({hit.url for hit in found}), "each page once"
    assert found.total == len(found) == 3
    assert "crawl" in str(found).split()
    assert shoal.search("grid OR 变电站", limit=1, offset=2)[0] == found[2]
    assert shoal.search("變電站", home=home)[0].url == f"{SEED}gbk"


def test_only_those_that_are_named_are_asked(second: shoal.Crawl) -> None:
    by_name, by_folder = shoal.search("变电站", crawls="风电"), shoal.search("grid", crawls=[second.folder, "风电"])
    assert (len(by_name), {hit.crawl for hit in by_folder}) == (0, {"风电"})
    assert "crawl" not in str(shoal.search("grid", crawls="风电")).split()
    with pytest.raises(UnknownCrawl, match=r'^There is no crawl called "风"'):
        shoal.search("grid", crawls=["电网", "风"])


def test_where_there_is_none_it_says_how_to_begin(home: Path) -> None:
    with pytest.raises(UnknownCrawl, match="there are none here yet"):
        shoal.search("grid")
