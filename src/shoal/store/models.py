"""How is what a crawl learned carried to another one? In one file that says what it is, and that is safe to read.

    shoal model, format 1 ⏎      in plain bytes, for whoever looks into the file
    zlib( msgpack( Model ) )     with a checksum, so that a damaged file is noticed

A file may come from a stranger: nothing in it is run, all of it has a type, and its size has a limit.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Annotated

import msgspec

from shoal.errors import InputError
from shoal.model import Topic, Value
from shoal.store.outfile import written

FORMAT = 1
"""Raised when a file of an older shoal can no longer be read as it is."""
LARGEST = 64 * 2**20
"""Bytes, packed or unpacked: more is no model."""
_FIRST_LINE = re.compile(rb"shoal model, format ([0-9]{1,9})\n")
_BEGINNING = b"shoal model, format "
_CUT_OFF = re.compile(_BEGINNING + rb"[0-9]{0,9}")
_LAST_SECOND = 253_402_300_799
"""Of the year 9999; later times have no date."""


class Model(Value, frozen=True, kw_only=True):
    """What the strategy of a crawl learned, and where it comes from."""

    strategy: Annotated[str, msgspec.Meta(pattern=r"^[\w-]{1,64}\Z")]
    """Only this strategy understands the knowledge."""
    shoal: Annotated[str, msgspec.Meta(pattern=r"^[\w.+-]{1,64}\Z")]
    """The version that wrote it."""
    topic: Topic
    """As it was when the model was taken."""
    pages: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    """How many it was learned from."""
    at: Annotated[int, msgspec.Meta(ge=0, le=_LAST_SECOND)]
    """When it was taken, in seconds since the epoch."""
    knowledge: bytes


def pack(model: Model) -> bytes:
    """A model as it stands in a file."""
    unpacked = msgspec.msgpack.encode(model)
    if len(unpacked) > LARGEST:
        raise InputError(
            f"What was learned is too large for a model file: {_size(len(unpacked))}, at most {_size(LARGEST)}."
        )
    return b"%b%d\n%b" % (_BEGINNING, FORMAT, zlib.compress(unpacked))


def write_model(path: Path, model: Model) -> int:
    """Write a model to a file, which appears under its name only when it is complete; answers its size in bytes."""
    data = pack(model)
    with written(path) as stream:
        stream.write(data)
    return len(data)


def read_model(path: Path) -> Model:
    """The model in a file, or one sentence that says what is wrong with it."""
    return decode_model(path, _bytes_of(path))


def decode_model(path: Path, data: bytes) -> Model:
    """The same for the bytes of a file, which has, or would have, this path."""
    if (first := _FIRST_LINE.match(data)) is None:
        if data and (_BEGINNING.startswith(data) or _CUT_OFF.fullmatch(data)):
            raise _truncated(path)
        raise InputError(f"{path} is not a model file: shoal model export makes them.")
    if (version := int(first[1])) != FORMAT:
        raise InputError(f"{path} was written by another version of shoal (format {version}, this one reads {FORMAT}).")
    return _decoded(path, _unpacked(path, data[first.end() :]))


def _bytes_of(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such model file.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; give the path of a model file.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if len(data) > LARGEST:
        raise _too_large(path)
    return data


def _unpacked(path: Path, packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, LARGEST + 1)
    except zlib.error:
        raise _damaged(path) from None
    if len(data) > LARGEST:
        raise _too_large(path)
    if not unpacking.eof:
        raise _truncated(path)
    if unpacking.unused_data:
        raise _damaged(path)
    return data


def _decoded(path: Path, data: bytes) -> Model:
    try:
        return msgspec.msgpack.decode(data, type=Model)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _damaged(path) from None


def _truncated(path: Path) -> InputError:
    return InputError(f"{path} is truncated: its end is missing, so copy or export it again.")


def _damaged(path: Path) -> InputError:
    return InputError(f"{path} is damaged: it begins like a model file, but the rest is none.")


def _too_large(path: Path) -> InputError:
    return InputError(f"{path} is too large for a model: at most {_size(LARGEST)} are read.")


def _size(count: int) -> str:
    return f"{count / 2**20:.0f} MiB"
