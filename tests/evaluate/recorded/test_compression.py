"""Recordings and bodies may be packed in any way, and one that unpacks without end is cut off or refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tempfile
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InputError
from shoal.evaluate.recorded import compression
from shoal.evaluate.recorded.archive import open_archive
from shoal.testing.webserver import WebAnswer
from tests.evaluate.recording import HOME, NEXT, RECORDS, page, response, save

with warnings.catch_warnings():  # see `compression`
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import BrotliWriter, Lz4Writer, ZstdWriter, zstd_train_dictionary_from_samples

TEXT = "<p>电网 grid".encode() * 50


def answer(path: Path, url: str) -> WebAnswer:
    with open_archive(path) as web:
        found = web.answer(url)
    assert found is not None
    return found


def zst(data: bytes) -> bytes:
    return written(ZstdWriter, data)


def lz4(data: bytes) -> bytes:
    return written(Lz4Writer, data)


def br(data: bytes) -> bytes:
    return written(BrotliWriter, data)


def written(make: Callable[[io.BytesIO], Any], data: bytes) -> bytes:
    packed = io.BytesIO()
    writer = make(packed)
    writer.write(data)
    writer.finish()
    writer.close()
    return packed.getvalue()


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".warc", bytes),
        (".warc.gz", gzip.compress),
        (".warc.xz", lzma.compress),
        (".warc.bz2", bz2.compress),
        (".warc.zst", zst),
        (".warc.lz4", lz4),
        ("", lzma.compress),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_it_may_be_packed_in_any_way(
    tmp_path: Path, ending: str, pack: Callable[[bytes], bytes], at_once: bool
) -> None:
    path = tmp_path / f"web{ending}"
    path.write_bytes(pack(b"".join(RECORDS)) if at_once else b"".join(map(pack, RECORDS)))
    with open_archive(path) as web:
        assert len(web.urls()) == 2
        assert b"the front page" in answer(path, HOME).body


def test_records_may_be_packed_with_a_dictionary_that_stands_in_front(tmp_path: Path) -> None:
    pages = [page(f"http://a.test/{number}", f"page {number} about 电网") for number in range(100)]
    packed = io.BytesIO()
    writer = ZstdWriter(packed, dictionary=zstd_train_dictionary_from_samples(pages, 4096))
    for one in pages:
        writer.write(one)
        writer.finish()
    writer.close()
    (tmp_path / "w.warc.zst").write_bytes(packed.getvalue())
    with open_archive(tmp_path / "w.warc.zst") as web:
        assert len(web.urls()) == 100


def test_what_was_unpacked_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "unpacked"))
    (tmp_path / "unpacked").mkdir()
    with open_archive(save(tmp_path / "small.warc.gz", *RECORDS)):
        assert len(list((tmp_path / "unpacked").iterdir())) == 1
    assert list((tmp_path / "unpacked").iterdir()) == []


def raw_deflate(text: bytes) -> bytes:
    pack = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return pack.compress(text) + pack.flush()


def chunked(text: bytes) -> bytes:
    half = len(text) // 2
    parts = (text[:half], text[half:], b"")
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("Content-Encoding: gzip\r\n", gzip.compress(TEXT, mtime=0)),
        ("Content-Encoding: x-gzip\r\n", gzip.compress(TEXT, mtime=0)),
        ("Content-Encoding: br\r\n", br(TEXT)),
        ("Content-Encoding: zstd\r\n", zst(TEXT)),
        ("Content-Encoding: deflate\r\n", zlib.compress(TEXT)),
        ("Content-Encoding: deflate\r\n", raw_deflate(TEXT)),
        ("Content-Encoding: identity\r\n", TEXT),
        ("Content-Encoding: gzip, br\r\n", br(gzip.compress(TEXT, mtime=0))),
        ("Transfer-Encoding: chunked\r\n", chunked(TEXT)),
        ("transfer-encoding: Chunked\r\ncontent-encoding: GZIP\r\n", chunked(gzip.compress(TEXT, mtime=0))),
        # Recorders that unpack the body and leave the header:
        ("Content-Encoding: gzip\r\n", TEXT),
        ("Transfer-Encoding: chunked\r\n", TEXT),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", gzip.compress(TEXT, mtime=0)),
        ("Content-Encoding: nonsense\r\n", TEXT),
    ],
)
def test_bodies_are_unpacked_and_headers_say_so(tmp_path: Path, headers: str, body: bytes) -> None:
    found = answer(save(tmp_path / "w.warc", response(HOME, body, headers=headers)), HOME)
    assert found == WebAnswer(headers=(("Content-Type", "text/html"),), body=TEXT)


@pytest.mark.slow
def test_a_bomb_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "MAX_BODY", 1000)
    bomb = response(HOME, gzip.compress(b"x" * 50_000_000), headers="Content-Encoding: gzip\r\n")
    assert answer(save(tmp_path / "w.warc", bomb), HOME).body == b"x" * 1000


def test_a_file_that_unpacks_without_end_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_SMALL_FILE", 2**20)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = save(tmp_path / "bomb.warc.gz", page(HOME, "before"), response(NEXT, bytes(20 * 2**20)))
    with (
        pytest.raises(InputError, match=r"bomb.warc.gz becomes more than 200 times as large unpacked"),
        open_archive(path),
    ):
        pass
    assert list(tmp_path.iterdir()) == [path]


def test_a_body_that_was_packed_more_often_than_any_server_does_is_left_as_it_is(tmp_path: Path) -> None:
    body = b"x"
    for _ in range(8):
        body = gzip.compress(body, mtime=0)
    packed = response(HOME, body, headers="Content-Encoding: " + ", ".join(["gzip"] * 8) + "\r\n")
    left = answer(save(tmp_path / "w.warc", packed), HOME).body
    assert gzip.decompress(gzip.decompress(gzip.decompress(left))) == b"x"
