"""What did the crawl find? One row per fetched page, in the order of fetching, in the format another program wants."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from shoal.database.sql import Database
from shoal.errors import InputError
from shoal.extras import need
from shoal.files import complaints, written
from shoal.model import Evidence
from shoal.store.ownership import is_own
from shoal.store.warc import info_member, read_raw

Format = Literal["jsonl", "csv", "parquet", "warc"]
TEXT: frozenset[Format] = frozenset({"jsonl", "csv"})
"""Formats that a person can read."""
_ROW_GROUP = 10_000


class ExportRow(msgspec.Struct, frozen=True, kw_only=True):
    """One fetched page."""

    url: str
    """The URL that was asked for, before any redirect."""
    final_url: str
    """The URL that answered."""
    status: int
    fetch_order: int
    fetched_at: datetime
    depth: int
    """Links between a seed and this page."""
    parent: str | None
    """The page with the link; none for a seed."""
    anchor: str
    """The words of that link."""
    title: str
    description: str
    language: str
    charset: str
    published: str
    content_type: str
    bytes: int
    score: float | None
    """None for types that are not judged."""
    threshold: float | None
    relevant: bool
    """By the user's mark, else by the judge."""
    marked: bool | None
    """What the user said of it; None when they said nothing."""
    priority: float
    why: tuple[Evidence, ...]
    """What made the score, the strongest first."""
    content_hash: str
    """BLAKE2b-128 of the body, in hexadecimal."""
    duplicate_of: str | None
    """The page this one repeats."""
    similarity: float
    """1 for an exact copy, 0 for a page of its own."""
    truncated: bool
    noindex: bool
    etag: str
    last_modified: str


# In the order of the fields above. The link is that to the first URL of a chain of redirects.
_SELECT = """
SELECT coalesce(asked.url, found.url), found.url, pages.status, pages.fetch_order, pages.fetched_at, found.depth,
       parent.url, coalesce(asked.anchor, found.anchor, ''), pages.title, pages.description, pages.language,
       pages.charset, pages.published, pages.content_type, pages.bytes, pages.score, pages.threshold,
       coalesce(marks.relevant, pages.relevant), marks.relevant, found.priority, pages.why, pages.content_hash,
       original.url, pages.similarity, pages.truncated, pages.noindex, pages.etag, pages.last_modified
FROM pages
JOIN found ON found.id = pages.id
LEFT JOIN found AS asked ON asked.id = found.origin
LEFT JOIN found AS parent ON parent.id = coalesce(asked.parent, found.parent)
LEFT JOIN found AS original ON original.id = pages.duplicate_of
LEFT JOIN marks ON marks.id = pages.id
WHERE coalesce(marks.relevant, pages.relevant) >= ?
ORDER BY pages.fetch_order
"""
_SELECT_BODIES = """
SELECT warc_file, warc_offset FROM pages LEFT JOIN marks USING (id)
WHERE coalesce(marks.relevant, pages.relevant) >= ? AND warc_file <> '' ORDER BY fetch_order
"""
_decode_why = msgspec.json.Decoder(tuple[Evidence, ...]).decode


def rows(connection: Database, relevant_only: bool) -> Iterator[ExportRow]:
    """The fetched pages one by one, in the order of fetching."""
    for values in connection.stream(_SELECT, (int(relevant_only),)):
        row = dict(zip(ExportRow.__struct_fields__, values, strict=True))
        row["fetched_at"] = datetime.fromtimestamp(row["fetched_at"], UTC)
        row["why"] = _decode_why(row["why"])
        row["content_hash"] = row["content_hash"].hex()
        yield msgspec.convert(row, ExportRow, strict=False)  # what is a flag here is a number there


def export(connection: Database, folder: Path, format: Format, out: BinaryIO | Path, relevant_only: bool) -> int:
    """Write the pages of a crawl to a file or a stream; how many there were.

    `folder` holds the WARC files. A file appears under its name only when it is complete.
    """
    if isinstance(out, Path) and is_own(folder, out):
        raise InputError(f"{out} is a file of the crawl itself: choose another name.")
    if format == "parquet":
        need("pyarrow")
    with written(out) if isinstance(out, Path) else _passed(out) as stream:
        match format:
            case "jsonl":
                lines = map(msgspec.json.Encoder().encode, rows(connection, relevant_only))
                return _write_parts((line + b"\n" for line in lines), stream)
            case "csv":
                return _write_csv(rows(connection, relevant_only), stream)
            case "parquet":
                return _write_parquet(rows(connection, relevant_only), stream)
            case "warc":
                stream.write(info_member(out.name if isinstance(out, Path) else "export.warc.gz", {}))
                # The packed records as they are; pages whose body was not kept have none.
                places = connection.stream(_SELECT_BODIES, (int(relevant_only),))
                return _write_parts((read_raw(folder, file, offset) for file, offset in places), stream)


# --- formats ---------------------------------------------------------------------------------------------------------


def _write_parts(parts: Iterator[bytes], stream: BinaryIO) -> int:
    count = 0
    for part in parts:
        stream.write(part)
        count += 1
    return count


class _Utf8:
    """Takes text and passes bytes on. `io.TextIOWrapper` would close, or try to flush, a stream that is not ours."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text.encode())


def _write_csv(found: Iterator[ExportRow], stream: BinaryIO) -> int:
    writer = csv.writer(_Utf8(stream))  # its defaults are those of RFC 4180
    writer.writerow(ExportRow.__struct_fields__)
    count = 0
    for row in found:
        writer.writerow([_cell(value) for value in msgspec.structs.astuple(row)])
        count += 1
    return count


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return _harmless(value)
        case tuple():
            return msgspec.json.encode(value).decode()
        case datetime():
            return msgspec.json.encode(value).decode().strip('"')
        case _:
            return str(value)


def _harmless(text: str) -> str:
    """Text of a stranger must not run as a formula when the file is opened in a spreadsheet.

    An apostrophe in front is how spreadsheets themselves mark text. JSONL and Parquet keep the exact text.
    """
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")) else text


def _write_parquet(found: Iterator[ExportRow], stream: BinaryIO) -> int:
    # Imported here because it takes 0.3 s, which every other command would pay for.
    import pyarrow as arrow
    from pyarrow import parquet

    schema = _arrow_schema(arrow)
    count = 0
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        while group := list(islice(found, _ROW_GROUP)):
            dicts = [msgspec.to_builtins(row, builtin_types=(datetime,)) for row in group]
            writer.write_table(arrow.Table.from_pylist(dicts, schema=schema))
            count += len(group)
    return count


def _arrow_schema(arrow: Any) -> Any:
    text, real, flag = arrow.string(), arrow.float64(), arrow.bool_()
    special = {
        "status": arrow.int16(),
        "fetch_order": arrow.int64(),
        "fetched_at": arrow.timestamp("us", tz="UTC"),
        "depth": arrow.int32(),
        "bytes": arrow.int64(),
        "why": arrow.list_(arrow.struct([("what", text), ("amount", real)])),
    }
    special |= dict.fromkeys(("score", "threshold", "priority", "similarity"), real)
    special |= dict.fromkeys(("relevant", "marked", "truncated", "noindex"), flag)
    may_be_missing = {"parent", "duplicate_of", "score", "threshold", "marked"}
    names = ExportRow.__struct_fields__
    return arrow.schema([arrow.field(name, special.get(name, text), name in may_be_missing) for name in names])


@contextmanager
def _passed(stream: BinaryIO) -> Iterator[BinaryIO]:
    """A stream of the caller's; what is wrong with it is not to be taken for what is wrong with the folder."""
    with complaints("the output"):
        yield stream
        stream.flush()
