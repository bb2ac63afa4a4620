"""Which pages were fetched? All of them as rows, in the order of fetching; or those that are relevant, in a file."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from shoal import services
from tests.stocked import Stock


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Stock(tmp_path_factory.mktemp("crawls") / "电网").folder


def test_every_page_is_a_row_also_one_in_gbk(folder: Path) -> None:
    rows = services.export.fetched_pages(folder)
    assert "智能电网" in {row.title for row in rows}
    assert [row.fetched_at for row in rows] == sorted(row.fetched_at for row in rows)


def test_the_relevant_ones_are_fewer_and_a_mark_counts_for_more_than_the_judge(folder: Path) -> None:
    out = io.BytesIO()
    count = services.export.export_pages(folder, "jsonl", out, relevant_only=True)
    urls = [json.loads(line)["url"] for line in out.getvalue().splitlines()]
    assert len(urls) == count
    assert 0 < count < len(services.export.fetched_pages(folder))
    services.marks.mark_pages(folder, [urls[0]], relevant=False)
    assert services.export.export_pages(folder, "jsonl", io.BytesIO(), relevant_only=True) == count - 1
