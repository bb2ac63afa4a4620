"""What was this crawl, when its database is lost? The file beside it knows, tells no secret, and replaces nothing of others."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import FolderError
from shoal.settings import Fetching
from shoal.store import crawl_folder as folders
from shoal.store import recovery
from shoal.store.ownership import COPY, DATABASE
from tests.store.pages import SETTINGS


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    assert recovery.read(tmp_path) is None
    recovery.write(tmp_path, "a crawl", SETTINGS)
    kept = recovery.read(tmp_path)
    assert kept is not None
    assert (kept.crawl, kept.settings) == ("a crawl", SETTINGS)


def test_passwords_are_not_kept(tmp_path: Path) -> None:
    recovery.write(tmp_path, "c", replace(SETTINGS, fetching=Fetching(proxy="http://u:hunter2@proxy.test:1/")))
    assert "hunter2" not in (tmp_path / COPY).read_text()
    assert "proxy.test" in (tmp_path / COPY).read_text()


def test_who_has_nothing_new_to_say_writes_nothing(tmp_path: Path) -> None:
    recovery.write(tmp_path, "c", SETTINGS)
    before = (tmp_path / COPY).stat()
    recovery.write(tmp_path, "c", SETTINGS)
    assert (tmp_path / COPY).stat().st_ino == before.st_ino
    recovery.write(tmp_path, "c", replace(SETTINGS, judge="zones"))
    kept = recovery.read(tmp_path)
    assert kept is not None
    assert kept.settings.judge == "zones"


@pytest.mark.parametrize("content", [b"mine", b'{"font": 12}', b"\xff\xfe" * 200])
def test_a_file_of_the_user_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / COPY).write_bytes(content)
    with pytest.raises(FolderError, match="is not shoal's: move it away"):
        recovery.write(tmp_path, "c", SETTINGS)
    assert (tmp_path / COPY).read_bytes() == content
    assert recovery.read(tmp_path) is None


@pytest.mark.parametrize("size", [0, 60])
def test_a_damaged_one_of_ours_is_written_anew(tmp_path: Path, size: int) -> None:
    recovery.write(tmp_path, "c", SETTINGS)
    whole = (tmp_path / COPY).read_bytes()
    (tmp_path / COPY).write_bytes(whole[:size])
    assert recovery.read(tmp_path) is None
    recovery.write(tmp_path, "c", SETTINGS)
    assert (tmp_path / COPY).read_bytes() == whole


def test_a_database_that_can_still_be_read_says_the_same(tmp_path: Path) -> None:
    assert recovery.from_remains(tmp_path) is None
    folders.create(tmp_path / "c", SETTINGS)
    found = recovery.from_remains(tmp_path / "c")
    assert found is not None
    assert found.settings == SETTINGS
    (tmp_path / "c" / DATABASE).write_bytes(b"SQLite format 3\x00" + bytes(500))
    assert recovery.from_remains(tmp_path / "c") is None
