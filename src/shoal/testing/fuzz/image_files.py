"""What may a server send as an image? Honest files, damaged where decoders believe them: lengths, sizes, counts and parts."""

from __future__ import annotations

import re
import struct
import zlib
from random import Random

from shoal.testing.fuzz.mutation import mutated

_EXTREMES = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_CHUNK = re.compile(rb"IHDR|PLTE|tRNS|IDAT|IEND|acTL|fcTL|fdAT|eXIf|iCCP|zTXt")
_MARKS = (
    b"\xff\xda",
    b"\xff\xd8",
    b"\xff\xc2",
    b"\xff\xe1",
    b",",
    b"!\xfe",
    b"IDAT",
    b"VP8X",
    b"ANMF",
    b"infe",
    b"iloc",
    b"Exif",
)


def damaged_image(honest: bytes, random: Random) -> bytes:
    """The file after some damage, of which at least some makes it further than to the first check."""
    for _ in range(random.randint(1, 5)):
        honest = random.choice((_with_extreme, _with_part_again, _with_mark, _mutated_once))(honest, random)
    return _with_checksums(honest) if honest.startswith(b"\x89PNG") and random.random() < 0.8 else honest


def _mutated_once(data: bytes, random: Random) -> bytes:
    return mutated(data, random, times=1)


def _with_extreme(data: bytes, random: Random) -> bytes:
    """Some number says that there is very much of something, or nothing."""
    number = struct.pack(random.choice(("<H", ">H", "<I", ">I")), random.choice(_EXTREMES) & 0xFFFF)
    if random.random() < 0.5:
        number = struct.pack(random.choice(("<I", ">I")), random.choice(_EXTREMES))
    # Heads are where numbers are.
    place = random.randrange(min(len(data), random.choice((32, 200, 1000, len(data)))) or 1)
    return data[:place] + number + data[place + len(number) :]


def _with_part_again(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) or 1)
    part = data[start : start + random.choice((4, 16, 100, 1000))]
    return data[:start] + part * random.choice((2, 5, 200)) + data[start:]


def _with_mark(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) or 1)
    return data[:place] + random.choice(_MARKS) + data[place + random.choice((0, 2, 4)) :]


def _with_checksums(data: bytes) -> bytes:
    """A PNG whose checksums are right, where its chunks can be found."""
    parts = bytearray(data)
    for found in _CHUNK.finditer(data):
        length = int.from_bytes(data[max(found.start() - 4, 0) : found.start()], "big")
        end = found.end() + length
        if end + 4 <= len(parts):
            parts[end : end + 4] = struct.pack(">I", zlib.crc32(parts[found.start() : end]))
    return bytes(parts)
