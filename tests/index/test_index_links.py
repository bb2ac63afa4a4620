"""An index that is opened by links to its files has all of its pages, and leaves nothing behind, whatever happens meanwhile."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
import tantivy

from shoal.errors import FolderError
from shoal.index.index_links import META, open_links
from tests.index.pages import index_of, page


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where links are made."""
    (place := tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def filled(folder: Path, count: int) -> Path:
    index_of(folder, [page(number, f"電網 number {number}") for number in range(count)])
    return folder


def counted(index: tantivy.Index) -> int:
    return index.searcher().num_docs


def test_it_has_the_pages_of_all_and_the_folders_stay_as_they_were(tmp_path: Path, scratch: Path) -> None:
    one, other = filled(tmp_path / "one", 3), filled(tmp_path / "other", 4)
    before = {path: path.read_bytes() for path in (*one.iterdir(), *other.iterdir())}
    alone = open_links([one], counted)
    assert open_links([one, other], counted) == alone + open_links([other], counted)
    assert {path: path.read_bytes() for path in (*one.iterdir(), *other.iterdir())} == before
    assert list(scratch.iterdir()) == []


def test_files_that_vanish_while_they_are_opened_are_looked_for_again(tmp_path: Path) -> None:
    place, times = filled(tmp_path / "one", 3), []

    def opening(index: tantivy.Index) -> int:
        times.append(index)
        if len(times) < 3:
            raise FileNotFoundError("a writer has merged segments")
        return counted(index)

    assert open_links([place], opening) == open_links([place], counted)
    assert len(times) == 3


def test_those_that_never_stay_are_one_sentence(tmp_path: Path, scratch: Path) -> None:
    place = filled(tmp_path / "one", 1)
    os.unlink(place / META)
    with pytest.raises(FolderError, match="change too fast to be searched together: search again"):
        open_links([place], counted)
    assert list(scratch.iterdir()) == []
