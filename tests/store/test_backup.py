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
from shoal.model import Mark
from shoal.settings import Cluster
from shoal.store import backup
from shoal.store import crawl_folder as folders
from shoal.store.crawl_store import open_store
from shoal.store.mark_log import add, read
from shoal.store.warc import read_body
from tests.store.pages import SETTINGS, TEXT, batch, page, rows

MARK = Mark(url="http://a.test/1", relevant=True, at=1.5)


@pytest.fixture
def folder(tmp_path: Path, cluster: Cluster) -> Path:
    folders.create(tmp_path / "crawl", replace(SETTINGS, has_model=True), model=b"a model", cluster=cluster)
    add(tmp_path / "crawl", [MARK])
    return tmp_path / "crawl"


def silent(done: int, total: int) -> None:
    assert done <= total


def saved_while_it_runs(folder: Path, out: Path) -> None:
    with open_store(folder) as store:
        asyncio.run(store.commit(batch(page(1, b"one", text=TEXT), page(2, b"two"))))
        store._warc.append(page(3, b"not committed").seen.packed.record)
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
    assert read(back) == {MARK.url: MARK}
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


def _plain(name: str, data: bytes = b"x") -> bytes:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    return _block(info) + data + bytes(-len(data) % 512)


def _block(info: tarfile.TarInfo) -> bytes:
    return info.tobuf(tarfile.GNU_FORMAT)


def _odd(kind: bytes, *, name: str = "crawl.sqlite", target: str = "", size: int = 0) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return _block(info)


def _sparse() -> bytes:
    """A file of 400 MB, all of it a hole, in one block."""
    head = bytearray(_odd(tarfile.GNUTYPE_SPARSE, size=512))
    head[386:410] = b"%011o\0%011o\0" % (400 * 2**20, 0)
    head[483:495] = b"%011o\0" % (400 * 2**20)
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + bytes(512)


def _pax_sparse() -> bytes:
    said = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(400 * 2**20)}
    said["GNU.sparse.name"] = "crawl.sqlite"
    info = tarfile.TarInfo("crawl.sqlite")
    info.size, info.pax_headers = 512, said
    return info.tobuf(tarfile.PAX_FORMAT) + b"1\n419430400\n0\n".ljust(512, b"\0")


def _negative() -> bytes:
    """It is minus 512 bytes long, so behind it comes the same again."""
    head = bytearray(_odd(tarfile.REGTYPE))
    head[124:136] = b"\xff" * 10 + b"\xfe\x00"
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


ODD: dict[str, bytes] = {
    "a hole of 400 MB": _sparse(),
    "a hole of 400 MB, said otherwise": _pax_sparse(),
    "a link": _plain("marks.jsonl") + _odd(tarfile.SYMTYPE, target="/etc/passwd"),
    "a second name": _plain("marks.jsonl") + _odd(tarfile.LNKTYPE, target="marks.jsonl"),
    "a device": _odd(tarfile.CHRTYPE),
    "a pipe": _odd(tarfile.FIFOTYPE),
    "a folder": _odd(tarfile.DIRTYPE),
    "an absolute name": _plain("/tmp/crawl.sqlite"),
    "a name above": _plain("../crawl.sqlite"),
    "a name below": _plain("x/crawl.sqlite"),
    "twice": _plain("crawl.sqlite") + _plain("crawl.sqlite"),
    "a size that is not there": _odd(tarfile.REGTYPE, size=2**40),
    "a size below nothing": _negative(),
    "a name of 5 MB": _odd(tarfile.GNUTYPE_LONGNAME, size=5 * 2**20) + b"x" * (5 * 2**20) + _plain("x"),
    "headers of 5 MB": _odd(tarfile.XHDTYPE, size=5 * 2**20) + b"9 a=1234\n" * 600_000,
    "headers of headers": _odd(tarfile.XHDTYPE, size=9) * 3000,
    "a number of 5,000 digits": _odd(tarfile.XHDTYPE, size=5020) + (b"9" * 5000 + b" size=1\n").ljust(5120, b"\0"),
    "a deep list": _plain("manifest.json", b'{"format":1,"x":' + b"[" * 100_000),
    "a list that is not text": _plain("manifest.json", b'{"format":1,"crawl":"\xff'),
    "a list of nothing": _plain("manifest.json", b'{"format":1,"crawl":"x","pages":0,"members":[]}'),
    "a list without end": _odd(tarfile.REGTYPE, name="manifest.json", size=20 * 2**20) + bytes(20 * 2**20),
}


@pytest.mark.parametrize("name", ODD)
def test_what_no_backup_has_is_one_sentence_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    out, back = tmp_path / "saved.tar", tmp_path / "back"
    out.write_bytes(ODD[name] + bytes(1024))
    largest = 0

    def watch(done: int, total: int) -> None:
        nonlocal largest
        largest = max(largest, *(path.stat().st_size for path in back.rglob("*")))

    with pytest.raises(InputError, match=r"saved.tar is no whole backup: .*; nothing was restored") as error:
        backup.bring_back(out, back, "", watch)
    assert len(str(error.value)) < 1000
    assert largest < 10_000
    assert not back.exists()


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
