"""What a user said of pages is never lost, whoever else writes, crashes or fills the disk."""

from __future__ import annotations

import fcntl
import logging
import os
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import FolderError, StorageFull
from shoal.model import Mark, Term, Topic
from shoal.settings import Settings
from shoal.store import crawl_folder as folders
from shoal.store.mark_log import MarkLogReader, add, read

GRID = "https://example.org/grid"
CHINESE = "https://example.org/%E7%94%B5%E7%BD%91"
DULL = "http://a.test:8080/x?q=1"
NOW = 1_800_000_000.25


def said(url: str, relevant: bool | None, at: float = NOW) -> Mark:
    return Mark(url=url, relevant=relevant, at=at)


def file_of(folder: Path) -> Path:
    return folder / "marks.jsonl"


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes; for a program that is the same as a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# --- the file --------------------------------------------------------------------------------------------------------


def test_a_crawl_of_which_nobody_said_anything_has_no_file(tmp_path: Path) -> None:
    assert read(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []


def test_what_was_said_is_read_again_the_latest_at_the_end(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True), said(CHINESE, False)])
    add(tmp_path, [said(DULL, False, NOW + 1)])
    assert list(read(tmp_path).values()) == [said(GRID, True), said(CHINESE, False), said(DULL, False, NOW + 1)]
    add(tmp_path, [said(GRID, False, NOW + 2)])
    assert list(read(tmp_path).values()) == [
        said(CHINESE, False),
        said(DULL, False, NOW + 1),
        said(GRID, False, NOW + 2),
    ]


def test_one_line_is_one_mark_in_json(tmp_path: Path) -> None:
    add(tmp_path, [said(CHINESE, True), said(GRID, None)])
    assert file_of(tmp_path).read_text() == (
        f'{{"url":"{CHINESE}","relevant":true,"at":1800000000.25}}\n'
        f'{{"url":"{GRID}","relevant":null,"at":1800000000.25}}\n'
    )


def test_what_was_taken_back_does_not_hold_until_it_is_said_again(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True), said(GRID, None)])
    assert read(tmp_path) == {}
    add(tmp_path, [said(GRID, False)])
    assert read(tmp_path) == {GRID: said(GRID, False)}


def test_it_stays_when_a_start_is_taken_back(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    made = folders.create(folder, Settings(topic=Topic(name="x", terms=(Term(text="x"),)), seeds=(GRID,)))
    add(folder, [said(GRID, True)])
    folders.remove(made)
    assert [path.name for path in folder.iterdir()] == [folders.MARKS]


def test_many_who_write_at_once_lose_nothing(tmp_path: Path) -> None:
    def write(number: int) -> None:
        add(tmp_path, [said(f"http://a.test/{number}/{part}", bool(part)) for part in range(3)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(60)))
    assert len(read(tmp_path)) == 180
    assert len(file_of(tmp_path).read_bytes().splitlines()) == 180


@pytest.mark.slow
def test_a_line_that_another_is_about_to_write_is_not_taken_for_a_torn_one(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True)])
    line = msgspec.json.encode(said(CHINESE, False)) + b"\n"
    with ThreadPoolExecutor(1) as pool, file_of(tmp_path).open("ab", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(line[:20])
        waiting = pool.submit(add, tmp_path, [said(DULL, True)])
        with pytest.raises(TimeoutError):  # it has time to do harm, and waits instead
            waiting.result(timeout=0.2)
        file.write(line[20:])
        fcntl.flock(file, fcntl.LOCK_UN)
        waiting.result(timeout=60)
    assert list(read(tmp_path)) == [GRID, CHINESE, DULL]


# --- crashes and full disks ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_line_cut_off_anywhere_costs_only_itself(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True), said(CHINESE, False)])
    whole = file_of(tmp_path).read_bytes()
    first = whole.index(b"\n") + 1
    for end in range(first, len(whole) + 1):
        file_of(tmp_path).write_bytes(whole[:end])
        # Only the newline is missing: all that was said is there.
        complete = end >= len(whole) - 1
        assert list(read(tmp_path)) == ([GRID, CHINESE] if complete else [GRID]), whole[:end]
        add(tmp_path, [said(DULL, True)])
        assert list(read(tmp_path)) == ([GRID, CHINESE, DULL] if complete else [GRID, DULL]), whole[:end]


def test_zeros_that_a_power_cut_left_at_the_end_are_ignored(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True)])
    with file_of(tmp_path).open("ab") as file:
        file.write(bytes(100))
    assert list(read(tmp_path)) == [GRID]
    add(tmp_path, [said(DULL, True)])
    assert list(read(tmp_path)) == [GRID, DULL]


@pytest.mark.parametrize("room", [0, 1, 50, 75])
def test_a_full_disk_is_one_sentence_and_leaves_the_file_as_it_was(tmp_path: Path, room: int) -> None:
    add(tmp_path, [said(GRID, True)])
    before = file_of(tmp_path).read_bytes()
    with room_for(len(before) + room), pytest.raises(StorageFull, match="The disk is full: make room where"):
        add(tmp_path, [said(DULL, True), said(CHINESE, False)])
    assert file_of(tmp_path).read_bytes() == before
    add(tmp_path, [said(CHINESE, False)])
    assert list(read(tmp_path)) == [GRID, CHINESE]


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file_of(tmp_path).mkdir()
    with pytest.raises(FolderError, match=r"^The folder .* cannot be used: Is a directory\.$"):
        add(tmp_path, [said(GRID, True)])
    with pytest.raises(FolderError, match=r"^The folder .* cannot be used: Is a directory\.$"):
        read(tmp_path)


# --- written by hand -------------------------------------------------------------------------------------------------

GOOD = f'{{"url":"{GRID}","relevant":true,"at":1}}'
BAD: dict[str, tuple[bytes, str]] = {
    "not JSON": (b"https://example.org/grid yes", "it is not a mark in JSON"),
    "cut off, and more after it": (b'{"url":"https://exam', "it is not a mark in JSON"),
    "not an object": (b"[1]", "it is not a mark in JSON"),
    "deep": (b'{"x":' + b"[" * 100_000, "it is not a mark in JSON"),
    "no mark": (f'{{"url":"{GRID}","at":1}}'.encode(), "missing required field `relevant`"),
    "not yes or no": (f'{{"url":"{GRID}","relevant":"yes","at":1}}'.encode(), "Expected `bool | null`"),
    "GBK": ('{"url":"https://example.org/电网","relevant":true,"at":1}'.encode("gbk"), "it is not a mark in JSON"),
    "not normal": (b'{"url":"HTTP://a.test","relevant":true,"at":1}', "'HTTP://a.test' is not a URL in normal"),
    "no URL": ('{"url":"电网","relevant":true,"at":1}'.encode(), "'电网' is not a URL in normal form"),
    "no time": (f'{{"url":"{GRID}","relevant":true,"at":1e300}}'.encode(), "1e+300 is not a time"),
    "before time": (f'{{"url":"{GRID}","relevant":true,"at":-1}}'.encode(), "-1 is not a time"),
}


@pytest.mark.parametrize(("line", "complaint"), BAD.values(), ids=BAD)
def test_other_damage_is_one_sentence_with_the_number_of_the_line(tmp_path: Path, line: bytes, complaint: str) -> None:
    file_of(tmp_path).write_bytes(GOOD.encode() + b"\n\n" + line + b"\n" + GOOD.encode() + b"\n")
    with pytest.raises(FolderError) as error:
        read(tmp_path)
    assert str(error.value).startswith(f"{file_of(tmp_path)}, line 3: ")
    assert complaint in str(error.value)
    assert str(error.value).endswith("; put the line right or delete it.")


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path) -> None:
    file_of(tmp_path).write_bytes(GOOD.encode() + b"\n")
    os.truncate(file_of(tmp_path), 2**34)
    with pytest.raises(FolderError, match="line 2 is too long for a mark"):
        read(tmp_path)


def test_an_editor_may_leave_empty_lines_and_carriage_returns(tmp_path: Path) -> None:
    other = GOOD.replace(GRID, DULL)
    file_of(tmp_path).write_bytes(f"\r\n{GOOD}\r\n  \r\n{other}\r\n".encode())
    assert list(read(tmp_path)) == [GRID, DULL]


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=st.binary(max_size=60))
def test_whatever_is_in_the_file_ends_no_program(tmp_path: Path, junk: bytes) -> None:
    file_of(tmp_path).write_bytes(GOOD.encode() + b"\n" + junk)
    with suppress(FolderError):
        assert GRID in read(tmp_path)
    # Whoever writes next cuts off or keeps the end; what stands before it is not theirs to judge.
    add(tmp_path, [said(DULL, True)])
    assert file_of(tmp_path).read_bytes().startswith(GOOD.encode() + b"\n" + junk.rpartition(b"\n")[0])


# --- hearing it ------------------------------------------------------------------------------------------------------


def test_a_reader_hears_everything_once(tmp_path: Path) -> None:
    reader = MarkLogReader(tmp_path)
    assert list(reader.news()) == []
    add(tmp_path, [said(GRID, True)])
    assert list(reader.news()) == [said(GRID, True)]
    assert list(reader.news()) == []
    add(tmp_path, [said(CHINESE, False), said(DULL, True)])
    assert list(reader.news()) == [said(CHINESE, False), said(DULL, True)]
    assert list(reader.news()) == []


def test_the_first_time_a_reader_hears_what_holds(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True), said(DULL, True), said(GRID, False), said(DULL, None)])
    assert list(MarkLogReader(tmp_path).news()) == [said(GRID, False)]


def test_of_several_marks_a_reader_hears_the_last(tmp_path: Path) -> None:
    reader = MarkLogReader(tmp_path)
    add(tmp_path, [said(GRID, True)])
    reader.news()
    add(tmp_path, [said(GRID, False), said(GRID, True, NOW + 1)])
    assert list(reader.news()) == [], "nothing changed in the end"
    add(tmp_path, [said(GRID, True), said(GRID, False, NOW + 2), said(DULL, True), said(DULL, None)])
    assert list(reader.news()) == [said(GRID, False, NOW + 2)]


def test_a_reader_hears_that_something_was_taken_back(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True), said(DULL, False)])
    reader = MarkLogReader(tmp_path)
    reader.news()
    add(tmp_path, [said(GRID, None, NOW + 1)])
    assert list(reader.news()) == [said(GRID, None, NOW + 1)]
    add(tmp_path, [said(GRID, False, NOW + 2)])
    assert list(reader.news()) == [said(GRID, False, NOW + 2)]


def test_a_line_that_was_deleted_is_taken_back(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True), said(DULL, False)])
    reader = MarkLogReader(tmp_path)
    reader.news()
    file_of(tmp_path).write_text(file_of(tmp_path).read_text().splitlines(keepends=True)[1])
    assert list(reader.news()) == [said(GRID, None)]
    file_of(tmp_path).unlink()
    assert list(reader.news()) == [said(DULL, None)]


def test_half_a_line_is_heard_when_it_is_whole(tmp_path: Path) -> None:
    add(tmp_path, [said(GRID, True)])
    whole = file_of(tmp_path).read_bytes()
    reader = MarkLogReader(tmp_path)
    file_of(tmp_path).write_bytes(whole[:20])
    assert list(reader.news()) == []
    file_of(tmp_path).write_bytes(whole)
    assert list(reader.news()) == [said(GRID, True)]


def test_a_damaged_file_does_not_let_a_crawl_begin(tmp_path: Path) -> None:
    file_of(tmp_path).write_text("nonsense\n")
    with pytest.raises(FolderError, match=r"marks\.jsonl, line 1"):
        MarkLogReader(tmp_path).news()


def test_a_crawl_that_goes_well_does_not_end_for_a_damaged_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    add(tmp_path, [said(GRID, True)])
    reader = MarkLogReader(tmp_path)
    reader.news()
    whole = file_of(tmp_path).read_text()
    file_of(tmp_path).write_text(f"{whole}nonsense\n")
    with caplog.at_level(logging.WARNING):
        assert [list(reader.news()) for _ in range(3)] == [[], [], []]
    assert len(caplog.messages) == 1, "it is said once, not with every commit"
    assert "marks.jsonl, line 2: it is not a mark" in caplog.messages[0]
    file_of(tmp_path).write_text(whole)
    add(tmp_path, [said(DULL, False)])
    assert list(reader.news()) == [said(DULL, False)]
