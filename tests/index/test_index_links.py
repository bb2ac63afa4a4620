"""An index is read through links: as it was at that moment, and nothing is left of the links."""

from __future__ import annotations

from pathlib import Path

import pytest
import tantivy

from shoal.errors import FolderError
from shoal.index import index_links
from shoal.index.index_folder import IndexWriter, last_version
from shoal.index.index_links import open_links
from tests.index.pages import page


def searcher(index: tantivy.Index) -> tantivy.Searcher:
    return index.searcher()


def filled(folder: Path, *ids: int) -> Path:
    with IndexWriter(folder) as writer:
        writer.add([page(id, f"grid number{id}") for id in ids])
    return folder


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the links are for a moment."""
    (tmp_path / "links").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "links"))
    return tmp_path / "links"


def test_one_index_or_several_are_read_and_leave_nothing_behind(tmp_path: Path, links: Path) -> None:
    one, two = filled(tmp_path / "one", 1, 2), filled(tmp_path / "two", 3)
    before = sorted(one.iterdir())
    assert open_links([one], searcher).num_docs == 2
    both = open_links([one, two], searcher)
    assert (both.num_docs, last_version(both)) == (3, 3)
    assert sorted(one.iterdir()) == before
    assert list(links.iterdir()) == []


def test_what_is_open_stays_as_it_was(tmp_path: Path, links: Path) -> None:
    folder = filled(tmp_path / "one", 1)
    found = open_links([folder], searcher)
    with IndexWriter(folder, anew=True) as writer:
        writer.add([page(7, "grid")])
    assert last_version(found) == 1
    assert last_version(open_links([folder], searcher)) == 7


def test_what_is_never_whole_is_one_sentence(tmp_path: Path, links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_links, "_MOST_TRIES", 2)
    folder = filled(tmp_path / "one", 1)
    for path in folder.glob("*.idx"):
        path.unlink()
    with pytest.raises(FolderError, match="change too fast to be searched together: search again"):
        open_links([folder], searcher)
    assert list(links.iterdir()) == []


def test_files_that_vanish_while_they_are_opened_are_looked_for_again(tmp_path: Path, links: Path) -> None:
    folder, times = filled(tmp_path / "one", 1), []

    def opening(index: tantivy.Index) -> int:
        times.append(index)
        if len(times) < 3:
            raise FileNotFoundError("a writer has merged segments")
        return index.searcher().num_docs

    assert (open_links([folder], opening), len(times)) == (1, 3)
