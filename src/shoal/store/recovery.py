"""What is left of a crawl when its database is lost? What it was, and every record of its page files that is whole.

A small file beside the database knows its name and its settings, without secrets. It is written whenever somebody opens the
folder to write to it, so the folders of an older shoal get one, too. A crawl in PostgreSQL has none: its database is not in
the folder, and has its own backups.

A record is a gzip member of its own. Where one cannot be read, the next is looked for byte by byte. Files are only read.
"""

from __future__ import annotations

import mmap
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from heapq import merge
from itertools import groupby
from pathlib import Path

import msgspec

from shoal.errors import FolderError
from shoal.files import replaced
from shoal.model import Response, Timing, Value
from shoal.settings import Settings, SettingsPart
from shoal.store.ownership import COPY, DATABASE
from shoal.store.proxy_password import masked
from shoal.store.warc import Position, is_page_file, series_and_number
from shoal.urls import normalise


class Spare(SettingsPart, frozen=True, kw_only=True):
    """What cannot be read from the page files."""

    format: int = 1
    crawl: str
    """The name under which others know the crawl."""
    settings: Settings


def write(folder: Path, crawl: str, settings: Settings) -> None:
    """Keep this, if it is not what is kept already."""
    spare = Spare(crawl=crawl, settings=masked(settings))
    data = msgspec.json.format(msgspec.json.encode(spare), indent=2) + b"\n"
    path = folder / COPY
    if path.is_file() and path.read_bytes() == data:
        return
    if os.path.lexists(path) and not _is_ours(path):
        raise FolderError(f"The file {path} is not shoal's: move it away, because a crawl needs this name.")
    with replaced(path) as stream:
        stream.write(data)


def read(folder: Path) -> Spare | None:
    """What is kept; None when nothing is, or it cannot be read."""
    try:
        return msgspec.json.decode((folder / COPY).read_bytes(), type=Spare)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def from_remains(folder: Path) -> Spare | None:
    """The same out of a damaged database, if so much of it can still be read."""
    try:
        with closing(sqlite3.connect(f"{(folder / DATABASE).absolute().as_uri()}?mode=ro", uri=True)) as database:
            meta = dict(database.execute("SELECT key, value FROM meta WHERE key IN ('crawl', 'settings')"))
            decode = msgspec.json.decode
            return Spare(crawl=decode(meta["crawl"], type=str), settings=decode(meta["settings"], type=Settings))
    except (sqlite3.Error, msgspec.MsgspecError, UnicodeDecodeError, KeyError, TypeError):
        return None


def _is_ours(path: Path) -> bool:
    """Also one that another version has written, or that is damaged behind its first lines."""
    try:
        with path.open("rb") as file:
            head = file.read(200)
    except OSError:
        return False
    return not head or (b'"format"' in head and b'"crawl"' in head)


_MAGIC = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
"""How each of our records begins: gzip, without a name, without a time."""
_WARC = b"WARC/"
_GZIP = 31
_CHUNK = 64 * 2**10
_SIP = 2**10
_STEP = 2**20
_LARGEST = 96 * 2**20
"""Bytes of an unpacked record; what has more is none of ours."""
_HEAD_END = b"\r\n\r\n"


class SalvagedRecord(Value, frozen=True, kw_only=True):
    """A page, or an image, as it stands in a file."""

    place: Position
    at: float
    """When it was fetched."""
    response: Response
    payload: str = ""
    """The digest of its body, by which a copy finds its original."""
    is_copy: bool = False
    """It has no body, because another record has the same one."""


class LostRecord(Value, frozen=True, kw_only=True):
    """A part of a file that cannot be read, or says nothing that we know."""

    file: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.file} cannot be read from byte {self.start:,} to {self.end:,}."


class Passed(Value, frozen=True, kw_only=True):
    """A record that is about no page."""

    place: Position


def page_files(folder: Path) -> list[Path]:
    """The page files of a folder, in their order."""
    names = [*folder.iterdir()] if folder.is_dir() else []
    found = [path for path in names if is_page_file(path.name) and path.is_file()]
    return sorted(found, key=lambda path: series_and_number(path.name))


def next_file(folder: Path) -> str:
    """The name of a file behind all that are there."""
    numbers = [series_and_number(path.name)[1] for path in page_files(folder)]
    return f"pages-{max(numbers, default=0) + 1:05}.warc.gz"


def records(files: list[Path]) -> Iterator[SalvagedRecord | LostRecord | Passed]:
    """All that can be read, in the order in which it was written; of several series, in the order of time."""
    series = groupby(files, key=lambda path: series_and_number(path.name)[0])
    streams = [_timed(list(group)) for _, group in series]
    for _, found in merge(*streams, key=lambda timed: timed[0]):
        yield found


def _timed(files: list[Path]) -> Iterator[tuple[float, SalvagedRecord | LostRecord | Passed]]:
    latest = 0.0
    for path in files:
        for found in _records(path):
            latest = max(latest, found.at) if isinstance(found, SalvagedRecord) else latest
            yield latest, found


def _records(path: Path) -> Iterator[SalvagedRecord | LostRecord | Passed]:
    if not path.stat().st_size:
        return
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for start, end, record in _members(data):
                yield (_parsed(path.name, start, record) if record else None) or LostRecord(
                    file=path.name, start=start, end=end
                )
    except OSError as error:
        raise FolderError(f"The page file {path} cannot be read: {error.strerror}.") from error


def _members(data: mmap.mmap) -> Iterator[tuple[int, int, bytes]]:
    """Where each record begins and ends, and what it says; nothing for what lies between two of them and is none."""
    at = gap = 0
    while at < len(data):
        found = _unpacked(data, at)
        if found is None:
            following = data.find(_MAGIC, at + 1)
            at = following if following >= 0 else len(data)
            continue
        if gap < at:
            yield gap, at, b""
        record, end = found
        yield at, end, record
        at = gap = end
    if gap < at:
        yield gap, at, b""


def _unpacked(data: mmap.mmap, start: int) -> tuple[bytes, int] | None:
    """The record that begins here, and where it ends; None when there is none, or it is not whole."""
    unpack = zlib.decompressobj(wbits=_GZIP)
    position, record = start, bytearray()
    try:
        while not unpack.eof:
            packed = unpack.unconsumed_tail
            if not packed:
                # Little at first: what looks like a beginning mostly is none.
                packed = data[position : position + (_CHUNK if record else _SIP)]
                position += len(packed)
            some = unpack.decompress(packed, _STEP)
            record += some
            strange = not _WARC.startswith(bytes(record[: len(_WARC)]))
            if strange or len(record) > _LARGEST or not (some or packed):
                return None
    except zlib.error:
        return None
    return bytes(record), position - len(unpack.unused_data)


def _parsed(file: str, offset: int, record: bytes) -> SalvagedRecord | Passed | None:
    """What a record says; None when it does not say it as we would."""
    head, _, block = record.partition(_HEAD_END)
    fields = dict(_fields(head))
    kind = fields.get("warc-type", "")
    if kind not in ("response", "revisit"):
        return Passed(place=(file, offset)) if kind else None
    length = fields.get("content-length", "")
    if not (length.isascii() and length.isdigit()) or len(block) < int(length[:12]):
        return None
    http_head, separator, body = block[: int(length[:12])].partition(_HEAD_END)
    status = http_head.split(b"\r\n", 1)[0].split(b" ")[1:2]
    url, at = normalise(fields.get("warc-target-uri", "")), _time(fields.get("warc-date", ""))
    if not separator or not status or not status[0].isdigit() or url is None or at is None:
        return None
    response = Response(
        url=url,
        status=int(status[0][:9]),
        headers=tuple(field for field in _fields(http_head) if field[0] != "content-length"),
        body=body,
        timing=Timing(started=at, answered=at, ended=at, address=fields.get("warc-ip-address", "")),
        truncated="warc-truncated" in fields,
    )
    payload = fields.get("warc-payload-digest", "")
    return SalvagedRecord(place=(file, offset), at=at, response=response, payload=payload, is_copy=kind == "revisit")


def _fields(head: bytes) -> Iterator[tuple[str, str]]:
    """The lines behind the first, as `store/warc.py` wrote them."""
    for line in head.split(b"\r\n")[1:]:
        name, colon, value = line.decode("utf-8", "replace").partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def _time(text: str) -> float | None:
    try:
        return max(0.0, datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        return None


class Places:
    """Stands for the writer of page files while their records are taken in again: each is where it is already."""

    def __init__(self, following: str) -> None:
        """`following` is the file that the crawl will go on in."""
        self.position: Position = (following, 0)
        self.current: Position = ("", 0)
        """Of the record that is being taken in."""

    def write(self, response: Response) -> Position:
        return self.current

    def append(self, member: bytes) -> Position:
        return self.current

    def sync(self) -> None:
        """Nothing was written."""

    def rewind(self, position: Position) -> None:
        """Nothing was written."""

    def close(self) -> None:
        """Nothing is open."""
