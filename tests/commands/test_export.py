"""`shoal export` writes every page in every format, and refuses places that it cannot write to."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.commands.conftest import FOLDER, HOME
from tests.shell import Shell

EXPORTED = {
    "url",
    "final_url",
    "status",
    "fetch_order",
    "fetched_at",
    "depth",
    "parent",
    "title",
    "language",
    "score",
} | {
    "relevant",
    "priority",
    "content_hash",
}


def test_jsonl_has_the_promised_fields_in_fetch_order(crawled: Shell) -> None:
    said = crawled("export")
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert [row["fetch_order"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert all(set(row) >= EXPORTED for row in rows)
    assert (said.code, said.err) == (0, "")
    moved = next(row for row in rows if row["final_url"].endswith("/new"))
    assert (moved["url"], moved["parent"], moved["depth"]) == (f"{HOME}power-grid/moved", HOME, 1)
    assert "智能电网" in [row["title"] for row in rows]


def test_csv_has_the_same_rows(crawled: Shell) -> None:
    lines = list(csv.DictReader(io.StringIO(crawled("export", "--format", "csv").out)))
    rows = [json.loads(line) for line in crawled("export", "--format", "jsonl").out.splitlines()]
    assert [line["final_url"] for line in lines] == [row["final_url"] for row in rows]


def test_only_the_relevant_pages(crawled: Shell) -> None:
    rows = [json.loads(line) for line in crawled("export", "--relevant").out.splitlines()]
    assert rows
    assert all(row["relevant"] for row in rows)


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "warc"])
def test_every_format_can_be_a_file(crawled: Shell, tmp_path: Path, format: str) -> None:
    target = tmp_path / "输 出"
    said = crawled("export", "--format", format, "--out", str(target))
    assert (said.code, said.out) == (0, "")
    assert re.match(r"[56] pages written to ", said.err)
    answer = json.loads(crawled("export", "--format", format, "--out", str(target), "--json").out)
    assert answer == {"pages": 5 if format == "warc" else 6, "file": str(target), "format": format}
    assert target.stat().st_size > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--format", "parquet"), "The format parquet is not text: name a file with --out."),
        (("--format", "warc"), "The format warc is not text: name a file with --out."),
        (("--out", "missing/file"), "Cannot write missing/file: No such file or directory."),
        (("--out", "."), "Cannot write .: Is a directory."),
        (("--out", "/dev/full"), "There is no room left to write /dev/full."),
        (("--out", f"{FOLDER}/crawl.sqlite"), "is a file of the crawl itself"),
    ],
)
def test_export_to_a_bad_place_is_one_sentence(crawled: Shell, arguments: tuple[str, ...], complaint: str) -> None:
    said = crawled("export", *arguments)
    assert complaint in said.sentence()
    assert said.code == 2
