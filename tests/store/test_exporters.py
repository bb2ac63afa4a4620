"""The pages of a crawl in four formats, written whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet
from warcio.archiveiterator import ArchiveIterator

from shoal.errors import FolderError, InputError, StorageFull
from shoal.model import Evidence, Response, State, Timing
from shoal.settings import Cluster
from shoal.store import exporters as exports
from shoal.store.exporters import ExportRow, export, rows
from shoal.store.warc import WarcWriter
from tests.store.conftest import HandMade

TITLE = '变电站, "智能电网"\n=1+1'


@pytest.fixture
def small(crawl: HandMade) -> HandMade:
    """A seed, a page behind two redirects that it links to, a file that is not judged, and a copy."""
    seed = crawl.page("https://example.org/", 1, title=TITLE, score=0.25, relevant=0, etag='W/"x"')
    asked = crawl.url("https://example.org/old", State.MOVED, parent=seed, depth=1, anchor="power grid")
    crawl.url("https://example.org/older", State.MOVED, parent=seed, depth=1, origin=asked, hop=1)
    why = json.dumps([{"what": "电网", "amount": 0.5}, {"what": "title", "amount": 0.25}])
    link = {"parent": seed, "depth": 1, "origin": asked, "hop": 2, "priority": 0.875}
    page = crawl.page("https://www.example.org/new", 3, link=link, title="=cmd()", why=why, score=0.75)
    crawl.page(
        "https://example.org/a.pdf",
        2,
        link={"parent": seed, "depth": 1, "anchor": "@file"},
        content_type="application/pdf",
        score=None,
        threshold=None,
        relevant=0,
    )
    crawl.page("https://example.org/copy", 4, link={"parent": page, "depth": 2}, duplicate_of=page, similarity=1.0)
    return crawl


def as_jsonl(crawl: HandMade, *, relevant_only: bool = False) -> list[dict[str, Any]]:
    stream = io.BytesIO()
    export(crawl.connection, Path(), "jsonl", stream, relevant_only)
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_pages_come_in_the_order_of_fetching(small: HandMade) -> None:
    assert [row.fetch_order for row in rows(small.connection, False)] == [1, 2, 3, 4]


@pytest.mark.parametrize("cluster", [Cluster()], ids=["sqlite"])
def test_rows_are_read_one_by_one_and_never_sorted(small: HandMade) -> None:
    plan = small.connection.execute("EXPLAIN QUERY PLAN " + exports._SELECT, (0,)).fetchall()
    assert not [step for *_, step in plan if "TEMP B-TREE" in step]


def test_a_page_behind_redirects_is_known_by_the_url_that_was_asked_for(small: HandMade) -> None:
    row = list(rows(small.connection, False))[2]
    assert (row.url, row.final_url) == ("https://example.org/old", "https://www.example.org/new")
    assert (row.parent, row.anchor, row.depth, row.priority) == ("https://example.org/", "power grid", 1, 0.875)
    assert row.why == (Evidence(what="电网", amount=0.5), Evidence(what="title", amount=0.25))


def test_a_row_of_jsonl_says_everything(small: HandMade) -> None:
    seed, file, _, copy = as_jsonl(small)
    assert seed == {
        "url": "https://example.org/",
        "final_url": "https://example.org/",
        "status": 200,
        "fetch_order": 1,
        "fetched_at": "2027-01-15T08:00:01Z",
        "depth": 0,
        "parent": None,
        "anchor": "",
        "title": TITLE,
        "description": "",
        "language": "en",
        "charset": "utf-8",
        "published": "",
        "content_type": "text/html",
        "bytes": 1000,
        "score": 0.25,
        "threshold": 0.3,
        "relevant": False,
        "marked": None,
        "priority": 0.5,
        "why": [],
        "content_hash": "00" * 15 + "01",
        "duplicate_of": None,
        "similarity": 0.0,
        "truncated": False,
        "noindex": False,
        "etag": 'W/"x"',
        "last_modified": "",
    }
    assert (file["score"], file["threshold"], file["relevant"]) == (None, None, False)
    assert (copy["duplicate_of"], copy["similarity"]) == ("https://www.example.org/new", 1.0)


def test_only_relevant_pages_when_asked(small: HandMade) -> None:
    assert [row["fetch_order"] for row in as_jsonl(small, relevant_only=True)] == [3, 4]


def test_csv_has_the_same_rows_and_no_formulas(small: HandMade) -> None:
    stream = io.BytesIO()
    assert export(small.connection, Path(), "csv", stream, False) == 4
    text = stream.getvalue().decode()
    assert text.startswith("url,final_url,status,")
    assert "\r\n" in text
    found = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(found[0]) == list(ExportRow.__struct_fields__)
    assert found[0]["title"] == TITLE
    assert [row["title"] for row in found][2] == "'=cmd()"
    assert found[1]["anchor"] == "'@file"
    assert (found[1]["score"], found[0]["parent"], found[0]["relevant"]) == ("", "", "false")
    assert found[0]["fetched_at"] == "2027-01-15T08:00:01Z"
    assert json.loads(found[2]["why"])[0] == {"what": "电网", "amount": 0.5}


def test_parquet_has_the_same_rows(small: HandMade, tmp_path: Path) -> None:
    out = tmp_path / "pages.parquet"
    assert export(small.connection, Path(), "parquet", out, False) == 4
    table = parquet.read_table(out).to_pylist()
    expected = as_jsonl(small)
    for row in table:
        row["fetched_at"] = row["fetched_at"].strftime("%Y-%m-%dT%H:%M:%SZ")
    assert table == expected


def test_a_crawl_without_pages_exports_nothing_but_a_valid_file(crawl: HandMade, tmp_path: Path) -> None:
    assert export(crawl.connection, tmp_path, "parquet", tmp_path / "none.parquet", False) == 0
    assert parquet.read_table(tmp_path / "none.parquet").column_names == list(ExportRow.__struct_fields__)
    assert export(crawl.connection, tmp_path, "warc", tmp_path / "none.warc.gz", False) == 0
    with (tmp_path / "none.warc.gz").open("rb") as file:
        assert [record.rec_type for record in ArchiveIterator(file)] == ["warcinfo"]


def test_warc_holds_the_bodies_in_the_order_of_fetching(crawl: HandMade, tmp_path: Path) -> None:
    timing = Timing(started=1.0, answered=1.0, ended=1.0)
    # Stored in another order than fetched, in several files, with one page whose body was not kept.
    with closing(WarcWriter(tmp_path, None, max_bytes=700)) as writer:
        for order in (3, 1, 2):
            url, body = f"https://example.org/{order}", f"电网 {order}".encode("gbk")
            file, offset = writer.write(Response(url=url, status=200, headers=(), body=body, timing=timing))
            crawl.page(url, order, warc_file=file, warc_offset=offset, relevant=int(order != 2))
        assert writer.position[0] != "pages-00001.warc.gz"
    crawl.page("https://example.org/not-kept", 4)

    def bodies(relevant_only: bool) -> list[bytes]:
        out = tmp_path / "all.warc.gz"
        export(crawl.connection, tmp_path, "warc", out, relevant_only)
        with out.open("rb") as file:
            info, *pages = [record.content_stream().read() for record in ArchiveIterator(file, check_digests="raise")]
        assert b"software: Shoal" in info
        return pages

    assert bodies(False) == [f"电网 {order}".encode("gbk") for order in (1, 2, 3)]
    assert bodies(True) == [f"电网 {order}".encode("gbk") for order in (1, 3)]


def test_an_older_export_stays_until_the_new_one_is_complete(crawl: HandMade, tmp_path: Path) -> None:
    out = tmp_path / "pages.warc.gz"
    out.write_bytes(b"older")
    crawl.page("https://example.org/", 1, warc_file="pages-00001.warc.gz", warc_offset=0)  # which is missing
    with pytest.raises(FolderError, match=r"pages-00001\.warc\.gz"):
        export(crawl.connection, tmp_path, "warc", out, False)
    assert out.read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir()] == ["pages.warc.gz"]


def test_a_link_keeps_its_place(small: HandMade, tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").touch()
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    export(small.connection, tmp_path, "jsonl", tmp_path / "link.jsonl", False)
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_bytes().count(b"\n") == 4


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        (lambda folder: folder, "Is a directory"),
        (lambda folder: folder / "missing" / "pages.jsonl", "No such file"),
        (lambda folder: folder / "pages-00001.warc.gz", "a file of the crawl itself"),
        (lambda folder: folder / "crawl.sqlite", "a file of the crawl itself"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_sentence(
    small: HandMade, tmp_path: Path, out: Callable[[Path], Path], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        export(small.connection, tmp_path, "jsonl", out(tmp_path), False)


def test_a_full_disk_is_one_sentence_and_the_device_stays(small: HandMade) -> None:
    with pytest.raises(StorageFull, match="no room left to write /dev/full"):
        export(small.connection, Path(), "jsonl", Path("/dev/full"), False)
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_a_reader_that_goes_away_is_left_to_the_caller(small: HandMade, format: exports.Format) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb", buffering=0) as stream, pytest.raises(BrokenPipeError):
        export(small.connection, Path(), format, stream, False)
