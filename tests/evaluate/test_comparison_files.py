"""A comparison writes where nobody else's files are, and nobody else writes meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import FolderError
from shoal.evaluate.comparison_files import IMAGE_REPORT, MARKER, REPORT, remove_old, result_folder, write_image_files
from tests.evaluate.test_image_standings import ONE, comparison_of


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


@pytest.mark.slow
def test_either_kind_replaces_only_its_own_files(tmp_path: Path) -> None:
    names = (REPORT, "old-images.png", "my-images.png")
    with result_folder(tmp_path / "out"):
        for name in names:
            (tmp_path / "out" / name).write_text("old")
        (tmp_path / "x").write_text("mine")
        marker = tmp_path / "out" / MARKER
        marker.write_text(f"Made earlier.\nstrategies: {REPORT}\nimages: old-images.png\nimages: ../x\n")
        remove_old(tmp_path / "out", "images")
        files = write_image_files(tmp_path / "out", comparison_of(*ONE), ONE)
        assert files[0] == IMAGE_REPORT
        assert {path.name for path in (tmp_path / "out").iterdir()} >= {REPORT, "my-images.png", *files[:2], *files[3:]}
        assert not (tmp_path / "out" / "old-images.png").exists()
        assert (tmp_path / "x").read_text() == "mine"
        noted = marker.read_text().splitlines()[1:]
        assert noted == [
            f"strategies: {REPORT}",
            *(f"images: {name}" for name in files),
            "images: generated-images.svg",
        ]
