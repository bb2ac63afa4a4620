"""What of a file makes its pixels? Only that reaches a decoder, and no more of it than an honest file has.

    JPEG              tables, frame and scans, as many as encoders make
    PNG               head, palette, transparency and pixels, in one piece
    GIF               the screen and its first frame
    TIFF              the tags that say where the pixels are
    BMP, WebP, AVIF   as they are

Colour profiles, comments, texts, notes of cameras and further frames are left out: they are unpacked and copied before the first
pixel, and a small file can have thousands of them. Of the notes of a camera, how it was held is read here.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

_MOST_PARTS = 20_000
"""Segments, chunks or blocks of a file that are gone through: a PNG of 10 MB in the smallest chunks that encoders make."""
_MOST_SCANS = 100
"""Of a JPEG: encoders make about ten. Each costs a walk through all pixels, even when it has not a byte."""
_MOST_STRIPS = 2**16
_LONGEST_NOTES = 2**16
_DAMAGED = "The image is damaged or incomplete, and cannot be decoded."


class Unusable(Exception):
    """Why there is no image: one sentence."""


class Pixels(NamedTuple):
    """What is decoded."""

    file: bytes
    """In the format it came in."""
    orientation: int = 1
    """As cameras note it, from 1 (upright) to 8, if that was cut off; WebP and AVIF keep their notes."""


def pixels_of(body: bytes) -> Pixels:
    """A file without all that is not needed; `Unusable` when it is built as no honest file is.

    What is none of these formats goes on as it is: whoever opens it will say so.
    """
    if body.startswith(b"\xff\xd8\xff"):
        return _jpeg(body)
    try:
        if body.startswith(_PNG):
            return _png(body)
        if body.startswith((b"GIF87a", b"GIF89a")):
            return _gif(body)
        if body.startswith((b"II", b"MM")):
            return _tiff(body)
        if body.startswith(b"BM"):
            return _bmp(body)
    except (struct.error, IndexError) as error:  # it ends in the middle of a number
        raise Unusable(_DAMAGED) from error
    return Pixels(_AVIF_NOTES.sub(rb"\1none", body) if body[4:8] == b"ftyp" else body)


def _too_many(parts: str) -> Unusable:
    return Unusable(f"The image has far more {parts} than any needs, which is an attack.")


# --- JPEG ------------------------------------------------------------------------------------------------------------

_MARKER = re.compile(rb"\xff[\x01-\xfe]")
_NEXT_SEGMENT = re.compile(rb"\xff[\xc0-\xcf\xd8-\xfe]")
"""Within a scan, the other markers are part of it."""
_SCAN, _END, _NOTES, _COMMENT = 0xDA, 0xD9, 0xE1, 0xFE
_COLOURS = frozenset(((0xE0, b"JFIF\x00"), (0xEE, b"Adobe")))
"""Two notes say which colours the numbers mean."""
_WITHOUT_LENGTH = frozenset((*range(0xC0), *range(0xD0, 0xD9)))


def _jpeg(body: bytes) -> Pixels:
    kept, scans, orientation = [body[:2]], 0, 1
    for code, segment in _segments(body):
        scans += code == _SCAN
        if scans > _MOST_SCANS:
            raise _too_many("scans")
        if code == _NOTES and orientation == 1:
            orientation = orientation_in(segment[4:])
        if not 0xE0 <= code <= _COMMENT or (code, segment[4:9]) in _COLOURS:
            kept.append(segment)
    return Pixels(b"".join(kept), orientation)


def _segments(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The code of each marker, with what belongs to it."""
    place = 2
    for _ in range(_MOST_PARTS):
        if (marker := _MARKER.search(body, place)) is None:
            return
        start, code, place = marker.start(), body[marker.start() + 1], marker.end()
        if code in _WITHOUT_LENGTH:
            continue
        if code == _END:
            yield code, body[start:place]
            return
        place += max(int.from_bytes(body[place : place + 2], "big"), 2)
        if code == _SCAN:
            following = _NEXT_SEGMENT.search(body, place)
            place = following.start() if following is not None else len(body)
        yield code, body[start:place]
    raise _too_many("segments")


# --- PNG -------------------------------------------------------------------------------------------------------------

_PNG = b"\x89PNG\r\n\x1a\n"


def _png(body: bytes) -> Pixels:
    kept, data, orientation = [_PNG], [], 1
    for kind, content in _chunks(body):
        if kind == b"IDAT":
            data.append(content)
        elif data:
            break  # what belongs to the pixels stands in front of them
        elif kind in (b"IHDR", b"PLTE", b"tRNS"):
            kept.append(_chunk(kind, content))
        elif kind == b"eXIf":
            orientation = orientation_in(content)
    return Pixels(b"".join((*kept, _chunk(b"IDAT", b"".join(data)), _chunk(b"IEND", b""))), orientation)


def _chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content; those that are decoded are as they were sent."""
    place = len(_PNG)
    for _ in range(_MOST_PARTS):
        if place >= len(body):
            return
        length, kind = struct.unpack_from(">I4s", body, place)
        end = place + 8 + length
        content = body[place + 8 : end]
        (checksum,) = struct.unpack_from(">I", body, end)
        if kind[:1].isupper() and checksum != zlib.crc32(content, zlib.crc32(kind)):
            raise Unusable(_DAMAGED)
        yield kind, content
        place = end + 4
    raise _too_many("chunks")


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(content, zlib.crc32(kind))
    return b"".join((struct.pack(">I", len(content)), kind, content, struct.pack(">I", checksum)))


# --- GIF -------------------------------------------------------------------------------------------------------------


def _gif(body: bytes) -> Pixels:
    place = 13 + _palette(body[10])
    colours, control = body[13:place], b""
    for _ in range(_MOST_PARTS):
        if body[place] == 0x2C:
            return Pixels(_gif_of(body, colours, control, place))
        if body[place] == 0x21:
            end = _end_of_blocks(body, place + 2)
            control = body[place:end] if body[place + 1] == 0xF9 else control
            place = end
        elif body[place] == 0x3B:
            raise Unusable(_DAMAGED)
        else:
            place += 1
    raise _too_many("blocks")


def _gif_of(body: bytes, colours: bytes, control: bytes, place: int) -> bytes:
    """The first frame on a screen that it fits on, as viewers make it."""
    width, height = struct.unpack_from("<HH", body, 6)
    left, top, wide, high, flags = struct.unpack_from("<HHHHB", body, place + 1)
    screen = struct.pack("<HH", min(max(width, left + wide), 2**16 - 1), min(max(height, top + high), 2**16 - 1))
    end = _end_of_blocks(body, place + 10 + _palette(flags) + 1)
    return b"".join((body[:6], screen, body[10:13], colours, control, body[place:end], b";"))


def _palette(flags: int) -> int:
    """Bytes of the table of colours behind a descriptor."""
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _end_of_blocks(body: bytes, place: int) -> int:
    """Blocks of up to 255 bytes each, until an empty one; a file that ends before that is cut off."""
    for _ in range(10 * _MOST_PARTS):
        if body[place] == 0:
            return place + 1
        place += 1 + body[place]
    raise _too_many("blocks")


# --- TIFF and BMP ----------------------------------------------------------------------------------------------------

_WIDTHS = {1: 1, 3: 2, 4: 4}
"""Bytes of the types of TIFF that the tags below have."""
_FEW = (256, 257, 258, 259, 262, 266, 277, 278, 284, 322, 323, 338, 339)
_STRIPS = (273, 279, 324, 325)
_MOST_VALUES = dict.fromkeys(_FEW, 64) | dict.fromkeys(_STRIPS, _MOST_STRIPS) | {320: 3 * 2**16}
"""The tags that describe pixels, and how many values each may have."""
_COMPRESSION, _TURNED = 259, 274


def _tiff(body: bytes) -> Pixels:
    order = _ORDERS.get(body[:4])
    if order is None:
        raise Unusable("The image is a TIFF of a kind that is not decoded.")
    kept, orientation = [], 1
    for tag, kind, count, value in _tags(body, order):
        if tag == _TURNED:
            orientation = _number(order, kind, value)
        elif tag in _MOST_VALUES and kind in _WIDTHS:
            if count > _MOST_VALUES[tag]:
                raise _too_many("strips")
            kept.append(struct.pack(f"{order}HHI4s", tag, kind, count, value))
        # Its decoder writes to the terminal whatever it does not like about a file. Browsers do not show such images either.
        if tag == _COMPRESSION and _number(order, kind, value) != 1:
            raise Unusable("The image is a compressed TIFF, which is not decoded.")
    # A table of its own at the end of the file, so that all that the values name stays where it is.
    start = struct.pack(f"{order}I", len(body))
    table = struct.pack(f"{order}H", len(kept)) + b"".join(kept) + bytes(4)
    return Pixels(b"".join((body[:4], start, body[8:], table)), orientation if 1 <= orientation <= 8 else 1)


def _bmp(body: bytes) -> Pixels:
    """Runs of pixels are unpacked by a decoder in Python; nobody packs an image for the web like that."""
    (size,) = struct.unpack_from("<I", body, 14)
    if size >= 40 and struct.unpack_from("<I", body, 30)[0] in (1, 2):
        raise Unusable("The image is a compressed BMP, which is not decoded.")
    return Pixels(body)


# --- the notes of a camera -------------------------------------------------------------------------------------------

_ORDERS = {b"II*\x00": "<", b"MM\x00*": ">"}
_AVIF_NOTES = re.compile(rb"(infe.{8}(?:..)?)Exif", re.DOTALL)
"""An item with such notes. The format has its own way to say how an image is turned, which goes before them."""


def orientation_in(notes: bytes) -> int:
    """How it was held; 1 when they do not say it, or are damaged, which harms nobody."""
    notes = notes.removeprefix(b"Exif\x00\x00")[:_LONGEST_NOTES]
    order = _ORDERS.get(notes[:4])
    if order is None:
        return 1
    try:
        said = [_number(order, kind, value) for tag, kind, _, value in _tags(notes, order) if tag == _TURNED]
    except struct.error:
        return 1
    return said[0] if said and 1 <= said[0] <= 8 else 1


def _tags(file: bytes, order: str) -> Iterator[tuple[int, int, int, bytes]]:
    """Tag, type, number of values, and the value or where it stands: of the first image."""
    (start,) = struct.unpack_from(f"{order}I", file, 4)
    (count,) = struct.unpack_from(f"{order}H", file, start)
    end = start + 2 + 12 * count
    if end > len(file):
        raise struct.error("the table ends too early")
    yield from struct.iter_unpack(f"{order}HHI4s", file[start + 2 : end])


def _number(order: str, kind: int, value: bytes) -> int:
    """A value that is one small number; 0 when it is something else."""
    forms = {3: "H", 4: "I"}
    return int(struct.unpack_from(f"{order}{forms[kind]}", value)[0]) if kind in forms else 0
