"""A model file is what it was, or one sentence: whoever made it, whatever happened to it on the way."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from random import Random

import msgspec
import pytest

from shoal.errors import InputError, StorageFull
from shoal.model import Term, Topic
from shoal.store import strategy_memory
from shoal.store.strategy_memory import FORMAT, LARGEST, Model, pack, read_model, write_model

MODEL = Model(
    strategy="fish-improved",
    shoal="0.1.0",
    topic=Topic(
        name="智能电网",
        terms=(Term(text="电网"), Term(text="power grid", weight=0.5)),
        any=(Topic(name="电网", terms=(Term(text="电网"),)),),
        threshold=0.2,
    ),
    pages=1234,
    at=1_800_000_000,
    knowledge=Random(1).randbytes(5000),
)
HEAD = b"shoal model, format 1\n"


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_model(path)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    return sentence.removeprefix(str(path))


def packed(value: object) -> bytes:
    return HEAD + zlib.compress(msgspec.msgpack.encode(value))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "模型 1.model"
    size = write_model(path, MODEL)
    assert read_model(path) == MODEL
    assert path.stat().st_size == size == len(pack(MODEL))
    assert [file.name for file in tmp_path.iterdir()] == [path.name], "nothing else is left"


def test_the_file_says_what_it_is() -> None:
    assert pack(MODEL).startswith(HEAD)
    assert f"format {FORMAT}\n".encode() in HEAD


def test_knowledge_is_packed() -> None:
    assert len(pack(msgspec.structs.replace(MODEL, knowledge=bytes(100_000)))) < 2_000


# --- files that are none ---------------------------------------------------------------------------------------------


STRANGERS: dict[str, bytes] = {
    "empty": b"",
    "text": b"hello",
    "gbk": "电网".encode("gbk"),
    "pickle": b"\x80\x04\x95",
    "database": b"SQLite format 3\0",
    "nearly": b"shoal model 1\nx",
    "without its first byte": pack(MODEL)[1:],
}


@pytest.mark.parametrize("content", STRANGERS.values(), ids=STRANGERS)
def test_another_file_is_not_a_model_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    assert complaint(tmp_path / "x") == " is not a model file: shoal model export makes them."


def test_a_truncated_file_is_truncated_wherever_it_was_cut(tmp_path: Path) -> None:
    whole, path = pack(MODEL), tmp_path / "cut"
    places = [*range(1, len(HEAD) + 30), *range(len(HEAD) + 30, len(whole), 97), len(whole) - 1]
    for place in places:
        path.write_bytes(whole[:place])
        assert complaint(path) == " is truncated: its end is missing, so copy or export it again.", place


def test_a_file_in_which_one_byte_changed_is_noticed(tmp_path: Path) -> None:
    whole, path = pack(MODEL), tmp_path / "changed"
    for place in range(len(HEAD), len(whole), 101):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        assert any(word in complaint(path) for word in (" is damaged:", " is truncated:")), place


AS_BUILTINS = msgspec.structs.asdict(MODEL)
DAMAGED: dict[str, bytes] = {
    "not packed": HEAD + b"not packed",
    "tail": pack(MODEL) + b"more",
    "number": packed(17),
    "little": packed({"strategy": "fish"}),
    "escape": packed(AS_BUILTINS | {"strategy": "\x1b[31mred"}),
    "newline": packed(AS_BUILTINS | {"strategy": "fish\n"}),
    "version": packed(AS_BUILTINS | {"shoal": "9" * 65}),
    "pages": packed(AS_BUILTINS | {"pages": -1}),
    "year 33658": packed(AS_BUILTINS | {"at": 10**12}),
    "no time": packed(AS_BUILTINS | {"at": float("nan")}),
    "knowledge": packed(AS_BUILTINS | {"knowledge": 5}),
    "not text": HEAD + zlib.compress(b"\x81\xa8strategy\xa2\xe7\x94"),
    "nested": HEAD + zlib.compress(b"\x91" * 100_000),
    "nested topics": HEAD + zlib.compress(b"\x81\xa5topic" + b"\x81\xa3any\x91" * 50_000),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_file_with_something_else_in_it_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    assert complaint(tmp_path / "x") == " is damaged: it begins like a model file, but the rest is none."


@pytest.mark.parametrize("version", [0, 2, 999_999_999])
def test_a_file_of_another_version_is_refused(tmp_path: Path, version: int) -> None:
    (tmp_path / "x").write_bytes(b"shoal model, format %d\nwho knows" % version)
    assert complaint(tmp_path / "x") == (
        f" was written by another version of shoal (format {version}, this one reads {FORMAT})."
    )


# --- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as stream:
        stream.write(HEAD)
        stream.truncate(LARGEST + 1)  # takes no room on the disk
    assert complaint(path) == " is too large for a model file: at most 64 MiB are read"
    assert "too large" in complaint(Path("/dev/zero"))


@pytest.mark.slow
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path: Path) -> None:
    packing = zlib.compressobj(9)
    million = bytes(2**20)
    bomb = b"".join(packing.compress(million) for _ in range(65)) + packing.flush()
    assert len(bomb) < 100_000
    (tmp_path / "bomb").write_bytes(HEAD + bomb)
    assert complaint(tmp_path / "bomb") == " is too large for a model file: at most 64 MiB are read unpacked"


def test_what_nobody_could_read_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy_memory, "LARGEST", 5_000)
    with pytest.raises(InputError, match="What was learned is too large for a model file"):
        write_model(tmp_path / "x", MODEL)
    assert list(tmp_path.iterdir()) == []


# --- places ----------------------------------------------------------------------------------------------------------


def test_places_that_hold_no_file(tmp_path: Path) -> None:
    assert complaint(tmp_path / "没有") == ": there is no such model file"
    assert complaint(tmp_path) == " is a folder; give the path of a model file"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory"):
        write_model(tmp_path / "missing" / "x", MODEL)
    with pytest.raises(InputError, match="Is a directory"):
        write_model(tmp_path, MODEL)
    with pytest.raises(StorageFull, match="There is no room left to write /dev/full"):
        write_model(Path("/dev/full"), MODEL)


def test_an_older_file_is_replaced_and_a_link_stays_one(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    os.symlink("target", link)
    write_model(link, MODEL)
    assert link.is_symlink()
    assert read_model(target) == MODEL
