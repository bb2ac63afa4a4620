"""What did somebody see of the web? A WARC file as a table of answers; bodies are read from the disk when they are asked for.

    .warc.gz .xz .zst .bz2 .lz4 ─unpack once─► temporary file ─┐
    .warc ─────────────────────────────────────────────────────┴─index─► URL → place in the file ─answer─► headers, body

Of several records of one URL the first with status 200 counts, else the first. A revisit record stands for the page whose
bytes it had. A file that is cut off is an error: figures from half a web would look like figures. A record that is larger than
any page is left out.
"""

from __future__ import annotations

import io
import logging
import os
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple

from shoal.errors import InputError
from shoal.evaluate.recorded.compression import MAX_BODY, unpacked, unwrapped
from shoal.testing.webserver import WebAnswer
from shoal.urls import host_of, normalise

with warnings.catch_warnings():  # fastwarc warns, while it is imported, of its own old names
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

logger = logging.getLogger(__name__)
_MAX_HEAD = 256 * 2**10
_MAX_RECORD = MAX_BODY + 2 * _MAX_HEAD
"""Bytes: an answer is read into memory as a whole."""
_HTML = ("text/html", "application/xhtml+xml")
_OF_THE_CONNECTION = frozenset(
    ("content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "trailer")
)
"""Headers that were about the bytes on the wire, and would be wrong about the bytes that are served from here."""


class ArchiveRecord(NamedTuple):
    """Where an answer stands in the unpacked file."""

    offset: int
    length: int
    status: int
    is_html: bool


class Archive:
    """A recorded web. Implements `offline_web.OfflineWeb`; sent to another process, it reads the same unpacked file there."""

    def __init__(self, name: str, file: Path, records: Mapping[str, ArchiveRecord]) -> None:
        self.name = name
        self._file = file
        self._records = records
        self._descriptor = -1
        """Opened by the first answer, in each process for itself."""

    def __reduce__(self) -> tuple[type[Archive], tuple[str, Path, Mapping[str, ArchiveRecord]]]:
        return Archive, (self.name, self._file, self._records)

    def urls(self) -> Collection[str]:
        """Every page, in the order of the recording: what answered with 200, and is not a robots.txt."""
        return [url for url, record in self._records.items() if record.status == 200 and not _is_robots(url)]

    def html_urls(self) -> list[str]:
        """Those of them that a person would call a page."""
        return [url for url in self.urls() if self._records[url].is_html]

    def hosts(self) -> list[str]:
        """Every host that answered, in the order of the recording."""
        return list(self.host_names)

    @cached_property
    def host_names(self) -> Mapping[str, None]:
        """The same, for looking up."""
        return dict.fromkeys(map(host_of, self._records))

    def answer(self, url: str, nth: int = 0) -> WebAnswer | None:
        """What the server said, however often it is asked; None when that was not recorded."""
        place = self._records.get(url)
        if place is None:
            return None
        if self._descriptor < 0:
            self._descriptor = os.open(self._file, os.O_RDONLY)
        data = os.pread(self._descriptor, place.length, place.offset)
        return _as_answer(next(iter(_records(io.BytesIO(data)))), place.status)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """The web in a WARC file, or one sentence about what is wrong with the file."""
    with unpacked(path) as (file, whole):
        index = _Index(path, unpacked=whole)
        index.read(file)
        archive = Archive(name_of(path), file, index.settled())
        if index.too_large:
            logger.warning("%s: %d records of more than %d bytes are left out.", path, index.too_large, _MAX_RECORD)
        if not archive.html_urls():
            raise InputError(f"{path}: there is no HTML page among its {index.count:,} records")
        try:
            yield archive
        finally:
            archive.close()


def name_of(path: Path) -> str:
    """`zhmed` for `webs/zhmed.warc.xz`."""
    return path.name.partition(".warc")[0] or path.name


def _is_robots(url: str) -> bool:
    return url.endswith("/robots.txt") and url.count("/") == 3


# --- the index -------------------------------------------------------------------------------------------------------


class _Revisit(NamedTuple):
    """A page whose bytes were those of an earlier one; how the recording says which."""

    url: str
    digest: str
    record_id: str
    target: str


def _records(source: str | BinaryIO) -> Iterator[WarcRecord]:
    yield from ArchiveIterator(source, parse_http=False, stream_detect=False, fsspec_args=False)


class _Index:
    """Goes through a file once. Its tables for revisits are needed only until `settled`."""

    def __init__(self, path: Path, *, unpacked: bool) -> None:
        """`unpacked`: to the very end, as far as the packing can tell."""
        self._unpacked = unpacked
        self.count = 0
        """Whole records so far."""
        self.too_large = 0
        self._path = path
        self._found: dict[str, ArchiveRecord] = {}
        self._revisits: list[_Revisit] = []
        self._by_digest: dict[str, ArchiveRecord] = {}
        self._by_id: dict[str, ArchiveRecord] = {}

    def read(self, file: Path) -> None:
        """Note every answer and where it stands."""
        records = _records(str(file))
        end = file.stat().st_size
        try:
            record = next(records, None)
            while record is not None:
                noted = _Noted.of(record)
                if not noted.whole:
                    raise self.broken()
                self.count += 1
                following = next(records, None)
                length = (following.stream_pos if following is not None else end) - noted.offset
                if length > _MAX_RECORD:
                    self.too_large += 1
                else:
                    self._note(noted, length)
                record = following
        except OSError:
            raise self.broken() from None
        if not self._unpacked or not self.count:
            raise self.broken()

    def broken(self) -> InputError:
        """The sentence for a file that does not go on as it should."""
        if not self.count and self._unpacked:
            return InputError(f"{self._path} is not a WARC file, or cut off in its first record")
        return InputError(f"{self._path} is cut off or damaged after {self.count:,} records")

    def settled(self) -> dict[str, ArchiveRecord]:
        """Every URL with its place, revisits too."""
        for again in self._revisits:
            original = (
                self._by_digest.get(again.digest)
                or self._by_id.get(again.record_id)
                or self._found.get(normalise(again.target) or "")
            )
            if original is not None:
                self._take(again.url, original)
        return self._found

    def _note(self, noted: _Noted, length: int) -> None:
        url = normalise(noted.header("WARC-Target-URI").strip("<>"))
        if url is None:
            return
        if noted.kind is WarcRecordType.revisit:
            names = ("WARC-Payload-Digest", "WARC-Refers-To", "WARC-Refers-To-Target-URI")
            self._revisits.append(_Revisit(url, *map(noted.header, names)))
        elif noted.status is not None:
            record = ArchiveRecord(noted.offset, length, noted.status, noted.is_html)
            self._take(url, record)
            if noted.status == 200:
                self._by_digest.setdefault(noted.header("WARC-Payload-Digest"), record)
                self._by_id.setdefault(noted.header("WARC-Record-ID"), record)

    def _take(self, url: str, record: ArchiveRecord) -> None:
        known = self._found.get(url)
        if known is None or (known.status != 200 and record.status == 200):
            self._found[url] = record


class _Noted(NamedTuple):
    """What the index wants to know of a record before it goes on to the next."""

    kind: WarcRecordType
    offset: int
    headers: Mapping[str, str]
    status: int | None
    is_html: bool
    whole: bool

    @classmethod
    def of(cls, record: WarcRecord) -> _Noted:
        """Read a record to its end."""
        headers = {name.lower(): value for name, value in record.headers.to_tuples()}
        kind, offset = record.record_type, record.stream_pos
        status, type = _status_and_type(record, headers)
        whole = "content-length" in headers and record.consume() == record.content_length
        return cls(kind, offset, headers, status, status == 200 and (not type or type.startswith(_HTML)), whole)

    def header(self, name: str) -> str:
        return self.headers.get(name.lower(), "")


def _status_and_type(record: WarcRecord, headers: Mapping[str, str]) -> tuple[int | None, str]:
    """What a record says of its page; no status when it is not about a page."""
    if record.record_type is WarcRecordType.resource:  # a page that was saved without what the server said about it
        return 200, headers.get("content-type", "").lower()
    if record.record_type is not WarcRecordType.response or not record.is_http:
        return None, ""
    try:
        record.parse_http(max_header_len=_MAX_HEAD)
    except OSError:  # headers without end are no answer, and the next record is another one
        return None, ""
    status = record.http_headers.status_code
    return (status if isinstance(status, int) else None), (record.http_content_type or "").lower()


# --- answers ---------------------------------------------------------------------------------------------------------


def _as_answer(record: WarcRecord, status: int) -> WebAnswer:
    if record.record_type is WarcRecordType.resource:
        type = record.headers.get("Content-Type") or "application/octet-stream"
        return WebAnswer(status=status, headers=(("Content-Type", type),), body=record.reader.read())
    record.parse_http(max_header_len=_MAX_HEAD)
    # Latin-1 never fails and loses nothing; a Location in GBK is understood by whoever asked.
    sent = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in record.http_headers.items_bytes()]
    headers = tuple((name, value) for name, value in sent if name.lower() not in _OF_THE_CONNECTION)
    return WebAnswer(status=status, headers=headers, body=unwrapped(record.reader.read(), sent))
