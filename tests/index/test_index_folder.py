"""Can this folder be searched, and if not, why? What is none, not whole or of another version is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.errors import FolderBusy, FolderError
from shoal.index.index_folder import IndexWriter, damage, in_turn, problem
from shoal.index.searcher import open_index
from tests.index.pages import page

POWERLESS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.getuid() == 0 else ()
"""Root may read everything; without these powers it is held to what files say."""
ASKS = "import sys; from pathlib import Path; from shoal.index.index_folder import problem; print(problem(Path(sys.argv[1])))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with IndexWriter(tmp_path) as writer:
        writer.add([page(id, f"grid number{id}") for id in range(200)])
    return tmp_path


def test_no_index(tmp_path: Path) -> None:
    assert problem(tmp_path / "none") == f"There is no index in {tmp_path / 'none'}."
    with pytest.raises(FolderError, match="There is no index"):
        open_index(tmp_path)


def test_an_index_of_another_version(folder: Path) -> None:
    (folder / "format").write_text("shoal index 0\n")
    assert problem(folder) == f"The index in {folder} was made by another version of shoal."
    with pytest.raises(FolderError, match="another version"), IndexWriter(folder):
        pass
    with IndexWriter(folder, anew=True) as writer:
        assert writer.last_version() == 0
        writer.add([page(1, "grid")])
    assert open_index(folder).versions() == {1: 1}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["meta.json", "*.term", "*.idx", "*.fast", "*.fieldnorm"])
@pytest.mark.parametrize("what", ["cut", "gone", "zero"])
def test_a_damaged_index_is_recognised(folder: Path, kind: str, what: str) -> None:
    (path,) = folder.glob(kind)
    data = path.read_bytes()
    if what == "gone":
        path.unlink()
    else:
        path.write_bytes(data[: len(data) // 2] if what == "cut" else bytes(len(data)))
    assert problem(folder) in (f"The index in {folder} is damaged.", f"There is no index in {folder}.")
    with IndexWriter(folder, anew=True) as writer:
        writer.add([page(1, "grid")])
    assert open_index(folder).versions() == {1: 1}


def test_a_single_wrong_bit_is_found_by_looking_at_everything(folder: Path) -> None:
    assert damage(folder) == ()
    (path,) = folder.glob("*.pos")
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    path.write_bytes(data)
    assert damage(folder) == (path.name,)


def test_what_a_writer_is_about_to_remove_or_has_just_removed_is_not_called_damaged(folder: Path) -> None:
    with IndexWriter(folder) as writer:
        writer.add([page(1, "another text")])
    (newest,) = folder.glob("*.del")
    segment = newest.name.partition(".")[0]
    (folder / f"{segment}.1.del").write_bytes(b"written by halves")
    (folder / f"{segment}.fast").rename(folder / "aside")
    (folder / f"{segment}.fast").symlink_to(folder / "nothing")  # listed, and gone when it is read
    assert damage(folder) == ()
    assert problem(folder) == f"The index in {folder} is damaged."
    newest.write_bytes(newest.read_bytes()[:-1])
    assert damage(folder) == (newest.name,)


def test_whoever_may_read_the_folder_may_read_all_of_the_index(folder: Path) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert set(modes) > {"meta.json", ".managed.json"}
    assert set(modes.values()) == {(folder / "format").stat().st_mode & 0o777}


@pytest.mark.slow
def test_what_may_not_be_read_is_not_called_damaged(folder: Path) -> None:
    (folder / "meta.json").chmod(0)
    told = subprocess.run(
        [*POWERLESS, sys.executable, "-c", ASKS, str(folder)], capture_output=True, check=True, text=True
    )
    assert told.stdout == f"The index in {folder} cannot be read: you may not read meta.json.\n"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match=r"^The index in .*cannot be used"), IndexWriter(tmp_path / "file" / "index"):
        pass


def test_whose_turn_does_not_come_is_told_so(tmp_path: Path) -> None:
    busy = pytest.raises(FolderBusy, match="Another shoal is writing")
    with in_turn(tmp_path), in_turn(tmp_path / "another"), busy, in_turn(tmp_path, patience=0.0):
        pytest.fail("two at a time")
    with in_turn(tmp_path, patience=0.0):
        pass
