"""What can still be read of the page files? Every record that is whole, and what is lost is named by its bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.model import Response, Timing
from shoal.store.recovery import LostRecord, Passed, SalvagedRecord, next_file, page_files, records
from shoal.store.warc import info_member, payload_digest, read_body, response_member, revisit_member

NAME = "pages-00001.warc.gz"


def response(number: int, at: float = 1_700_000_000.0) -> Response:
    timing = Timing(started=at, answered=at, ended=at)
    body = f"<p>电网 {number}".encode() * 50
    headers = (("content-type", "text/html"),)
    return Response(url=f"http://a.test/{number}", status=200, headers=headers, body=body, timing=timing)


def member(number: int, at: float = 1_700_000_000.0) -> bytes:
    made = response(number, at)
    return response_member(made, payload_digest(made.body))


def salvaged(*files: Path) -> list[int | str]:
    """The number of each page that was read, and what was read besides."""
    found = records(list(files))
    return [
        int(one.response.url.rpartition("/")[2]) if isinstance(one, SalvagedRecord) else type(one).__name__
        for one in found
    ]


def test_whole_records_come_with_their_bodies_and_places(tmp_path: Path) -> None:
    info, one, two = info_member(NAME, {}), member(1), member(2)
    (tmp_path / NAME).write_bytes(info + one + two)
    head, first, second = records([tmp_path / NAME])
    assert head == Passed(place=(NAME, 0))
    assert isinstance(first, SalvagedRecord)
    assert isinstance(second, SalvagedRecord)
    assert first.response.body == response(1).body
    assert (first.at, first.is_copy) == (1_700_000_000.0, False)
    assert second.place == (NAME, len(info) + len(one))
    assert read_body(tmp_path, *second.place) == response(2).body


@pytest.mark.parametrize("rubbish", [b"x", b"\x1f\x8b\x08\x00\x00\x00\x00\x00", bytes(100_000)], ids=len)
def test_what_lies_between_records_is_lost_and_the_next_one_found(tmp_path: Path, rubbish: bytes) -> None:
    one, two = member(1), member(2)
    (tmp_path / NAME).write_bytes(one + rubbish + two)
    _, lost, _ = found = list(records([tmp_path / NAME]))
    assert lost == LostRecord(file=NAME, start=len(one), end=len(one) + len(rubbish))
    assert salvaged(tmp_path / NAME) == [1, "LostRecord", 2], found


def test_a_record_that_is_cut_off_is_lost_alone(tmp_path: Path) -> None:
    one, two = member(1), member(2)
    (tmp_path / NAME).write_bytes(one + two[:-1])
    *_, lost = records([tmp_path / NAME])
    assert str(lost) == f"{NAME} cannot be read from byte {len(one):,} to {len(one) + len(two) - 1:,}."
    assert salvaged(tmp_path / NAME) == [1, "LostRecord"]


def test_a_single_wrong_bit_costs_one_record(tmp_path: Path) -> None:
    one, two, three = bytearray(member(1)), member(2), member(3)
    one[len(one) // 2] ^= 1
    (tmp_path / NAME).write_bytes(bytes(one) + two + three)
    assert salvaged(tmp_path / NAME) == ["LostRecord", 2, 3]


def test_a_copy_says_that_it_is_one_and_of_which_body(tmp_path: Path) -> None:
    page = response(1)
    digest = payload_digest(page.body)
    (tmp_path / NAME).write_bytes(revisit_member(page, len(page.body), digest, "http://a.test/0", 1.0))
    (copy,) = records([tmp_path / NAME])
    assert isinstance(copy, SalvagedRecord)
    assert (copy.is_copy, copy.payload, copy.response.body) == (True, digest, b"")


def test_several_series_come_in_the_order_of_time_and_each_in_its_own(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(member(1, at=10.0) + member(4, at=40.0) + member(2, at=20.0))
    (tmp_path / "pages-0123abcd-00001.warc.gz").write_bytes(member(3, at=30.0) + member(5, at=50.0))
    assert salvaged(*page_files(tmp_path)) == [1, 3, 4, 2, 5]


def test_files_have_an_order_and_the_next_one_is_behind_all_of_them(tmp_path: Path) -> None:
    assert (page_files(tmp_path / "none"), next_file(tmp_path)) == ([], NAME)
    for name in ("pages-00010.warc.gz", "pages-00002.warc.gz", "other.warc.gz", "crawl.sqlite"):
        (tmp_path / name).touch()
    assert [path.name for path in page_files(tmp_path)] == ["pages-00002.warc.gz", "pages-00010.warc.gz"]
    assert next_file(tmp_path) == "pages-00011.warc.gz"
    assert salvaged(*page_files(tmp_path)) == [], "an empty file has nothing to lose"
