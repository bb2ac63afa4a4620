"""A comparison writes where nobody else's files are, and nobody else writes meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import FolderError
from shoal.evaluate.resultfolder import MARKER, result_folder


def test_a_new_folder_and_again(tmp_path: Path) -> None:
    folder = tmp_path / "深" / "out"
    for _ in range(2):
        with result_folder(folder):
            (folder / "report.html").write_text("")
    assert (folder / MARKER).is_file()


def test_the_folder_of_somebody_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "novel.txt").write_text("Chapter 1")
    with pytest.raises(FolderError, match="choose another --out"), result_folder(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["novel.txt"]


def test_only_one_at_a_time(tmp_path: Path) -> None:
    with result_folder(tmp_path), pytest.raises(FolderError), result_folder(tmp_path):
        pass
