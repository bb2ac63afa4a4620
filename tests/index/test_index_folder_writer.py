"""What was committed is there, whatever happened after; one writes at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.errors import FolderError
from shoal.index.index_folder import IndexWriter, damage, problem
from shoal.index.searcher import open_index
from tests.index.pages import found, page


def test_add_replace_remove(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add([page(1, "old"), page(2, "grid"), page(3, "grid")])
        writer.commit()
        writer.add([page(1, "new", version=4), page(1, "newer", version=5)])
        writer.remove([3, 99])
    index = open_index(tmp_path)
    assert index.versions() == {1: 5, 2: 2}
    assert found(index, "newer") == [1]
    assert found(index, "old") == []
    assert found(index, "grid") == [2]


def test_a_reader_sees_what_was_committed_when_it_looks(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add([page(1, "grid")])
        writer.commit()
        index = open_index(tmp_path)
        writer.add([page(2, "grid")])
        assert found(index, "grid") == [1]
        writer.commit()
        assert found(index, "grid") == [1]
        assert found(open_index(tmp_path), "grid") == [1, 2]


def test_how_far_it_has_come(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        assert writer.last_version() == 0
        writer.add([page(1, version=7), page(2, version=5)])
        assert writer.last_version() == 0
        writer.commit()
        assert writer.last_version() == 7
        writer.commit(reached=9)
        writer.commit(reached=12)
        assert writer.last_version() == 12
        writer.remove([1, 2])
        writer.commit()
        assert writer.last_version() == 12
    index = open_index(tmp_path)
    assert index.last_version() == 12
    assert index.versions() == {}
    assert found(index, "-nothing") == []


def test_what_failed_is_not_committed(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add([page(1, "grid")])

    def fail() -> None:
        with IndexWriter(tmp_path) as writer:
            writer.add([page(2, "grid")])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert open_index(tmp_path).versions() == {1: 1}


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with IndexWriter(tmp_path):
        with (
            pytest.raises(FolderError, match=r"^Another shoal is writing to the index in .*\.$"),
            IndexWriter(tmp_path),
        ):
            pass
        with pytest.raises(FolderError, match="Another shoal"), IndexWriter(tmp_path, anew=True):
            pass
    with IndexWriter(tmp_path):
        pass


KILLED = """
import os, signal, sys
from pathlib import Path
from shoal.index.index_folder import IndexWriter
from tests.index.pages import page

with IndexWriter(Path(sys.argv[1])) as writer:
    writer.add([page(id, "grid") for id in range(100)])
    writer.commit(reached=100)
    writer.add([page(id, "fan") for id in range(50, 150)])
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_kill_leaves_the_last_commit(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}
    )
    assert done.returncode == -signal.SIGKILL
    assert problem(tmp_path) == ""
    assert damage(tmp_path) == ()
    with IndexWriter(tmp_path) as writer:
        assert writer.last_version() == 100
        writer.add([page(200, "grid")])
    index = open_index(tmp_path)
    assert len(index.versions()) == 101
    assert found(index, "fan") == []
