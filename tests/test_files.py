"""Whatever happens while a file is written: there is the old one or the new one, all of it, and nothing else."""

from __future__ import annotations

import errno
import io
import os
import threading
from pathlib import Path

import pytest

from shoal import files
from shoal.errors import InputError, StorageFull
from tests.bad_luck import contents


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


# --- how a file becomes whole ----------------------------------------------------------------------------------------


def test_a_file_is_replaced_when_all_of_the_new_one_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    with files.replaced(path) as stream:
        stream.write(b"new")
        assert path.read_text() == "old"
    assert contents(tmp_path) == {"a": b"new"}
    assert path.stat().st_mode & 0o777 == 0o640, "who may read it does not change"


def test_what_goes_wrong_on_the_way_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(TypeError), files.replaced(tmp_path / "a") as stream:
        stream.writelines([b"half", "no bytes"])  # type: ignore[list-item]
    assert contents(tmp_path) == {"a": b"old"}


def test_a_link_and_a_device_keep_their_place(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "null").symlink_to(os.devnull)
    for name in ("link", "null"):
        with files.written(tmp_path / name) as stream:
            stream.write(b"new")
        assert (tmp_path / name).is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert not Path(os.devnull).is_file()


def test_a_file_that_is_to_be_new_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    with pytest.raises(FileExistsError), files.created(tmp_path / "a"):
        pytest.fail("it was opened")
    assert (tmp_path / "a").read_text() == "mine"


def test_a_secret_file_is_nobody_elses_from_the_first_byte_on(tmp_path: Path) -> None:
    with files.created(tmp_path / "a", mode=0o600):
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_bytes_that_are_taken_in_parts_all_arrive() -> None:
    data = os.urandom(2**20)  # more than a pipe takes at once
    read, write = os.pipe()
    got: list[bytes] = []

    def drain() -> None:
        with open(read, "rb") as stream:
            got.append(stream.read())

    reader = threading.Thread(target=drain)
    reader.start()
    os.set_blocking(write, True)
    files.write_all(write, data)
    os.close(write)
    reader.join()
    assert got == [data]


# --- which name it gets ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_a_name_that_somebody_has_stays_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    if not links:

        def refuse(*_: object) -> None:
            raise OSError(errno.EPERM, "no links on this disk")

        monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "part").write_text("ours")
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(FileExistsError):
        files.place(tmp_path / "part", tmp_path / "taken")
    files.place(tmp_path / "part", tmp_path / "free")
    assert contents(tmp_path) == {"taken": b"mine", "free": b"ours"}


def test_what_is_set_aside_twice_in_a_second_has_two_names(tmp_path: Path) -> None:
    asides = [files.copy_aside(io.BytesIO(data), tmp_path / "a", "cut-off") for data in (b"1", b"2")]
    assert [path.read_bytes() for path in asides] == [b"1", b"2"]
    assert names(tmp_path) == sorted(path.name for path in asides)
    assert all(path.name.startswith("a.cut-off-") for path in asides)


# --- what the disk says ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "x"), True),
        (OSError(errno.EDQUOT, "x"), True),
        (OSError(errno.EFBIG, "x"), True),
        (OSError(errno.EACCES, "No space left on device"), False),
        (ValueError("An IO error occurred: 'No space left on device (os error 28)'"), True),
        (ValueError("something else"), False),
    ],
)
def test_a_full_disk_is_known_as_one(error: Exception, full: bool) -> None:
    assert files.is_full(error) is full


def test_what_the_disk_says_is_one_sentence(tmp_path: Path) -> None:
    full, nowhere = Path("/dev/full"), tmp_path / "no" / "such"
    with (
        pytest.raises(StorageFull, match=r"^There is no room left to write /dev/full\.$"),
        files.written(full) as stream,
    ):
        stream.write(b"x")
    with pytest.raises(InputError, match=r"^Cannot write .*/no/such: No such file.*\.$"), files.written(nowhere):
        pytest.fail("it was opened")
    with pytest.raises(BrokenPipeError), files.complaints("x"):
        raise BrokenPipeError


# --- what a user named -----------------------------------------------------------------------------------------------


def test_what_a_user_named_and_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeff电网".encode())
    (tmp_path / "gbk").write_bytes("电网".encode("gbk"))
    (tmp_path / "link").symlink_to("link")
    assert files.read_text(tmp_path / "a", "topic file", 9) == "电网"
    for name, complaint in {
        "none": ": there is no such topic file",
        ".": " is a folder; give the path of a topic file",
        "a/b": " cannot be read: Not a directory",
        "link": " cannot be read: Too many levels of symbolic links",
        "gbk": " is not UTF-8 text (byte 0); save it as UTF-8",
    }.items():
        with pytest.raises(InputError) as refused:
            files.read_text(tmp_path / name, "topic file", 9)
        assert str(refused.value) == f"{tmp_path / name}{complaint}"
    with pytest.raises(InputError, match=r"is too large for a model file: at most 1 MiB are read$"):
        files.read_bytes(Path("/dev/zero"), "model file", 2**20)


def test_what_is_not_there_cannot_be_written(tmp_path: Path) -> None:
    assert files.may(tmp_path, os.W_OK)
    assert not files.may(tmp_path / "none", os.W_OK)
