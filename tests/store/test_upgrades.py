"""Does the folder of an older shoal become one of today, and nothing less than that?"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from shoal import services
from shoal.errors import FolderBusy
from shoal.model import State, Term, Topic
from shoal.settings import Cluster, ImageSettings, Learning, Settings
from shoal.store import crawl_folder as folders
from shoal.store import mark_log, ownership
from shoal.store.crawl_store import open_store
from shoal.store.mark_log import reading
from shoal.store.provenance import explain
from shoal.store.upgrades import OLDEST, VERSION
from shoal.urls import key_of

SETTINGS = Settings(
    topic=Topic(name="grid", terms=(Term(text="grid"),)),
    seeds=("http://a.test/",),
    images=ImageSettings(wanted="relevant", max_images=7),
    learning=Learning(adapt_topic=True),
)
OLD, NEW, HERE = "http://a.test/old", "http://b.test/new", "http://a.test/here"
# What format 3 had in the place of what there is today.
FORMAT_3 = """
DROP VIEW urls;
ALTER TABLE fates DROP COLUMN target;
CREATE VIEW urls AS
  SELECT found.*, coalesce(state, 0) AS state, reason, coalesce(detail, '') AS detail, coalesce(attempt, 1) AS attempt,
         coalesce(not_before, 0.0) AS not_before
  FROM found LEFT JOIN fates USING (id);
ALTER TABLE images RENAME TO pictures;
ALTER TABLE sightings RENAME COLUMN image_id TO picture;
UPDATE meta SET value = '3' WHERE key = 'version';
INSERT INTO hosts (id, name) VALUES (1, 'a.test');
"""
FOUND = "INSERT INTO found VALUES (?, ?, 1, 0.5, 0, 0, 0, 0, ?, '', '', NULL)"
FATE = "INSERT INTO fates VALUES (?, ?, NULL, ?, 1, 0.0)"


@pytest.fixture
def older(tmp_path: Path, cluster: Cluster) -> Path:
    """A folder as format 3 left it, with a URL that moved and one that did not."""
    folder = tmp_path / "crawl"
    folders.create(folder, SETTINGS, cluster=cluster)
    with folders.reading(folder) as database:
        database.executescript(FORMAT_3)
        if folders.is_remote(folder):
            database.execute("ALTER TABLE mark_log RENAME TO opinions")
            database.execute("INSERT INTO opinions (url, relevant, at) VALUES (?, 1, 5.0)", (HERE,))
        else:
            (folder / "feedback.jsonl").write_text(f'{{"url":"{HERE}","relevant":true,"at":5.0}}\n')
        (settings,) = database.execute("SELECT value FROM meta WHERE key = 'settings'").fetchone()
        for today, before in (("images", "pictures"), ("max_images", "max_pictures"), ("adapt_topic", "feedback")):
            settings = settings.replace(f'"{today}":', f'"{before}":')
        database.execute("UPDATE meta SET value = ? WHERE key = 'settings'", (settings,))
        database.executemany(FOUND, [(1, key_of(OLD), OLD), (2, key_of(HERE), HERE)])
        database.executemany(FATE, [(1, State.MOVED, f"Moved to {NEW} (301)."), (2, State.DONE, "Moved to x (301).")])
    return folder


def columns(folder: Path, table: str) -> list[str]:
    """The columns of a table or view, in their order."""
    with folders.reading(folder) as database:
        if folders.is_remote(folder):
            asked = (
                "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped"
            )
            return [name for (name,) in database.execute(f"{asked} ORDER BY attnum", (table,))]
        return [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]


def test_an_older_folder_is_upgraded_by_whoever_opens_it_first(older: Path) -> None:
    with reading(older) as database:
        assert folders.read_meta(database, "version", int) == VERSION
        rows = database.execute("SELECT id, target, detail FROM urls ORDER BY id").fetchall()
        assert rows == [(1, NEW, "Moved (301)."), (2, "", "Moved to x (301).")]
        found = explain(database, OLD)
        assert found is not None
        assert (found.moved_to, found.sentence) == (NEW, f"It redirects to {NEW}.")
    with open_store(older) as store:
        assert (store.url_index.read(1).target, store.url_index.read(2).target) == (NEW, "")


def test_what_the_user_said_and_set_has_the_names_of_today(older: Path) -> None:
    with folders.reading(older) as database:
        settings = folders.read_settings(older, database)
    assert (settings.images, settings.learning) == (SETTINGS.images, SETTINGS.learning)
    assert [(mark.url, mark.relevant) for mark in mark_log.all_said(older)] == [(HERE, True)]
    assert not (older / "feedback.jsonl").exists()


def test_a_writer_that_has_the_folder_locked_upgrades_it(older: Path) -> None:
    with folders.lock_existing(older), folders.reading(older) as database:
        assert folders.read_meta(database, "version", int) == VERSION


@pytest.mark.parametrize("table", ["fates", "urls", "found", "images", "sightings"])
def test_an_upgraded_folder_has_what_a_new_one_has(older: Path, tmp_path: Path, cluster: Cluster, table: str) -> None:
    folders.create(tmp_path / "new", SETTINGS, cluster=cluster)
    assert columns(older, table) == columns(tmp_path / "new", table)


HOLD = """
import sys
from pathlib import Path
from shoal.store import crawl_folder as folders
from shoal.store import mark_log
with folders.lock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_an_older_crawl_that_runs_is_left_alone(older: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(older)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(FolderBusy, match=r"is running in .* It is of an older version of shoal"):
            folders.connect(older)
        assert other.stdin is not None
        other.stdin.close()
    with folders.reading(older) as database:
        assert database.execute("SELECT target FROM fates WHERE id = 1").fetchone() == (NEW,)


# --- folders as they were ----------------------------------------------------------------------------------------------
# Made by the shoals of those days: `tests/stocked.py`'s crawl with one URL that redirects, and one page marked by the user.

KEPT = Path(__file__).parent / "older"


@pytest.fixture(params=sorted(path.name for path in KEPT.iterdir()))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(KEPT / request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "电网"


def test_every_format_since_3_is_kept_and_so_is_todays() -> None:
    assert {path.name for path in KEPT.iterdir()} == {
        f"format-{number}.tar.gz" for number in range(OLDEST, VERSION + 1)
    }


def test_a_folder_as_it_was_opens_with_all_that_is_in_it(kept: Path) -> None:
    status = services.status.crawl_status(kept)
    assert (status.pages, status.moved, status.marked_relevant) == (6, 1, 1)
    assert services.explain.explain_url(kept, "http://a.test/old").moved_to == "http://a.test/transformer"
    assert [mark.url for mark in services.marks.list_marks(kept)] == ["http://a.test/bread"]
    assert [hit.title for hit in services.search.search([kept], "變電站").hits] == ["智能电网"]


def test_what_was_there_before_an_upgrade_stays_beside_it(kept: Path, request: pytest.FixtureRequest) -> None:
    with closing(sqlite3.connect(kept / folders.DATABASE)) as database:
        before = list(database.iterdump())
    services.status.crawl_status(kept)
    services.status.crawl_status(kept)
    copies = sorted(kept.glob("crawl.sqlite.format-*"))
    assert all(ownership.is_own(kept, copy) for copy in copies)
    if request.node.callspec.params["kept"] == f"format-{VERSION}.tar.gz":
        assert copies == []
        return
    (copy,) = copies
    with closing(sqlite3.connect(copy)) as database:
        assert list(database.iterdump()) == before
