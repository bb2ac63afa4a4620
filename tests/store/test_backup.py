"""A crawl that was saved while it ran comes back as it was at one moment, into either database; what is damaged does not."""

from __future__ import annotations

import asyncio
import io
import os
import tarfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from shoal.errors import DatabaseGone, FolderError, InputError, StorageFull
from shoal.model import Opinion
from shoal.settings import Cluster
from shoal.store import backup
from shoal.store import folder as folders
from shoal.store.crawl import open_store
from shoal.store.opinions import add, read
from shoal.store.warc import read_body
from tests.store.test_crawl import SETTINGS, TEXT, batch, page, rows

OPINION = Opinion(url="http://a.test/1", relevant=True, at=1.5)


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", replace(SETTINGS, has_model=True), model=b"a model", cluster=cluster)
    add(tmp_path / "crawl", [OPINION])
    return tmp_path / "crawl"


def silent(done: int, total: int) -> None:
    assert done <= total


def saved_while_it_runs(folder: Path, out: Path) -> None:
    with open_store(folder) as store:
        asyncio.run(store.commit(batch(page(1, b"one", text=TEXT), page(2, b"two"))))
        store._warc.write(page(3, b"not committed").seen.response)
        assert backup.save(folder, out, silent).pages == 2
        asyncio.run(store.commit(batch(page(4, b"later"))))


@pytest.mark.parametrize("into", ["sqlite", "postgresql"])
def test_what_was_saved_comes_back_into_either_database(
    folder: Path, tmp_path: Path, into: str, request: pytest.FixtureRequest
) -> None:
    out, back = tmp_path / "saved.tar", tmp_path / "back"
    saved_while_it_runs(folder, out)
    url = request.getfixturevalue("postgres") if into == "postgresql" else ""
    assert backup.bring_back(out, back, url, silent).pages == 2
    assert folders.is_remote(back) == bool(url)
    places = rows(back, "SELECT id, warc_file, warc_offset FROM pages ORDER BY id")
    assert [read_body(back, str(file), int(str(offset))) for _, file, offset in places] == [b"one", b"two"]
    assert read(back) == {OPINION.url: OPINION}
    with open_store(back) as store:
        assert store.settings == replace(SETTINGS, has_model=True)
        asyncio.run(store.commit(batch(page(5, b"it goes on"))))
    assert [id for (id,) in rows(back, "SELECT id FROM pages ORDER BY id")] == [1, 2, 5]
    assert [path.name for path in back.iterdir() if path.name.startswith(".")] == []


def test_passwords_are_not_saved(folder: Path, tmp_path: Path, cluster: Cluster) -> None:
    backup.save(folder, tmp_path / "saved.tar", silent)
    secret = cluster.database.partition("@")[0].rpartition(":")[2]
    assert not secret or secret.encode() not in (tmp_path / "saved.tar").read_bytes()


def test_a_folder_with_a_crawl_is_left_alone(folder: Path, tmp_path: Path) -> None:
    backup.save(folder, tmp_path / "saved.tar", silent)
    with pytest.raises(FolderError, match=r"There is a crawl in .* already"):
        backup.bring_back(tmp_path / "saved.tar", folder, "", silent)


# --- bad luck --------------------------------------------------------------------------------------------------------

SQLITE = pytest.mark.parametrize("cluster", [Cluster()], ids=["sqlite"])


@SQLITE
@pytest.mark.parametrize("harm", ["cut", "flipped", "stranger", "text", "empty"])
def test_a_damaged_backup_is_one_sentence_and_leaves_nothing(folder: Path, tmp_path: Path, harm: str) -> None:
    out, back = tmp_path / "saved.tar", tmp_path / "back"
    saved_while_it_runs(folder, out)
    data = bytearray(out.read_bytes())
    if harm == "cut":
        data = data[: len(data) // 2]
    elif harm == "flipped":
        data[2_000] ^= 1
    elif harm == "stranger":
        with tarfile.open(out, "w") as tar:
            info = tarfile.TarInfo("../outside")
            info.size = 1
            tar.addfile(info, io.BytesIO(b"x"))
        data = bytearray(out.read_bytes())
    else:
        data = bytearray(b"this is no tar file" if harm == "text" else b"")
    out.write_bytes(data)
    with pytest.raises(InputError, match=r"saved.tar is no whole backup: .*; nothing was restored"):
        backup.bring_back(out, back, "", silent)
    assert not back.exists()
    assert not (tmp_path / "outside").exists()


@SQLITE
def test_a_full_disk_is_one_sentence_and_an_older_backup_stays(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "saved.tar"
    out.write_bytes(b"older")

    def full(handle: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFull, match="There is no room left to write"):
        backup.save(folder, out, silent)
    assert out.read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@SQLITE
def test_a_database_that_is_away_leaves_nothing_restored(folder: Path, tmp_path: Path) -> None:
    backup.save(folder, tmp_path / "saved.tar", silent)
    with pytest.raises(DatabaseGone):
        backup.bring_back(tmp_path / "saved.tar", tmp_path / "back", "postgresql://x:y@127.0.0.1:1/z", silent)
    assert not (tmp_path / "back").exists()


@SQLITE
def test_a_backup_is_not_written_over_the_crawl(folder: Path) -> None:
    with pytest.raises(InputError, match="a file of the crawl itself"):
        backup.save(folder, folder / folders.DATABASE, silent)
