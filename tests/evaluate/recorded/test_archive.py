"""WARC files of all kinds become tables of answers; what cannot be read is one sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import tempfile
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.errors import InputError
from shoal.evaluate.recorded import compression as unpacking
from shoal.evaluate.recorded.archive import open_archive
from shoal.testing.webserver import Answer
from tests.evaluate.recording import CHINESE, page, record, redirect, response, robots, save

with warnings.catch_warnings():  # see `unpacking`
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.stream_io import BrotliWriter, Lz4Writer, ZstdWriter, zstd_train_dictionary_from_samples

HOME, NEXT = "http://a.test/", "http://a.test/next"
RECORDS = (
    record("warcinfo", b"software: a test\r\n", ""),
    robots("a.test", "User-agent: *\nDisallow: /private\n"),
    page(HOME, "the front page", NEXT),
    redirect("http://a.test/old", "/next"),
    response("http://zh.test/", CHINESE.encode("gbk")),
    record("request", b"GET / HTTP/1.1\r\n\r\n", f"WARC-Target-URI: {HOME}\r\n", "application/http; msgtype=request"),
    response("http://a.test/gone", b"no", status="404 Not Found"),
)


def answer(path: Path, url: str) -> Answer | None:
    with open_archive(path) as web:
        return web.answer(url)


def answered(path: Path, url: str) -> bytes:
    found = answer(path, url)
    assert found is not None
    return found.body


# --- what is in a file -----------------------------------------------------------------------------------------------


def test_a_recording_answers_as_the_servers_did(tmp_path: Path) -> None:
    with open_archive(save(tmp_path / "small.warc", *RECORDS)) as web:
        assert web.name == "small"
        assert web.urls() == [HOME, "http://zh.test/"]
        assert web.hosts() == ["a.test", "zh.test"]
        home = web.answer(HOME)
        assert home is not None
        assert (home.status, home.headers) == (200, (("Content-Type", "text/html; charset=utf-8"),))
        assert b"the front page" in home.body
        assert web.answer("http://a.test/old") == Answer(
            status=301, headers=(("Content-Type", "text/html"), ("Location", "/next"))
        )
        gone, rules = web.answer("http://a.test/gone"), web.answer("http://a.test/robots.txt")
        assert gone is not None
        assert rules is not None
        assert (gone.status, gone.body) == (404, b"no")
        assert b"Disallow" in rules.body
        assert web.answer("http://a.test/never") is None


def test_bytes_in_gbk_stay_as_they_are(tmp_path: Path) -> None:
    path = save(tmp_path / "zh.warc.gz", *RECORDS)
    assert answered(path, "http://zh.test/").decode("gbk") == CHINESE


def _zst(data: bytes) -> bytes:
    return _written(ZstdWriter, data)


def _lz4(data: bytes) -> bytes:
    return _written(Lz4Writer, data)


def _br(data: bytes) -> bytes:
    return _written(BrotliWriter, data)


def _written(make: Callable[[io.BytesIO], Any], data: bytes) -> bytes:
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
        (".warc.zst", _zst),
        (".warc.lz4", _lz4),
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
        assert b"the front page" in answered(path, HOME)


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


def test_an_archive_can_be_sent_to_another_process(tmp_path: Path) -> None:
    with open_archive(save(tmp_path / "small.warc.gz", *RECORDS)) as web:
        copy = pickle.loads(pickle.dumps(web))
        assert copy.answer(HOME) == web.answer(HOME)
        assert (copy.name, copy.urls()) == (web.name, web.urls())
        copy.close()


def test_urls_are_in_normal_form(tmp_path: Path) -> None:
    path = save(tmp_path / "w.warc", page("<HTTP://A.test:80/%7euser?#top>", "x"), page("dns:a.test", "y"))
    with open_archive(path) as web:
        assert web.urls() == ["http://a.test/~user"]


# --- several records of one page -------------------------------------------------------------------------------------


def test_of_several_records_the_first_page_counts(tmp_path: Path) -> None:
    records = (
        response(HOME, b"busy", status="503 Service Unavailable"),
        response(HOME, b"first"),
        response(HOME, b"second"),
        response(NEXT, b"one", status="404 Not Found"),
        response(NEXT, b"two", status="410 Gone"),
    )
    path = save(tmp_path / "w.warc", *records)
    assert answered(path, HOME) == b"first"
    assert answered(path, NEXT) == b"one"


@pytest.mark.parametrize(
    "fields",
    [
        "WARC-Payload-Digest: sha1:AAA\r\n",
        "WARC-Refers-To: <urn:uuid:original>\r\n",
        f"WARC-Refers-To-Target-URI: {HOME}\r\n",
    ],
)
def test_a_revisit_stands_for_the_page_it_repeats(tmp_path: Path, fields: str) -> None:
    original = response(HOME, b"<p>the same", fields="WARC-Payload-Digest: sha1:AAA\r\n")
    records = (
        response(NEXT, b"", kind="revisit", fields=fields),
        original.replace(
            b"<urn:uuid:" + original.partition(b"<urn:uuid:")[2].partition(b">")[0], b"<urn:uuid:original"
        ),
    )
    assert answered(save(tmp_path / "w.warc", *records), NEXT) == b"<p>the same"


def test_a_revisit_of_what_is_elsewhere_is_not_there(tmp_path: Path) -> None:
    records = (page(HOME, "x"), response(NEXT, b"", kind="revisit", fields="WARC-Payload-Digest: sha1:BBB\r\n"))
    assert answer(save(tmp_path / "w.warc", *records), NEXT) is None


def test_a_page_saved_without_its_headers_counts_too(tmp_path: Path) -> None:
    saved = record("resource", b"<p>saved", f"WARC-Target-URI: {HOME}\r\n", "text/html")
    assert answer(save(tmp_path / "w.warc", saved), HOME) == Answer(
        headers=(("Content-Type", "text/html"),), body=b"<p>saved"
    )


# --- encodings -------------------------------------------------------------------------------------------------------

TEXT = "<p>电网 grid".encode() * 50


def _raw_deflate(text: bytes) -> bytes:
    pack = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return pack.compress(text) + pack.flush()


def _chunked(text: bytes) -> bytes:
    half = len(text) // 2
    parts = (text[:half], text[half:], b"")
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("Content-Encoding: gzip\r\n", gzip.compress(TEXT, mtime=0)),
        ("Content-Encoding: x-gzip\r\n", gzip.compress(TEXT, mtime=0)),
        ("Content-Encoding: br\r\n", _br(TEXT)),
        ("Content-Encoding: zstd\r\n", _zst(TEXT)),
        ("Content-Encoding: deflate\r\n", zlib.compress(TEXT)),
        ("Content-Encoding: deflate\r\n", _raw_deflate(TEXT)),
        ("Content-Encoding: identity\r\n", TEXT),
        ("Content-Encoding: gzip, br\r\n", _br(gzip.compress(TEXT, mtime=0))),
        ("Transfer-Encoding: chunked\r\n", _chunked(TEXT)),
        ("transfer-encoding: Chunked\r\ncontent-encoding: GZIP\r\n", _chunked(gzip.compress(TEXT, mtime=0))),
        # Recorders that unpack the body and leave the header:
        ("Content-Encoding: gzip\r\n", TEXT),
        ("Transfer-Encoding: chunked\r\n", TEXT),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", gzip.compress(TEXT, mtime=0)),
        ("Content-Encoding: nonsense\r\n", TEXT),
    ],
)
def test_bodies_are_unpacked_and_headers_say_so(tmp_path: Path, headers: str, body: bytes) -> None:
    found = answer(save(tmp_path / "w.warc", response(HOME, body, headers=headers)), HOME)
    assert found == Answer(headers=(("Content-Type", "text/html"),), body=TEXT)


def test_a_bomb_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_BODY", 1000)
    bomb = response(HOME, gzip.compress(b"x" * 50_000_000), headers="Content-Encoding: gzip\r\n")
    assert answered(save(tmp_path / "w.warc", bomb), HOME) == b"x" * 1000


# --- what cannot be read ---------------------------------------------------------------------------------------------


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught, open_archive(path):
        pass
    return str(caught.value).replace(str(path), path.name)


def test_files_that_are_not_there_or_not_warc(tmp_path: Path) -> None:
    assert complaint(tmp_path / "no.warc") == "no.warc: there is no such file"
    assert complaint(tmp_path) == f"{tmp_path.name} cannot be read: Is a directory"
    for name, content, why in (
        ("empty.warc", b"", "is empty"),
        ("page.warc", b"<!doctype html><p>hello" * 100, "is not a WARC file, or cut off in its first record"),
        ("plain.warc.gz", b"".join(RECORDS), "is not packed with gzip, though its name says so"),
        ("gzip.warc.xz", gzip.compress(b"x", mtime=0), "is not packed with xz, though its name says so"),
        ("lines.warc", b"\r\n" * 10, "is not a WARC file, or cut off in its first record"),
        ("text.warc.gz", gzip.compress(b"hello " * 100, mtime=0), "is not a WARC file, or cut off in its first record"),
    ):
        (tmp_path / name).write_bytes(content)
        assert complaint(tmp_path / name) == f"{name} {why}"


@pytest.mark.parametrize("ending", [".warc", ".warc.gz", ".warc.xz", ".warc.zst"])
def test_a_file_that_is_cut_off_is_not_taken_for_a_smaller_web(tmp_path: Path, ending: str) -> None:
    packs: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": _zst}
    pack = packs.get(Path(ending).suffix, bytes)
    records = [pack(one) for one in (*RECORDS, page(NEXT, "the last page"))]
    whole = b"".join(records)
    path = tmp_path / f"cut{ending}"
    # In the last record: behind its first bytes, and in its middle.
    for length in (len(whole) - len(records[-1]) + 9, len(whole) - len(records[-1]) // 2):
        path.write_bytes(whole[:length])
        # Of zstd the last block is lost with its end.
        said = complaint(path)
        assert said.startswith(f"{path.name} is cut off or damaged after")
        assert said.endswith(f" {len(RECORDS)} records") or ending == ".warc.zst"


def test_rubbish_between_records_is_noticed(tmp_path: Path) -> None:
    path = save(tmp_path / "w.warc", RECORDS[2], b"rubbish\r\nmore: rubbish\r\n\r\n", RECORDS[3])
    assert complaint(path) == "w.warc is cut off or damaged after 1 records"


def test_a_recording_without_pages_is_none(tmp_path: Path) -> None:
    picture = response("http://a.test/x.png", b"\x89PNG", content_type="image/png")
    path = save(tmp_path / "w.warc", picture, redirect(HOME, "/x.png"), robots("a.test", ""))
    assert complaint(path) == "w.warc: there is no HTML page among its 3 records"


def test_an_answer_that_is_not_http_is_left_out(tmp_path: Path) -> None:
    bad = record("response", b"what is this?", f"WARC-Target-URI: {NEXT}\r\n", "application/http; msgtype=response")
    path = save(tmp_path / "w.warc", bad, page(HOME, "x"))
    with open_archive(path) as web:
        assert web.urls() == [HOME]
        assert web.answer(NEXT) is None


# --- attacks ---------------------------------------------------------------------------------------------------------


def test_a_record_larger_than_any_page_is_left_out_and_the_rest_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """70 KB in the file, and 70 MB whenever somebody asked for the page."""
    huge = response("http://a.test/huge", bytes(70 * 2**20))
    path = save(tmp_path / "bomb.warc.gz", page(HOME, "before"), huge, page(NEXT, "after"))
    with open_archive(path) as web:
        assert web.urls() == [HOME, NEXT]
        assert web.answer("http://a.test/huge") is None
        assert b"after" in (web.answer(NEXT) or Answer()).body
    assert "1 records of more than" in caplog.text


def test_a_file_that_unpacks_without_end_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "_SMALL_FILE", 2**20)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = save(tmp_path / "bomb.warc.gz", page(HOME, "before"), response(NEXT, bytes(20 * 2**20)))
    with (
        pytest.raises(InputError, match=r"bomb.warc.gz becomes more than 200 times as large unpacked"),
        open_archive(path),
    ):
        pass
    assert list(tmp_path.iterdir()) == [path]


def test_headers_without_end_are_no_answer_and_the_next_record_is_one(tmp_path: Path) -> None:
    endless = response(NEXT, headers="X: " + "x" * 2**20 + "\r\n")
    with open_archive(save(tmp_path / "w.warc", endless, page(HOME, "after"))) as web:
        assert web.urls() == [HOME]


def test_a_body_that_was_packed_more_often_than_any_server_does_is_left_as_it_is(tmp_path: Path) -> None:
    body = b"x"
    for _ in range(8):
        body = gzip.compress(body, mtime=0)
    packed = response(HOME, body, headers="Content-Encoding: " + ", ".join(["gzip"] * 8) + "\r\n")
    left = answered(save(tmp_path / "w.warc", packed), HOME)
    assert gzip.decompress(gzip.decompress(gzip.decompress(left))) == b"x"
