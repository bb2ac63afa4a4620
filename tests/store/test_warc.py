"""Page bodies in WARC files: other tools read them, crashes leave nothing half, a full disk is one sentence."""

from __future__ import annotations

import gzip
import io
import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from shoal.errors import FolderError, StorageFull
from shoal.model import Response, Timing
from shoal.store.warc import WarcWriter, is_page_file, payload_digest, read_body, read_raw, revisit_member

FIRST = "pages-00001.warc.gz"
SECOND = "pages-00002.warc.gz"
CHINESE = "<title>变电站</title><p>电网与智能电网</p>".encode("gb18030")


def response(url: str = "https://example.org/", body: bytes = b"<p>power grid</p>", **changes: Any) -> Response:
    values: dict[str, Any] = {
        "status": 200,
        "headers": (("content-type", "text/html"), ("set-cookie", "a=1"), ("set-cookie", "b=2")),
        "timing": Timing(started=1_800_000_000.0, answered=1_800_000_000.25, ended=1_800_000_001.0),
    }
    return Response(url=url, body=body, **(values | changes))


def records(path: Path) -> list[tuple[Any, bytes]]:
    """Every record as warcio sees it, its digests checked."""
    with path.open("rb") as file:
        return [(record, record.content_stream().read()) for record in ArchiveIterator(file, check_digests="raise")]


def test_another_reader_gets_every_page_back(tmp_path: Path) -> None:
    bodies = [b"", b"<p>power grid</p>", CHINESE, bytes(range(256)) * 200, b"\r\n\r\n<p>blank lines first"]
    with closing(WarcWriter(tmp_path, None, contact="https://example.net/bot")) as writer:
        for number, body in enumerate(bodies):
            writer.write(response(f"https://example.org/{number}", body))
    info, *pages = records(tmp_path / FIRST)
    assert info[0].rec_type == "warcinfo"
    assert b"software: Shoal/" in info[1]
    assert b"robots: RFC 9309" in info[1]
    assert b"operator: https://example.net/bot" in info[1]
    assert [body for _, body in pages] == bodies
    assert [record.rec_headers["WARC-Target-URI"] for record, _ in pages] == [
        f"https://example.org/{number}" for number in range(len(bodies))
    ]
    assert len({record.rec_headers["WARC-Record-ID"] for record, _ in pages}) == len(bodies)


def test_a_record_says_when_and_where_the_page_came_from(tmp_path: Path) -> None:
    timing = Timing(started=1_800_000_000.0, answered=1_800_000_000.25, ended=1_800_000_001.0, address="2001:db8::1")
    with closing(WarcWriter(tmp_path, None)) as writer:
        writer.write(response(timing=timing, truncated=True))
    head = records(tmp_path / FIRST)[1][0].rec_headers
    assert head.protocol == "WARC/1.1"
    assert head["WARC-Type"] == "response"
    assert head["WARC-Date"] == "2027-01-15T08:00:00.250Z"
    assert head["WARC-IP-Address"] == "2001:db8::1"
    assert head["WARC-Truncated"] == "length"
    assert head["Content-Type"] == "application/http; msgtype=response"


def test_headers_are_kept_except_those_about_the_way_through_the_wire(tmp_path: Path) -> None:
    received = (
        ("content-type", "text/html; charset=gbk"),
        ("content-encoding", "gzip"),
        ("transfer-encoding", "chunked"),
        ("content-length", "17"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("x-bytes", "caf\udce9"),
        ("x-evil", "a\r\ninjected: yes"),
    )
    with closing(WarcWriter(tmp_path, None)) as writer:
        place = writer.write(response(body=CHINESE, status=203, headers=received))
    record = records(tmp_path / FIRST)[1][0]
    assert record.http_headers.get_statuscode() == "203"
    assert record.http_headers.headers[:4] == [
        ("content-type", "text/html; charset=gbk"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("x-bytes", record.http_headers["x-bytes"]),
    ]
    assert record.http_headers.headers[4:] == [("x-evil", "a  injected: yes"), ("content-length", str(len(CHINESE)))]
    assert b"caf\xe9\r\n" in unpacked(tmp_path, place)


def unpacked(folder: Path, place: tuple[str, int]) -> bytes:
    stream = ArchiveIterator(io.BytesIO(read_raw(folder, *place)), no_record_parse=True)
    return bytes(next(iter(stream)).raw_stream.read())


def test_a_body_is_read_back_byte_by_byte(tmp_path: Path) -> None:
    large = bytes(range(256)) * 4000
    with closing(WarcWriter(tmp_path, None)) as writer:
        places = [writer.write(response(body=body)) for body in (CHINESE, b"", large)]
    assert [read_body(tmp_path, *place) for place in places] == [CHINESE, b"", large]


def test_a_revisit_points_to_the_page_with_the_same_bytes(tmp_path: Path) -> None:
    with closing(WarcWriter(tmp_path, None)) as writer:
        writer.write(response("https://example.org/one"))
        copied = response("https://example.org/two")
        digest = payload_digest(copied.body)
        place = writer.append(
            revisit_member(copied, len(copied.body), digest, "https://example.org/one", 1_800_000_000.25)
        )
    _, (original, _), (copy, body) = records(tmp_path / FIRST)
    assert copy.rec_type == "revisit"
    assert body == b""
    assert copy.rec_headers["WARC-Profile"].endswith("/warc/1.1/revisit/identical-payload-digest")
    assert copy.rec_headers["WARC-Refers-To-Target-URI"] == original.rec_headers["WARC-Target-URI"]
    assert copy.rec_headers["WARC-Refers-To-Date"] == original.rec_headers["WARC-Date"]
    assert copy.rec_headers["WARC-Payload-Digest"] == original.rec_headers["WARC-Payload-Digest"]
    assert read_body(tmp_path, *place) == b""


def test_a_file_that_is_large_enough_is_followed_by_another(tmp_path: Path) -> None:
    body = bytes(range(256)) * 8
    with closing(WarcWriter(tmp_path, None, max_bytes=3000)) as writer:
        places = [writer.write(response(f"https://example.org/{number}", body)) for number in range(20)]
        writer.sync()
        assert writer.position[0] == places[-1][0]
    files = sorted(path.name for path in tmp_path.iterdir())
    assert len(files) > 2
    assert all((tmp_path / name).stat().st_size <= 3000 for name in files)
    assert [records(tmp_path / name)[0][0].rec_type for name in files] == ["warcinfo"] * len(files)
    assert [read_body(tmp_path, *place) for place in places] == [body] * 20


def test_a_page_larger_than_a_file_still_finds_its_place(tmp_path: Path) -> None:
    with closing(WarcWriter(tmp_path, None, max_bytes=10)) as writer:
        places = [writer.write(response()) for _ in range(3)]
    assert [file for file, _ in places] == [FIRST, SECOND, "pages-00003.warc.gz"]


def test_what_was_never_committed_is_set_aside(tmp_path: Path) -> None:
    """It may be what a crash left; it may also be all that is left of a database that is lost."""
    with closing(WarcWriter(tmp_path, None, max_bytes=900)) as writer:
        writer.write(response("https://example.org/kept"))
        committed = writer.position
        for _ in range(5):
            writer.write(response("https://example.org/lost"))
        assert writer.position[0] != committed[0]
    before = sorted(path.read_bytes() for path in tmp_path.iterdir())
    with closing(WarcWriter(tmp_path, committed)) as writer:
        assert writer.position == committed
        assert [path.name for path in tmp_path.iterdir() if is_page_file(path.name)] == [FIRST]
        aside = sorted(path.read_bytes() for path in tmp_path.iterdir() if ".aside-" in path.name)
        first = (tmp_path / FIRST).read_bytes()
        assert sorted([*aside, first]) == before, "not a byte is lost"
        writer.write(response("https://example.org/new"))
    urls = [record.rec_headers["WARC-Target-URI"] for record, _ in records(tmp_path / FIRST)]
    assert urls == [None, "https://example.org/kept", "https://example.org/new"]


def test_a_crawl_that_never_committed_starts_from_nothing(tmp_path: Path) -> None:
    (tmp_path / FIRST).write_bytes(b"half a record")
    (tmp_path / SECOND).write_bytes(b"another")
    (tmp_path / "pages-mine.warc.gz").write_bytes(b"not ours")
    with closing(WarcWriter(tmp_path, None)) as writer:
        writer.write(response())
    assert len(records(tmp_path / FIRST)) == 2
    assert not (tmp_path / SECOND).exists()
    aside = sorted(path.read_bytes() for path in tmp_path.iterdir() if ".aside-" in path.name)
    assert aside == [b"another", b"half a record"]
    assert (tmp_path / "pages-mine.warc.gz").read_bytes() == b"not ours"


def test_the_end_of_a_file_that_a_database_does_not_know_is_set_aside(tmp_path: Path) -> None:
    with closing(WarcWriter(tmp_path, None)) as writer:
        writer.write(response("https://example.org/kept"))
        committed = writer.position
        writer.write(response("https://example.org/behind"))
    before = (tmp_path / FIRST).read_bytes()
    WarcWriter(tmp_path, committed).close()
    (aside,) = tmp_path.glob("*.aside-*")
    assert (tmp_path / FIRST).read_bytes() + aside.read_bytes() == before


@pytest.mark.parametrize("there", [None, b"short"])
def test_a_file_with_fewer_bytes_than_the_database_knows_is_refused(tmp_path: Path, there: bytes | None) -> None:
    if there is not None:
        (tmp_path / FIRST).write_bytes(there)
    with pytest.raises(FolderError, match="the database knows of 100"):
        WarcWriter(tmp_path, (FIRST, 100))


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match="cannot be used: Not a directory"):
        WarcWriter(tmp_path / "file" / "pages", None)


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / FIRST).symlink_to("/dev/full")
    with pytest.raises(StorageFull, match="The disk is full: make room where"):
        WarcWriter(tmp_path, (FIRST, 0))


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process may grow beyond this size: the kernel takes a part of a write, then refuses the rest."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_page_that_did_not_fit_leaves_nothing_behind(tmp_path: Path) -> None:
    incompressible = bytes((number * number * 2654435761 >> 7) & 255 for number in range(20_000))
    with closing(WarcWriter(tmp_path, None)) as writer:
        writer.write(response("https://example.org/before"))
        position = writer.position
        with largest_file(position[1] + 500), pytest.raises(StorageFull):
            writer.write(response("https://example.org/too-much", incompressible))
        assert writer.position == position
        assert (tmp_path / FIRST).stat().st_size == position[1]
        writer.write(response("https://example.org/after"))
    assert len(records(tmp_path / FIRST)) == 3


def test_a_damaged_page_file_is_named(tmp_path: Path) -> None:
    with closing(WarcWriter(tmp_path, None)) as writer:
        file, offset = writer.write(response())
    with pytest.raises(FolderError, match="cannot be read at byte 3"):
        read_body(tmp_path, file, 3)
    with pytest.raises(FolderError, match="cannot be read at byte 0"):
        read_body(tmp_path, "pages-00009.warc.gz", 0)
    with (tmp_path / file).open("r+b") as damaged:
        damaged.truncate(offset + 50)
    with pytest.raises(FolderError, match="ends within the page"):
        read_body(tmp_path, file, offset)


def test_what_is_packed_but_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / FIRST).write_bytes(gzip.compress(b"not a record"))
    with pytest.raises(FolderError, match="is damaged at byte 0"):
        read_body(tmp_path, FIRST, 0)
