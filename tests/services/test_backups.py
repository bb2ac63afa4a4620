"""Where else can a crawl be kept? The file and the database have tests of their own (`tests/store/`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.services import backups, export
from tests.stocked import Stock


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    folder = Stock(tmp_path / "电 网").folder
    seen: list[tuple[int, int]] = []
    saved = backups.save_crawl(folder, tmp_path / "c.tar", lambda done, total: seen.append((done, total)))
    assert saved.pages == len(export.fetched_pages(folder))
    assert seen[-1][0] == seen[-1][1] > 0
    assert backups.restore_crawl(tmp_path / "c.tar", tmp_path / "again").pages == saved.pages
    assert export.fetched_pages(tmp_path / "again") == export.fetched_pages(folder)


def test_a_database_that_is_none_is_told_before_anything_is_done(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^--database must be a URL such as 'postgresql://"):
        backups.restore_crawl(tmp_path / "none.tar", tmp_path / "c", "mysql://u:secret@host/x")
    with pytest.raises(InputError, match=r"^--to must be a URL such as 'postgresql://") as told:
        backups.move_crawl(tmp_path / "c", "mysql://u:secret@host/x")
    assert "secret" not in str(told.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_crawl_moves_to_a_database_and_back(tmp_path: Path, postgres: str) -> None:
    folder = Stock(tmp_path / "c").folder
    before = export.fetched_pages(folder)
    assert backups.move_crawl(folder, postgres).rows > len(before)
    assert export.fetched_pages(folder) == before
    assert backups.move_crawl(folder, "sqlite").rows > len(before)
    assert export.fetched_pages(folder) == before
