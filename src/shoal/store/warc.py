"""Where are the bodies of the pages? In WARC 1.1 files, one gzip member per record, that any web archive tool reads.

The database says which records count. Whatever stands in a file behind the last committed position is set aside when the files
are opened again: a crash leaves it there, which is no loss; but so does an older database in the place of the one that was
lost. Only what this very run has written is ever cut off.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import uuid
import zlib
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

from isal import isal_zlib

from shoal.errors import FolderError
from shoal.files import copy_aside, set_aside, sync, write_all
from shoal.model import Response, ResponseHead
from shoal.settings import USER_AGENT
from shoal.store.crawl_folder import is_remote, storage_errors
from shoal.store.ownership import PAGE_FILE

Position = tuple[str, int]
"""A file name and an offset in it."""

MAX_FILE_BYTES = 10**9
"""The size that the WARC standard recommends."""
# igzip's level 1 packs as small as zlib's (3.1 : 1) in a third of the time.
_LEVEL = 1
_END = b"\r\n\r\n"
_GZIP = 31  # zlib's code for "with a gzip header"
_LARGEST_HEAD = 2**20
"""Bytes of a record beside its body."""
_MARKED = re.compile(r"pages-[0-9a-f]{8}-.*")
"""The name says which of several folders has the file."""
_ASIDE = "aside"
_READ_BYTES = 64 * 2**10
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
# The body is stored decoded, so what described its way through the wire would be a lie.
_WIRE_HEADERS = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


class Bodies(Protocol):
    """Where the bodies of pages and images go."""

    @property
    def position(self) -> Position: ...
    def write(self, response: Response) -> Position: ...
    def append(self, member: bytes) -> Position: ...
    def sync(self) -> None: ...
    def rewind(self, position: Position) -> None: ...
    def close(self) -> None: ...


class WarcWriter:
    """Appends pages to the files of one folder; each record is in its file whole, or not at all."""

    def __init__(
        self,
        folder: Path,
        committed: Position | None,
        *,
        user_agent: str = USER_AGENT,
        contact: str = "",
        mark: str = "",
        max_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        """The mark tells the files of this folder from those that other machines have of the same crawl."""
        self._folder = folder
        self._about = {"http-header-user-agent": user_agent} | ({"operator": contact} if contact else {})
        self._max_bytes = max_bytes
        name, offset = committed or (_file_name(1, mark), 0)
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            _set_aside(folder, name, offset)
        # Changed only by `_open` and `_put`; this object is the only writer of the folder.
        self._name, self._file, self._offset, self._first_page, self._is_new = name, -1, 0, 0, False
        self._open(name)

    @property
    def position(self) -> Position:
        """Where the next record will begin; commit this after `sync`."""
        return self._name, self._offset

    def write(self, response: Response) -> Position:
        """Append a page; the answer says where it stands."""
        return self.append(response_member(response, payload_digest(response.body)))

    def append(self, member: bytes) -> Position:
        """Append a record that is packed already; the answer says where it stands."""
        # A file holds at least one page, however large that is.
        if self._offset + len(member) > self._max_bytes and self._offset > self._first_page:
            self.sync()
            self.close()
            self._open(_file_name(_number(self._name) + 1, _mark(self._name)))
        return self._put(member)

    def sync(self) -> None:
        """Return when everything written is on the disk."""
        with storage_errors(self._folder):
            os.fsync(self._file)
            if self._is_new:
                sync(self._folder)
                sync(self._folder.parent)
                self._is_new = False

    def rewind(self, position: Position) -> None:
        """Forget what was written behind this position."""
        self.close()
        with storage_errors(self._folder):
            _cut_off(self._folder, *position)
        self._open(position[0])

    def close(self) -> None:
        """Let go of the file; what was not synced may be lost with the power."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _put(self, member: bytes) -> Position:
        start = self._offset
        with storage_errors(self._folder):
            try:
                write_all(self._file, member)
            except OSError:
                if os.fstat(self._file).st_size > start:
                    os.ftruncate(self._file, start)
                raise
        self._offset = start + len(member)
        return self._name, start

    def _open(self, name: str) -> None:
        path = self._folder / name
        with storage_errors(self._folder):
            self._is_new = not path.exists()
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
            self._name, self._offset = name, os.fstat(self._file).st_size
        if not self._offset:
            self._put(info_member(name, self._about))
            self._first_page = self._offset


def info_member(name: str, about: dict[str, str]) -> bytes:
    """The gzip member every WARC file begins with: who made it, and how."""
    lines = {
        "software": f"{USER_AGENT} (focused crawler)",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots": "RFC 9309, obeyed",
    } | about
    block = _lines(lines)
    head = {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": _new_id(),
        "WARC-Date": _date(datetime.now(UTC).timestamp()),
        "WARC-Filename": name,
        "Content-Type": "application/warc-fields",
        "Content-Length": str(len(block)),
    }
    return _compress(b"".join((b"WARC/1.1\r\n", _lines(head), b"\r\n", block, b"\r\n\r\n")))


def read_body(folder: Path, file: str, offset: int) -> bytes:
    """The body of the page at a position; of a revisit record, which has none, an empty one."""
    record = _read_member(folder / file, offset)[1]
    head_end = record.find(b"\r\n\r\n") + 4
    body_start = record.find(b"\r\n\r\n", head_end) + 4
    if head_end < 4 or body_start < 4:
        raise FolderError(f"The page file {folder / file} is damaged at byte {offset}.")
    return record[body_start:-4]


def read_raw(folder: Path, file: str, offset: int) -> bytes:
    """The record at a position as it stands in the file, for copying into another WARC file."""
    return _read_member(folder / file, offset)[0]


def _read_member(path: Path, offset: int) -> tuple[bytes, bytes]:
    """One gzip member, packed and unpacked."""
    if is_elsewhere(path.parent, path.name):
        raise FolderError(
            f"The page file {path.name} is not in {path.parent}: the machine that fetched the page has it."
        )
    unpack = zlib.decompressobj(wbits=_GZIP)
    packed, unpacked = bytearray(), bytearray()
    try:
        with path.open("rb") as file:
            file.seek(offset)
            while not unpack.eof and (chunk := file.read(_READ_BYTES)):
                packed += chunk
                unpacked += unpack.decompress(chunk)
    except (OSError, zlib.error) as error:
        raise FolderError(f"The page file {path} cannot be read at byte {offset}: {error}.") from error
    if not unpack.eof:
        raise FolderError(f"The page file {path} ends within the page at byte {offset}.")
    return bytes(packed[: len(packed) - len(unpack.unused_data)]), bytes(unpacked)


# --- records ---------------------------------------------------------------------------------------------------------


def response_member(response: Response, payload: str) -> bytes:
    """The record of a page with its body; `payload` is `payload_digest` of that."""
    fields = {"WARC-Payload-Digest": payload}
    if response.truncated:
        fields["WARC-Truncated"] = "length"
    return _compress(_record("response", response, fields, _http_head(response, len(response.body)), response.body))


def revisit_member(response: ResponseHead, size: int, payload: str, original_url: str, original_time: float) -> bytes:
    """A note that the page has the very bytes of another one, which was fetched at `original_time`.

    `size` and `payload` (`payload_digest`) say what they were.
    """
    fields = {
        "WARC-Payload-Digest": payload,
        "WARC-Profile": _IDENTICAL,
        "WARC-Refers-To-Target-URI": original_url,
        "WARC-Refers-To-Date": _date(original_time),
    }
    return _compress(_record("revisit", response, fields, _http_head(response, size), b""))


def is_whole(member: bytes, size: int) -> bool:
    """True when another machine has made one record with a body of this size: else nobody could read what stands behind it."""
    try:
        opened = isal_zlib.decompressobj(wbits=_GZIP)
        record = opened.decompress(member, size + _LARGEST_HEAD)
    except isal_zlib.error:  # type: ignore[misc]  # wrong in isal's own types
        return False
    if not (opened.eof and not opened.unused_data and record.startswith(b"WARC/1.1\r\n") and record.endswith(_END)):
        return False
    head = record.find(_END)
    said = record[:head].rpartition(b"Content-Length: ")[2]
    return len(said) < 20 and said.isdigit() and int(said) == len(record) - head - 2 * len(_END)


def dated(member: bytes, at: float) -> bytes:
    """A record as if it had been made for an answer of this moment."""
    head, date, rest = bytes(isal_zlib.decompress(member, _GZIP)).partition(b"WARC-Date: ")
    return _compress(head + date + _date(at).encode() + rest[rest.index(b"\r\n") :])


def payload_digest(body: bytes) -> str:
    """What tells web archives that two bodies are the same."""
    return "sha1:" + base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()


def _record(kind: str, response: ResponseHead, fields: dict[str, str], http_head: bytes, body: bytes) -> bytes:
    head = {
        "WARC-Type": kind,
        "WARC-Record-ID": _new_id(),
        "WARC-Target-URI": response.url,
        "WARC-Date": _date(response.timing.answered),  # what the database calls `fetched_at`
    }
    if response.timing.address:
        head["WARC-IP-Address"] = response.timing.address
    head |= fields
    head["Content-Type"] = "application/http; msgtype=response"
    head["Content-Length"] = str(len(http_head) + len(body))
    return b"".join((b"WARC/1.1\r\n", _lines(head), b"\r\n", http_head, body, b"\r\n\r\n"))


def _http_head(response: ResponseHead, size: int) -> bytes:
    """Status line and headers as received, save that the body stands here decoded."""
    headers = [f"{name}: {_one_line(value)}\r\n" for name, value in response.headers if name not in _WIRE_HEADERS]
    phrase = _PHRASES.get(response.status, "")
    text = f"HTTP/1.1 {response.status} {phrase}\r\n{''.join(headers)}content-length: {size}\r\n\r\n"
    # aiohttp keeps bytes that are not UTF-8 as surrogates; this gives the same bytes back.
    return text.encode("utf-8", "surrogateescape")


def _lines(fields: dict[str, str]) -> bytes:
    text = "".join([f"{name}: {_one_line(value)}\r\n" for name, value in fields.items()])
    return text.encode("utf-8", "surrogateescape")


def _one_line(value: str) -> str:
    """A stranger's header must not be able to begin a line of ours."""
    if "\n" in value or "\r" in value:
        return value.replace("\r", " ").replace("\n", " ")
    return value


def _date(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _new_id() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"


def _compress(record: bytes) -> bytes:
    packer = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP)
    return bytes(packer.compress(record) + packer.flush())


# --- files -----------------------------------------------------------------------------------------------------------


def _file_name(number: int, mark: str) -> str:
    return f"pages-{mark}-{number:05}.warc.gz" if mark else f"pages-{number:05}.warc.gz"


def is_page_file(name: str) -> bool:
    """True for the names this module gives; what else is in the folder belongs to others."""
    return PAGE_FILE.fullmatch(name) is not None


def is_elsewhere(folder: Path, name: str) -> bool:
    """True for a file that another machine has."""
    return not (folder / name).exists() and (_MARKED.fullmatch(name) is not None or is_remote(folder))


def series_and_number(name: str) -> tuple[str, int]:
    """Which files of a folder follow each other, and the place of this one among them."""
    return _mark(name), _number(name)


def _number(name: str) -> int:
    return int(name.removesuffix(".warc.gz").rpartition("-")[2])


def _mark(name: str) -> str:
    return name.removeprefix("pages-").rpartition("-")[0]


def _later(folder: Path, name: str) -> list[Path]:
    """The files of the same series behind this one."""
    found = [path for path in folder.iterdir() if is_page_file(path.name) and _mark(path.name) == _mark(name)]
    return [path for path in found if _number(path.name) > _number(name)]


def _set_aside(folder: Path, name: str, offset: int) -> None:
    """What an earlier run left behind the committed position gets another name: later files, and the end of the last one."""
    for path in _later(folder, name):
        set_aside(path, _ASIDE)
    path = folder / name
    size = _size(path, offset)
    if size and not offset:
        set_aside(path, _ASIDE)
    elif size > offset:
        with path.open("rb") as file:
            file.seek(offset)
            copy_aside(file, path, _ASIDE)
        os.truncate(path, offset)


def _cut_off(folder: Path, name: str, offset: int) -> None:
    """Remove what this run has written behind a position: later files, and the end of the last one."""
    for path in _later(folder, name):
        path.unlink()
    if _size(folder / name, offset) > offset:
        os.truncate(folder / name, offset)


def _size(path: Path, offset: int) -> int:
    size = path.stat().st_size if path.exists() else 0
    if size < offset:
        raise FolderError(f"The page file {path} has {size} bytes, but the database knows of {offset}.")
    return size
