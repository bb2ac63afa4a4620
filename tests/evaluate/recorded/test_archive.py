"""WARC files of all kinds become tables of answers; what cannot be read is one sentence."""

from __future__ import annotations

import gzip
import lzma
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.errors import InputError
from shoal.evaluate.recorded.archive import open_archive
from shoal.testing.webserver import WebAnswer
from tests.evaluate.recorded.test_compression import zst
from tests.evaluate.recording import CHINESE, HOME, NEXT, RECORDS, page, record, redirect, response, robots, save


def answer(path: Path, url: str) -> WebAnswer | None:
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
        assert web.answer("http://a.test/old") == WebAnswer(
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
    assert answer(save(tmp_path / "w.warc", saved), HOME) == WebAnswer(
        headers=(("Content-Type", "text/html"),), body=b"<p>saved"
    )


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
    packs: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zst}
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
    image = response("http://a.test/x.png", b"\x89PNG", content_type="image/png")
    path = save(tmp_path / "w.warc", image, redirect(HOME, "/x.png"), robots("a.test", ""))
    assert complaint(path) == "w.warc: there is no HTML page among its 3 records"


def test_an_answer_that_is_not_http_is_left_out(tmp_path: Path) -> None:
    bad = record("response", b"what is this?", f"WARC-Target-URI: {NEXT}\r\n", "application/http; msgtype=response")
    path = save(tmp_path / "w.warc", bad, page(HOME, "x"))
    with open_archive(path) as web:
        assert web.urls() == [HOME]
        assert web.answer(NEXT) is None


# --- attacks ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_record_larger_than_any_page_is_left_out_and_the_rest_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """70 KB in the file, and 70 MB whenever somebody asked for the page."""
    huge = response("http://a.test/huge", bytes(70 * 2**20))
    path = save(tmp_path / "bomb.warc.gz", page(HOME, "before"), huge, page(NEXT, "after"))
    with open_archive(path) as web:
        assert web.urls() == [HOME, NEXT]
        assert web.answer("http://a.test/huge") is None
        assert b"after" in (web.answer(NEXT) or WebAnswer()).body
    assert "1 records of more than" in caplog.text


def test_headers_without_end_are_no_answer_and_the_next_record_is_one(tmp_path: Path) -> None:
    endless = response(NEXT, headers="X: " + "x" * 2**20 + "\r\n")
    with open_archive(save(tmp_path / "w.warc", endless, page(HOME, "after"))) as web:
        assert web.urls() == [HOME]
