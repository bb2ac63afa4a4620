"""What a run tells holds for that run only; what others want of it is heard once, wherever the crawl is kept."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import FolderError
from shoal.model.live import LiveFigures, RunRecord, Wish
from shoal.model.stored import Changes
from shoal.protocols import no_progress
from shoal.settings import Cluster
from shoal.store import backup, migrate, run_control
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.store.ownership import WISH
from tests.store.pages import SETTINGS
from tests.test_only_reading import by_nobody

NOW = 1_800_000_000.0
RUN = RunRecord(id="a", pid=7, host="here", born="22", began=NOW, heeds_signals=True)
LIVE = LiveFigures(run="a", at=NOW, state="running", pages=5)


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "c", SETTINGS, cluster=cluster)
    return tmp_path / "c"


def told(folder: Path) -> tuple[RunRecord | None, LiveFigures | None]:
    with folders.reading(folder) as database:
        return run_control.read_run(database), run_control.read_live(database)


def test_a_run_says_which_it_is_then_how_it_stands_and_how_it_ended(folder: Path) -> None:
    assert told(folder) == (None, None)
    with open_store(folder) as store:
        run_control.begin_run(folder, RUN)
        assert told(folder) == (RUN, None)
        asyncio.run(store.commit(Changes(live=LIVE)))
        assert told(folder) == (RUN, LIVE)
        asyncio.run(store.commit(Changes()))
        assert told(folder) == (RUN, LIVE)
        run_control.end_run(folder, RUN, "failed", "The disk is full.")
    assert told(folder) == (RUN, replace(LIVE, state="failed", why="The disk is full."))
    run_control.begin_run(folder, replace(RUN, id="b"))
    assert told(folder) == (replace(RUN, id="b"), None), "what an earlier run said holds no more"


def test_an_end_before_the_first_batch_is_told_and_that_of_another_run_is_not(folder: Path) -> None:
    run_control.begin_run(folder, RUN)
    run_control.end_run(folder, replace(RUN, id="b"), "failed", "somebody else has it by now")
    assert told(folder) == (RUN, None)
    run_control.end_run(folder, RUN, "failed", "at once")
    assert told(folder)[1] == LiveFigures(run="a", at=NOW, state="failed", why="at once")


def test_what_another_version_wrote_is_as_if_nobody_had_written(folder: Path) -> None:
    with folders.reading(folder) as database:
        folders.write_meta(database, run_control.RUN, {"id": 7})
        folders.write_meta(database, run_control.LIVE, {"state": "flying"})
    assert told(folder) == (None, None)


def test_a_wish_is_heard_once_by_the_run_that_is_there(folder: Path) -> None:
    run_control.wish(folder, "stop", NOW)
    heard: list[Wish | None] = []
    with open_store(folder) as store:
        for want in ("pause", "run", None):
            asyncio.run(store.commit(Changes()))
            heard.append(store.wishes.news())
            if want is not None:
                run_control.wish(folder, want, NOW, "somebody")
    assert heard[0] is None, "what was wanted of an earlier run is over"
    assert [wish and (wish.want, wish.by) for wish in heard[1:]] == [("pause", "somebody"), ("run", "somebody")]


def test_the_same_wish_again_is_another_one(folder: Path) -> None:
    heard = []
    with open_store(folder) as store:
        for _ in range(2):
            run_control.wish(folder, "pause", NOW)
            asyncio.run(store.commit(Changes()))
            heard.append(store.wishes.news())
    assert None not in heard
    assert heard[0] != heard[1]


def test_a_wish_that_nobody_understands_is_told_and_changes_nothing(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_store(folder) as store, caplog.at_level(logging.WARNING):
        if folders.is_remote(folder):
            with folders.reading(folder) as database:
                folders.write_meta(database, "wish", "sing")
        else:
            (folder / WISH).write_bytes(b"\xff" * 100_000)
        for _ in range(2):
            asyncio.run(store.commit(Changes()))
            assert store.wishes.news() is None
    assert [record.message for record in caplog.records] == [
        "What somebody wants of this crawl cannot be understood: it goes on as before."
    ]


def test_a_writer_from_outside_never_makes_a_batch_wait(tmp_path: Path) -> None:
    """It has no lock on the database that it could keep: the one who would wait is the crawl, on its event loop."""
    folders.create(tmp_path / "c", SETTINGS)
    with open_store(tmp_path / "c"), folders.reading(tmp_path / "c") as database, database.transaction():
        run_control.wish(tmp_path / "c", "pause", NOW)  # while another one has all of the database locked
        assert run_control.WishFile(tmp_path / "c").news() is not None


def test_where_nobody_may_write_one_sentence_says_so() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "c"
        folders.create(folder, SETTINGS)
        Path(place).chmod(0o755)  # others than its owner can reach the folder, and write nothing there
        folder.chmod(0o555)
        with by_nobody(), pytest.raises(FolderError, match=r"^You may not write in .*: you cannot tell its crawl"):
            run_control.wish(folder, "pause", NOW)
        assert not (folder / WISH).exists()
        folder.chmod(0o755)


def test_a_copy_that_goes_elsewhere_was_run_by_nobody(tmp_path: Path, folder: Path) -> None:
    with open_store(folder) as store:
        run_control.begin_run(folder, RUN)
        asyncio.run(store.commit(Changes(live=LIVE)))
        backup.save(folder, tmp_path / "saved", no_progress)
    backup.bring_back(tmp_path / "saved", tmp_path / "d", "", no_progress)
    assert told(tmp_path / "d") == (None, None)


def test_a_crawl_that_moves_leaves_its_last_run_behind(tmp_path: Path, postgres: str) -> None:
    folder = tmp_path / "c"
    folders.create(folder, SETTINGS)
    run_control.begin_run(folder, RUN)
    migrate.to_postgresql(folder, postgres, no_progress)
    assert told(folder) == (None, None)


def test_the_log_of_a_pause_of_days_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.store.commit._CHECKPOINT_ROWS", 80)
    folder = tmp_path / "c"
    folders.create(folder, SETTINGS)
    with open_store(folder) as store, closing(folders.connect_file(folder)):
        for pages in range(200):
            asyncio.run(store.commit(Changes(live=replace(LIVE, pages=pages))))
        assert os.stat(folder / "crawl.sqlite-wal").st_size < 100 * 4096
