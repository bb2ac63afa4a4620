"""How is this packed? Whole files, by their first bytes; bodies of pages, by their headers, as far as those tell the truth."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from shoal.errors import InputError
from shoal.extras import ExtraMissing, missing
from shoal.store.crawl_folder import storage_errors

try:
    with warnings.catch_warnings():  # fastwarc warns, while it is imported, of its own old names
        warnings.simplefilter("ignore", DeprecationWarning)
        from fastwarc import stream_io
except ModuleNotFoundError as error:  # here, because whoever imports this module is about to read a WARC file
    raise ExtraMissing(missing("fastwarc")) from error

MAX_BODY = 64 * 2**20
"""Bytes of a body after unpacking: what looks like more is a bomb, and is cut off."""
_MOST_CODINGS = 5
"""Ways to pack a body, one within the other; servers use two."""
_SMALL_FILE, _MOST_PACKED = 256 * 2**20, 200
"""Bytes of an unpacked file, and how many of them may come of each packed one beyond that: pages become a tenth, at best a
hundredth."""
_CHUNK = 64 * 2**10


# --- files -----------------------------------------------------------------------------------------------------------


class _Packing(NamedTuple):
    """One way to pack a file."""

    called: str
    magic: tuple[bytes, ...]
    """How such a file begins."""
    open: Callable[[str], Any]


_PACKINGS = {
    ".gz": _Packing("gzip", (b"\x1f\x8b",), gzip.open),
    ".xz": _Packing("xz", (b"\xfd7zXZ\x00",), lzma.open),
    ".zst": _Packing(
        # The second may stand in front: the dictionary that the records were packed with.
        "zstd",
        (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18"),
        lambda path: stream_io.ZstdReader(path, fsspec_args=False),
    ),
    ".bz2": _Packing("bzip2", (b"BZh",), bz2.open),
    ".lz4": _Packing("lz4", (b"\x04\x22\x4d\x18",), lambda path: stream_io.Lz4Reader(path, fsspec_args=False)),
}


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[Path, bool]]:
    """A file with the records as they are, and whether it could be unpacked to its end."""
    packing = _packing_of(path)
    if packing is None:
        yield path, True
        return
    with tempfile.NamedTemporaryFile(prefix="shoal-", suffix=".warc") as file:
        with storage_errors(Path(file.name).parent), packing.open(str(path)) as packed:
            whole = _copy(packed, file, path)
            file.flush()
        yield Path(file.name), whole


def _packing_of(path: Path) -> _Packing | None:
    """How a file is packed, by its first bytes; the name must not say anything else."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if not head:
        raise InputError(f"{path} is empty")
    said = _PACKINGS.get(path.suffix.lower())
    if said is not None and not head.startswith(said.magic):
        raise InputError(f"{path} is not packed with {said.called}, though its name says so")
    return next((packing for packing in _PACKINGS.values() if head.startswith(packing.magic)), None)


def _copy(packed: Any, file: Any, path: Path) -> bool:
    """False when the packed file ends too early, or is damaged on the way."""
    # `read1` also gives what comes shortly before the damage; the readers of fastwarc do not have it.
    read = getattr(packed, "read1", packed.read)
    room = _SMALL_FILE + _MOST_PACKED * path.stat().st_size
    while True:
        try:
            chunk = read(_CHUNK)
        except (EOFError, OSError, zlib.error, lzma.LZMAError):
            return False
        if not chunk:
            return True
        room -= len(chunk)
        if room < 0:
            raise InputError(
                f"{path} becomes more than {_MOST_PACKED} times as large unpacked, which no recording does"
            )
        file.write(chunk)


# --- bodies ----------------------------------------------------------------------------------------------------------


def unwrapped(body: bytes, headers: Sequence[tuple[str, str]]) -> bytes:
    """The body as the site meant it. Recorders often unpack it and leave the header: then it is as it should be already."""
    for wanted in ("transfer-encoding", "content-encoding"):
        said = ",".join(value for name, value in headers if name.lower() == wanted)
        for coding in reversed([word.strip().lower() for word in said.split(",")][:_MOST_CODINGS]):
            for reader in _READERS.get(coding, ()):
                if unpacked := _drained(reader(io.BytesIO(body))):
                    body = unpacked
                    break
    return body


def _drained(reader: Any) -> bytes:
    """As much as can be unpacked."""
    parts, size = [], 0
    try:
        while size < MAX_BODY and (part := reader.read(_CHUNK)):
            parts.append(part)
            size += len(part)
    except (OSError, zlib.error):
        pass
    return b"".join(parts)[:MAX_BODY]


class _RawDeflate:
    """What some servers mean by `deflate`."""

    def __init__(self, body: BinaryIO) -> None:
        self._unpack = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
        self._rest = body.read()

    def read(self, size: int) -> bytes:
        part = self._unpack.decompress(self._rest, size)
        self._rest = self._unpack.unconsumed_tail
        return part


_READERS: dict[str, tuple[Callable[[BinaryIO], Any], ...]] = {
    "chunked": (stream_io.ChunkedReader,),
    "gzip": (stream_io.GzipReader,),
    "x-gzip": (stream_io.GzipReader,),
    "deflate": (lambda body: stream_io.GzipReader(body, zlib=True), _RawDeflate),
    "br": (stream_io.BrotliReader,),
    "zstd": (stream_io.ZstdReader,),
}
