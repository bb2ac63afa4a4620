"""How does a crawl stand? Answered from its folder, whether anybody is at work there or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import services
from shoal.errors import FolderError
from shoal.model import Outlook
from shoal.store import crawl_folder as folders
from shoal.store import crawl_status
from tests.stocked import WEB, Stock


def test_it_counts_what_was_fetched_and_knows_that_nobody_is_at_work(tmp_path: Path) -> None:
    stock = Stock(tmp_path / "c")
    found = services.status.crawl_status(stock.folder)
    assert found.pages == len(WEB)
    assert not found.running
    with folders.lock(stock.folder):
        assert services.status.crawl_status(stock.folder).running


def test_an_estimate_that_is_no_number_is_none(tmp_path: Path) -> None:
    stock = Stock(tmp_path / "c")
    with folders.reading(stock.folder) as database:
        crawl_status.keep_outlook(database, Outlook(pages=200, relevant=float("nan"), missed=1.0), pages=9, warning="")
    assert services.status.crawl_status(stock.folder).outlook is None


def test_where_no_crawl_is_one_sentence_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match=r"There is no crawl in .*: start one"):
        services.status.crawl_status(tmp_path / "nowhere")
